"""Why key and response have little in common: what can be told from documents and places."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from cdec.notices import Notice

_PLACE = ["doc", "start", "end"]
# What to take from start and end so that they count as ours do.
_SHIFTS = {
    "every start and end one less (tokens count from 0)": (1, 1),
    "every end one less (an end is the last token, included)": (0, 1),
}
_LOST = ("unknown-document", "outside-split", "lost-id")


def is_little(shared: int, key: int, response: int) -> bool:
    """Tell whether so few shared mentions are rather a mistake than a bad system."""
    return 0 < 4 * shared < min(key, response)


def reasons(
    mentions: pd.DataFrame,
    key: pd.Index[str],
    response: pd.Index[str],
    notices: Iterable[Notice] = (),
) -> str:
    """Return what may explain that few mentions of ``response`` are in ``key``, or ''.

    ``mentions`` is the table of both; ``notices`` tells of documents that were left out.
    """
    said = [str(notice) for notice in notices if notice.kind in _LOST]
    if not said and not len(response):
        said = ["it has no mention at all"]
    return "".join(f"; {reason}" for reason in [*said, *_shifts(mentions, key, response)])


def _shifts(mentions: pd.DataFrame, key: pd.Index[str], response: pd.Index[str]) -> list[str]:
    """Return how the response may count its tokens, where that would explain most of it."""
    if not set(_PLACE) <= set(mentions):
        return []
    wanted = pd.MultiIndex.from_frame(mentions.loc[mentions.index.isin(key), _PLACE])
    given = mentions.loc[mentions.index.isin(response), _PLACE]
    found = []
    for what, (start, end) in _SHIFTS.items():
        moved = given.assign(start=given["start"] - start, end=given["end"] - end)
        count = int(pd.MultiIndex.from_frame(moved).isin(wanted).sum())
        if 2 * count > len(given):
            found.append(f"with {what} {count} would be")
    return found
