"""Copies of a sentence with different mentions: one lacks a mention, or its span or tag differs.

Only identical sentences are compared, so that each mention has a place in every copy. A sentence
without any event mention is not compared: it was not annotated.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from cdec.corpus.model import Corpus

Span = tuple[int, ...]  # token positions in the sentence
COLUMNS = ("difference", "mentions", "places", "spans", "tags", "votes", "against")
_LEAST = 5  # tokens of a compared sentence; shorter ones recur by chance


@dataclass(frozen=True)
class Copy:
    """One copy of a sentence; ``start`` is the document token of its first word."""

    doc: str
    start: int
    mentions: dict[Span, tuple[str, str]]  # span → mention id, tag

    def place(self, span: Span) -> str:
        """Return a span as ``document/tokens``."""
        return f"{self.doc}/{self.tokens(span)}"

    def tokens(self, span: Span) -> str:
        """Return a span as tokens of the document: ``34-35,37``."""
        runs: list[list[int]] = []
        for token in (self.start + at for at in span):
            if runs and runs[-1][1] == token - 1:
                runs[-1][1] = token
            else:
                runs.append([token, token])
        return ",".join(f"{a}-{b}" if a < b else str(a) for a, b in runs)


def copies_differ(corpus: Corpus) -> pd.DataFrame:
    """Return the differences between identical sentences of two documents, with ``COLUMNS``.

    ``difference`` is ``missing``, ``span`` or ``tag``. ``mentions``: ids of one annotation, most
    frequent first, then of the other. ``places``: for ``missing``, where the mention lacks.
    ``spans`` and ``tags``: mention → tokens or tag that the majority of the copies has. ``votes``
    and ``against`` are the numbers of copies of the majority and of the others.
    """
    rows: list[tuple[object, ...]] = []
    for copies in _sentences(corpus):
        rows += _differences(copies)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _sentences(corpus: Corpus) -> Iterator[list[Copy]]:
    """Yield the copies of each sentence that is in two or more documents."""
    groups: dict[tuple[str, ...], list[Copy]] = defaultdict(list)
    for _, part in corpus.selected.groupby(["doc", "sentence"], sort=False):
        doc, number = str(part["doc"].iloc[0]), int(part["sentence"].iloc[0])
        document = corpus.documents[doc]
        start, words = document.sentence_starts[number], document.sentences[number]
        spans = [tuple(token - start for token in tokens) for tokens in part["tokens"]]
        pairs = zip(part.index, part["tag"], strict=True)
        mentions = dict(zip(spans, pairs, strict=True))
        if len(words) >= _LEAST:
            groups[tuple(word.lower() for word in words)].append(Copy(doc, start, mentions))
    for copies in groups.values():
        if len({copy.doc for copy in copies}) > 1:
            yield copies


def _differences(copies: list[Copy]) -> Iterator[tuple[object, ...]]:
    counts = Counter(span for copy in copies for span in copy.mentions)
    spans = sorted(counts, key=lambda span: (-counts[span], span))
    done: set[tuple[str, Span]] = set()
    for span in spans:
        holders = [copy for copy in copies if span in copy.mentions]
        others = [copy for copy in copies if span not in copy.mentions]
        if all((copy.doc, span) in done for copy in holders):
            continue
        overlaps = {copy.doc: [s for s in copy.mentions if set(s) & set(span)] for copy in others}
        yield from _spans(span, holders, others, overlaps, done)
        lacking = [copy for copy in others if not overlaps[copy.doc]]
        if lacking:
            ids = tuple(copy.mentions[span][0] for copy in holders)
            places = tuple(copy.place(span) for copy in lacking)
            yield "missing", ids, places, {}, {}, len(holders), len(lacking)
        yield from _tags(span, holders)


def _spans(
    span: Span,
    holders: list[Copy],
    others: list[Copy],
    overlaps: dict[str, list[Span]],
    done: set[tuple[str, Span]],
) -> Iterator[tuple[object, ...]]:
    """Yield the case of copies with one other span that overlaps ``span``."""
    single = [copy for copy in others if len(overlaps[copy.doc]) == 1]
    differing = [copy for copy in single if (copy.doc, overlaps[copy.doc][0]) not in done]
    spans = {copy.doc: overlaps[copy.doc][0] for copy in differing}
    done.update((copy.doc, spans[copy.doc]) for copy in differing)
    if not differing:
        return
    ids = tuple(copy.mentions[span][0] for copy in holders)
    rest = tuple(copy.mentions[spans[copy.doc]][0] for copy in differing)
    new = {copy.mentions[spans[copy.doc]][0]: copy.tokens(span) for copy in differing}
    yield "span", (*ids, *rest), (), new, {}, len(holders), len(differing)


def _tags(span: Span, holders: list[Copy]) -> Iterator[tuple[object, ...]]:
    tags = Counter(copy.mentions[span][1] for copy in holders)
    if len(tags) < 2:
        return
    most = max(sorted(tags), key=lambda tag: tags[tag])
    ordered = sorted((copy.mentions[span] for copy in holders), key=lambda m: m[1] != most)
    new = {id_: most for id_, tag in ordered if tag != most}
    yield "tag", tuple(id_ for id_, _ in ordered), (), {}, new, tags[most], len(new)
