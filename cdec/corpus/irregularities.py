"""Irregularities of any corpus that no reader refuses; ``configs/corpora/kinds.toml`` has them."""

from __future__ import annotations

from collections.abc import Iterator

from cdec.corpus.adapter import Defect
from cdec.corpus.model import Corpus, Document


def irregularities(corpus: Corpus) -> Iterator[Defect]:
    """Yield the defects of documents and mentions, whatever format they were read from."""
    if corpus.text != "none":
        for document in corpus.documents.values():
            yield from _of_tokens(document)
    yield from _of_spans(corpus)


def _of_tokens(document: Document) -> Iterator[Defect]:
    for number, token in enumerate(document.tokens):
        if token.isalnum() and token.isascii():
            continue
        item = f"{document.id}/t{number}"
        if not token.strip():
            yield Defect("blank-token", item)
        elif len(token.split()) > 1 or token != token.strip():
            yield Defect("white-space-in-token", item)
        if "\N{REPLACEMENT CHARACTER}" in token:
            yield Defect("replacement-character", item)


def _of_spans(corpus: Corpus) -> Iterator[Defect]:
    table = corpus.mentions
    for id_ in table.index[table.duplicated(["doc", "tokens", "kind"])]:
        yield Defect("span-twice", str(id_))
    longer = table[table["start"] != table["end"]]
    columns = (longer[name].tolist() for name in ("doc", "sentence", "tokens", "kind"))
    for id_, doc, sentence, tokens, kind in zip(longer.index, *columns, strict=True):
        document = corpus.documents[doc]
        end = document.sentence_starts[sentence] + len(document.sentences[sentence])
        if tokens[-1] >= end:
            yield Defect("spans-sentences", str(id_))
        if tokens[-1] - tokens[0] >= len(tokens):
            yield Defect("gap-in-event" if kind == "event" else "gap-in-argument", str(id_))
