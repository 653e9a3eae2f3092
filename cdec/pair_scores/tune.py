"""F1 over the threshold, and threshold and clustering chosen by the pairs of another part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from cdec.corpus.splits import overlap_with_test
from cdec.errors import UsageError, one_of
from cdec.matching.alignment import Alignment
from cdec.metrics import COUNT_COLUMNS, Scores, Value, score
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
    pairs: MentionPairs, setting: Setting, chains: Cut, metrics: Sequence[str] = DEFAULT
) -> pd.DataFrame:
    """Return ``metrics``, one of them AIM, at up to MOST thresholds: COLUMNS, falling.

    A quarter are quantiles of the levels, the rest lie round the best F1. The first threshold is
    infinite: nothing is linked.
    """
    mentions, key = pairs.corpus.selected, pairs.corpus.gold
    levels = [np.inf, *chains.levels.tolist()]
    chosen, tried = _quantiles(0, len(levels) - 1, MOST // 4), list[int]()
    scores: dict[int, Scores] = {}
    while chosen and len(tried) + len(chosen) <= MOST:
        for at in reversed(chosen):  # a tree of average or complete link holds for all above
            decided = Alignment.of(mentions, key, chains.chains(levels[at]))
            scores[at] = score(setting.build(decided.mentions), metrics)
        tried += chosen
        best = max(tried, key=lambda at: scores[at][AIM].f1)
        below = max((at for at in tried if at < best), default=best)
        above = min((at for at in tried if at > best), default=best)
        chosen = [at for at in _quantiles(below, above, MOST // 8) if at not in scores]
    rows = [{"threshold": levels[at], **row} for at in sorted(tried) for row in scores[at].rows()]
    return pd.DataFrame(rows)[COLUMNS]


def _quantiles(low: int, high: int, number: int) -> list[int]:
    return [int(at) for at in np.unique(np.linspace(low, high, number).round())]


def chosen_on(
    dev: MentionPairs, evaluated: MentionPairs, setting: Setting, clustering: str | None = None
) -> Linking:
    """Return the clustering and threshold with the highest F1 of AIM on the corpus of ``dev``.

    ``clustering`` is the only one to try. In a tie the earlier clustering wins, then the higher
    threshold. Raises UsageError if ``dev`` has test data or documents of ``evaluated``, scores of
    another scale, or none that ``clustering`` links; FormatError if one of both has no scores.
    """
    part, other = dev.corpus.part, evaluated.corpus.part
    texts = ({doc.fingerprint for doc in one.corpus.documents.values()} for one in (dev, evaluated))
    reason = overlap_with_test(dev.corpus, part)
    if set.intersection(*texts):
        reason = reason or f"it has documents of '{other}', the evaluated part"
    if reason:
        message, hint = f"cannot tune on '{part}': {reason}", "tune on the pairs of another part"
        raise UsageError("tuning-on-test", message, place=dev.name, hint=hint)
    for pairs in (dev, evaluated):
        check_scored(pairs)
    if dev.log_odds != evaluated.log_odds:
        message = "scores in [0, 1] and log-odds have no threshold in common"
        raise UsageError("input-mismatch", message, place=dev.name, hint="give both in one scale")
    curves = []
    for name in [one_of("clustering", clustering, CLUSTERINGS)] if clustering else CLUSTERINGS:
        over = curve(dev, setting, cut(dev, name), [AIM])
        curves.append(over[np.isfinite(over["threshold"])].assign(clustering=name))
    tried = pd.concat(curves, ignore_index=True)
    if tried.empty:
        message = f"no pair has a probability above 0, which {clustering} needs"
        raise UsageError("input-mismatch", message, place=dev.name, hint="give other scores")
    best = tried.loc[tried["f1"].idxmax()]
    note = (
        f"Clustering and threshold: the best F1 ({percent(best['f1'])}) of {len(tried)} tried on "
        f"{part}, {setting.label}."
    )
    digest = str(dev.about["pairs"])
    return Linking(float(best["threshold"]), best["clustering"], part, digest, note)
