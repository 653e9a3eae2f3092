"""The end of a match: its table, and what is said of labels, missing and twinless mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from cdec.clustering import Clustering
from cdec.errors import ScoringError, counted
from cdec.notices import Notice, notice

_PLACE = ["doc", "start", "end"]
# What to take from start and end so that they count as ours do.
_SHIFTS = {
    "every start and end one less (tokens count from 0)": (1, 1),
    "every end one less (an end is the last token, included)": (0, 1),
}
# What pandas, Python, SQL and clustering programs (noise is −1) write for a missing value.
_NO_CHAIN = frozenset({"nan", "none", "null", "<na>", "-1"})
_LOST = ("unknown-document", "outside-split", "lost-id")


@dataclass(frozen=True, eq=False)
class Matched:
    """All mentions of key and response in text order, both clusterings, and what was noticed.

    ``mentions`` is indexed by mention id and has at least doc, start, end, tokens (() without a
    gap) and line (source line in the response, 0 if it lacks the mention); matched with a corpus
    also topic, subtopic, sentence and text. Labels are text; whether they hold across documents
    is the scope's business. A twinless mention stands in ``response`` only.

    >>> one = Clustering.from_labels({"d/0-0": "x"})
    >>> Matched(pd.DataFrame({"doc": {"d/0-0": "d"}}), one, one).notices
    ()
    """

    mentions: pd.DataFrame = field(repr=False)
    key: Clustering
    response: Clustering
    notices: tuple[Notice, ...] = ()


def in_text_order(
    key: pd.DataFrame, settled: pd.DataFrame, twinless: pd.DataFrame, documents: Iterable[str]
) -> pd.DataFrame:
    """Return the mentions of the key, with their lines in the response, and the twinless ones.

    ``settled`` are all mentions of the response; ``documents`` are in text order.
    """
    table = key.assign(line=settled["line"].reindex(key.index, fill_value=0))
    if len(twinless):
        table = pd.concat([table, twinless])
    rank = table["doc"].map({doc: number for number, doc in enumerate(documents)})
    return table.iloc[np.lexsort((table["end"], table["start"], rank))]


def missing_labels(table: pd.DataFrame, side: str) -> Iterator[Notice]:
    """Yield a notice for each chain of several mentions whose label reads like a missing value.

    ``table`` is indexed by mention id; ``side`` is "key" or "response".
    """
    for label in table["chain"].unique():
        if label.casefold() not in _NO_CHAIN:
            continue
        ids = table.index[(table["chain"] == label).to_numpy()].tolist()
        if len(ids) > 1:
            message = (
                f"{counted(len(ids), 'mention')} of the {side} are in one chain called '{label}': "
                "if no chain was meant, leave them out or give each a label of its own"
            )
            yield notice("missing-label", message, ids)


def recurring_labels(gold: pd.DataFrame, settled: pd.DataFrame) -> Iterator[Notice]:
    """Notice labels that stand in several documents, of the key or else of the response."""
    for side, table in (("key", gold), ("response", settled)):
        documents = table.drop_duplicates(["doc", "chain"])["chain"].value_counts()
        labels = [str(label) for label in documents.index[documents.to_numpy() > 1]]
        if labels:
            what = counted(
                len(labels),
                f"chain label of the {side} recurs",
                f"chain labels of the {side} recur",
            )
            message = f"{what} across documents: is corpus scope meant?"
            yield notice("labels-recur", message, labels, warning=False)
            return


def with_coverage(
    matched: Matched, key_name: str, response_name: str, *, allow_empty: bool
) -> Matched:
    """Return ``matched`` with notices on missing and twinless mentions, and on little in common.

    Raises ScoringError where key and response share no mention, unless ``allow_empty``.
    """
    key, response = matched.key.labels.index, matched.response.labels.index
    missing = [str(i) for i in key[~key.isin(response)]]
    twinless = [str(i) for i in response[~response.isin(key)]]
    if len(missing) == len(key) and not allow_empty:
        why = _reasons(matched.mentions, key, response, matched.notices)
        what = f"none of the {counted(len(key), 'mention')} of the key is in the response{why}"
        message = what if len(key) else f"the key {key_name} has no mention"
        hint = "check documents and token numbers, or say --allow-empty"
        raise ScoringError(message, place=response_name, hint=hint)
    found, shared = [], len(key) - len(missing)
    if 0 < 4 * shared < min(len(key), len(response)):  # a mistake rather than a bad system
        why = _reasons(matched.mentions, key, response) or "; do documents and token numbers fit?"
        message = f"only {shared} of {len(key):,} key mentions are in the response{why}"
        found.append(Notice("little-in-common", shared, message))
    if missing:
        what = counted(len(missing), "key mention is", "key mentions are")
        message = f"{what} missing from the response"
        found.append(notice("missing-mention", message, missing, warning=False))
    if twinless:
        what = counted(len(twinless), "response mention is", "response mentions are")
        message = f"{what} not in the key (twinless)"
        found.append(notice("twinless", message, twinless, warning=False))
    return replace(matched, notices=(*matched.notices, *found))


def _reasons(
    mentions: pd.DataFrame,
    key: pd.Index[str],
    response: pd.Index[str],
    notices: Iterable[Notice] = (),
) -> str:
    """Return what may explain that few mentions of ``response`` are in ``key``, or ''.

    ``mentions`` is the table of both; ``notices`` tells of documents that were left out.
    """
    said = [str(notice) for notice in notices if notice.code in _LOST]
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
