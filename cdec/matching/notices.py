"""What is irregular in a response, or looks like a mistake: notices, and refusals.

Missing key mentions count, become singletons of the response, or leave the key, as the policy says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import ALONE
from cdec.clustering import SIDES
from cdec.corpus.model import Corpus
from cdec.errors import Notice, ScoringError, counted, notice
from cdec.formats.annotation import Annotation
from cdec.matching.alignment import Alignment
from cdec.matching.names import pair_documents, path_of
from cdec.matching.policy import DEFAULT_POLICY, SIGNED, FilePolicy
from cdec.metrics import links
from cdec.settings.setting import key_singletons

UNREVIEWED = 0.05
"""The share of unreviewed sentences from which predicted mentions are not scored in silence."""
MOST = 0.5
"""A response leaves its singletons out if this share of the missing mentions are key singletons."""
WORTH_A_WARNING = 0.01
"""The share of key mentions or key links that are not counted as not found in silence."""
MENTION = "response mention"
_PLACE = ["doc", "start", "end"]
# Common mistake → numbers to subtract from start and end.
_SHIFTS = {
    "every start and end reduced by 1 (tokens count from 0)": (1, 1),
    "every start and end raised by 1 (tokens count from 0)": (-1, -1),
    "every end reduced by 1 (the end is the last token, inclusive)": (0, 1),
}
_AS_KEY = re.compile("(?<![a-z])(?:key|gold)(?![a-z])")
_AS_RESPONSE = re.compile("response|predict|pred_|_pred|system")
_LOST = ("unknown-document", "outside-split", "outside-region", "other-split", "mention-unknown")
_PATCHED = "removed from the key by its patch: left out too"
_TREATED = {"singletons": "made singletons of the response", "drop": "dropped from the key"}


def said(
    code: str, cases: Iterable[Any], noun: str, rest: str, *, warning: bool = True
) -> list[Notice]:
    """Return the notice on these cases, as in "3 documents not in the key", if there are any."""
    names = [*map(str, cases)]
    message = f"{counted(len(names), noun)} {rest}"
    return [notice(code, message, names, warning=warning)] if names else []


def contrary(read: Annotation, ids: pd.Series[str], by_id: Any, by_tokens: Any) -> list[Notice]:
    """Return a warning of mentions with the id of one mention of the key and tokens of another.

    ``ids`` are those that the mentions give, ``by_id`` and ``by_tokens`` the mentions of the key
    that have them (missing: none). Numbers that never fit are the file's own.
    """
    table = read.mentions.assign(id=ids, fits=by_id == by_tokens)
    table = table[(table["start"] >= 0) & by_id.notna()]
    odd = table[~table["fits"]]
    if len(odd) == len(table) and not (table["mention"] == table["id"]).any():
        return []
    cases = [
        f"{id_} at {read.place(line)}" for id_, line in zip(odd["id"], odd["line"], strict=True)
    ]
    rest = "with the id of one mention of the key and the tokens of another: the tokens count"
    return said("reading-assumed", cases, MENTION, rest)


# ---- two files ----


def exchanged(key: Annotation, response: Annotation) -> list[Notice]:
    """Return a notice if content or names suggest that a file is on the wrong side.

    It is a warning if the names of both files are those of the other side.
    """
    if key.digest and key.digest == response.digest:
        message = f"the response '{response.name}' has the same content as the key"
        return [Notice("swapped", 1, message, (response.name,), warning=False)]
    ours, theirs = (PurePath(file.name).name.casefold() for file in (key, response))
    if _AS_KEY.search(ours) or not _AS_KEY.search(theirs):
        return []
    message = f"key and response may be swapped: the response is '{response.name}'"
    both = _AS_RESPONSE.search(ours) is not None
    return [Notice("swapped", 1, message, (key.name, response.name), warning=both)]


def recurring_labels(key: pd.DataFrame, response: pd.DataFrame) -> list[Notice]:
    """Return a notice on labels in several documents, of the key or else the response."""
    for side, table in zip(SIDES, (key, response), strict=True):
        documents = table.drop_duplicates(["doc", "chain"])["chain"].value_counts()
        labels = documents.index[documents.to_numpy() > 1]
        rest = f"of the {side} in several documents; if chains cross documents, use scope=corpus"
        if len(labels):
            return said("scope-ambiguous", labels, "chain label", rest)
    return []


# ---- documents ----


def documents(
    docs: Iterable[str], read: Annotation, pairs: Mapping[str, str], corpus: Corpus | None = None
) -> list[Notice]:
    """Return notices on documents that are not in the part or key, missing, or renamed.

    ``docs`` are those of the key, ``pairs`` maps documents of the response to them. A document is
    not renamed if one path is the end of the other, as in ``24_1ecb`` and ``ECB+/24/24_1ecb.xml``.
    Without a corpus, mentions in unknown documents are twinless.
    """
    unknown, notices = [doc for doc in read.documents if doc not in pairs], list[Notice]()
    beyond, rest = dict[str, str](), "not in the key: mentions in them are twinless"
    if corpus is not None:
        beyond = pair_documents(unknown, corpus.elsewhere, read.name)
        unknown, rest = [doc for doc in unknown if doc not in beyond], "not in the corpus: left out"
        away = f"not in '{corpus.part}': left out"
        notices += said("outside-split", beyond, "response document", away)
    notices += said("unknown-document", unknown, "response document", rest)
    present, renamed = {*pairs.values()}, []
    for name, known in pairs.items():
        short, long = sorted(("/" + "/".join(path_of(one)) for one in (name, known)), key=len)
        renamed += [] if long.endswith(short) else [f"{name} as {known}"]
    absent = [doc for doc in docs if doc not in present]
    empty = "missing from the response, taken as empty"
    how = "under another name in the key: matched by a part of the name, or by id"
    notices += said("missing-document", absent, "key document", empty)
    notices += said("document-renamed", renamed, "response document", how, warning=False)
    if corpus is not None:
        homes = {**beyond, **pairs}
        covered = {homes[doc] for doc in read.mentions["doc"].unique() if doc in homes}
        notices += other_split(corpus, covered)
    return notices


def other_split(corpus: Corpus, documents: Set[str]) -> Iterator[Notice]:
    """Yield a notice if these documents are those of another part, or their topics (other units).

    ``documents`` are those of the response, inside the part or not. The parts of cdec's own splits
    are considered, if the split assigns every unit of the corpus.
    """
    if not corpus.elsewhere or documents == corpus.documents.keys():
        return
    from cdec.corpus.splits import SPLITS, load_split  # noqa: PLC0415  # slow: schemas

    known = {**corpus.documents, **corpus.elsewhere}
    for split in map(load_split, SPLITS):
        units = split.units(known)
        covered, asked, whole = (
            {units[doc] for doc in docs} for docs in (documents, corpus.documents, known)
        )
        part = next((part for part, units in split.parts.items() if units == covered), None)
        if part is not None and covered != asked and whole == set().union(*split.parts.values()):
            message = f"the response covers {split.name}/{part}; did you mean that part?"
            yield Notice("other-split", 1, message, warning=not asked <= covered)


def left_out(corpus: Corpus, mentions: pd.DataFrame) -> tuple[list[str], list[Notice]]:
    """Return the ids of those mentions of a response that are not scored, and notices.

    The variant of the key, or a patch, leaves them out, or they are outside the region of the part.
    """
    ids, region = mentions.index, corpus.region
    same = corpus.mentions.index[corpus.mentions["kind"] == corpus.kind]
    variant = ids[ids.isin(same.difference(corpus.selected.index))]
    patched, beyond = ids[ids.isin(corpus.removed.index)], ids[:0]
    if region:
        starts = mentions["start"].to_numpy(np.int64)
        inside = region.contains(corpus.documents, mentions["doc"], starts)
        inside = ids.isin([*region.listed]) if region.listed else inside
        beyond = ids[~inside]
    of_variant = f"that the variant '{corpus.variant}' of the key leaves out: left out too"
    of_region = f"outside the annotated sentences or mentions of '{corpus.part}', left out"
    return [*variant, *patched, *beyond], [
        *said("mention-left-out", variant, MENTION, of_variant),
        *said("mention-left-out", patched, MENTION, _PATCHED, warning=False),
        *said("outside-region", beyond, MENTION, of_region, warning=False),
    ]


def unreviewed(corpus: Corpus) -> list[Notice]:
    """Return a warning on predicted mentions if many sentences were not reviewed.

    In a sentence that was not reviewed in full, mentions that are not in the key count as wrong,
    whether they are or not.
    """
    if corpus.region or not corpus.reviewed:
        return []
    known = corpus.documents
    body = {(i, at) for i, d in known.items() for at in range(d.text_start, len(d.sentences))}
    unseen = len(body - corpus.reviewed)
    if unseen < UNREVIEWED * len(body):
        return []
    message = f"{100 * unseen / len(body):.0f} % of the sentences of '{corpus.part}' were not "
    message += "reviewed in full: score predicted mentions with a split that has reviewed_only = "
    message += "true, as cybulska has for ECB+"
    return [Notice("result-limited", unseen, message)]


# ---- missing and twinless mentions ----


def with_coverage(
    alignment: Alignment, key_name: str, *, policy: FilePolicy, across: bool
) -> Alignment:
    """Return the alignment with notices on missing and twinless mentions and on a small overlap.

    Missing mentions are treated as ``policy`` says; the choices that matter, and the shares of key
    mentions and key links that do not count as not found, are in the signature. ``across``: whether
    chains can cross documents. Raises ScoringError if key and response have no mention in common,
    unless ``policy`` allows it.
    """
    table, notices = alignment.mentions, [*alignment.notices]
    in_key, in_response = (table[side].notna().to_numpy() for side in SIDES)
    absent, twinless = table[in_key & ~in_response], table[in_response & ~in_key]
    about = {"mentions": "predicted" if len(twinless) else "gold", **alignment.about}
    if any(notice.code == "mention-duplicate" for notice in notices):
        about["repeated"] = "first"
    for name, field in SIGNED.items():
        if (value := getattr(policy, name)) not in (getattr(DEFAULT_POLICY, name), "count"):
            about[field] = value
    shared, size = int((in_key & in_response).sum()), int(in_key.sum())
    if not shared and not policy.allow_empty:
        message, place, hint = "the key has no mentions", key_name, "check the file"
        if size:
            why = _reasons(table, notices)
            message = f"none of the {counted(size, 'mention')} of the key is in the response{why}"
            hint = "check documents and token numbers, or allow empty ones"
            place = alignment.system
        raise ScoringError("mentions-disjoint", message, place=place, hint=hint)
    if 0 < 4 * shared < min(size, int(in_response.sum())):  # a mistake rather than a bad system
        why = _reasons(table) or "; check documents and token numbers"
        message = f"only {shared} of {size:,} key mentions are in the response{why}"
        notices.append(Notice("little-in-common", shared, message))
    if len(absent):
        how, effect, warning = policy.missing or "count", "missing from the response", False
        sizes, alone = table["response"].value_counts(), key_singletons(table)[absent.index].mean()
        if how != "count":
            about["missing_share"] = shares = _shares(table, across)
            # Such a policy raises the scores of a response that leaves out what is difficult.
            warning = max(shares.values()) >= WORTH_A_WARNING
            parts = " and ".join(f"{100 * of:.1f} % of the key {n}" for n, of in shares.items())
            effect += f", {_TREATED[how]}: {parts}; scores cannot be compared with missing=count"
            table = treated(table, how)
        notices += said("missing-mention", absent.index, "key mention", effect, warning=warning)
        if how == "count" and len(sizes) and sizes.min() > 1 and alone >= MOST:
            message = f"the response has no singletons, and {100 * alone:.0f} % of the missing "
            message += "mentions are singletons of the key: if it leaves its singletons out, use "
            message += "the choice missing: singletons"
            notices.append(Notice("singletons-left-out", len(absent), message))
    if len(twinless):
        rest = "not in the key (twinless)"
        notices += said("twinless", twinless.index, MENTION, rest, warning=False)
    return replace(alignment, mentions=table, about=about, notices=tuple(notices))


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
    taken, response = {*mentions["response"].dropna()}, mentions["response"].copy()
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
    chain = ["key"] if across else ["doc", "key"]
    present = key["response"].notna()
    total, kept = (int(links(part[chain].value_counts()).sum()) for part in (key, key[present]))
    lost = 1 - kept / total if total else 0.0
    return {"mentions": round(1 - float(present.mean()), 4), "links": round(lost, 4)}


def _reasons(table: pd.DataFrame, notices: Iterable[Notice] = ()) -> str:
    """Return possible reasons why few mentions of the response are in the key, or ''.

    ``notices`` include those on documents left out. Token numbers may be moved.
    """
    reasons = [str(notice) for notice in notices if notice.code in _LOST]
    if not reasons and table["response"].isna().all():
        reasons = ["the response has no mentions"]
    of_key = pd.MultiIndex.from_frame(table.loc[table["key"].notna(), _PLACE])
    places = table.loc[table["response"].notna(), _PLACE]
    for what, (start, end) in _SHIFTS.items():
        moved = places.assign(start=places["start"] - start, end=places["end"] - end)
        count = int(pd.MultiIndex.from_frame(moved).isin(of_key).sum())
        if 2 * count > len(places):
            reasons.append(f"with {what} {count} would match")
    return "".join(f"; {reason}" for reason in reasons)
