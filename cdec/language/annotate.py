"""The words of a corpus with lemma, tag, universal part of speech and, by a parser, head.

Each different text is annotated once: a sentence, or for a pipeline that reads more the whole
document. The cache key is the content of the texts: a blind corpus, a corpus in another order, or a
copy under another name uses the same annotations.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus, Document
from cdec.errors import CorpusError, LanguageError
from cdec.files import cache
from cdec.files.jobs import mapped
from cdec.files.progress import Progress, silent
from cdec.language.pipeline import Pipeline, Text, Words, annotated, chosen, loaded, pipeline

KIND = "annotations"
REVISION = "4"  # raise it when our own rules change an annotation
Places = Collection[tuple[str, int]]  # document id, number of the sentence in the document
_TEXTS = ["lemma", "tag", "pos"]
_TYPES = {**dict.fromkeys(_TEXTS, "str"), "head": "int64"}
_BLOCK = 8192  # tokens that one worker annotates at a time
_WORTH = 100_000  # tokens from which other processes pay off


def annotate(
    corpus: Corpus, name: str = "hanta", progress: Progress = silent, only: Places | None = None
) -> pd.DataFrame:
    """Return one row for each token of the corpus, in order, or of the sentences ``only``.

    Columns: ``doc`` (row of the document), ``sentence`` and ``token`` (numbers in the document),
    ``lemma`` in lower case, ``tag`` and ``pos`` (categorical), ``head`` (token in the document, −1
    without a parser). Raises the errors of ``pipeline``, LanguageError for a model without lemmas
    or parts of speech, and CorpusError for a corpus without text.
    """
    if corpus.text == "none":
        message, hint = "the corpus has no text (its tokens are masked)", "score response files"
        raise CorpusError("annotation-missing", message, place=corpus.name, hint=hint)
    documents = list(corpus.documents.values())
    groups: dict[str, list[int]] = {} if documents else {name: []}
    for row, document in enumerate(documents):
        groups.setdefault(chosen(name, document), []).append(row)
    parts = [_words(documents, rows, pipeline(n), progress, only) for n, rows in groups.items()]
    return _joined(parts).sort_values("doc", kind="stable", ignore_index=True)


def _words(
    documents: list[Document],
    rows: list[int],
    nlp: Pipeline,
    progress: Progress,
    only: Places | None,
) -> pd.DataFrame:
    """Return the words of the documents in these rows."""
    places = [
        (row, number, start, documents[row].sentences[number])
        for row in rows
        for number, start in enumerate(documents[row].sentence_starts)
        if only is None or (documents[row].id, number) in only
    ]
    at = pd.DataFrame(places, columns=["doc", "sentence", "start", "key"])
    length = at["key"].map(len).to_numpy(np.int64)
    texts: dict[Any, Text] = {key: (key,) for key in sorted(set(at["key"]))}
    if not nlp.by_sentence:
        prints = {row: documents[row].fingerprint for row in at["doc"].unique()}
        texts = dict(sorted((key, documents[row].sentences) for row, key in prints.items()))
        at["key"] = at["doc"].map(prints)
    table, sizes = _of_texts(texts, nlp, progress), [sum(map(len, text)) for text in texts.values()]
    first = dict(zip(texts, np.cumsum([0, *sizes]).tolist(), strict=False))
    begins = np.array([first[key] for key in at["key"]], np.int64)
    begins += 0 if nlp.by_sentence else at["start"].to_numpy(np.int64)
    offset = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    rows_of = np.repeat(begins, length) + offset
    place = at[["doc", "sentence", "start"]].loc[np.repeat(at.index, length)].astype(np.int64)
    result: pd.DataFrame = table.iloc[rows_of].reset_index(drop=True)
    result[["doc", "sentence"]] = place[["doc", "sentence"]].to_numpy()
    result["token"] = place["start"].to_numpy() + offset
    return result


def _of_texts(texts: Mapping[Any, Text], nlp: Pipeline, progress: Progress) -> pd.DataFrame:
    """Return the words of texts, from the cache or annotated now; the keys are their content."""
    sizes = [sum(map(len, text)) for text in texts.values()]
    parts = (REVISION, nlp.identity, *map(ascii, texts))
    make = partial(_annotated, texts.values(), sizes, nlp, progress)
    return cache.kept(KIND, parts, lambda body: _unpacked(body, sum(sizes)), make, _packed)


def _annotated(
    texts: Collection[Text], sizes: Sequence[int], nlp: Pipeline, progress: Progress
) -> pd.DataFrame:
    """Return the words of texts of these sizes, annotated now."""
    group = np.cumsum(sizes) // _BLOCK
    borders = [0, *(np.flatnonzero(np.diff(group)) + 1).tolist(), len(texts)]
    blocks = [list(texts)[a:b] for a, b in pairwise(borders)]
    made = mapped(annotated, blocks, (nlp.name, nlp.identity), worth=sum(sizes) >= _WORTH)
    bar = progress(made, len(blocks), f"annotating with {nlp.name}")
    table = _joined([_table([]), *(_table(list(chain.from_iterable(block))) for block in bar)])
    loaded.cache_clear()
    for column, what in (("lemma", "lemmas"), ("pos", "parts of speech")):
        if len(table) and list(table[column].cat.categories) == [""]:
            message = f"the model does not provide {what}"
            hint = "use a model with a tagger and a lemmatiser, or the pipeline hanta"
            raise LanguageError("package-missing", message, place=nlp.name, hint=hint)
    return table


def _table(words: Words) -> pd.DataFrame:
    table = pd.DataFrame(words, columns=[*_TEXTS, "head"]).astype(_TYPES)
    table["lemma"] = table["lemma"].str.lower()
    return table.astype(dict.fromkeys(_TEXTS, "category"))


def _joined(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Return all rows; the categories of a column are its different values, sorted."""
    table = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    return table.astype(dict.fromkeys(_TEXTS, "str")).astype(dict.fromkeys(_TEXTS, "category"))


def _packed(table: pd.DataFrame) -> bytes:
    values = {name: list(table[name].cat.categories) for name in _TEXTS}
    arrays: dict[str, Any] = {name: table[name].cat.codes.to_numpy() for name in _TEXTS}
    arrays["values"] = np.frombuffer(json.dumps(values).encode(), np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, head=table["head"].to_numpy(), **arrays)
    return buffer.getvalue()


def _unpacked(body: bytes, size: int) -> pd.DataFrame:
    """Return the words. Raises ValueError if they are not ``size``."""
    with np.load(io.BytesIO(body)) as stored:
        values = json.loads(stored["values"].tobytes())
        words = {name: pd.Categorical.from_codes(stored[name], values[name]) for name in _TEXTS}
        table = pd.DataFrame({**words, "head": stored["head"]})
    if len(table) != size:
        raise ValueError("annotations of other texts")
    return table
