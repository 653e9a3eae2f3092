"""Documents with their clusters, as toolkits write them: a JSON object a line, a list, or one.

``cdec.formats.documents`` reads them, as a key. Each must have its words. Mentions are events,
because such files do not say what they are. ``corpus_of`` is for every format of keys that has
texts.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

import numpy as np

from cdec.corpus.model import Corpus, Document
from cdec.corpus.readers.columns import Placed, corpus_at
from cdec.corpus.source import CorpusFormat, Source, error
from cdec.errors import Notice, warn_of
from cdec.files.input import TextFile
from cdec.formats import FORMATS, detect
from cdec.formats.annotation import Annotation, object_array, within
from cdec.formats.brackets import Span
from cdec.formats.documents import FIELD

_UNNAMED = "document-unnamed"
_TEXT = r'"(?:sentences|tokens|cased_words|text)"\s*:\s*[\["{]'


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError and FormatError with file and line."""
    return corpus_of(source, "documents")


def corpus_of(source: Source, format_: str | None = None) -> Corpus:
    """Return the corpus in files of a format of keys, by default that of their content.

    A document without a name has that of its file.

    Raises CorpusError for a document without words, or that two files have; FormatError as the
    reader of the format.
    """
    placed: Placed = []
    notices: list[Notice] = []
    key_labels = source.key_labels
    for file, _ in source:
        path = source.path / file if source.path.is_dir() else source.path
        content = TextFile(str(path), source.text(file))
        reader = FORMATS[format_ or detect(content)]
        annotation = reader.read(content).as_key()
        if any(notice.code == _UNNAMED for notice in annotation.notices):
            stem = PurePath(file).with_suffix("").as_posix()
            annotation = _renamed(annotation, stem, several=len(source.files) > 1)
        notices += annotation.notices
        if "labels" in annotation.reading and key_labels is None:
            key_labels = annotation.reading["labels"].value
        placed += _placed(file, annotation)
    warn_of(notices)
    return corpus_at(
        replace(source, key_labels=key_labels), placed, own_labels=True, levels={}
    )


def _renamed(annotation: Annotation, stem: str, *, several: bool) -> Annotation:
    """Return the annotation of a file with names of its documents that no other file has.

    ``stem`` is the name of the file, ``several``: the corpus has several files. Chains end with the
    file.
    """
    names = {doc: f"{stem}/{doc}" if several else doc for doc in annotation.documents}
    if len(names) == 1:
        names = dict.fromkeys(names, stem)
    mentions = annotation.mentions
    if several:
        mentions = mentions.assign(chain=within(mentions["chain"], stem))
    return replace(
        annotation,
        mentions=mentions.assign(doc=mentions["doc"].map(names)),
        documents={names[doc]: words for doc, words in annotation.documents.items()},
        layout={names[doc]: layout for doc, layout in annotation.layout.items()},
        notices=tuple(
            notice for notice in annotation.notices if notice.code != _UNNAMED
        ),
    )


def _placed(file: str, annotation: Annotation) -> Placed:
    """Return the documents of a file with their mentions."""
    spans: dict[str, list[Span]] = {doc: [] for doc in annotation.documents}
    columns = (
        annotation.mentions[name] for name in ("doc", "start", "end", "tokens", "chain")
    )
    for doc, start, end, tokens, chain in zip(*columns, strict=True):
        spans[doc].append(Span(start, end, chain, tokens))
    placed: Placed = []
    for doc, words in annotation.documents.items():
        if not words:
            raise error(
                file,
                "corpus-invalid",
                0,
                f"the words of document '{doc}' are not known",
                "give the words, as 'sentences' or 'tokens'",
            )
        ends = []
        layout = annotation.layout.get(doc)
        if layout is not None and layout.sentences is not None:
            ends = (np.flatnonzero(np.diff(layout.sentences)) + 1).tolist()
        sentences = np.split(object_array(words), ends)
        document = Document(doc, "", "", tuple(map(tuple, sentences)))
        placed.append((document, [(span, {}) for span in sorted(spans[doc])]))
    return placed


FORMAT = CorpusFormat(
    "documents",
    "documents with clusters",
    patterns=("*.jsonl", "*.json", "*.jsonlines", "*.jsonl.gz"),
    begins=rf"(?s)\s*\[?\s*\{{(?=.*{FIELD.pattern})(?=.*{_TEXT})",
    read=read,
)
