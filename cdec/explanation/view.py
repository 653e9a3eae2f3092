"""An explanation as a report: a table of mentions or of chains, the arithmetic below."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from cdec.explanation import (
    SIDES,
    Chain,
    Contribution,
    Explanation,
    Share,
    Side,
    full,
)
from cdec.explanation.arithmetic import label, steps, sums
from cdec.render.report import Report
from cdec.signature import Signature, in_json
from cdec.wording import counted

_TWINLESS = ("twinless", "0", "–")


def explanation_report(explanation: Explanation, signature: Signature) -> Report:
    """Return the report: by mention where a chain was asked for, else by chain.

    The data are one row a metric and chain, and one a metric and side for all chains together.
    """
    by_mention = explanation.choice.chain is not None
    written = steps(explanation) if by_mention else ()
    return Report(
        view=_mentions(explanation) if by_mention else _chains(explanation),
        data=_data(explanation),
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
