"""What is irregular in a response, or looks like a mistake, as notices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import AnySeries, StrSeries
from cdec.corpus.model import ALL_KINDS, Corpus
from cdec.errors import Notice, counted, notice, spelled
from cdec.formats.annotation import Annotation
from cdec.matching.names import of_other_parts, path_of

UNREVIEWED = 0.05
"""The share of unreviewed sentences from which predicted mentions are not scored in silence."""
MENTION = "response mention"
_DOCUMENT = "response document"
_PATCHED = "removed from the key by its patch: left out too"


def said(
    code: str, cases: Iterable[Any], noun: str, rest: str, *, warning: bool = True
) -> list[Notice]:
    """Return the notice on these cases, as in "3 documents not in the key", if there are any."""
    names = [*map(str, cases)]
    message = f"{counted(len(names), noun)} {rest}"
    return [notice(code, message, names, warning=warning)] if names else []


def contrary(
    file: Annotation,
    ids: StrSeries,
    by_id: AnySeries,
    by_tokens: AnySeries | npt.NDArray[Any],
) -> list[Notice]:
    """Return a warning of mentions with the id of one mention of the key and tokens of another.

    ``ids`` are those that the mentions give, ``by_id`` and ``by_tokens`` the mentions of the key
    that have them (missing: none). Numbers that never fit are the file's own.
    """
    table = file.mentions.assign(id=ids, fits=by_id == by_tokens)
    table = table[(table["start"] >= 0) & by_id.notna()]
    differing = table[~table["fits"]]
    if len(differing) == len(table) and not (table["mention"] == table["id"]).any():
        return []
    places = map(file.place, differing["line"])
    cases = [
        f"{mention} at {place}"
        for mention, place in zip(differing["id"], places, strict=True)
    ]
    return said(
        "reading-assumed",
        cases,
        MENTION,
        "with the id of one mention of the key and the tokens of another: the tokens count",
    )


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
    notices = []
    elsewhere = {}
    home_names = docs
    where = "not in the key"
    if corpus is not None:
        home_names = [*corpus.documents]
        where = "not in the corpus"
        elsewhere = of_other_parts(without_pair, corpus, read.name)
        without_pair = [doc for doc in without_pair if doc not in elsewhere]
        rest = f"not in '{corpus.part}': left out"
        notices += said("outside-split", elsewhere, _DOCUMENT, rest)
    if home_names:
        where += f", which has names such as '{home_names[0]}'"
    effect = "left out"
    if unknown == "twinless":
        effect = "mentions in them are twinless"
    notices += said("unknown-document", without_pair, _DOCUMENT, f"{where}: {effect}")
    present = {*pairs.values()}
    absent = [doc for doc in docs if doc not in present]
    rest = "missing from the response, taken as empty"
    notices += said("missing-document", absent, "key document", rest)
    renamed = [
        f"{name} as {doc}" for name, doc in pairs.items() if not _is_end_of(name, doc)
    ]
    rest = "under another name in the key: matched by a part of the name, or by id"
    notices += said("document-renamed", renamed, _DOCUMENT, rest, warning=False)
    if corpus is not None:
        homes = {**elsewhere, **pairs}
        covered = {homes[doc] for doc in read.mentions["doc"].unique() if doc in homes}
        notices += other_split(corpus, covered)
    return notices


def _is_end_of(name: str, other: str) -> bool:
    path = "/" + "/".join(path_of(name))
    other_path = "/" + "/".join(path_of(other))
    return path.endswith(other_path) or other_path.endswith(path)


def other_split(corpus: Corpus, documents: Set[str]) -> Iterator[Notice]:
    """Yield a notice if these documents are those of another part, or their topics (other units).

    ``documents`` are those of the response, inside the part or not. The parts of cdec's own splits
    are considered, if the split assigns every unit of the corpus.
    """
    if not corpus.elsewhere or documents == corpus.documents.keys():
        return
    from cdec.corpus.splits import SPLITS, load_split  # noqa: PLC0415  # slow: schemas

    all_documents = {**corpus.documents, **corpus.elsewhere}
    for split in map(load_split, SPLITS):
        units = split.units(all_documents)
        if {*units.values()} != set().union(*split.parts.values()):
            continue
        covered = {units[doc] for doc in documents}
        of_part = {units[doc] for doc in corpus.documents}
        if covered == of_part:
            continue
        for name, units_of_part in split.parts.items():
            if units_of_part == covered:
                yield Notice(
                    "other-split",
                    1,
                    f"the response covers {split.name}/{name}; did you mean that part?",
                    warning=not of_part <= covered,
                )
                break


def left_out(corpus: Corpus, mentions: pd.DataFrame) -> tuple[list[str], list[Notice]]:
    """Return the ids of those mentions of a response that are not scored, and notices.

    The variant of the key, or a patch, leaves them out, or they are outside the region of the part.
    """
    ids = mentions.index
    of_kind = corpus.mentions.index
    if corpus.kind != ALL_KINDS:
        of_kind = of_kind[corpus.mentions["kind"] == corpus.kind]
    of_variant = ids[ids.isin(of_kind.difference(corpus.selected.index))]
    patched = ids[ids.isin(corpus.removed.index)]
    outside = ids[:0]
    region = corpus.region
    if region and region.listed:
        outside = ids[~ids.isin([*region.listed])]
    elif region:
        starts = mentions["start"].to_numpy(np.int64)
        outside = ids[~region.contains(corpus.documents, mentions["doc"], starts)]
    why = f"that the variant '{corpus.variant}' of the key leaves out: left out too"
    notices = said("mention-left-out", of_variant, MENTION, why)
    notices += said("mention-left-out", patched, MENTION, _PATCHED, warning=False)
    why = f"outside the annotated sentences or mentions of '{corpus.part}', left out"
    notices += said("outside-region", outside, MENTION, why, warning=False)
    return [*of_variant, *patched, *outside], notices


def unreviewed(corpus: Corpus) -> list[Notice]:
    """Return a warning on predicted mentions if many sentences were not reviewed.

    In a sentence that was not reviewed in full, mentions that are not in the key count as wrong,
    whether they are or not.
    """
    if corpus.region or not corpus.reviewed:
        return []
    body = {
        (name, number)
        for name, document in corpus.documents.items()
        for number in range(document.text_start, len(document.sentences))
    }
    unseen = len(body - corpus.reviewed)
    if unseen < UNREVIEWED * len(body):
        return []
    message = (
        f"{100 * unseen / len(body):.0f} % of the sentences of '{corpus.part}' were not reviewed "
        "in full: score predicted mentions with a split that has reviewed_only = true, as "
        f"{spelled('split', 'cybulska/test')} of ECB+"
    )
    return [Notice("result-limited", unseen, message)]
