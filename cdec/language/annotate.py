"""The words of a corpus with lemma, tag, universal part of speech and, by a parser, head.

Each different text is annotated once: a sentence, or for a pipeline that reads more the whole
document. The cache key is the content of the texts: a blind corpus, a corpus in another order, or a
copy under another name uses the same annotations.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Mapping
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
REVISION = "3"  # raise it when our own rules change an annotation
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
    groups: dict[str, list[int]] = {}
    documents = list(corpus.documents.values())
    for row, document in enumerate(documents):
        groups.setdefault(chosen(name, document), []).append(row)
    groups = groups or {name: []}
    parts = [
        _words(documents, rows, pipeline(each), progress, only) for each, rows in groups.items()
    ]
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
        (row, n)
        for row in rows
        for n in range(len(documents[row].sentences))
        if only is None or (documents[row].id, n) in only
    ]
    length = np.array([len(documents[row].sentences[n]) for row, n in places], dtype=np.int64)
    start = np.array([documents[row].sentence_starts[n] for row, n in places], dtype=np.int64)
    if nlp.by_sentence:
        keys: list[Any] = [documents[row].sentences[n] for row, n in places]
        texts: dict[Any, Text] = {key: (key,) for key in sorted(set(keys))}
        begins = np.zeros_like(start)
    else:
        prints = {row: documents[row].fingerprint for row in dict(places)}
        keys = [prints[row] for row, _ in places]
        texts = dict(sorted((key, documents[row].sentences) for row, key in prints.items()))
        begins = start
    table, sizes = _of_texts(texts, nlp, progress), [sum(map(len, text)) for text in texts.values()]
    first = dict(zip(texts, np.cumsum([0, *sizes]).tolist(), strict=False))
    begins = begins + np.array([first[key] for key in keys], dtype=np.int64)
    offset = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    result: pd.DataFrame = table.iloc[np.repeat(begins, length) + offset].reset_index(drop=True)
    result["doc"], result["sentence"] = np.repeat(np.reshape(places, (-1, 2)), length, axis=0).T
    result["token"] = np.repeat(start, length) + offset
    return result


def _of_texts(texts: Mapping[Any, Text], nlp: Pipeline, progress: Progress) -> pd.DataFrame:
    """Return the words of texts, from the cache or annotated now; the keys are their content."""
    sizes = [sum(map(len, text)) for text in texts.values()]
    key = cache.key(REVISION, nlp.identity, *map(ascii, texts))
    table = cache.parsed(KIND, key, lambda body: _unpacked(body, sum(sizes)))
    if table is not None:
        return table
    group = np.cumsum(sizes) // _BLOCK
    borders = [0, *(np.flatnonzero(np.diff(group)) + 1).tolist(), len(texts)]
    blocks = [list(texts.values())[a:b] for a, b in pairwise(borders)]
    made = mapped(annotated, blocks, (nlp.name, nlp.identity), worth=sum(sizes) >= _WORTH)
    bar = progress(made, len(blocks), f"annotating with {nlp.name}")
    table = _joined([_table([]), *(_table(list(chain.from_iterable(block))) for block in bar)])
    loaded.cache_clear()
    for column, what in (("lemma", "lemmas"), ("pos", "parts of speech")):
        if len(table) and list(table[column].cat.categories) == [""]:
            message = f"the model does not provide {what}"
            hint = "use a model with a tagger and a lemmatiser, or the pipeline hanta"
            raise LanguageError("package-missing", message, place=nlp.name, hint=hint)
    cache.write(KIND, key, _packed(table))
    return table


def _table(words: Words) -> pd.DataFrame:
    table = pd.DataFrame(words, columns=[*_TEXTS, "head"]).astype(_TYPES)
    table["lemma"] = table["lemma"].str.lower()
    return table.astype(dict.fromkeys(_TEXTS, "category"))


def _joined(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Return all rows; the categories of a column are its different values, sorted."""
    table = pd.concat([part.drop(columns=_TEXTS) for part in parts], ignore_index=True)
    for name in _TEXTS:
        values = [part[name] for part in parts]
        table[name] = pd.api.types.union_categoricals(values, sort_categories=True)
    return table


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
