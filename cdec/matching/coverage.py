"""The result of a match, and the notices on labels, missing and twinless mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import found
from cdec.clustering import Clustering
from cdec.errors import ScoringError, counted
from cdec.errors.notices import Notice, notice
from cdec.formats.annotation import Annotation
from cdec.matching.missing import excused, missing_notices, shares, treated
from cdec.matching.policy import FilePolicy
from cdec.metadocument import NAME, UNKNOWN_WORDS, WordCounts
from cdec.settings.setting import ALONE, key_singletons

_PLACE = ["doc", "start", "end"]
# Common mistake → numbers to subtract from start and end.
_SHIFTS = {
    "every start and end reduced by 1 (tokens count from 0)": (1, 1),
    "every end reduced by 1 (the end is the last token, inclusive)": (0, 1),
}
_KEY_NAMES = ("key", "gold")
_RESPONSE_NAMES = ("response", "predict", "pred_", "_pred", "system")
_LOST = ("unknown-document", "outside-split", "outside-region", "other-split", "lost-id")


@dataclass(frozen=True, eq=False)
class Matched:
    """All mentions of key and response in text order, both clusterings, and the notices.

    ``mentions`` is indexed by mention id. Its columns are doc, start, end, tokens (() without a
    gap) and line (in the response file, 0 if the mention is missing there), and for a corpus also
    topic, subtopic, sentence and text. Labels are strings; the scope decides whether the
    same label in two documents means the same chain. A twinless mention is in ``response`` only.
    ``digest`` is that of the file of the response, or of its chains if it is not from a file.
    ``excused`` has the shares of key mentions and key links that do not count as not found, if the
    policy on missing mentions excuses any. ``words`` has the counts on the words of the mentions.

    >>> chains = Clustering.from_labels({"d/0-0": "x"})
    >>> Matched(pd.DataFrame({"doc": {"d/0-0": "d"}}), chains, chains).notices
    ()
    """

    mentions: pd.DataFrame = field(repr=False)
    key: Clustering
    response: Clustering
    notices: tuple[Notice, ...] = ()
    digest: str = ""
    excused: Mapping[str, float] = field(default_factory=dict)
    words: WordCounts = UNKNOWN_WORDS


def in_text_order(
    key: pd.DataFrame,
    aligned: pd.DataFrame,
    documents: Iterable[str],
    twinless: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the mentions of the key, with their lines in the response, and the twinless mentions.

    ``aligned`` has all mentions of the response; ``documents`` are in text order; ``twinless`` are
    by default the mentions of ``aligned`` that are not in the key. The result has
    ``place``: the response mention's own place, '' if it equals the key's; and NAME, if a mention
    of the response occurs more than once.
    """
    table = key.assign(line=aligned["line"].reindex(key.index, fill_value=0))
    if twinless is None:
        twinless = aligned[~found(aligned.index, key.index)]
    if len(twinless):
        table = pd.concat([table, twinless[[*table.columns]]])
    rank = table["doc"].map({doc: number for number, doc in enumerate(documents)})
    table = table.iloc[np.lexsort((table["end"], table["start"], rank))]
    if NAME in aligned:
        names = aligned[NAME].reindex(table.index)
        table = table.assign(**{NAME: names.fillna(table.index.to_series())})
    own = aligned["place"].where((aligned["place"] != aligned.index).to_numpy(), "")
    return table.assign(place=own.reindex(table.index, fill_value=""))


def recurring_labels(gold: pd.DataFrame, settled: pd.DataFrame) -> Iterator[Notice]:
    """Yield a notice on labels that occur in several documents, of the key or else the response."""
    for side, table in (("key", gold), ("response", settled)):
        documents = table.drop_duplicates(["doc", "chain"])["chain"].value_counts()
        labels = [str(label) for label in documents.index[documents.to_numpy() > 1]]
        if labels:
            what = counted(
                len(labels),
                f"chain label of the {side} occurs",
                f"chain labels of the {side} occur",
            )
            message = f"{what} in several documents; if chains cross documents, use scope=corpus"
            yield notice("labels-recur", message, labels, warning=False)
            return


def exchanged(key: Annotation, response: Annotation) -> Iterator[Notice]:
    """Yield a notice if content or names suggest that a file is on the wrong side.

    It is a warning if the names of both files are those of the other side.
    """
    if key.digest and key.digest == response.digest:
        message = f"the response '{response.name}' has the same content as the key"
        yield Notice("swapped", 1, message, (response.name,), warning=False)
        return
    names = [PurePath(file.name).name.casefold() for file in (key, response)]
    as_key, as_response = (
        [any(word in name for word in words) for name in names]
        for words in (_KEY_NAMES, _RESPONSE_NAMES)
    )
    both = as_response == [True, False]
    called = not {*re.split(r"[^a-z]+", names[1])}.isdisjoint(_KEY_NAMES)
    if as_key == [False, True] and (both or called):
        message = f"key and response may be swapped: the key is '{key.name}'"
        yield Notice("swapped", 1, message, (key.name, response.name), warning=both)


