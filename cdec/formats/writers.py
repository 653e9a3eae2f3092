"""Write an annotation: CoNLL, documents, JSON Lines, JSON, CSV and TSV.

``from_corpus`` and ``from_meta_documents`` make annotations of the clusterings of a corpus.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from csv import QUOTE_ALL
from functools import cache, partial
from typing import Any, Protocol

import numpy as np
import pandas as pd

from cdec.arrays import BoolSeries, Ints
from cdec.clustering import Clustering
from cdec.errors import FormatError, Log, ScoringError
from cdec.formats.annotation import (
    Annotation,
    Layout,
    gaps,
    mention_table,
    object_array,
)
from cdec.formats.brackets import Span, begin_line, render_column, split_id
from cdec.formats.escape import escape, escape_name
from cdec.records import Row, Words

_OTHER = "use jsonl, csv or json"
_NUMBERED = "correct the input, or number the chains"


class TokenizedDocument(Protocol):
    """What is written of a document."""

    @property
    def tokens(self) -> Words: ...  # noqa: D102

    @property
    def sentences(self) -> Sequence[Sequence[str]]: ...  # noqa: D102


class AnnotatedTexts(Protocol):
    """What is written of a corpus: cdec.corpus stands on this room, and is not imported here."""

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def mentions(self) -> pd.DataFrame: ...  # noqa: D102

    @property
    def documents(self) -> Mapping[str, TokenizedDocument]: ...  # noqa: D102


def conll(annotation: Annotation) -> Iterator[str]:
    """Yield the text of a file in CoNLL, one document at a time.

    Columns: document, sentence or part, token number, token (unless the document has no text),
    brackets. A mention with a gap is written as its full span. Raises FormatError if brackets
    cannot express the annotation: a mention with an id only or with a sentence, mentions with the
    same first and last token but different gaps, crossing mentions of a chain, a document without
    name.
    """
    mentions = annotation.mentions
    odd = mentions.groupby(["doc", "start", "end"])["tokens"].transform("nunique") > 1
    _refuse(
        annotation,
        odd,
        "differs from another only in a gap, which brackets cannot express",
    )

    def fail(code: str, _: int, message: str, hint: str) -> FormatError:
        return FormatError(code, message, place=annotation.name, hint=hint)

    escaped = cache(escape)  # a text has far fewer words than tokens
    for doc, spans, size, sentences in _placed(annotation):
        cells = render_column(size, spans, fail)
        name, part = split_id(doc)
        field = escape_name(name)
        tokens = annotation.documents.get(doc)
        words = [""] * size
        if tokens is not None:
            words = [f"{escaped(token)}\t" for token in tokens]
        numbers = [part] * size if sentences is None else sentences.tolist()
        lines = [f"{begin_line(doc)}\n"]
        for token, (sentence, word, cell) in enumerate(
            zip(numbers, words, cells, strict=True)
        ):
            if token > 0 and sentence != numbers[token - 1]:
                lines.append("\n")
            lines.append(f"{field}\t{sentence}\t{token}\t{word}{cell}\n")
        yield "".join([*lines, "#end document\n"])


def documents(annotation: Annotation) -> Iterator[str]:
    """Yield a JSON object for each document, in a line, with ``cluster_labels``.

    A mention with a gap is written as its full span. Raises FormatError for a mention with an id
    only or with a sentence, and a document without name.
    """
    for doc, spans, _, sentences in _placed(annotation):
        record: Row = {"doc_key": doc}
        tokens = annotation.documents.get(doc)
        if tokens is not None:
            ends = []
            if sentences is not None:
                ends = (np.flatnonzero(np.diff(sentences)) + 1).tolist()
            parts = np.split(object_array(tokens), ends)
            record["sentences"] = [part.tolist() for part in parts if len(part)]
        clusters: defaultdict[str, list[list[int]]] = defaultdict(list)
        for span in spans:
            clusters[span.chain].append([span.start, span.end])
        record["clusters"] = list(clusters.values())
        record["cluster_labels"] = list(clusters)
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _placed(
    annotation: Annotation,
) -> Iterator[tuple[str, list[Span], int, Ints | None]]:
    """Yield each document, its mentions, the number of its tokens, and their sentences if known.

    Raises FormatError for what no format with a text can express.
    """
    mentions = annotation.mentions
    sizes = {
        doc: len(text) for doc, text in annotation.documents.items() if text is not None
    }
    outside = mentions["end"] >= mentions["doc"].map(sizes).astype(np.float64).fillna(
        np.inf
    )
    _refuse(annotation, mentions["start"] < 0, "has an id but no tokens")
    _refuse(
        annotation, mentions["chain"].str.strip() == "", "has a blank chain", _NUMBERED
    )
    _refuse(
        annotation,
        mentions["sentence"] >= 0,
        "has tokens that may count in its sentence",
    )
    _refuse(
        annotation,
        mentions["words"] != "",
        "repeats its words, and there is no text in which they can be",
    )
    _refuse(
        annotation, mentions["doc"] == "", "is in a document without a name", "name it"
    )
    _refuse(
        annotation, outside, "ends after its document", "count from 0", "tokens-invalid"
    )
    columns = (mentions[name].tolist() for name in ("doc", "start", "end", "chain"))
    spans_of_document: defaultdict[str, list[Span]] = defaultdict(list)
    for doc, *place_and_chain in zip(*columns, strict=True):
        spans_of_document[doc].append(Span(*place_and_chain))
    for doc in dict.fromkeys([*annotation.documents, *spans_of_document]):
        spans = spans_of_document[doc]
        size = sizes.get(doc, max((span.end for span in spans), default=-1) + 1)
        layout = annotation.layout.get(doc)
        sentences = None
        if (
            layout is not None
            and layout.sentences is not None
            and len(layout.sentences) == size
        ):
            sentences = layout.sentences
        yield doc, spans, size, sentences


def _refuse(
    annotation: Annotation,
    odd: BoolSeries,
    what: str,
    hint: str = _OTHER,
    code: str = "format-unsuitable",
) -> None:
    """Raise FormatError if a mention is odd; it names the first one."""
    if odd.any():
        row = annotation.mentions[odd].iloc[0]
        mention = row["mention"] or f"{row['doc']}/{row['start']}-{row['end']}"
        raise FormatError(
            code,
            f"the mention '{mention}' of chain '{row['chain']}' {what}",
            place=annotation.name,
            hint=hint,
        )


def without_gaps(annotation: Annotation) -> Log:
    """Return the notice on mentions with a gap, of which the full span is written."""
    mentions = annotation.mentions
    with_gap = mentions[mentions["tokens"].map(len) > 0]
    columns = zip(with_gap["doc"], with_gap["start"], with_gap["end"], strict=True)
    places = [f"{doc}/{start}-{end}" for doc, start, end in columns]
    rest = "with a gap: the full span is written"
    log = Log()
    log.report("format-unsuitable", places, "mention", rest)
    return log


def to_records(annotation: Annotation) -> Iterator[Row]:
    """Yield one object per mention, without empty fields.

    Raises FormatError for a blank name, id or label, which no reader of records accepts.
    """
    table = annotation.mentions
    must_have_name = table["start"] >= 0
    for field, is_needed in (
        ("chain", True),
        ("doc", must_have_name),
        ("mention", False),
    ):
        is_blank = table[field].str.strip() == ""
        _refuse(
            annotation,
            is_blank & ((table[field] != "") | is_needed),
            f"has a blank {field}",
            _NUMBERED,
        )
    empty = {
        "doc": "",
        "start": -1,
        "end": -1,
        "sentence": -1,
        "tokens": [],
        "mention": "",
        "words": "",
    }
    names = [*empty, "chain"]
    records: Any = table[names].to_dict("records")
    for record in records:
        record["tokens"] = list(record["tokens"])
        yield {
            name: value for name, value in record.items() if value != empty.get(name)
        }


def lines(annotation: Annotation) -> Iterator[str]:
    """Yield the lines of a JSON Lines file, one per mention."""
    for record in to_records(annotation):
        yield json.dumps(record, ensure_ascii=False) + "\n"


def chains(annotation: Annotation) -> Iterator[str]:
    """Yield a JSON object with ``clusters``, a mapping chain → mentions."""
    clusters: defaultdict[str, list[Row]] = defaultdict(list)
    for record in to_records(annotation):
        clusters[record.pop("chain")].append(record)
    yield json.dumps({"clusters": clusters}, ensure_ascii=False) + "\n"


def table(annotation: Annotation, separator: str) -> Iterator[str]:
    """Yield the text of a CSV or TSV file, without empty columns; nothing without a mention."""
    frame = pd.DataFrame(list(to_records(annotation)), dtype=object)
    if frame.empty:
        return
    if "tokens" in frame:
        frame["tokens"] = [
            " ".join(map(str, tokens)) if isinstance(tokens, list) else ""
            for tokens in frame["tokens"]
        ]
    names = ["doc", "start", "end", "tokens", "mention", "words", "sentence", "chain"]
    columns = frame.filter(names)
    write = partial(columns.to_csv, index=False, sep=separator, lineterminator="\n")
    text = write() or ""
    if (
        "\r" in text
    ):  # the csv module quotes a carriage return only if it quotes every field
        text = write(quoting=QUOTE_ALL) or ""
    yield text


def from_corpus(
    corpus: AnnotatedTexts, clustering: Clustering, name: str | None = None
) -> Annotation:
    """Return ``clustering`` as an Annotation with all documents and texts of ``corpus``.

    Labels become strings; for the reference scorer, number them by ``Annotation.numbered``.
    ``name`` is the name of the annotation (default: that of the corpus). Raises ScoringError for
    a mention that is not in the corpus.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> from_corpus(corpus, corpus.gold).mentions["chain"].nunique() == len(corpus.gold.chains())
    True
    """
    ids = clustering.labels.index
    rows = corpus.mentions.index.get_indexer(ids)  # faster than isin
    unknown = ids[rows < 0]
    if len(unknown):
        raise ScoringError(
            "mention-unknown",
            f"mention '{unknown[0]}' is not in the corpus",
            place=corpus.name,
            hint="use mentions of this corpus and part",
        )
    mentions = corpus.mentions.iloc[np.sort(rows)]
    table = mention_table(
        doc=mentions["doc"].tolist(),
        start=mentions["start"].to_numpy(),
        end=mentions["end"].to_numpy(),
        chain=[str(label) for label in clustering.labels[mentions.index].tolist()],
        tokens=gaps(mentions),
        mention=mentions.index.tolist(),
    )
    documents = {}
    layout = {}
    for id_, document in corpus.documents.items():
        documents[id_] = document.tokens
        layout[id_] = Layout.of(id_, list(map(len, document.sentences)))
    return Annotation(name or corpus.name, "corpus", table, documents, layout)


def from_meta_documents(
    corpus: AnnotatedTexts, scored: pd.DataFrame, homes: Mapping[str, str]
) -> tuple[Annotation, Annotation]:
    """Return (key, response) with one document per meta-document, for any other scorer.

    ``scored`` are the aligned mentions of ``Setting.build``; ``homes`` maps document id →
    meta-document. The text of a meta-document is the concatenation of all its documents in corpus
    order, also of those without a mention: key and response then have the same text. Chains are
    numbered.
    """
    texts: dict[str, list[str]] = {}
    offsets = {}
    for id_, document in corpus.documents.items():
        text = texts.setdefault(homes[id_], [])
        offsets[id_] = len(text)
        text.extend(document.tokens)
    documents = {meta: tuple(text) for meta, text in texts.items()}

    def of(side: str) -> Annotation:
        rows = scored[scored[side].notna()]
        shifts = np.array([offsets[doc] for doc in rows["doc"]], np.int64)
        shifted_gaps = [
            tuple(token + shift for token in gap)
            for gap, shift in zip(gaps(rows), shifts.tolist(), strict=True)
        ]
        table = mention_table(
            doc=rows["meta"].tolist(),
            start=rows["start"].to_numpy(np.int64) + shifts,
            end=rows["end"].to_numpy(np.int64) + shifts,
            chain=(rows.groupby(["meta", side], sort=False).ngroup() + 1)
            .astype(str)
            .tolist(),
            tokens=shifted_gaps,
        )
        return Annotation(side, "corpus", table, documents)

    return of("key"), of("response")
