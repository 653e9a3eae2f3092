"""Key and response brought together: one table of mentions, two clusterings, and notices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

import numpy as np
import pandas as pd

from cdec.clustering import Clustering
from cdec.errors import ScoringError
from cdec.formats.annotation import Annotation, id_index
from cdec.matching.ids import lost_ids, with_documents, with_places
from cdec.matching.labels import missing_labels
from cdec.matching.names import align
from cdec.matching.overlap import is_little, reasons
from cdec.matching.repeats import refuse_repeats, settle
from cdec.matching.tokens import check_texts
from cdec.matching.view import View, by_block, by_document, flattened_ids, mention_ids
from cdec.notices import Notice, documents_left_out, documents_missing, notice
from cdec.wording import counted

_KEY_NAMES = ("key", "gold")
_RESPONSE_NAMES = ("response", "predict", "pred_", "_pred", "system")


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


def match_files(
    key: Annotation, response: Annotation, *, repeated: str = "first", allow_empty: bool = False
) -> Matched:
    """Match two files. A mention is the same if document and tokens are.

    CoNLL files are compared as the reference scorer does, by place under each ``#begin document``,
    where they have such a name in common. Documents that the key lacks are left out, documents
    that the response lacks count as empty; ``repeated`` is one of ``repeats.POLICIES``. Raises
    ScoringError for a mention twice in the key, for texts that differ, and for a response without
    any mention of the key unless ``allow_empty``.

    >>> from cdec.formats import mention_table
    >>> key, response = (
    ...     Annotation(name, "jsonl", mention_table(["d"] * 2, at, at, ["x", "x"]), {"d": None})
    ...     for name, at in (("k", [0, 1]), ("r", [1, 2]))
    ... )
    >>> matched = match_files(key, response)
    >>> matched.key, [notice.kind for notice in matched.notices]
    (Clustering(2 mentions in 1 chain), ['missing-mention', 'twinless'])
    """
    ours, theirs = _views(key, response)
    names = align(theirs.texts, ours.texts, response.name)
    notices = [*key.notices, *response.notices]
    notices += [*_document_notices(ours, theirs, names), *_swapped(key, response)]
    theirs = theirs.renamed(names)
    notices += [*check_texts(ours, theirs), *lost_ids(ours.mentions, theirs.mentions)]
    key_ids, response_ids = _ids(ours, theirs)
    refuse_repeats(ours, key_ids, hint=len(set(response_ids)) == len(response_ids))
    gold = ours.mentions.set_index(id_index(key_ids))
    in_key = id_index(response_ids).isin(gold.index)
    settled, found = settle(theirs, response_ids, in_key, repeated)
    notices += [*found, *missing_labels(gold, "key"), *missing_labels(settled, "response")]
    notices += _recurring(gold, settled)
    matched = Matched(
        mentions=_in_text_order(gold, settled, list(ours.texts)),
        key=clustering(gold),
        response=clustering(settled),
        notices=tuple(notices),
    )
    return with_coverage(matched, key.name, response.name, allow_empty=allow_empty)


def _views(key: Annotation, response: Annotation) -> tuple[View, View]:
    blocks = [{at.block for at in side.layout.values()} for side in (key, response)]
    if all(blocks) and align(sorted(blocks[1]), sorted(blocks[0]), response.name):
        return by_block(key), by_block(response)
    ours, theirs = by_document(key), by_document(response)
    if ("" in ours.texts) == ("" in theirs.texts):
        return ours, theirs
    return with_documents(ours), with_documents(theirs)


def _ids(key: View, response: View) -> tuple[list[str], list[str]]:
    flat = "conll" in {key.source.format, response.source.format}
    name = flattened_ids if flat else mention_ids
    ours, theirs = key.mentions, response.mentions
    ids, other_ids = name(ours), name(theirs)
    return with_places(ours, ids, theirs, other_ids), with_places(theirs, other_ids, ours, ids)


def clustering(table: pd.DataFrame) -> Clustering:
    """Return the chain column of a table indexed by mention id as a Clustering."""
    return Clustering(table["chain"].astype(object))


def _in_text_order(gold: pd.DataFrame, settled: pd.DataFrame, docs: Sequence[str]) -> pd.DataFrame:
    lines = settled["line"].reindex(gold.index, fill_value=0)
    twinless = settled[~settled.index.isin(gold.index)]
    table = pd.concat([gold.assign(line=lines), twinless])
    rank = table["doc"].map({doc: number for number, doc in enumerate(docs)})
    order = np.lexsort((table["end"], table["start"], rank))
    return table.iloc[order][["doc", "start", "end", "tokens", "line"]]


def _document_notices(key: View, response: View, names: dict[str, str]) -> Iterator[Notice]:
    unknown = [doc for doc in response.texts if doc not in names]
    if unknown:
        lost = int(response.mentions["doc"].isin(unknown).sum())
        yield documents_left_out("unknown-document", unknown, lost, "in the key")
    covered = set(names.values())
    missing = [doc for doc in key.texts if doc not in covered]
    if missing:
        yield documents_missing(missing)


def _swapped(key: Annotation, response: Annotation) -> Iterator[Notice]:
    if _is_called(key, _RESPONSE_NAMES, _KEY_NAMES) and _is_called(
        response, _KEY_NAMES, _RESPONSE_NAMES
    ):
        message = f"are key and response swapped? '{key.name}' was given as the key"
        yield Notice("swapped", 1, message, (key.name, response.name))


def _is_called(file: Annotation, these: Sequence[str], others: Sequence[str]) -> bool:
    name = PurePath(file.name).name.casefold()
    return any(word in name for word in these) and not any(word in name for word in others)


def _recurring(gold: pd.DataFrame, settled: pd.DataFrame) -> Iterator[Notice]:
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
        why = reasons(matched.mentions, key, response, matched.notices)
        what = f"none of the {counted(len(key), 'mention')} of the key is in the response{why}"
        message = what if len(key) else f"the key {key_name} has no mention"
        cure = "check documents and token numbers, or say --allow-empty"
        raise ScoringError(message, place=response_name, cure=cure)
    found = []
    if is_little(shared := len(key) - len(missing), len(key), len(response)):
        why = reasons(matched.mentions, key, response) or "; do documents and token numbers fit?"
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
