"""Clusters of a large corpus: candidate pairs come, are described and scored in blocks.

No list of all pairs exists. Clustering needs the probabilities of the pairs inside the connected
components of the pairs above the threshold only (see ``agglomeration``). If all pairs are too many
to keep, the components are found in a first pass, and in a second pass only the pairs inside them
are scored and kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from cdec.arrays import Floats, Ints
from cdec.baselines.sac.features import chosen
from cdec.baselines.sac.model import Model
from cdec.files.jobs import mapped
from cdec.files.progress import Progress, silent
from cdec.language.similarity import DocumentPairs
from cdec.pairs.agglomeration import above, components, grow
from cdec.pairs.candidates import BLOCK, Candidates, blocks, concatenated, count
from cdec.pairs.features import features
from cdec.pairs.mentions import EncodedMentions

KEPT = 1 << 24
"""Pairs that are kept with their probabilities: about 500 MB."""
_WORTH = 1 << 19  # pairs from which other processes pay off


def clusters(
    mentions: EncodedMentions, near: DocumentPairs, model: Model, progress: Progress = silent
) -> Ints:
    """Return the cluster of each mention by row; ``near`` are the pairs of similar documents."""
    document, size = mentions.codes["doc"], len(mentions)
    total = count(document, near)
    group: Ints = np.zeros(size, dtype=np.int64)
    if total > KEPT:
        group = np.arange(size)
        for pairs, p in scored(mentions, blocks(document, near), model, total, progress):
            group = components(group, pairs[above(p, model.threshold)])
    inside = (pairs[group[pairs.left] == group[pairs.right]] for pairs in blocks(document, near))
    kept = list(scored(mentions, inside, model, total, progress))
    every = concatenated(pairs for pairs, _ in kept)
    p = np.concatenate([np.zeros(0), *(p for _, p in kept)])
    return grow(every, p, size, model.threshold, model.choices.link).cut(model.threshold)


def scored(
    mentions: EncodedMentions,
    chosen_blocks: Iterable[Candidates],
    model: Model,
    total: int,
    progress: Progress = silent,
) -> Iterator[tuple[Candidates, Floats]]:
    """Yield each block that is not empty, with the probabilities of its pairs."""
    waiting: list[Candidates] = []

    def sent() -> Iterator[Candidates]:
        for pairs in chosen_blocks:
            if len(pairs):
                waiting.append(pairs)
                yield pairs

    nameless = replace(mentions, index=mentions.index[:0])  # the ids of mentions stay here
    answers = mapped(_probabilities, sent(), (nameless, model), worth=total >= _WORTH)
    for p in progress(answers, total // BLOCK + 1, "scoring pairs"):
        yield waiting.pop(0), p


def _probabilities(pairs: Candidates, mentions: EncodedMentions, model: Model) -> Floats:
    return model.probabilities(features(mentions, pairs, chosen(model.choices.families)))
