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
PATCHED = "removed from the key by its patch: left out here too"
_PLACE = ["doc", "start", "end"]
# Common mistake → numbers to subtract from start and end.
_SHIFTS = {
    "every start and end reduced by 1 (tokens count from 0)": (1, 1),
    "every end reduced by 1 (the end is the last token, inclusive)": (0, 1),
}
_KEY_NAMES = ("key", "gold")
_RESPONSE_NAMES = ("response", "predict", "pred_", "_pred", "system")
_LOST = ("unknown-document", "outside-split", "outside-region", "other-split", "mention-unknown")
_ARE = ("mention is", "mentions are")
_RESPONSE_ARE = ("response mention is", "response mentions are")


# ---- two files ----


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


def recurring_labels(gold: pd.DataFrame, settled: pd.DataFrame) -> Iterator[Notice]:
    """Yield a notice on labels that occur in several documents, of the key or else the response."""
    for side, table in (("key", gold), ("response", settled)):
        documents = table.drop_duplicates(["doc", "chain"])["chain"].value_counts()
        labels = [str(label) for label in documents.index[documents.to_numpy() > 1]]
        if labels:
            occur = f"chain label of the {side} occurs", f"chain labels of the {side} occur"
            what = counted(len(labels), *occur)
            message = f"{what} in several documents; if chains cross documents, use scope=corpus"
            yield notice("scope-ambiguous", message, labels, warning=False)
            return


def lost_ids(key: pd.DataFrame, response: pd.DataFrame) -> Iterator[Notice]:
    """Yield a notice on mentions with an id only, if the other file has no ids."""
    for side, table, other in (("key", key, response), ("response", response, key)):
        unplaced = table["mention"][table["start"] < 0].tolist()
        if unplaced and len(other) and not (other["mention"] != "").any():
            have = f"mention of the {side} has", f"mentions of the {side} have"
            what = counted(len(unplaced), *have)
            message = f"{what} an id but no tokens, and the other file has no ids"
            yield notice("mention-unknown", message, unplaced)


# ---- documents ----


def left_out(code: str, docs: Sequence[str], mentions: int, where: str) -> Notice:
    """Return the notice on documents that are left out; ``where`` is as in "in the key"."""
    what = counted(len(docs), "response document")
    verb, ignored = ("is", "is ignored") if len(docs) == 1 else ("are", "are ignored")
    message = f"{what} ({counted(mentions, 'mention')}) {verb} not {where} and {ignored}"
    return notice(code, message, docs)


def missing_and_renamed(docs: Iterable[str], pairs: Mapping[str, str]) -> Iterator[Notice]:
    """Yield a notice on key documents missing in the response, and on renamed documents.

    ``pairs`` maps the documents of the response to those of the key. A document is not renamed if
    one path is the end of the other, as in ``24_1ecb`` and ``ECB+/24/24_1ecb.xml``.
    """
    present = set(pairs.values())
    if absent := [doc for doc in docs if doc not in present]:
        what = counted(len(absent), "key document is", "key documents are")
        counts = "counts" if len(absent) == 1 else "count"
        message = f"{what} missing from the response and {counts} as empty"
        yield notice("missing-document", message, absent)
    renamed = []
    for name, known in pairs.items():
        here, there = path_of(name), path_of(known)
        size = min(len(here), len(there))
        if name != known and here[-size:] != there[-size:]:
            renamed.append(f"{name} as {known}")
    if renamed:
        what = counted(len(renamed), "response document is", "response documents are")
        message = f"{what} under another name in the key: matched by a part of the name, or by id"
        yield notice("document-renamed", message, renamed, warning=False)


def other_split(corpus: Corpus, documents: Iterable[str]) -> Iterator[Notice]:
    """Yield a notice if these documents are those of another part, or their topics (other units).

    ``documents`` are those of the response, inside the part or not. The parts of cdec's own splits
    are considered, if the split assigns every unit of the corpus.
    """
    from cdec.corpus.splits import load_split, split_names  # noqa: PLC0415  # slow: schemas

    known = {**corpus.documents, **corpus.elsewhere}
    mentioned = [known[doc] for doc in documents]
    for name in split_names():
        split = load_split(name)
        covered = {split.unit_of(document) for document in mentioned}
        asked = {split.unit_of(document) for document in corpus.documents.values()}
        whole = {split.unit_of(document) for document in known.values()}
        part = next((part for part, units in split.parts.items() if units == covered), None)
        if part is not None and covered != asked and whole == set().union(*split.parts.values()):
            message = f"the response covers {name}/{part}; did you mean that part?"
            yield Notice("other-split", 1, message, warning=not asked <= covered)


# ---- mentions of a corpus that are not scored ----


def outside_region(corpus: Corpus, places: Sequence[str]) -> list[Notice]:
    """Return the notice on response mentions, if any, outside the region of the part."""
    if corpus.region is None or not places:
        return []
    extent = "listed mentions" if corpus.region.listed else "annotated sentences"
    what = counted(len(places), *_RESPONSE_ARE)
    message = f"{what} outside the {extent} of '{corpus.part}' and left out"
    return [notice("outside-region", message, places, warning=False)]


