"""F1 over the threshold, and threshold and clustering chosen by the pairs of another part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from cdec.corpus.splits import overlap_with_test
from cdec.errors import UsageError, one_of
from cdec.matching.alignment import Alignment
from cdec.metrics import COUNT_COLUMNS, Value, score
from cdec.metrics.scores import DEFAULT
from cdec.pair_scores.link import CLUSTERINGS, Cut, Linking, check_scored, cut
from cdec.pairs.listed import MentionPairs
from cdec.render.page import percent
from cdec.settings import Setting

MOST = 200
"""Thresholds of a curve: every one needs an alignment of all chains for CEAF."""
COLUMNS = ["threshold", "metric", *Value._fields, *COUNT_COLUMNS]
AIM = DEFAULT[-1]


def curve(
    pairs: MentionPairs,
    setting: Setting,
    chains: Cut,
    metrics: Sequence[str] = DEFAULT,
) -> pd.DataFrame:
    """Return ``metrics``, one of them AIM, at up to MOST thresholds: COLUMNS, falling.

    A quarter are quantiles of the levels, the rest lie round the best F1. The first threshold is
    infinite: nothing is linked.
    """
    mentions = pairs.corpus.selected
    key = pairs.corpus.gold
    levels = [np.inf, *chains.levels.tolist()]
    scores = {}  # by position of the level
    positions = list[int]()  # in the order in which they are tried
    new_positions = _quantiles(0, len(levels) - 1, MOST // 4)
    while new_positions and len(positions) + len(new_positions) <= MOST:
        # A tree of average or complete link is valid for all higher thresholds: lowest first.
        for position in reversed(new_positions):
            run = Alignment.of(mentions, key, chains.chains(levels[position]))
            scores[position] = score(setting.build(run.mentions), metrics)
        positions += new_positions
        low, high = _around_best(
            {position: scores[position][AIM].f1 for position in positions}
        )
        new_positions = [
            position
            for position in _quantiles(low, high, MOST // 8)
            if position not in scores
        ]
    rows = [
        {"threshold": levels[position], **row}
        for position in sorted(positions)
        for row in scores[position].rows()
    ]
    return pd.DataFrame(rows)[COLUMNS]


def _around_best(f1: Mapping[int, float]) -> tuple[int, int]:
    """Return the positions next to the best one on both sides; without a neighbour itself."""
    best = max(f1, key=lambda position: f1[position])
    lower = [position for position in f1 if position < best]
    higher = [position for position in f1 if position > best]
    return max(lower, default=best), min(higher, default=best)


def _quantiles(low: int, high: int, number: int) -> list[int]:
    positions = np.unique(np.linspace(low, high, number).round())
    return [int(position) for position in positions]


def tuned_linking(
    dev: MentionPairs,
    evaluated: MentionPairs,
    setting: Setting,
    clustering: str | None,
) -> Linking:
    """Return the clustering and threshold with the highest F1 of AIM on the corpus of ``dev``.

    ``clustering`` is the only one to try. In a tie the earlier clustering wins, then the higher
    threshold. Raises UsageError if ``dev`` has test data or documents of ``evaluated``, scores of
    another scale, or none that ``clustering`` links; FormatError if one of both has no scores.
    """
    part = dev.corpus.part
    _check_parts(dev, evaluated)
    for pairs in (dev, evaluated):
        check_scored(pairs)
    if dev.log_odds != evaluated.log_odds:
        raise UsageError(
            "input-mismatch",
            "scores in [0, 1] and log-odds have no threshold in common",
            place=dev.name,
            hint="give both in one scale",
        )
    clusterings = list(CLUSTERINGS)
    if clustering:
        clusterings = [one_of("clustering", clustering, CLUSTERINGS)]
    curves = []
    for name in clusterings:
        scores = curve(dev, setting, cut(dev, name), [AIM])
        has_links = np.isfinite(scores["threshold"])
        curves.append(scores[has_links].assign(clustering=name))
    choices = pd.concat(curves, ignore_index=True)
    if choices.empty:
        raise UsageError(
            "input-mismatch",
            f"no pair has a probability above 0, which {clustering} needs",
            place=dev.name,
            hint="give other scores",
        )
    best = choices.loc[choices["f1"].idxmax()]
    note = (
        f"Clustering and threshold: the best F1 ({percent(best['f1'])}) of {len(choices)} tried on "
        f"{part}, {setting.label}."
    )
    digest = str(dev.about["pairs"])
    return Linking(float(best["threshold"]), best["clustering"], part, digest, note)


def _check_parts(dev: MentionPairs, evaluated: MentionPairs) -> None:
    """Raise UsageError if ``dev`` has test data or documents of ``evaluated``."""
    part = dev.corpus.part
    problem = overlap_with_test(dev.corpus, part)
    if not problem and _texts(dev) & _texts(evaluated):
        problem = f"it has documents of '{evaluated.corpus.part}', the evaluated part"
    if problem:
        raise UsageError(
            "tuning-on-test",
            f"cannot tune on '{part}': {problem}",
            place=dev.name,
            hint="tune on the pairs of another part",
        )


def _texts(pairs: MentionPairs) -> set[str]:
    return {document.fingerprint for document in pairs.corpus.documents.values()}
