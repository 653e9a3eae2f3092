"""Irregularities of any corpus that no reader refuses; ``configs/corpora/kinds.toml`` has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cdec.corpus.adapter import Defect
from cdec.corpus.model import Corpus, Document


def irregularities(corpus: Corpus) -> Iterator[Defect]:
    """Yield the defects of documents and mentions, whatever format they were read from."""
    if corpus.text != "none":
        # A corpus has far fewer words than tokens.
        words: set[str] = set().union(*(document.tokens for document in corpus.documents.values()))
        odd = {word: kinds for word in words if (kinds := _kinds(word))}
        for document in corpus.documents.values():
            if not odd.keys().isdisjoint(document.tokens):
                yield from _of_tokens(document, odd)
    yield from _of_spans(corpus)


def _kinds(token: str) -> list[str]:
    """Return the kinds of defect that a token has."""
    kinds = []
    if not token.strip():
        kinds.append("blank-token")
    elif len(token.split()) > 1 or token != token.strip():
        kinds.append("white-space-in-token")
    if "\N{REPLACEMENT CHARACTER}" in token:
        kinds.append("replacement-character")
    return kinds


def _of_tokens(document: Document, odd: Mapping[str, list[str]]) -> Iterator[Defect]:
    for number, token in enumerate(document.tokens):
        for kind in odd.get(token, ()):
            yield Defect(kind, f"{document.id}/t{number}")


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
