"""Defects and counts of a corpus in any format, for `cdec corpus add`.

``configs/corpora/kinds.toml`` describes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cdec.corpus.adapter import Defect
from cdec.corpus.model import ENTITY, EVENT, Corpus, Document
from cdec.corpus.splits import divided


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
            yield Defect("gap-in-event" if kind == EVENT else "gap-in-argument", str(id_))


def facts(corpus: Corpus) -> dict[str, int]:
    """Return fact → count, of the corpus and of each part that its files or its format define.

    A fact of a part is named ``fact (part)``; configs/corpora/kinds.toml describes each fact.
    ``chains`` are those of all annotated mentions, ``key-chains`` those of the default key.
    """
    counts = _counts(corpus)
    parts = divided(corpus)
    if len(parts) == 1 and "all" in parts:
        return counts
    each = {part: _counts(corpus.subset(sub.documents, part)) for part, sub in parts.items()}
    return counts | {
        f"{fact} ({part})": count
        for part, found in each.items()
        for fact, count in found.items()
        if fact in ("documents", "mentions", "chains", "key-mentions", "key-chains")
    }


def _counts(corpus: Corpus) -> dict[str, int]:
    documents, kinds = corpus.documents.values(), corpus.mentions["kind"]
    levels = {
        "topics": len({document.topic for document in documents}),
        "subtopics": len({(document.topic, document.subtopic) for document in documents}),
    }
    return {
        "documents": len(documents),
        **{f"{level}s": levels[f"{level}s"] for level in corpus.levels},
        "tokens": sum(len(document.tokens) for document in documents),
        "mentions": len(corpus.mentions),
        "event-mentions": int((kinds == EVENT).sum()),
        "entity-mentions": int((kinds == ENTITY).sum()),
        "chains": corpus.mentions["chain"].nunique(),
        "key-mentions": len(corpus.selected),
        "key-chains": corpus.selected["chain"].nunique(),
    }
