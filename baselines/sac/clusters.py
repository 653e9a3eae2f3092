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
from cdec.baselines.sac.features import select_families
from cdec.baselines.sac.model import Model
from cdec.files.jobs import mapped
from cdec.files.progress import Progress
from cdec.language.similarity import Pairs, concatenate
from cdec.pairs.agglomeration import above, components, grow
from cdec.pairs.candidates import BLOCK, blocks, count
from cdec.pairs.features import features
from cdec.pairs.mentions import EncodedMentions

LARGEST_LIST = 1 << 24
"""Pairs that are kept with their probabilities: about 500 MB."""
_PARALLEL_PAIRS = 1 << 19  # pairs from which other processes pay off


def clusters(
    mentions: EncodedMentions,
    near: Pairs,
    model: Model,
    progress: Progress,
) -> Ints:
    """Return the cluster of each mention by row; ``near`` are the pairs of similar documents."""
    document = mentions.codes["doc"]
    size = len(mentions)
    total = count(document, near)
    group: Ints = np.zeros(size, dtype=np.int64)
    if total > LARGEST_LIST:
        group = np.arange(size)
        for pairs, p in score_blocks(
            mentions, blocks(document, near), model, total, progress
        ):
            group = components(group, pairs[above(p, model.threshold)])
    inside = (
        pairs[group[pairs.left] == group[pairs.right]]
        for pairs in blocks(document, near)
    )
    parts = []
    probabilities = [np.zeros(0)]
    for pairs, p in score_blocks(mentions, inside, model, total, progress):
        parts.append(pairs)
        probabilities.append(p)
    tree = grow(
        concatenate(parts),
        np.concatenate(probabilities),
        size,
        model.threshold,
        model.choices.link,
    )
    return tree.cut(model.threshold)


def score_blocks(
    mentions: EncodedMentions,
    candidate_blocks: Iterable[Pairs],
    model: Model,
    total: int,
    progress: Progress,
) -> Iterator[tuple[Pairs, Floats]]:
    """Yield each block that is not empty, with the probabilities of its pairs."""
    queue = []  # blocks whose probabilities are being computed

    def jobs() -> Iterator[Pairs]:
        for pairs in candidate_blocks:
            if len(pairs):
                queue.append(pairs)
                yield pairs

    without_ids = replace(
        mentions, index=mentions.index[:0]
    )  # the ids of mentions stay here
    answers = mapped(
        _probabilities, jobs(), (without_ids, model), worth=total >= _PARALLEL_PAIRS
    )
    for p in progress(answers, total // BLOCK + 1, "scoring pairs"):
        yield queue.pop(0), p


def _probabilities(pairs: Pairs, mentions: EncodedMentions, model: Model) -> Floats:
    return model.probabilities(
        features(mentions, pairs, select_families(model.choices.families))
    )