def with_coverage(
    matched: Matched, key_name: str, response_name: str, *, policy: FilePolicy, across: bool = True
) -> Matched:
    """Return ``matched`` with notices on missing and twinless mentions and on a small overlap.

    Missing mentions are treated as ``policy`` says (``cdec.matching.missing``); ``across``: whether
    chains can cross documents. Raises ScoringError if key and response have no mention in common,
    unless ``policy`` allows it.
    """
    key, response = matched.key.labels.index, matched.response.labels.index
    missing = [str(i) for i in key[~found(key, response)]]
    twinless = [str(i) for i in response[~found(response, key)]]
    if len(missing) == len(key) and not policy.allow_empty:
        raise _disjoint(matched, key_name, response_name)
    notices, shared, how = [], len(key) - len(missing), policy.missing or "count"
    if 0 < 4 * shared < min(len(key), len(response)):  # a mistake rather than a bad system
        why = _reasons(matched.mentions, key, response) or "; check documents and token numbers"
        message = f"only {shared} of {len(key):,} key mentions are in the response{why}"
        notices.append(Notice("little-in-common", shared, message))
    if missing and how == "count":
        notices += missing_notices(matched.key, matched.response, missing)
    elif missing:
        matched = replace(matched, excused=_excused(matched, across))
        notices.append(excused(missing, how, matched.excused))
    if twinless:
        what = counted(len(twinless), "response mention is", "response mentions are")
        message = f"{what} not in the key (twinless)"
        notices.append(notice("twinless", message, twinless, warning=False))
    matched = replace(matched, notices=(*matched.notices, *notices))
    return _treated(matched, how) if missing and how != "count" else matched


def _excused(matched: Matched, across: bool) -> dict[str, float]:
    """Return the shares of key mentions and key links that are missing from the response."""
    chains = matched.key.labels.astype(str)
    if not across and "doc" in matched.mentions:
        chains = matched.mentions["doc"].reindex(chains.index).astype(str) + "\0" + chains
    return shares(chains, ~found(chains.index, matched.response.labels.index))


def _treated(matched: Matched, policy: str) -> Matched:
    """Return the match with missing mentions treated; the singletons are those of the whole key."""
    key, response = treated(matched.key, matched.response, policy)
    mentions = matched.mentions
    if len(key) < len(matched.key):
        chains = matched.key.labels.reindex(mentions.index)
        mentions = mentions.assign(**{ALONE: key_singletons(mentions, chains)})
    return replace(matched, mentions=mentions, key=key, response=response)


def _disjoint(matched: Matched, key_name: str, response_name: str) -> ScoringError:
    """Return the error for a key and a response without a common mention."""
    key, response = matched.key.labels.index, matched.response.labels.index
    if not len(key):
        hint = "check the file, or set allow_empty"
        return ScoringError("key-empty", "the key has no mentions", place=key_name, hint=hint)
    why = _reasons(matched.mentions, key, response, matched.notices)
    message = f"none of the {counted(len(key), 'mention')} of the key is in the response{why}"
    hint = "check documents and token numbers, or set allow_empty"
    return ScoringError("mentions-disjoint", message, place=response_name, hint=hint)


def _reasons(
    mentions: pd.DataFrame,
    key: pd.Index[str],
    response: pd.Index[str],
    notices: Iterable[Notice] = (),
) -> str:
    """Return possible reasons why few mentions of ``response`` are in ``key``, or ''.

    ``mentions`` is the table of both; ``notices`` include those on documents left out.
    """
    reasons = [str(notice) for notice in notices if notice.code in _LOST]
    if not reasons and not len(response):
        reasons = ["the response has no mentions"]
    return "".join(f"; {reason}" for reason in [*reasons, *_shifts(mentions, key, response)])


def _shifts(mentions: pd.DataFrame, key: pd.Index[str], response: pd.Index[str]) -> list[str]:
    """Return the shifts of token numbers that would match most mentions of the response."""
    if not set(_PLACE) <= set(mentions):
        return []
    of_key = pd.MultiIndex.from_frame(mentions.loc[mentions.index.isin(key), _PLACE])
    places = mentions.loc[mentions.index.isin(response), _PLACE]
    shifts = []
    for what, (start, end) in _SHIFTS.items():
        moved = places.assign(start=places["start"] - start, end=places["end"] - end)
        count = int(pd.MultiIndex.from_frame(moved).isin(of_key).sum())
        if 2 * count > len(places):
            shifts.append(f"with {what} {count} would match")
    return shifts


_ARE = ("mention is", "mentions are")


def check_declared(declared: Mapping[str, Any], matched: Matched, place: object) -> None:
    """Raise ScoringError if the response contradicts a declaration of gold information.

    * mentions: a response mention is not in the key;
    * sentences: a response mention is outside the annotated sentences;
    * topics: a chain has mentions of two topics;
    * singletons: a singleton of the key is in a longer chain.

    Gold pairs, and predicted information, cannot be contradicted by the file.
    """
    gold = {name for name, value in declared.items() if value == "gold"}
    for name, contrary in _contradictions(matched) if gold else ():
        if name in gold:
            message = f"the file declares gold {name}, but {contrary}"
            hint = "correct the declaration, or the file"
            raise ScoringError("declaration-invalid", message, place=place, hint=hint)


def _contradictions(matched: Matched) -> Iterator[tuple[str, str]]:
    """Yield name → description of what is not gold in the response."""
    key, response = matched.key.labels, matched.response.labels
    twinless = ~found(response.index, key.index)
    if twinless.any():
        yield "mentions", f"{counted(int(twinless.sum()), *_ARE)} not in the key"
    for known in matched.notices:
        if known.code == "outside-region":
            yield "sentences", f"{counted(known.count, *_ARE)} outside the annotated sentences"
    if "topic" in matched.mentions:
        topics = matched.mentions["topic"].reindex(response.index)
        several = int(topics.groupby(response.to_numpy()).nunique().gt(1).sum())
        if several:
            yield "topics", f"{counted(several, 'chain has', 'chains have')} mentions of two topics"
    alone = key_singletons(matched.mentions, key).reindex(response.index, fill_value=False)
    linked = alone & (response.map(response.value_counts()) > 1)
    if linked.any():
        number = int(linked.sum())
        what = counted(number, "singleton of the key is", "singletons of the key are")
        yield "singletons", f"{what} in a chain of two or more mentions"
