"""The operations of a patch that change mentions: removed, added, with another span or tag."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import chain as flat
from typing import Any

import pandas as pd

from cdec.audit.patches.model import Patch
from cdec.corpus.model import Corpus, Document
from cdec.errors import FormatError

_HINT = "use the corpus for which the patch was made"


def edited(corpus: Corpus, patch: Patch) -> pd.DataFrame:
    """Return the mentions of ``corpus`` with all changes of ``patch`` except to chains.

    The id of an added mention is its place, ``document/tokens``, with ``+`` if another mention has
    this id; its chain and tag are those of the mention that it is added to. Operations on documents
    outside the corpus are ignored. Raises FormatError for a mention that is not in its document, or
    tokens outside one sentence.
    """
    mentions = corpus.mentions
    known = [*patch.remove, *patch.span, *patch.tag, *patch.add.values()]
    for mention in known:
        if mention.rpartition("/")[0] in corpus.documents and mention not in mentions.index:
            raise _mismatch(f"mention '{mention}' is not in the corpus", patch.name)
    rows: dict[Any, dict[Any, Any]] = mentions.to_dict("index")
    for mention, tag in patch.tag.items():
        if mention in rows:
            rows[mention]["tag"] = tag
    for mention, tokens in patch.span.items():
        if mention in rows:
            document = corpus.documents[rows[mention]["doc"]]
            rows[mention] |= _span(document, tokens, patch.name)
    for place, model in patch.add.items():
        doc, _, tokens = place.rpartition("/")
        if doc in corpus.documents and model in rows:
            rows[_free(place, rows)] = {**rows[model], **_place(corpus, doc, tokens, patch.name)}
    for mention in patch.remove:
        rows.pop(mention, None)
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(mentions.columns))
    table = table.astype(mentions.dtypes.to_dict())
    table.index.name = mentions.index.name
    return table.iloc[_text_order(table, corpus)] if patch.add or patch.span else table


def _free(place: str, rows: Mapping[Any, object]) -> str:
    """Return the id of a mention added at ``place``: ids of ECB+ have the form of a place."""
    return _free(f"{place}+", rows) if place in rows else place


def _text_order(table: pd.DataFrame, corpus: Corpus) -> list[int]:
    order = {id_: number for number, id_ in enumerate(corpus.documents)}
    keys = zip(table["doc"].map(order), table["start"], table["end"], strict=True)
    return [at for _, at in sorted((key, at) for at, key in enumerate(keys))]


def _place(corpus: Corpus, doc: str, tokens: str, name: str) -> dict[str, Any]:
    document = corpus.documents[doc]
    span = _span(document, tokens, name)
    beside = corpus.mentions[corpus.mentions["doc"] == doc]
    beside = beside[beside["sentence"] == span["sentence"]]
    reviewed = bool(len(beside)) and bool(beside["reviewed"].all())
    where = {"doc": doc, "topic": document.topic, "subtopic": document.subtopic}
    return {**where, "reviewed": reviewed, **span}


def _span(document: Document, tokens: str, name: str) -> dict[str, Any]:
    """Return the columns of a span given as ``34-35,37``."""
    numbers = _numbers(tokens)
    starts = document.sentence_starts
    inside = bool(numbers) and numbers[0] >= 0 and numbers[-1] < len(document.tokens)
    sentences = {bisect_right(starts, number) - 1 for number in numbers}
    if not inside or len(sentences) > 1 or numbers != sorted(set(numbers)):
        message = f"'{tokens}' are not tokens of one sentence of {document.id}"
        raise _mismatch(message, name)
    return {
        "sentence": sentences.pop(),
        "start": numbers[0],
        "end": numbers[-1],
        "tokens": tuple(numbers),
        "text": " ".join(document.tokens[number] for number in numbers),
    }


def _numbers(tokens: str) -> list[int]:
    """Return the numbers of ``34-35,37``; none if the text is not of this form."""
    ends = [part.split("-") for part in tokens.split(",")]
    if not all(len(end) <= 2 and all(e.isdecimal() for e in end) for end in ends):
        return []
    return list(flat.from_iterable(_run(end) for end in ends))


def _run(ends: list[str]) -> Iterable[int]:
    return range(int(ends[0]), int(ends[-1]) + 1)


def _mismatch(message: str, name: str) -> FormatError:
    return FormatError("input-mismatch", message, place=name, hint=_HINT)
