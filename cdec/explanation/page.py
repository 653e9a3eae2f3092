"""The page of an explanation: a table of mentions or chains, and the arithmetic below it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pandas as pd

from cdec.errors import counted
from cdec.explanation.explain import Explanation, counts_of
from cdec.metadocument import SIDES, Side
from cdec.metrics import REGISTRY, Counts
from cdec.metrics.contribution import Share, braces, brief, decimal, full
from cdec.metrics.sheet import Chain
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.signature import Signature, in_json

# Columns of the mentions to show, and their headings.
_ABOUT = {"text": "Text", "sentence": "Sentence", "place": "Response span"}
_TWINLESS = ("twinless", "0", "–")
_MENTION_LEGEND = (
    "Is in: chain of the other side with this mention; Shared: mentions in both chains; "
    "Its size: mentions of that chain, – without one."
)
_CHAIN_LEGEND = (
    "num, den: contribution to numerator and denominator, "
    "of recall for key chains, of precision for response chains; these: the chains above."
)
_UNDEFINED_LEGEND = (
    "–: undefined (0/0); it counts as 0 in F1 and means, as in the reference scorer."
)
_NAMES: dict[Side, str] = {"key": "recall", "response": "precision"}
_LETTERS: dict[Side, str] = {"key": "K", "response": "R"}


def explanation_page(explanation: Explanation, signature: Signature) -> Page:
    """Return the page: a row per mention if a chain is selected, else a row per chain.

    The data have one row per metric and chain, and one per metric and side for all chains.
    """
    by_mention = explanation.choice.chain is not None
    lines = steps(explanation) if by_mention else ()
    return Page.from_table(
        _mentions(explanation) if by_mention else _chains(explanation),
        _data(explanation),
        title=_title(explanation),
        notes=(*_legend(explanation), *lines, *sums(explanation), str(signature)),
        about={
            **in_json(signature),
            "values": {name: value._asdict() for name, value in explanation.values.items()},
            "written": [*lines, *sums(explanation)],
            "mentions": _mentions(explanation).to_dict("records"),
        },
    )


def _legend(explanation: Explanation) -> Iterator[str]:
    """Yield the meaning of the columns, and of a dash if a value is undefined."""
    yield _CHAIN_LEGEND if explanation.choice.chain is None else _MENTION_LEGEND
    shares = list(explanation.totals.values())
    if explanation.is_part_of_many:
        shares += [
            explanation.chosen_share(part, side) for part in explanation.parts for side in SIDES
        ]
    if not all(share.denominator for share in shares):
        yield _UNDEFINED_LEGEND


def _title(explanation: Explanation) -> str:
    chain, document = explanation.choice.chain, explanation.choice.document
    what = "the chains" if chain is None else f"chain {chain}"
    return f"{label(explanation.metric)}: {what}{f' in {document}' if document else ''}"


def _mentions(explanation: Explanation) -> pd.DataFrame:
    """Return the mentions of the chosen chains, with their chains on the other side."""
    rows = [row for chain in explanation.chosen for row in _mention_rows(explanation, chain)]
    table = pd.DataFrame(rows, columns=["Chain", "Mention", "Is in", "Shared", "Its size"])
    known = explanation.run.mentions.reindex(table["Mention"])
    place = list(table.columns).index("Is in")
    for column, head in _ABOUT.items():
        if column in known and (known[column] != "").any():
            table.insert(place, head, [str(cell) for cell in known[column]])
    return table


def _mention_rows(explanation: Explanation, chain: Chain) -> Iterator[tuple[str, ...]]:
    other_chains = {
        mention: (other.label, str(part.size), str(other.size))
        for part in chain.parts
        for other in [explanation.sheet.other(chain, part)]
        for mention in part.mentions
    }
    for mention in chain.mentions:
        yield (f"{chain.side} {chain.label}", mention, *other_chains.get(mention, _TWINLESS))


def _chains(explanation: Explanation) -> pd.DataFrame:
    """Return the chosen chains with their contribution to each metric, and the sums by side."""
    rows = [row for side in SIDES for row in _chain_rows(explanation, side)]
    heads = [("", "Chain"), ("", "Mentions")]
    counts = [(label(part), half) for part in explanation.parts for half in ("num", "den")]
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples([*heads, *counts]))


def _chain_rows(explanation: Explanation, side: Side) -> Iterator[tuple[str, ...]]:
    chosen = [chain for chain in explanation.chosen if chain.side == side]
    for chain in chosen:
        shares = [explanation.of(part, chain).share for part in explanation.parts]
        yield (f"{side} {chain.label}", str(chain.size), *_cells(shares))
    ours = [explanation.chosen_share(part, side) for part in explanation.parts]
    totals = [explanation.totals[part, side] for part in explanation.parts]
    rest = [total - own for total, own in zip(totals, ours, strict=True)]
    sizes = [chain.size for chain in explanation.sheet.chains(side)]
    size = sum(chain.size for chain in chosen)
    others = len(sizes) - len(chosen)
    if chosen and others:
        yield (f"{side}: these {len(chosen)}", str(size), *_cells(ours))
        yield (f"{side}: {counted(others, 'other')}", str(sum(sizes) - size), *_cells(rest))
    yield (f"{side}: all {len(sizes)}", str(sum(sizes)), *_cells(totals))


def _cells(shares: list[Share]) -> tuple[str, ...]:
    return tuple(full(half) for share in shares for half in (share.numerator, share.denominator))


def _data(explanation: Explanation) -> pd.DataFrame:
    rows = [row for part in explanation.parts for row in _data_rows(explanation, part)]
    columns = ["metric", "side", "row", "meta", "chain", "size", "numerator", "denominator"]
    return pd.DataFrame(rows, columns=[*columns, "exact", "written"])


def _data_rows(explanation: Explanation, part: str) -> Iterator[dict[str, Any]]:
    for chain in explanation.chosen:
        contribution = explanation.of(part, chain)
        about = {"row": "chain", "meta": chain.meta, "chain": chain.label, "size": chain.size}
        record = _record(part, chain.side, contribution.share)
        yield record | about | {"written": contribution.formula}
    for side in SIDES:
        size = sum(chain.size for chain in explanation.sheet.chains(side))
        total = explanation.totals[part, side]
        yield _record(part, side, total) | {"row": "all", "size": size}


def _record(part: str, side: Side, share: Share) -> dict[str, Any]:
    return {
        "metric": part,
        "side": side,
        "numerator": float(share.numerator),
        "denominator": float(share.denominator),
        "exact": f"{share.numerator} of {share.denominator}",
    }


def steps(explanation: Explanation) -> tuple[str, ...]:
    """Return the calculation for each chosen chain and metric, as lines."""
    return tuple(line for chain in explanation.chosen for line in _step(explanation, chain))


def _step(explanation: Explanation, chain: Chain) -> Iterator[str]:
    letter, text = _LETTERS[chain.side], braces(chain.mentions)
    place = f", in {chain.meta}" if len(explanation.sheet.metas) > 1 else ""
    yield f"{letter} = {chain.side} chain {chain.label} = {text}, |{letter}| = {chain.size}{place}"
    left_out = explanation.left_out(chain)
    if left_out:
        setting = explanation.setting
        yield (
            f"the {chain.side} has {counted(left_out + chain.size, 'mention')} in {chain.label}, "
            f"of which {setting.label} ({setting.choices}) puts {chain.size} here"
        )
    for part in explanation.parts:
        contribution = explanation.of(part, chain)
        for line in (*contribution.remarks, contribution.formula):
            yield f"{label(part)}: {line}"


def sums(explanation: Explanation) -> tuple[str, ...]:
    """Return the sums of the contributions, and the scores and means from them, as lines."""
    lines = [line for part in explanation.parts for line in _sum(explanation, part)]
    steps = REGISTRY[explanation.metric].steps_of(explanation.counts)
    return (*lines, *steps, *_manipulated(explanation))


def _manipulated(explanation: Explanation) -> Iterator[str]:
    """Yield the variants of the metric that manipulate twinless mentions, if there are any."""
    if not explanation.manipulated:
        return
    yield (
        f"Variants of {label(explanation.metric)} with mention manipulation, not in use here "
        "(Pradhan et al. 2014, section 2; its printed precision .333 for {a b d} {c} against "
        "{a b c} is 7/12 = .583 by its own formula):"
    )
    for name, counts in explanation.manipulated.items():
        yield f"  {name}: {_prf(counts)}"


def _sum(explanation: Explanation, part: str) -> Iterator[str]:
    """Yield recall, precision and F1 as sums over the chosen and the other chains."""
    if explanation.is_part_of_many:
        shares = [explanation.chosen_share(part, side) for side in SIDES]
        yield f"{label(part)} in {explanation.choice.document} alone: {_prf(counts_of(*shares))}"
    for side in SIDES:
        yield f"{label(part)} {_NAMES[side]} = {_quotient(explanation, part, side)}"
    counts, value = explanation.counts[part], explanation.values[part]
    p, r = (decimal(number or 0) for number in value[:2])
    f1 = _score(value.f1, counts.p_den or counts.r_den)
    terms = f"2 · {p} · {r} / ({p} + {r}) = " if f1 != "–" else ""
    yield f"{label(part)} F1 = 2 P R / (P + R) = {terms}{f1}"


def _quotient(explanation: Explanation, part: str, side: Side) -> str:
    total, ours = explanation.totals[part, side], explanation.chosen_share(part, side)
    chains = len(explanation.sheet.chains(side))
    chosen = sum(chain.side == side for chain in explanation.chosen)
    result = f"{_over(total)} = {_score(total.value, total.denominator)}"
    if chosen in (0, chains):
        return f"{result}: all {counted(chains, f'{side} chain')}"
    rest = total - ours
    which = "this chain" if chosen == 1 else f"these {chosen} chains"
    return (
        f"({brief(ours.numerator)} + {brief(rest.numerator)}) / "
        f"({brief(ours.denominator)} + {brief(rest.denominator)}) = {result}: "
        f"{which} + {counted(chains - chosen, f'other {side} chain')}"
    )


def _over(share: Share) -> str:
    halves = (brief(half) for half in (share.numerator, share.denominator))
    return " / ".join(f"({half})" if "/" in half else half for half in halves)


def _score(value: Fraction | float, denominator: Fraction | float) -> str:
    """Return a score as decimals and percent; a dash if the denominator is 0."""
    return f"{decimal(value)} ({percent(float(value))} %)" if denominator else "–"


def _prf(counts: Counts) -> str:
    recall = _score(counts.recall, counts.r_den)
    precision = _score(counts.precision, counts.p_den)
    f1 = _score(counts.f1, counts.p_den or counts.r_den)
    return f"recall {recall}, precision {precision}, F1 {f1}"


def label(metric: str) -> str:
    """Return the label of a metric."""
    return REGISTRY[metric].label
