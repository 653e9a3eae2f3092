"""What is irregular in a response, or looks like a mistake, as notices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.errors import Notice, counted, notice, spelled
from cdec.formats.annotation import Annotation
from cdec.matching.names import of_other_parts, path_of

UNREVIEWED = 0.05
"""The share of unreviewed sentences from which predicted mentions are not scored in silence."""
MENTION = "response mention"
_PATCHED = "removed from the key by its patch: left out too"


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


def on_documents(
    docs: Iterable[str],
    read: Annotation,
    pairs: Mapping[str, str],
    corpus: Corpus | None = None,
    unknown: str = "twinless",
) -> list[Notice]:
    """Return notices on documents that are not in the part or key, missing, or renamed.

    ``docs`` are those of the key, ``pairs`` maps documents of the response to them. A document is
    not renamed if one path is the end of the other, as in ``24_1ecb`` and ``ECB+/24/24_1ecb.xml``.
    ``unknown`` says how mentions in unknown documents count.
    """
    docs = list(docs)
    without_pair = [doc for doc in read.documents if doc not in pairs]
    notices: list[Notice] = []
    beyond: dict[str, str] = {}
    known_names = docs
    where = "not in the key"
    if corpus is not None:
        known_names = [*corpus.documents]
        where = "not in the corpus"
        beyond = of_other_parts(without_pair, corpus, read.name)
        without_pair = [doc for doc in without_pair if doc not in beyond]
        away = f"not in '{corpus.part}': left out"
        notices += said("outside-split", beyond, "response document", away)
    if known_names:
        where += f", which has names such as '{known_names[0]}'"
    effect = "left out"
    if unknown == "twinless":
        effect = "mentions in them are twinless"
    notices += said("unknown-document", without_pair, "response document", f"{where}: {effect}")
    present = {*pairs.values()}
    renamed = []
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
    ids = mentions.index
    region = corpus.region
    same = corpus.mentions.index[corpus.mentions["kind"] == corpus.kind]
    variant = ids[ids.isin(same.difference(corpus.selected.index))]
    patched = ids[ids.isin(corpus.removed.index)]
    beyond = ids[:0]
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
    message += f"true, as {spelled('split', 'cybulska/test')} of ECB+"
    return [Notice("result-limited", unseen, message)]
