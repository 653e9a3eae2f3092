"""What is irregular in a response, or looks like a mistake: notices, and refusals.

Missing key mentions count, become singletons of the response, or leave the key, as the policy says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import ALONE, found
from cdec.clustering import SIDES
from cdec.corpus.model import Corpus, Region
from cdec.errors import Notice, ScoringError, counted, notice
from cdec.formats.annotation import Annotation
from cdec.matching.alignment import Alignment
from cdec.matching.names import path_of
from cdec.matching.policy import FilePolicy
from cdec.metrics import links
from cdec.settings.setting import key_singletons

UNREVIEWED = 0.05
"""The share of unreviewed sentences from which predicted mentions are not scored in silence."""
MOST = 0.5
"""A response leaves its singletons out if this share of the missing mentions are key singletons."""
WORTH_A_WARNING = 0.01
"""The share of key mentions or key links that are not counted as not found in silence."""
_PLACE = ["doc", "start", "end"]
# Common mistake → numbers to subtract from start and end.
_SHIFTS = {
    "every start and end reduced by 1 (tokens count from 0)": (1, 1),
    "every start and end raised by 1 (tokens count from 0)": (-1, -1),
    "every end reduced by 1 (the end is the last token, inclusive)": (0, 1),
}
_KEY_NAMES = ("key", "gold")
_RESPONSE_NAMES = ("response", "predict", "pred_", "_pred", "system")
_LOST = ("unknown-document", "outside-split", "outside-region", "other-split", "mention-unknown")
_MENTIONS = ("response mention is", "response mentions are")


def said(
    code: str, cases: Iterable[Any], words: tuple[str, str], rest: str, *, warning: bool = True
) -> list[Notice]:
    """Return the notice on these cases, if there are any; ``words`` are those for one, and many."""
    names = [*map(str, cases)]
    message = f"{counted(len(names), *words)} {rest}"
    return [notice(code, message, names, warning=warning)] if names else []


# ---- two files ----


def exchanged(key: Annotation, response: Annotation) -> list[Notice]:
    """Return a notice if content or names suggest that a file is on the wrong side.

    It is a warning if the names of both files are those of the other side.
    """
    if key.digest and key.digest == response.digest:
        message = f"the response '{response.name}' has the same content as the key"
        return [Notice("swapped", 1, message, (response.name,), warning=False)]
    names = [PurePath(file.name).name.casefold() for file in (key, response)]
    as_key, as_response = (
        [any(word in name for word in words) for name in names]
        for words in (_KEY_NAMES, _RESPONSE_NAMES)
    )
    both = as_response == [True, False]
    called = not {*re.split(r"[^a-z]+", names[1])}.isdisjoint(_KEY_NAMES)
    if as_key != [False, True] or not (both or called):
        return []
    message = f"key and response may be swapped: the key is '{key.name}'"
    return [Notice("swapped", 1, message, (key.name, response.name), warning=both)]


def recurring_labels(key: pd.DataFrame, response: pd.DataFrame) -> list[Notice]:
    """Return a notice on labels in several documents, of the key or else the response."""
    for side, table in zip(SIDES, (key, response), strict=True):
        documents = table.drop_duplicates(["doc", "chain"])["chain"].value_counts()
        words = f"chain label of the {side} occurs", f"chain labels of the {side} occur"
        rest = "in several documents; if chains cross documents, use scope=corpus"
        labels = documents.index[documents.to_numpy() > 1]
        if found := said("scope-ambiguous", labels, words, rest, warning=False):
            return found
    return []


def lost_ids(key: pd.DataFrame, response: pd.DataFrame) -> Iterator[Notice]:
    """Yield a notice on mentions with an id only, if the other file has no ids."""
    for side, table, other in (("key", key, response), ("response", response, key)):
        if len(other) and not (other["mention"] != "").any():
            words = f"mention of the {side} has", f"mentions of the {side} have"
            rest = "an id but no tokens, and the other file has no ids"
            yield from said("mention-unknown", table["mention"][table["start"] < 0], words, rest)


# ---- documents ----


def documents_left_out(
    code: str, docs: Sequence[str], mentions: pd.DataFrame, where: str
) -> list[Notice]:
    """Return the notice on documents that are left out; ``where`` is as in "in the key"."""
    inside = counted(int(mentions["doc"].isin(docs).sum()), "mention")
    words = "response document is", "response documents are"
    return said(code, docs, words, f"not {where} and ignored ({inside})")


def missing_and_renamed(docs: Iterable[str], pairs: Mapping[str, str]) -> list[Notice]:
    """Return notices on key documents missing in the response, and on renamed documents.

    ``pairs`` maps the documents of the response to those of the key. A document is not renamed if
    one path is the end of the other, as in ``24_1ecb`` and ``ECB+/24/24_1ecb.xml``.
    """
    present, renamed = set(pairs.values()), []
    for name, known in pairs.items():
        if name != known:
            here, there = path_of(name), path_of(known)
            size = min(len(here), len(there))
            renamed += [f"{name} as {known}"] if here[-size:] != there[-size:] else []
    absent = [doc for doc in docs if doc not in present]
    words = "key document is", "key documents are"
    others = "response document is", "response documents are"
    how = "under another name in the key: matched by a part of the name, or by id"
    return [
        *said("missing-document", absent, words, "missing from the response and count as empty"),
        *said("document-renamed", renamed, others, how, warning=False),
    ]


def other_split(corpus: Corpus, documents: Iterable[str]) -> Iterator[Notice]:
    """Yield a notice if these documents are those of another part, or their topics (other units).

    ``documents`` are those of the response, inside the part or not. The parts of cdec's own splits
    are considered, if the split assigns every unit of the corpus.
    """
    from cdec.corpus.splits import SPLITS, load_split  # noqa: PLC0415  # slow: schemas

    known = {**corpus.documents, **corpus.elsewhere}
    for split in map(load_split, SPLITS):
        covered, asked, whole = (
            {split.unit_of(known[doc]) for doc in docs}
            for docs in (documents, corpus.documents, known)
        )
        part = next((part for part, units in split.parts.items() if units == covered), None)
        if part is not None and covered != asked and whole == set().union(*split.parts.values()):
            message = f"the response covers {split.name}/{part}; did you mean that part?"
            yield Notice("other-split", 1, message, warning=not asked <= covered)


# ---- mentions of a corpus that are not scored ----


def outside_region(corpus: Corpus, places: Iterable[str]) -> list[Notice]:
    """Return the notice on response mentions, if any, outside the region of the part."""
    listed = corpus.region is not None and corpus.region.listed
    extent = "listed mentions" if listed else "annotated sentences"
    rest = f"outside the {extent} of '{corpus.part}' and left out"
    return said("outside-region", places, _MENTIONS, rest, warning=False)


def left_out_by_region(corpus: Corpus, ids: pd.Index[str]) -> tuple[list[str], list[Notice]]:
    """Return which mentions of the corpus are outside the region of the part, and the notice."""
    outside = ids[ids.isin(corpus.region.outside.index)].tolist() if corpus.region else []
    return outside, outside_region(corpus, outside)


def left_out_of_key(corpus: Corpus, ids: pd.Index[str]) -> tuple[list[str], list[Notice]]:
    """Return which mentions the variant of the key, or a patch, leaves out of it, and notices."""
    same = corpus.mentions.index[corpus.mentions["kind"] == corpus.kind]
    variant = ids[ids.isin(same.difference(corpus.selected.index))]
    patched = ids[ids.isin(corpus.removed.index)]
    why = f"left out of the key by its variant '{corpus.variant}': left out here too"
    notices = said("mention-left-out", variant, _MENTIONS, why)
    return [*variant, *patched], [*notices, *left_out_by_patch(patched)]


def left_out_by_patch(ids: Iterable[str]) -> list[Notice]:
    """Return the notice on response mentions, if any, that a patch removes from the key."""
    why = "removed from the key by its patch: left out here too"
    return said("mention-left-out", ids, _MENTIONS, why, warning=False)


def identical(corpus: Corpus, mentions: pd.DataFrame, name: str) -> list[Notice]:
    """Return a notice on a response that is the gold annotation."""
    gold = corpus.gold.labels
    if len(mentions) != len(gold) or not found(mentions.index, gold.index).all():
        return []
    ours, theirs = (pd.factorize(one)[0] for one in (gold, mentions["chain"].reindex(gold.index)))
    message = f"the response '{name}' is identical to the gold annotation; is it the key?"
    is_gold = 1 < ours.max() + 1 < len(gold) and np.array_equal(ours, theirs)
    return [Notice("swapped", 1, message, (name,))] if is_gold else []


def unreviewed(corpus: Corpus, twinless: pd.DataFrame) -> list[Notice]:
    """Return a warning if mentions are predicted where many sentences were not reviewed.

    ``twinless`` are the response mentions that are not in the key: in a sentence that was not
    reviewed in full they count as wrong, whether they are or not.
    """
    if corpus.region or not corpus.reviewed or twinless.empty:
        return []
    sentences = sum(len(doc.sentences) - doc.text_start for doc in corpus.documents.values())
    starts = {doc.id: doc.text_start for doc in corpus.documents.values()}
    listed = sum(at >= starts[doc] for doc, at in corpus.reviewed if doc in starts)
    if 1 - listed / sentences < UNREVIEWED:
        return []
    from cdec.corpus.splits import ALL, SPLITS, load_split  # noqa: PLC0415  # slow: schemas

    starts_of = twinless["start"].to_numpy(np.int64)
    inside = Region(corpus.reviewed, twinless).contains(
        corpus.documents, twinless["doc"], starts_of
    )
    split = next(split for split in map(load_split, SPLITS) if split.reviewed_only)
    part, known = corpus.part.rpartition("-")[2], {**corpus.documents, **corpus.elsewhere}
    units = {split.unit_of(document) for document in known.values()}
    has_part = part == ALL or split.parts.get(part, {None}) <= units
    cure = f"the part {split.name}/{part}" if has_part else "a split file with reviewed_only = true"
    message = (
        f"{100 * (1 - listed / sentences):.0f} % of the sentences of '{corpus.part}' were not "
        f"reviewed in full, and {int((~inside).sum()):,} of "
        f"{counted(len(twinless), 'predicted mention')} that are not in the key are in them: score "
        f"predicted mentions with {cure}"
    )
    return [Notice("result-limited", sentences - listed, message)]


# ---- missing and twinless mentions ----


def with_coverage(
    alignment: Alignment,
    key_name: str,
    response_name: str,
    *,
    policy: FilePolicy,
    across: bool = True,
) -> Alignment:
    """Return the alignment with notices on missing and twinless mentions and on a small overlap.

    Missing mentions are treated as ``policy`` says; the choices that matter, and the shares of key
    mentions and key links that do not count as not found, are in the signature. ``across``: whether
    chains can cross documents. Raises ScoringError if key and response have no mention in common,
    unless ``policy`` allows it.
    """
    table, how = alignment.mentions, policy.missing or "count"
    repeats = any(notice.code == "mention-duplicate" for notice in alignment.notices)
    chosen = {"repeated": policy.repeated} if repeats else {}
    about = {**alignment.about, **chosen, **policy.signed}
    in_key, in_response = (table[side].notna().to_numpy() for side in SIDES)
    shared, size = int((in_key & in_response).sum()), int(in_key.sum())
    if not shared and not policy.allow_empty:
        why = _reasons(table, alignment.notices)
        message = f"none of the {counted(size, 'mention')} of the key is in the response{why}"
        place, hint = response_name, "check documents and token numbers, or set allow_empty"
        if not size:
            message, place, hint = "the key has no mentions", key_name, "check the file"
        raise ScoringError("mentions-disjoint", message, place=place, hint=hint)
    notices: list[Notice] = []
    if 0 < 4 * shared < min(size, int(in_response.sum())):  # a mistake rather than a bad system
        why = _reasons(table) or "; check documents and token numbers"
        message = f"only {shared} of {size:,} key mentions are in the response{why}"
        notices.append(Notice("little-in-common", shared, message))
    absent = table[in_key & ~in_response]
    effect, warning = "missing from the response", False
    if len(absent) and how != "count":
        shares = _shares(table, across)
        about = {**about, "missing_share": shares}
        # Such a policy raises the scores of a response that leaves out what is difficult.
        warning = max(shares.values()) >= WORTH_A_WARNING
        treatment = {
            "singletons": "made singletons of the response",
            "drop": "dropped from the key",
        }
        parts = (f"{100 * value:.1f} % of the key {name}" for name, value in shares.items())
        effect += f" and {treatment[how]}: {' and '.join(parts)}; scores cannot be compared with "
        effect += "those of missing=count"
    words = "key mention is", "key mentions are"
    notices += said("missing-mention", absent.index, words, effect, warning=warning)
    if len(absent) and how == "count":
        notices += _left_out_singletons(table, absent.index)
    twinless = table[in_response & ~in_key]
    if "line" in twinless:
        twinless = twinless.sort_values("line", kind="stable")
    rest = "not in the key (twinless)"
    notices += said("twinless", twinless.index, _MENTIONS, rest, warning=False)
    notices = [*alignment.notices, *notices]
    return replace(alignment, mentions=treated(table, how), about=about, notices=tuple(notices))


def treated(mentions: pd.DataFrame, policy: str) -> pd.DataFrame:
    """Return the aligned mentions after the policy: count, singletons or drop.

    If mentions leave the key, ``alone`` says which were its singletons.

    >>> chains = {"key": ["x", "x", "y"], "response": ["1", "1", None]}
    >>> table = pd.DataFrame(chains, index=["a", "b", "c"], dtype=object)
    >>> treated(table, "singletons")["response"].tolist()
    ['1', '1', 'missing:c']
    >>> int(treated(table, "drop")["key"].count())
    2
    """
    absent = mentions["key"].notna() & mentions["response"].isna()
    if policy == "count" or not absent.any():
        return mentions
    if policy == "drop":
        alone = key_singletons(mentions)
        return mentions.assign(**{ALONE: alone, "key": mentions["key"].mask(absent)})
    taken, response = set(mentions["response"].dropna()), mentions["response"].copy()
    labels = [f"missing:{id_}" for id_ in mentions.index[absent]]
    while not taken.isdisjoint(labels):
        labels = [f"{label}'" if label in taken else label for label in labels]
    response[absent] = labels
    return mentions.assign(response=response)


def _shares(table: pd.DataFrame, across: bool) -> dict[str, float]:
    """Return the shares of key mentions and key links that are missing from the response.

    A link is concerned if one of its mentions is missing.
    """
    key = table[table["key"].notna()]
    chain = ["key"] if across or "doc" not in key else ["doc", "key"]
    present = key["response"].notna()
    total, kept = (int(links(part[chain].value_counts()).sum()) for part in (key, key[present]))
    lost = 1 - kept / total if total else 0.0
    return {"mentions": round(1 - float(present.mean()), 4), "links": round(lost, 4)}


def _left_out_singletons(table: pd.DataFrame, absent: pd.Index[str]) -> list[Notice]:
    """Return the notice on a response that was probably written without its singletons.

    It has no singletons, and the mentions ``absent`` from it are mostly singletons of the key.
    """
    share = float(key_singletons(table)[absent].mean())
    sizes = table["response"].value_counts()
    if not len(sizes) or sizes.min() == 1 or share < MOST:
        return []
    message = (
        f"the response has no singletons, and {100 * share:.0f} % of the missing mentions are "
        "singletons of the key: if it leaves its singletons out, use missing=singletons"
    )
    return [Notice("singletons-left-out", len(absent), message)]


def _reasons(table: pd.DataFrame, notices: Iterable[Notice] = ()) -> str:
    """Return possible reasons why few mentions of the response are in the key, or ''.

    ``notices`` include those on documents left out. Token numbers may be moved.
    """
    reasons = [str(notice) for notice in notices if notice.code in _LOST]
    if not reasons and table["response"].isna().all():
        reasons = ["the response has no mentions"]
    if set(_PLACE) <= set(table):
        of_key = pd.MultiIndex.from_frame(table.loc[table["key"].notna(), _PLACE])
        places = table.loc[table["response"].notna(), _PLACE]
        for what, (start, end) in _SHIFTS.items():
            moved = places.assign(start=places["start"] - start, end=places["end"] - end)
            count = int(pd.MultiIndex.from_frame(moved).isin(of_key).sum())
            if 2 * count > len(places):
                reasons.append(f"with {what} {count} would match")
    return "".join(f"; {reason}" for reason in reasons)


def check_declared(declared: Mapping[str, Any], alignment: Alignment, place: object) -> None:
    """Raise ScoringError if the response contradicts a declaration of gold information.

    Gold pairs, and predicted information, cannot be contradicted by the file.
    """
    gold = [name for name, value in declared.items() if value == "gold"]
    if not gold:
        return
    table, response = alignment.mentions, alignment.mentions["response"].dropna()
    outside = [one.count for one in alignment.notices if one.code == "outside-region"]
    linked = response.duplicated(keep=False)
    contrary = {
        "mentions": (table["key"].isna()[response.index].sum(), "mentions are not in the key"),
        "sentences": (sum(outside), "mentions are outside the annotated sentences"),
        "singletons": (
            (key_singletons(table)[response.index] & linked).sum(),
            "singletons of the key are in chains of two or more mentions",
        ),
    }
    if "topic" in table:
        topics = table["topic"][response.index].groupby(response.to_numpy()).nunique()
        contrary["topics"] = ((topics > 1).sum(), "chains have mentions of two topics")
    for name in gold:
        number, what = contrary.get(name, (0, ""))
        if number:
            message = f"the file declares gold {name}, but {number:,} {what}"
            hint = "correct the declaration, or the file"
            raise ScoringError("declaration-invalid", message, place=place, hint=hint)
