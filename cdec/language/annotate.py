"""The words of a corpus with lemma, tag, universal part of speech and, by a parser, head.

Each different text is annotated once: a sentence, or for a pipeline that reads more the whole
document. The cache key is the content of the texts: a blind corpus, a corpus in another order, or a
copy under another name uses the same annotations.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Hashable, Sequence
from functools import partial
from itertools import chain, pairwise

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from cdec.corpus.model import Corpus, Document
from cdec.errors import CorpusError, LanguageError
from cdec.files import cache
from cdec.files.jobs import mapped
from cdec.files.progress import Progress
from cdec.language.pipeline import (
    Pipeline,
    Text,
    Words,
    annotate_texts,
    load_pipeline,
    pipeline,
    pipeline_name,
)
from cdec.records import Row

KIND = "annotations"
REVISION = "4"  # raise it when our own rules change an annotation
Places = Collection[
    tuple[str, int]
]  # document id, number of the sentence in the document
_TEXTS = ["lemma", "tag", "pos"]
_TYPES = {**dict.fromkeys(_TEXTS, "str"), "head": "int64"}
_BLOCK = 8192  # tokens that one worker annotates at a time
_PARALLEL_TOKENS = 100_000  # tokens from which other processes pay off


def annotate(
    corpus: Corpus,
    name: str,
    progress: Progress,
    only: Places | None = None,
) -> pd.DataFrame:
    """Return one row for each token of the corpus, in order, or of the sentences ``only``.

    Columns: ``doc`` (row of the document), ``sentence`` and ``token`` (numbers in the document),
    ``lemma`` in lower case, ``tag`` and ``pos`` (categorical), ``head`` (token in the document, −1
    without a parser). Raises the errors of ``pipeline``, LanguageError for a model without lemmas
    or parts of speech, and CorpusError for a corpus without text.
    """
    if corpus.text == "none":
        raise CorpusError(
            "annotation-missing",
            "the corpus has no text (its tokens are masked)",
            place=corpus.name,
            hint="score response files",
        )
    documents = list(corpus.documents.values())
    rows_by_pipeline: dict[str, list[int]] = {}
    for row, document in enumerate(documents):
        rows_by_pipeline.setdefault(pipeline_name(name, document), []).append(row)
    if not documents:
        rows_by_pipeline[name] = []
    parts = [
        _words(documents, rows, pipeline(document_pipeline), progress, only)
        for document_pipeline, rows in rows_by_pipeline.items()
    ]
    if len(parts) == 1:
        return parts[0].reset_index(drop=True)
    return _concatenate(parts).sort_values("doc", kind="stable", ignore_index=True)


def _words(
    documents: list[Document],
    rows: list[int],
    nlp: Pipeline,
    progress: Progress,
    only: Places | None,
) -> pd.DataFrame:
    """Return the words of the documents in these rows."""
    sentences = _sentences(documents, rows, only)
    lengths = sentences["words"].map(len).to_numpy(np.int64)
    texts: dict[Hashable, Text]
    if nlp.by_sentence:
        texts = {words: (words,) for words in sorted(set(sentences["words"]))}
        text_of_sentence = sentences["words"]
        start_in_text = pd.Series(0, sentences.index)
    else:
        fingerprints = {
            row: documents[row].fingerprint for row in sentences["doc"].unique()
        }
        contents = [
            (print_, documents[row].sentences) for row, print_ in fingerprints.items()
        ]
        texts = dict(sorted(contents))
        text_of_sentence = sentences["doc"].map(fingerprints)
        start_in_text = sentences["start"]
    sizes = [sum(map(len, text)) for text in texts.values()]
    parts = (REVISION, nlp.identity, *map(ascii, texts))
    read = partial(_from_bytes, size=sum(sizes))
    make = partial(_annotate_now, texts.values(), sizes, nlp, progress)
    table = cache.kept(KIND, parts, read, make, _to_bytes)
    # The row of each word of each sentence in the table, which has the words of all texts.
    text_starts = np.cumsum([0, *sizes]).tolist()
    first_row = dict(zip(texts, text_starts, strict=False))
    first_rows = text_of_sentence.map(first_row.get) + start_in_text
    # Of each word: its sentence, and its position in that.
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    offset = np.arange(len(sentence)) - (lengths.cumsum() - lengths)[sentence]
    doc, number, start = sentences[["doc", "sentence", "start"]].to_numpy(np.int64).T
    result: pd.DataFrame = table.iloc[first_rows.to_numpy(np.int64)[sentence] + offset]
    return result.assign(
        doc=doc[sentence], sentence=number[sentence], token=start[sentence] + offset
    )


def _sentences(
    documents: list[Document], rows: list[int], only: Places | None
) -> pd.DataFrame:
    """Return the sentences of the documents in these rows: numbers, first token, words."""
    sentences = []
    for row in rows:
        document = documents[row]
        for number, start in enumerate(document.sentence_starts):
            if only is None or (document.id, number) in only:
                sentences.append((row, number, start, document.sentences[number]))
    return pd.DataFrame(sentences, columns=["doc", "sentence", "start", "words"])


def _annotate_now(
    texts: Collection[Text],
    sizes: Sequence[int],
    nlp: Pipeline,
    progress: Progress,
) -> pd.DataFrame:
    """Return the words of texts of these sizes."""
    block_of_text = np.cumsum(sizes) // _BLOCK
    borders = [0, *(np.flatnonzero(np.diff(block_of_text)) + 1).tolist(), len(texts)]
    blocks = [list(texts)[start:end] for start, end in pairwise(borders)]
    is_parallel = sum(sizes) >= _PARALLEL_TOKENS
    jobs = mapped(annotate_texts, blocks, (nlp.name, nlp.identity), worth=is_parallel)
    answers = progress(jobs, len(blocks), f"annotating with {nlp.name}")
    parts = [_table(list(chain.from_iterable(block_words))) for block_words in answers]
    table = _concatenate([_table([]), *parts])
    load_pipeline.cache_clear()
    for column, title in (("lemma", "lemmas"), ("pos", "parts of speech")):
        if len(table) and list(table[column].cat.categories) == [""]:
            raise LanguageError(
                "package-missing",
                f"the model does not provide {title}",
                place=nlp.name,
                hint="use a model with a tagger and a lemmatiser, or the pipeline hanta",
            )
    return table


def _table(words: Words) -> pd.DataFrame:
    table = pd.DataFrame(words, columns=[*_TEXTS, "head"]).astype(_TYPES)
    table["lemma"] = table["lemma"].str.lower()
    return table.astype(dict.fromkeys(_TEXTS, "category"))


def _concatenate(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Return all rows; the categories of a column are its different values, sorted."""
    with_words = [part for part in parts if len(part)] or parts[:1]
    table = pd.concat(with_words, ignore_index=True)
    for name in _TEXTS:
        columns = [part[name] for part in with_words]
        values = union_categoricals(columns, sort_categories=True)
        table[name] = values.remove_unused_categories()
    return table


def _to_bytes(table: pd.DataFrame) -> bytes:
    values = {name: list(table[name].cat.categories) for name in _TEXTS}
    arrays: Row = {name: table[name].cat.codes.to_numpy() for name in _TEXTS}
    arrays["values"] = np.frombuffer(json.dumps(values).encode(), np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, head=table["head"].to_numpy(), **arrays)
    return buffer.getvalue()


def _from_bytes(body: bytes, size: int) -> pd.DataFrame:
    """Return the words. Raises ValueError if they are not ``size``."""
    with np.load(io.BytesIO(body)) as arrays:
        values = json.loads(arrays["values"].tobytes())
        columns = {
            name: pd.Categorical.from_codes(arrays[name], values[name])
            for name in _TEXTS
        }
        table = pd.DataFrame({**columns, "head": arrays["head"]})
    if len(table) != size:
        raise ValueError("annotations of other texts")
    return table