def left_out_by_region(corpus: Corpus, ids: pd.Index[str]) -> tuple[list[str], list[Notice]]:
    """Return which mentions of the corpus are outside the region of the part, and the notice."""
    outside = _among(ids, corpus.region.outside) if corpus.region else []
    return outside, outside_region(corpus, outside)


def left_out_of_key(corpus: Corpus, ids: pd.Index[str]) -> tuple[list[str], list[Notice]]:
    """Return which mentions the variant of the key, or a patch, leaves out of it, and notices."""
    same = corpus.mentions.index[corpus.mentions["kind"] == corpus.kind]
    by_variant = _among(ids, corpus.mentions.loc[same.difference(corpus.selected.index)])
    by_patch = _among(ids, corpus.removed)
    variant = f"left out of the key by its variant '{corpus.variant}': left out here too"
    notices = [*left_out_notice(by_variant, variant), *left_out_notice(by_patch)]
    return [*by_variant, *by_patch], notices


def left_out_notice(ids: Sequence[str], why: str = PATCHED) -> Iterator[Notice]:
    """Yield the notice on response mentions, if any, that the key leaves out."""
    if ids:
        message = f"{counted(len(ids), *_RESPONSE_ARE)} {why}"
        yield notice("mention-left-out", message, ids, warning=why != PATCHED)


def _among(ids: pd.Index[str], mentions: pd.DataFrame) -> list[str]:
    return [str(id_) for id_ in ids[ids.isin(mentions.index)]]


def identical(corpus: Corpus, mentions: pd.DataFrame, name: str) -> Iterator[Notice]:
    """Yield a notice on a response that is the gold annotation."""
    gold = corpus.gold.labels
    if len(mentions) == len(gold) and found(mentions.index, gold.index).all():
        ours = pd.factorize(gold)[0]
        theirs = pd.factorize(mentions["chain"].reindex(gold.index))[0]
        if 1 < ours.max() + 1 < len(gold) and np.array_equal(ours, theirs):
            message = f"the response '{name}' is identical to the gold annotation; is it the key?"
            yield Notice("swapped", 1, message, (name,))


def unreviewed(corpus: Corpus, twinless: pd.DataFrame) -> Iterator[Notice]:
    """Yield a warning if mentions are predicted where many sentences were not reviewed.

    ``twinless`` are the response mentions that are not in the key: in a sentence that was not
    reviewed in full they count as wrong, whether they are or not.
    """
    if corpus.region or not corpus.reviewed or twinless.empty:
        return
    listed = [
        (doc.id, sentence) in corpus.reviewed
        for doc in corpus.documents.values()
        for sentence in range(doc.text_start, len(doc.sentences))
    ]
    share = 1 - sum(listed) / len(listed)
    if share < UNREVIEWED:
        return
    from cdec.corpus.splits import ALL, load_split, split_names  # noqa: PLC0415  # slow: schemas

    inside = Region(corpus.reviewed, twinless).contains(
        corpus.documents, twinless["doc"], twinless["start"].to_numpy(dtype=np.int64)
    )
    split = next(split for name in split_names() if (split := load_split(name)).reviewed_only)
    part, known = corpus.part.rpartition("-")[2], {**corpus.documents, **corpus.elsewhere}
    units = {split.unit_of(document) for document in known.values()}
    has_part = part == ALL or split.parts.get(part, {None}) <= units
    cure = f"the part {split.name}/{part}" if has_part else "a split file with reviewed_only = true"
    message = (
        f"{100 * share:.0f} % of the sentences of '{corpus.part}' were not reviewed in full, and "
        f"{int((~inside).sum()):,} of {counted(len(twinless), 'predicted mention')} that are not "
        f"in the key are in them: score predicted mentions with {cure}"
    )
    yield Notice("result-limited", listed.count(False), message)


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

    Missing mentions are treated as ``policy`` says; the shares of key mentions and key links that
    do not count as not found are in the signature. ``across``: whether chains can cross documents.
    Raises ScoringError if key and response have no mention in common, unless ``policy`` allows it.
    """
    table, how = alignment.mentions, policy.missing or "count"
    in_key, in_response = (table[side].notna().to_numpy() for side in SIDES)
    shared, size = int((in_key & in_response).sum()), int(in_key.sum())
    if not shared and not policy.allow_empty:
        code, message, place = "mentions-disjoint", "the key has no mentions", key_name
        hint = "check the file, or set allow_empty"
        if size:
            why, code, place = (
                _reasons(table, alignment.notices),
                "mentions-disjoint",
                response_name,
            )
            message = f"none of the {counted(size, 'mention')} of the key is in the response{why}"
            hint = "check documents and token numbers, or set allow_empty"
        raise ScoringError(code, message, place=place, hint=hint)
    notices = []
    if 0 < 4 * shared < min(size, int(in_response.sum())):  # a mistake rather than a bad system
        why = _reasons(table) or "; check documents and token numbers"
        message = f"only {shared} of {size:,} key mentions are in the response{why}"
        notices.append(Notice("little-in-common", shared, message))
    missing = [str(id_) for id_ in table.index[in_key & ~in_response]]
    beyond = table[in_response & ~in_key]
    about = alignment.about
    if missing and how == "count":
        notices += _missing_notices(table, missing)
    elif missing:
        about = {**about, "missing_share": _shares(table, across)}
        notices.append(_excused(missing, how, about["missing_share"]))
        table = treated(table, how)
    if len(beyond):
        beyond = beyond.sort_values("line", kind="stable") if "line" in beyond else beyond
        message = f"{counted(len(beyond), *_RESPONSE_ARE)} not in the key (twinless)"
        notices.append(notice("twinless", message, [*map(str, beyond.index)], warning=False))
    return replace(alignment, mentions=table, about=about, notices=(*alignment.notices, *notices))


def treated(mentions: pd.DataFrame, policy: str) -> pd.DataFrame:
    """Return the aligned mentions after the policy, a key of ``cdec.matching.policy.MISSING``.

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
    chains, absent = key["key"].astype(str), key["response"].isna().to_numpy()
    if not across and "doc" in key:
        chains = key["doc"].astype(str) + "\0" + chains
    total, kept = (int(links(part.value_counts()).sum()) for part in (chains, chains[~absent]))
    lost = 1 - kept / total if total else 0.0
    return {"mentions": round(float(absent.mean()), 4), "links": round(lost, 4)}


