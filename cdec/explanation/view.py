"""An explanation as a page: a table of mentions or of chains, the arithmetic below, in lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from cdec.errors import counted
from cdec.explanation import (
    SIDES,
    Chain,
    Contribution,
    Explanation,
    Share,
    Side,
    braces,
    brief,
    counts_of,
    decimal,
    full,
)
from cdec.metrics import REGISTRY, Counts
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.signature import Signature, in_json

_TWINLESS = ("twinless", "0", "–")
_NAMES: dict[Side, str] = {"key": "recall", "response": "precision"}
_LETTERS: dict[Side, str] = {"key": "K", "response": "R"}


def explanation_page(explanation: Explanation, signature: Signature) -> Page:
    """Return the page: by mention where a chain was asked for, else by chain.

    The data are one row a metric and chain, and one a metric and side for all chains together.
    """
    by_mention = explanation.choice.chain is not None
    written = steps(explanation) if by_mention else ()
    return Page.from_table(
        _mentions(explanation) if by_mention else _chains(explanation),
        _data(explanation),
        title=_title(explanation),
        notes=(*written, *sums(explanation), str(signature)),
        about={
            **in_json(signature),
            "values": {name: value._asdict() for name, value in explanation.values.items()},
            "written": [*written, *sums(explanation)],
            "mentions": _mentions(explanation).to_dict("records"),
        },
    )


def _title(explanation: Explanation) -> str:
    chain, document = explanation.choice.chain, explanation.choice.document
    what = "the chains" if chain is None else f"chain {chain}"
    return f"{label(explanation.metric)}: {what}{f' in {document}' if document else ''}"


def _mentions(explanation: Explanation) -> pd.DataFrame:
    """Return the mentions of the chosen chains, with the chains of the other side they are in."""
    rows = [row for chain in explanation.chosen for row in _mention_rows(explanation, chain)]
    table = pd.DataFrame(rows, columns=["Chain", "Mention", "Is in", "Shared", "Its size"])
    known = explanation.answer.mentions.reindex(table["Mention"])
    place = list(table.columns).index("Is in")
    for column in ("text", "sentence"):
        if column in known and (known[column] != "").any():
            table.insert(place, column.capitalize(), [str(cell) for cell in known[column]])
    return table


def _mention_rows(explanation: Explanation, chain: Chain) -> Iterator[tuple[str, ...]]:
    met = {
        mention: (other.label, str(part.size), str(other.size))
        for part in chain.parts
        for other in [explanation.sheet.other(chain, part)]
        for mention in part.mentions
    }
    for mention in chain.mentions:
        yield (f"{chain.side} {chain.label}", mention, *met.get(mention, _TWINLESS))


def _chains(explanation: Explanation) -> pd.DataFrame:
    """Return the chosen chains with what each brings to each metric, and the sums by side."""
    rows = [row for side in SIDES for row in _chain_rows(explanation, side)]
    heads = [("", "Chain"), ("", "Mentions")]
    counts = [(label(part), half) for part in explanation.parts for half in ("num", "den")]
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples([*heads, *counts]))


def _chain_rows(explanation: Explanation, side: Side) -> Iterator[tuple[str, ...]]:
    chosen = [chain for chain in explanation.chosen if chain.side == side]
    for chain in chosen:
        shares = [explanation.of(part, chain).share for part in explanation.parts]
        yield (f"{side} {chain.label}", str(chain.size), *_cells(shares))
    ours = [explanation.brought(part, side) for part in explanation.parts]
    all_ = [explanation.totals[part, side] for part in explanation.parts]
    rest = [total - own for total, own in zip(all_, ours, strict=True)]
    sizes = [chain.size for chain in explanation.sheet.chains(side)]
    size = sum(chain.size for chain in chosen)
    others = len(sizes) - len(chosen)
    if chosen and others:
        yield (f"{side}: these {len(chosen)}", str(size), *_cells(ours))
        yield (f"{side}: {counted(others, 'other')}", str(sum(sizes) - size), *_cells(rest))
    yield (f"{side}: all {len(sizes)}", str(sum(sizes)), *_cells(all_))


def _cells(shares: list[Share]) -> tuple[str, ...]:
    return tuple(full(half) for share in shares for half in (share.numerator, share.denominator))


def _data(explanation: Explanation) -> pd.DataFrame:
    rows = [row for part in explanation.parts for row in _data_rows(explanation, part)]
    columns = ["metric", "side", "row", "meta", "chain", "size", "numerator", "denominator"]
    return pd.DataFrame(rows, columns=[*columns, "exact", "written"])


def _data_rows(explanation: Explanation, part: str) -> Iterator[dict[str, Any]]:
    for chain in explanation.chosen:
        contribution: Contribution = explanation.of(part, chain)
        about = {"row": "chain", "meta": chain.meta, "chain": chain.label, "size": chain.size}
        yield (
            _record(part, chain.side, contribution.share)
            | about
            | {"written": contribution.formula}
        )
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
    """Return how each chosen chain is counted, metric by metric."""
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
    """Return how the contributions add up to the scores, means included."""
    lines = [line for part in explanation.parts for line in _sum(explanation, part)]
    return (*lines, *REGISTRY[explanation.metric].steps_of(explanation.counts))


def _sum(explanation: Explanation, part: str) -> Iterator[str]:
    """Say how the chosen chains and the others add up to recall, precision and F1."""
    if explanation.is_part_of_many:
        shares = [explanation.brought(part, side) for side in SIDES]
        yield f"{label(part)} in {explanation.choice.document} alone: {_prf(counts_of(*shares))}"
    for side in SIDES:
        yield f"{label(part)} {_NAMES[side]} = {_quotient(explanation, part, side)}"
    value = explanation.values[part]
    p, r = (decimal(number or 0) for number in value[:2])
    yield f"{label(part)} F1 = 2 P R / (P + R) = 2 · {p} · {r} / ({p} + {r}) = {_score(value.f1)}"


def _quotient(explanation: Explanation, part: str, side: Side) -> str:
    total, ours = explanation.totals[part, side], explanation.brought(part, side)
    chains = len(explanation.sheet.chains(side))
    chosen = sum(chain.side == side for chain in explanation.chosen)
    result = f"{_over(total)} = {_value(total)}"
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


def _value(share: Share) -> str:
    return _score(float(share.value)) if share.denominator else "0 (0/0 counts as 0)"


def _score(value: float) -> str:
    return f"{decimal(value)} ({percent(value)} %)"


def _prf(counts: Counts) -> str:
    parts = {"recall": counts.recall, "precision": counts.precision, "F1": counts.f1}
    return ", ".join(f"{name} {_score(value)}" for name, value in parts.items())


def label(metric: str) -> str:
    """Return what a metric is called in these lines."""
    return REGISTRY[metric].label
