"""A mention that stands more than once: never in a key, settled by policy in a response."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from cdec.arrays import Bools
from cdec.errors import ScoringError, UnknownNameError
from cdec.formats.annotation import id_index
from cdec.matching.view import View
from cdec.notices import Notice, notice
from cdec.wording import counted

POLICIES = {
    "first": "the first counts, as in the reference scorer",
    "error": "the file is refused",
    "drop": "none of them counts",
}


def refuse_repeats(key: View, ids: Sequence[str], hint: bool) -> None:
    """Raise ScoringError if the key has a mention twice; ``hint`` asks whether it is the key."""
    twice = np.flatnonzero(pd.Series(ids, dtype=object).duplicated().to_numpy())
    if twice.size:
        row = int(twice[0])
        first = key.place(int(key.mentions["line"].iloc[list(ids).index(ids[row])]))
        message = f"mention '{ids[row]}' stands twice in the key, first at {first}"
        cure = "keep one of the two" + ("; are key and response swapped?" if hint else "")
        raise ScoringError(message, place=key.place(int(key.mentions["line"].iloc[row])), cure=cure)


def settle(
    response: View, ids: Sequence[str], in_key: Bools, policy: str
) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the response's mentions, indexed by their ids and each there once, and notices.

    Policy ``first`` gives the numbers of the reference scorer (v8.01) without its refusal after
    ten: the occurrence in the chain that opens first in the document counts; a repeated mention
    that the key lacks counts each time (as ``id#2``, …), for the reference looks for repeats among
    the key's mentions only. Its BLANC, which counts links by name, differs in the latter case.
    ``error`` raises ScoringError with ``file:line``; ``drop`` leaves out all occurrences.
    """
    if policy not in POLICIES:
        raise UnknownNameError("policy for repeated mentions", policy, POLICIES)
    table = response.mentions.set_index(id_index(ids))
    if table.index.is_unique:
        return table, []
    known = pd.Series(in_key, index=table.index)
    order = np.argsort(pd.factorize(table["doc"] + "\0" + table["chain"])[0], kind="stable")
    table, known = table.iloc[order], known.iloc[order]
    if policy == "error":
        _refuse(response, table)
    again = table.index.duplicated(keep=False if policy == "drop" else "first")
    notices = _notices(response, table, policy)
    if policy == "drop":
        return table[~again], notices
    kept = ~again | ~known.to_numpy()
    return _as_copies(table[kept]), notices


def _refuse(response: View, table: pd.DataFrame) -> None:
    row = int(np.flatnonzero(table.index.duplicated())[0])
    message = f"mention '{table.index[row]}' stands twice in the response"
    place = response.place(int(table["line"].iloc[row]))
    raise ScoringError(message, place=place, cure="keep one, or --repeated first|drop")


def _true(mask: Bools) -> list[int]:
    rows: list[int] = np.flatnonzero(mask).tolist()
    return rows


def _as_copies(table: pd.DataFrame) -> pd.DataFrame:
    number = table.groupby(table.index).cumcount().to_numpy()
    ids = [f"{i}#{n + 1}" if n else i for i, n in zip(table.index, number, strict=True)]
    return table.set_axis(id_index(ids))


def _notices(response: View, table: pd.DataFrame, policy: str) -> list[Notice]:
    frame = pd.DataFrame({"id": table.index, "chain": table["chain"].to_numpy()})
    again = frame.duplicated("id").to_numpy()
    same = frame.duplicated(["id", "chain"]).to_numpy()
    done = POLICIES[policy]
    second = again & ~same
    kinds = {
        "repeated-mention": (
            same,
            f"{counted(int(same.sum()), 'mention is', 'mentions are')} repeated in one chain of "
            "the response",
        ),
        "mention-in-two-chains": (
            second,
            counted(int(second.sum()), "response mention stands", "response mentions stand")
            + " in a second chain",
        ),
    }
    lines = table["line"].to_numpy()
    return [
        notice(
            kind,
            f"{message}; {done}",
            [f"{table.index[r]} at {response.place(int(lines[r]))}" for r in _true(mask)],
        )
        for kind, (mask, message) in kinds.items()
        if mask.any()
    ]
