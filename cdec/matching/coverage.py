"""The table of a match, and the notices on labels, missing and twinless mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import NAME, found
from cdec.clustering import SIDES
from cdec.errors import ScoringError, counted
from cdec.errors.notices import Notice, notice
from cdec.formats.annotation import Annotation
from cdec.matching.alignment import Alignment
from cdec.matching.missing import excused, missing_notices, shares, treated
from cdec.matching.policy import FilePolicy
from cdec.settings.setting import key_singletons

_PLACE = ["doc", "start", "end"]
# Common mistake → numbers to subtract from start and end.
_SHIFTS = {
    "every start and end reduced by 1 (tokens count from 0)": (1, 1),
    "every end reduced by 1 (the end is the last token, inclusive)": (0, 1),
}
_KEY_NAMES = ("key", "gold")
_RESPONSE_NAMES = ("response", "predict", "pred_", "_pred", "system")
_LOST = ("unknown-document", "outside-split", "outside-region", "other-split", "lost-id")


def in_text_order(
    key: pd.DataFrame,
    chains: pd.Series[Any],
    aligned: pd.DataFrame,
    documents: Iterable[str],
    twinless: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return key and response side by side, as ``Alignment.mentions``.

    ``chains`` are those of the mentions of the ``key``. ``aligned`` has all mentions of the
    response; ``documents`` are in text order; ``twinless`` are by default the mentions of
    ``aligned`` that are not in the key.
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
    return table.assign(
        key=chains.astype(object).reindex(table.index),
        response=aligned["chain"].astype(object).reindex(table.index),
        place=own.reindex(table.index, fill_value=""),
    )


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
    alignment: Alignment,
    key_name: str,
    response_name: str,
    *,
    policy: FilePolicy,
    across: bool = True,
) -> Alignment:
    """Return the alignment with notices on missing and twinless mentions and on a small overlap.

    Missing mentions are treated as ``policy`` says (``cdec.matching.missing``); the shares of key
    mentions and key links that do not count as not found are in the signature. ``across``: whether
    chains can cross documents. Raises ScoringError if key and response have no mention in common,
    unless ``policy`` allows it.
    """
    table, how = alignment.mentions, policy.missing or "count"
    in_key, in_response = (table[side].notna().to_numpy() for side in SIDES)
    missing = [str(id_) for id_ in table.index[in_key & ~in_response]]
    beyond = table[in_response & ~in_key]
    beyond = beyond.sort_values("line", kind="stable") if "line" in beyond else beyond
    twinless = [str(id_) for id_ in beyond.index]
    sizes, shared = (int(in_key.sum()), int(in_response.sum())), int((in_key & in_response).sum())
    if not shared and not policy.allow_empty:
        raise _disjoint(alignment, key_name, response_name)
    notices = []
    if 0 < 4 * shared < min(sizes):  # a mistake rather than a bad system
        why = _reasons(table) or "; check documents and token numbers"
        message = f"only {shared} of {sizes[0]:,} key mentions are in the response{why}"
        notices.append(Notice("little-in-common", shared, message))
    if missing and how == "count":
        notices += missing_notices(table, missing)
    elif missing:
        share = _excused(table, across)
        notices.append(excused(missing, how, share))
        table = treated(table, how)
        about = {**alignment.about, "missing_share": share}
        alignment = replace(alignment, mentions=table, about=about)
    if twinless:
        what = counted(len(twinless), "response mention is", "response mentions are")
        message = f"{what} not in the key (twinless)"
        notices.append(notice("twinless", message, twinless, warning=False))
    return replace(alignment, notices=(*alignment.notices, *notices))


def _excused(table: pd.DataFrame, across: bool) -> dict[str, float]:
    """Return the shares of key mentions and key links that are missing from the response."""
    key = table[table["key"].notna()]
    chains = key["key"].astype(str)
    if not across and "doc" in key:
        chains = key["doc"].astype(str) + "\0" + chains
    return shares(chains, key["response"].isna().to_numpy())


def _disjoint(alignment: Alignment, key_name: str, response_name: str) -> ScoringError:
    """Return the error for a key and a response without a common mention."""
    number = int(alignment.mentions["key"].notna().sum())
    if not number:
        hint = "check the file, or set allow_empty"
        return ScoringError("key-empty", "the key has no mentions", place=key_name, hint=hint)
    why = _reasons(alignment.mentions, alignment.notices)
    message = f"none of the {counted(number, 'mention')} of the key is in the response{why}"
    hint = "check documents and token numbers, or set allow_empty"
    return ScoringError("mentions-disjoint", message, place=response_name, hint=hint)


def _reasons(table: pd.DataFrame, notices: Iterable[Notice] = ()) -> str:
    """Return possible reasons why few mentions of the response are in the key, or ''.

    ``notices`` include those on documents left out.
    """
    reasons = [str(notice) for notice in notices if notice.code in _LOST]
    if not reasons and table["response"].isna().all():
        reasons = ["the response has no mentions"]
    return "".join(f"; {reason}" for reason in [*reasons, *_shifts(table)])


def _shifts(table: pd.DataFrame) -> list[str]:
    """Return the shifts of token numbers that would match most mentions of the response."""
    if not set(_PLACE) <= set(table):
        return []
    of_key = pd.MultiIndex.from_frame(table.loc[table["key"].notna(), _PLACE])
    places = table.loc[table["response"].notna(), _PLACE]
    shifts = []
    for what, (start, end) in _SHIFTS.items():
        moved = places.assign(start=places["start"] - start, end=places["end"] - end)
        count = int(pd.MultiIndex.from_frame(moved).isin(of_key).sum())
        if 2 * count > len(places):
            shifts.append(f"with {what} {count} would match")
    return shifts


_ARE = ("mention is", "mentions are")


def check_declared(declared: Mapping[str, Any], alignment: Alignment, place: object) -> None:
    """Raise ScoringError if the response contradicts a declaration of gold information.

    * mentions: a response mention is not in the key;
    * sentences: a response mention is outside the annotated sentences;
    * topics: a chain has mentions of two topics;
    * singletons: a singleton of the key is in a longer chain.

    Gold pairs, and predicted information, cannot be contradicted by the file.
    """
    gold = {name for name, value in declared.items() if value == "gold"}
    for name, contrary in _contradictions(alignment) if gold else ():
        if name in gold:
            message = f"the file declares gold {name}, but {contrary}"
            hint = "correct the declaration, or the file"
            raise ScoringError("declaration-invalid", message, place=place, hint=hint)


def _contradictions(alignment: Alignment) -> Iterator[tuple[str, str]]:
    """Yield name → description of what is not gold in the response."""
    table = alignment.mentions
    response = table["response"].dropna()
    twinless = int((table["response"].notna() & table["key"].isna()).sum())
    if twinless:
        yield "mentions", f"{counted(twinless, *_ARE)} not in the key"
    for known in alignment.notices:
        if known.code == "outside-region":
            yield "sentences", f"{counted(known.count, *_ARE)} outside the annotated sentences"
    if "topic" in table:
        topics = table["topic"].reindex(response.index)
        several = int(topics.groupby(response.to_numpy()).nunique().gt(1).sum())
        if several:
            yield "topics", f"{counted(several, 'chain has', 'chains have')} mentions of two topics"
    alone = key_singletons(table).reindex(response.index)
    linked = alone & (response.map(response.value_counts()) > 1)
    if linked.any():
        number = int(linked.sum())
        what = counted(number, "singleton of the key is", "singletons of the key are")
        yield "singletons", f"{what} in a chain of two or more mentions"
