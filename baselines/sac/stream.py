"""Clusters of a large corpus: candidate pairs come, are described and scored in blocks.

No list of all pairs exists. Clustering needs the probabilities of the pairs inside the connected
components of the pairs above the threshold only (see ``agglomeration``). If all pairs are too many
to keep, the components are found in a first pass, and in a second pass only the pairs inside them
are scored and kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Floats, Ints
from cdec.baselines.sac.features import features
from cdec.baselines.sac.model import Model, logits
from cdec.files.jobs import mapped
from cdec.files.progress import Progress, silent
from cdec.language.similarity import DocumentPairs
from cdec.pairs.agglomeration import above, grow
from cdec.pairs.candidates import BLOCK, Candidates, blocks, count
from cdec.pairs.mentions import EncodedMentions
from cdec.pairs.words import Lexicon

KEPT = 1 << 24
"""Pairs that are kept with their probabilities: about 500 MB."""
_WORTH = 1 << 19  # pairs from which other processes pay off
_MERGED = 1 << 22  # links that are collected before components are merged
_NO_WORDS = Lexicon.from_words(())

Scored = tuple[Candidates, Floats]  # pairs, and their probabilities


def clusters(
    mentions: EncodedMentions, near: DocumentPairs, model: Model, progress: Progress = silent
) -> Ints:
    """Return the cluster of each mention by row; ``near`` are the pairs of similar documents."""
    size, total = len(mentions), count(mentions.codes["doc"], near)
    chosen = blocks_of(mentions, near)
    if total > KEPT:
        scored = scored_blocks(mentions, chosen, model, total, progress)
        group = components(scored, size, model.threshold)
        inside = (pairs[group[pairs.left] == group[pairs.right]] for pairs in chosen)
        chosen = (pairs for pairs in inside if len(pairs))
    pairs, p = _gathered(scored_blocks(mentions, chosen, model, total, progress))
    return grow(pairs, p, size, model.threshold, model.choices.link).cut(model.threshold)


def components(scored: Iterable[Scored], size: int, threshold: float) -> Ints:
    """Return the component of each of ``size`` mentions, linked by pairs of ``threshold``."""
    group: Ints = np.arange(size)
    waiting: list[Candidates] = []
    for pairs, p in scored:
        waiting.append(pairs[above(p, threshold)])
        if sum(map(len, waiting)) >= _MERGED:
            group, waiting = _merged(group, waiting), []
    return _merged(group, waiting)


def _gathered(scored: Iterable[Scored]) -> Scored:
    """Return all pairs and their probabilities; the blocks are gone when clustering begins."""
    kept = list(scored)
    p = np.concatenate([np.zeros(0), *(p for _, p in kept)])
    return _concatenated([pairs for pairs, _ in kept]), p


def _concatenated(parts: Sequence[Candidates]) -> Candidates:
    none = Candidates(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
    columns = zip(*((c.left, c.right, c.cosine) for c in (none, *parts)), strict=True)
    return Candidates(*(np.concatenate(column) for column in columns))


def _merged(group: Ints, links: Sequence[Candidates]) -> Ints:
    pairs, shape = _concatenated(links), (int(group.max(initial=-1)) + 1,) * 2
    ends = group[pairs.left], group[pairs.right]
    graph = coo_array((np.ones(len(pairs), dtype=np.int8), ends), shape)
    return connected_components(graph, directed=False)[1].astype(np.int64)[group]


class _Again:
    """Blocks of candidate pairs that can be gone through twice."""

    def __init__(self, document: Ints, near: DocumentPairs) -> None:
        self._of = (document, near)

    def __iter__(self) -> Iterator[Candidates]:
        return (pairs for pairs in blocks(*self._of) if len(pairs))


def blocks_of(mentions: EncodedMentions, near: DocumentPairs) -> Iterable[Candidates]:
    """Return the candidate pairs in blocks."""
    return _Again(mentions.codes["doc"], near)


def scored_blocks(
    mentions: EncodedMentions,
    chosen: Iterable[Candidates],
    model: Model,
    total: int,
    progress: Progress,
) -> Iterator[Scored]:
    """Yield each block with its probabilities; other processes get the mentions that it needs."""
    first = first_rows(mentions)
    waiting: list[Candidates] = []

    def parts() -> Iterator[tuple[EncodedMentions, Candidates]]:
        for pairs in chosen:
            waiting.append(pairs)
            yield part_of(mentions, pairs, first)

    shared = (mentions.lexicon, model)
    answers = mapped(probabilities, parts(), shared, worth=total >= _WORTH)
    for p in progress(answers, total // BLOCK + 1, "scoring pairs"):
        yield waiting.pop(0), p


def first_rows(mentions: EncodedMentions) -> Ints:
    """Return the first row of each document, and the number of all rows."""
    doc = mentions.codes["doc"]
    return np.searchsorted(doc, np.arange(doc.max(initial=-1) + 2))


def part_of(
    mentions: EncodedMentions, pairs: Candidates, first: Ints
) -> tuple[EncodedMentions, Candidates]:
    """Return the mentions of the documents of ``pairs``, and the pairs by rows of these."""
    doc = mentions.codes["doc"]
    used = np.unique(np.concatenate([doc[pairs.left], doc[pairs.right]]))
    rows = np.concatenate([np.arange(first[d], first[d + 1]) for d in used])
    places = np.searchsorted(rows, pairs.left), np.searchsorted(rows, pairs.right)
    own = replace(mentions.part(rows), lexicon=_NO_WORDS)
    return own, Candidates(*places, pairs.cosine)


def probabilities(
    block: tuple[EncodedMentions, Candidates], lexicon: Lexicon, model: Model
) -> Floats:
    """Return the probabilities of the pairs of a block from ``part_of``."""
    mentions, pairs = block
    rows = features(replace(mentions, lexicon=lexicon), pairs, model.choices.used)
    return model.calibration.probabilities(logits(model.classifier, rows))
