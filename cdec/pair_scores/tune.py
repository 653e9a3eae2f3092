"""F1 over the threshold, and threshold and clustering chosen by the pairs of another part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.corpus.splits import overlap_with_test
from cdec.errors import UsageError, one_of
from cdec.matching.alignment import Alignment
from cdec.metrics import COUNT_COLUMNS, Scores, Value, score
from cdec.pair_scores.link import CLUSTERINGS, Cut, Linking, cut
from cdec.pairs.mention_pairs import MentionPairs
from cdec.render.numbers import percent
from cdec.settings import Setting

MOST = 200
"""Thresholds of a curve: every one needs an alignment of all chains for CEAF."""
COLUMNS = ("threshold", "metric", *Value._fields, *COUNT_COLUMNS)
_AIM = "conll"
_NOTE = "Clustering and threshold: the best CoNLL F1 ({f1}) of {tried} tried on {part}, {setting}."


def curve(bare: Alignment, setting: Setting, chains: Cut, metrics: Sequence[str]) -> pd.DataFrame:
    """Return ``metrics``, one of them CoNLL, at up to MOST thresholds: COLUMNS, falling.

    A quarter are quantiles of the levels, the rest lie round the best CoNLL F1. The first threshold
    is infinite: nothing is linked. The response of ``bare`` is not used.
    """
    levels = [np.inf, *chains.levels.tolist()]
    chosen = _quantiles(0, len(levels) - 1, MOST // 4)
    tried: list[int] = []
    scores: dict[int, Scores] = {}
    while chosen and len(tried) + len(chosen) <= MOST:
        for at in reversed(chosen):  # a tree of average or complete link holds for all above
            decided = bare.having("response", chains.chains(levels[at]))
            scores[at] = score(setting.build(decided.mentions), metrics)
        tried += chosen
        best = max(tried, key=lambda at: scores[at][_AIM].f1)
        below = max((at for at in tried if at < best), default=best)
        above = min((at for at in tried if at > best), default=best)
        chosen = [at for at in _quantiles(below, above, MOST // 8) if at not in scores]
    rows = [{"threshold": levels[at], **row} for at in sorted(tried) for row in scores[at].rows()]
    return pd.DataFrame(rows)[list(COLUMNS)]


def _quantiles(low: int, high: int, number: int) -> list[int]:
    positions = np.unique(np.linspace(low, high, number).round().astype(np.int64))
    return [int(at) for at in positions]


def chosen_on(
    dev: MentionPairs,
    evaluated: MentionPairs,
    setting: Setting,
    clustering: str | None = None,
) -> Linking:
    """Return the clustering and threshold with the highest CoNLL F1 on the corpus of ``dev``.

    ``clustering`` is the only one to try. In a tie the earlier clustering wins, then the higher
    threshold. Raises UsageError if ``dev`` has test data or documents of ``evaluated``, scores of
    another scale, or none that ``clustering`` links.
    """
    _refuse(dev, evaluated)
    corpus, curves = dev.corpus, []
    bare = Alignment.of(corpus.selected, corpus.gold, corpus.gold, dev.name)
    for name in [one_of("clustering", clustering, CLUSTERINGS)] if clustering else CLUSTERINGS:
        over = curve(bare, setting, cut(dev, name), [_AIM])
        curves.append(over[np.isfinite(over["threshold"])].assign(clustering=name))
    tried = pd.concat(curves, ignore_index=True)
    if tried.empty:
        message = f"no pair has a probability above 0, which {clustering} needs"
        raise UsageError("input-mismatch", message, place=dev.name, hint="give other scores")
    best = tried.loc[tried["f1"].idxmax()]
    words = {"f1": percent(best["f1"]), "tried": len(tried), "part": corpus.part}
    note = _NOTE.format(**words, setting=setting.label)
    return Linking(float(best["threshold"]), best["clustering"], corpus.part, dev.digest, note)


def _refuse(dev: MentionPairs, evaluated: MentionPairs) -> None:
    part, other = dev.corpus.part, evaluated.corpus.part
    reason = overlap_with_test(dev.corpus, part)
    if _texts(dev.corpus) & _texts(evaluated.corpus):
        reason = reason or f"it has documents of '{other}', the evaluated part"
    if reason:
        message, hint = f"cannot tune on '{part}': {reason}", "name another part by tune_split"
        raise UsageError("tuning-on-test", message, place=dev.name, hint=hint)
    for pairs in (dev, evaluated):
        if not len(pairs.scored()):
            message, hint = "the pairs have no scores", "add the column score"
            raise UsageError("input-mismatch", message, place=pairs.name, hint=hint)
    if dev.log_odds != evaluated.log_odds:
        message = "scores in [0, 1] and log-odds have no threshold in common"
        raise UsageError("input-mismatch", message, place=dev.name, hint="give both in one scale")


def _texts(corpus: Corpus) -> set[str]:
    return {document.fingerprint for document in corpus.documents.values()}
