"""What the readers of corpus formats share: mentions from spans, defects, and their inspection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cdec.columns.brackets import Span
from cdec.corpus.adapter import Adapter, Defect, Inspection, Tick, stamped
from cdec.corpus.facts import facts
from cdec.corpus.model import EVENT, LEVELS, Corpus, Document, Text, Variants
from cdec.corpus.rows import Row, assemble
from cdec.corpus.source import Layout, Source
from cdec.errors import CorpusError

HINT = "fix this line, or get the corpus again"


@dataclass
class Content:
    """The content of a corpus as a reader finds it.

    ``levels``, ``text`` and ``variants`` are fields of the corpus (no variants: those of the
    format); ``defects`` are the irregularities so far.
    """

    documents: list[tuple[Document, list[Row]]] = field(default_factory=list)
    levels: Mapping[str, str] = field(default_factory=lambda: LEVELS)
    text: Text = "full"
    variants: Variants = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)

    def note(self, kind: str, item: str) -> None:
        """Add a defect of a document, of its token or of its mention."""
        self.defects.append(Defect(kind, item))

    def add(
        self,
        document: Document,
        spans: Iterable[Span],
        more: Callable[[Span], Mapping[str, Any]] = lambda span: {},
    ) -> None:
        """Add a document with its mentions; ``more`` returns kind, state and attributes of one.

        The name of a mention is ``sentence_start_end``, with token numbers from 0 in the sentence.
        A span that a chain repeats is left out, and one in several chains is kept in each: both
        are noted, as is a mention that goes on in the next sentence.
        """
        rows: dict[Span, Row] = {}
        names: dict[str, int] = {}
        places: set[tuple[int, ...]] = set()
        for span in spans:
            name = _name(document, span)
            if span in rows:
                self.note("repeated-span", f"{document.id}/{name}")
                continue
            tokens = span.tokens or tuple(range(span.start, span.end + 1))
            if tokens in places:
                self.note("span-in-two-chains", f"{document.id}/{name}")
            places.add(tokens)
            names[name] = names.get(name, 0) + 1
            if names[name] > 1:
                name = f"{name}_{names[name]}"
            rows[span] = Row.from_tokens(document, name, tokens, span.chain, **more(span))
        self.append(document, list(rows.values()))

    def append(self, document: Document, rows: list[Row]) -> None:
        """Add a document with its mentions as they are."""
        for row in rows:
            self._note_crossing(document, row)
        self._note_odd_tokens(document)
        self.documents.append((document, rows))

    def _note_crossing(self, document: Document, row: Row) -> None:
        bound = document.sentence_starts[row.sentence] + len(document.sentences[row.sentence])
        if row.end >= bound:
            self.note("spans-sentences", row.id)

    def _note_odd_tokens(self, document: Document) -> None:
        for number, token in enumerate(document.tokens):
            if token.isalnum():
                continue
            if not token.strip():
                self.note("blank-token", f"{document.id}/t{number}")
            elif len(token.split()) > 1 or token != token.strip():
                self.note("white-space-in-token", f"{document.id}/t{number}")


def _name(document: Document, span: Span) -> str:
    """Return ``sentence_start_end`` of a span."""
    row = Row.from_tokens(document, "", (span.start, span.end), "", kind=EVENT)
    first = document.sentence_starts[row.sentence]
    return f"{row.sentence}_{span.start - first}_{span.end - first}"


Read = Callable[[Source, Tick], Content]


def reader(layout: Layout, sniff: Callable[[Source], bool], read: Read, **more: Any) -> Adapter:
    """Return the adapter of a format whose files ``read`` turns into a Content.

    ``more`` are further fields of the adapter.
    """

    def build(source: Source, name: str, tick: Tick) -> Corpus:
        return corpus_of(source, name, read(source, tick))

    def inspect(source: Source, tick: Tick) -> Inspection:
        content = Content()
        try:
            content = read(source, tick)
            corpus = corpus_of(source, source.path.name, content)
        except CorpusError as error:
            return Inspection((error,), tuple(content.defects))
        return Inspection((), tuple(content.defects), facts(stamped(corpus, source)))

    return Adapter(layout, sniff, build, inspect=inspect, **more)


def corpus_of(source: Source, name: str, content: Content) -> Corpus:
    """Return the corpus of a content.

    Raises CorpusError if it has no documents, and for a duplicate document or mention.
    """
    if not content.documents:
        message = f"no document in {source.layout.title} format"
        hint = f"expected {source.layout.expected}"
        raise CorpusError("corpus-empty", message, place=source.path, hint=hint)
    corpus = assemble(source, name, content.documents)
    return replace(corpus, levels=content.levels, text=content.text, variants=content.variants)
