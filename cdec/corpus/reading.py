"""What the readers of corpus formats share: mentions from spans, defects, and their inspection."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cdec.columns.brackets import Span
from cdec.corpus.adapter import Adapter, Defect, Inspection, Tick, stamped
from cdec.corpus.inspection import facts, irregularities
from cdec.corpus.layouts import Layout
from cdec.corpus.model import LEVELS, Corpus, Document, Text, Variants
from cdec.corpus.rows import Row, assemble
from cdec.corpus.source import Source
from cdec.errors import CorpusError

# Of the defects that any corpus may have, those that are counted in these formats.
_COUNTED = ("blank-token", "white-space-in-token", "spans-sentences")
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
        are noted.
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
        self.documents.append((document, list(rows.values())))


def _name(document: Document, span: Span) -> str:
    """Return ``sentence_start_end`` of a span."""
    sentence = bisect_right(document.sentence_starts, span.start) - 1
    first = document.sentence_starts[sentence]
    return f"{sentence}_{span.start - first}_{span.end - first}"


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
        general = (defect for defect in irregularities(corpus) if defect.kind in _COUNTED)
        return Inspection((), (*content.defects, *general), facts(stamped(corpus, source)))

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