def _excused(missing: Sequence[str], policy: str, share: Mapping[str, float]) -> Notice:
    """Return the notice on mentions that ``policy`` does not count as not found.

    It is a warning from WORTH_A_WARNING on, because such a policy raises the scores of a response
    that leaves out what is difficult.
    """
    effect = {"singletons": "made singletons of the response", "drop": "removed from the key"}
    parts = " and ".join(f"{100 * value:.1f} % of the key {name}" for name, value in share.items())
    what = counted(len(missing), "missing key mention is", "missing key mentions are")
    message = (
        f"{what} {effect[policy]}, which concerns {parts}: the scores cannot be compared with "
        "those of missing=count"
    )
    warning = max(share.values()) >= WORTH_A_WARNING
    return notice("missing-mention", message, missing, warning=warning)


def _missing_notices(mentions: pd.DataFrame, missing: Sequence[str]) -> Iterator[Notice]:
    """Yield notices on the key mentions ``missing`` from the response, and on left-out singletons.

    A response without any singleton, whose missing mentions are mostly singletons of the key, was
    probably written without its singletons.
    """
    what = counted(len(missing), "key mention is", "key mentions are")
    yield notice("missing-mention", f"{what} missing from the response", missing, warning=False)
    absent = mentions["key"].notna() & mentions["response"].isna()
    share = float(key_singletons(mentions)[absent].mean())
    sizes = mentions["response"].value_counts()
    if len(sizes) and sizes.min() > 1 and share >= MOST:
        message = (
            f"the response has no singletons, and {100 * share:.0f} % of the missing mentions are "
            "singletons of the key: if it leaves its singletons out, use missing=singletons"
        )
        yield Notice("singletons-left-out", len(missing), message)


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


# ---- declarations ----


def check_declared(declared: Mapping[str, Any], alignment: Alignment, place: object) -> None:
    """Raise ScoringError if the response contradicts a declaration of gold information.

    * mentions: a response mention is not in the key;
    * sentences: a response mention is outside the annotated sentences;
    * topics: a chain has mentions of two topics;
    * singletons: a singleton of the key is in a longer chain.

    Gold pairs, and predicted information, cannot be contradicted by the file.
    """
    if "gold" not in [*declared.values()]:
        return
    table, response = alignment.mentions, alignment.mentions["response"].dropna()
    outside = [one.count for one in alignment.notices if one.code == "outside-region"]
    numbers = {
        "mentions": int(table["key"].isna()[response.index].sum()),
        "sentences": outside[0] if outside else 0,
        "topics": 0,
        "singletons": int(
            (key_singletons(table)[response.index] & response.duplicated(keep=False)).sum()
        ),
    }
    if "topic" in table:
        topics = table["topic"][response.index].groupby(response.to_numpy()).nunique()
        numbers["topics"] = int((topics > 1).sum())
    have, singletons = (
        ("chain has", "chains have"),
        ("singleton of the key is", "singletons of the key are"),
    )
    contrary = {
        "mentions": f"{counted(numbers['mentions'], *_ARE)} not in the key",
        "sentences": f"{counted(numbers['sentences'], *_ARE)} outside the annotated sentences",
        "topics": f"{counted(numbers['topics'], *have)} mentions of two topics",
        "singletons": f"{counted(numbers['singletons'], *singletons)} in a chain of two or more "
        "mentions",
    }
    for name, number in numbers.items():
        if number and declared.get(name) == "gold":
            message = f"the file declares gold {name}, but {contrary[name]}"
            hint = "correct the declaration, or the file"
            raise ScoringError("declaration-invalid", message, place=place, hint=hint)
