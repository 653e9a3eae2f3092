"""Every metric against the threshold: at every merge, or at chosen thresholds.

The counts of MUC, B³, LEA and links at every merge are sums of their terms (see ``growth``). Other
metrics, such as CEAF, align all chains anew at each threshold: they are computed at quantiles of
the thresholds, then between the neighbours of the best, MOST in all.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from cdec.arrays import Floats, Ints
from cdec.clustering import Clustering
from cdec.matching.alignment import Alignment
from cdec.metrics import COUNT_COLUMNS, METRICS, Terms, Value, score, value_of
from cdec.metrics.metric import floats
from cdec.pair_scores.clusterings import Cut
from cdec.pair_scores.growth import Grown, Growth
from cdec.pair_scores.merges import Merges
from cdec.settings import Setting

EXACT = ("muc", "b3", "lea", "blanc_coref")
"""Metrics whose terms depend on a cell and the sizes of its chains only."""
MOST = 200
"""Thresholds at which other metrics are computed."""
COLUMNS = ("threshold", "metric", *Value._fields, *COUNT_COLUMNS)


def exact_curves(run: Alignment, setting: Setting, merges: Merges) -> pd.DataFrame:
    """Return the metrics of EXACT at every merge: COLUMNS, by metric and falling threshold.

    ``merges`` are of the positions of ``run.mentions``; the response of ``run`` is not used. The
    first threshold is infinite: nothing is linked.
    """
    steps = np.zeros((len(EXACT), len(merges.levels) + 1, len(COUNT_COLUMNS)))
    for grown in Growth(setting, run.mentions, merges).tables():
        for name, step in zip(EXACT, steps, strict=True):
            _add_steps(step, name, grown)
    # With more digits than a float, the last digit of a sum does not depend on the merges before.
    counts = np.cumsum(steps, axis=1, dtype=np.longdouble).astype(np.float64)
    names = np.repeat(EXACT, len(merges.levels) + 1)
    scores = np.stack(value_of(counts).filled(0), axis=2)
    values = np.concatenate([scores, counts], axis=2).reshape(len(names), -1)
    table = pd.DataFrame(values, columns=[*Value._fields, *COUNT_COLUMNS])
    thresholds = np.tile([np.inf, *merges.levels], len(EXACT))
    return table.assign(threshold=thresholds, metric=names)[list(COLUMNS)]


def _add_steps(step: Floats, metric: str, grown: Grown) -> None:
    """Add to the counts of each level, shape (levels, 4), those of the parts of a table."""
    cells, size = grown.table.cols, len(grown.begin)
    terms_of = METRICS[metric].terms
    terms = terms_of(grown.table) if terms_of else Terms()
    p_num, r_num = (np.bincount(cells, floats(r), size) for r in (terms.precision, terms.recall))
    for column, values in enumerate((p_num, terms.response, r_num)):
        each = np.asarray(values)
        step[:, column] += np.bincount(grown.begin, each, len(step))
        step[:, column] -= np.bincount(grown.end, each, len(step) + 1)[: len(step)]
    step[0, 3] = np.asarray(terms.key).sum()  # the key does not depend on the threshold


def curves(
    run: Alignment, setting: Setting, cut: Cut, metrics: Iterable[str], aim: str
) -> pd.DataFrame:
    """Return ``metrics`` at up to MOST thresholds: COLUMNS, by falling threshold.

    A quarter are quantiles of the levels, the rest lie round the best F1 of ``aim``.
    """
    names, levels = tuple(metrics), [np.inf, *cut.levels]
    chosen = _quantiles(0, len(levels) - 1, MOST // 4)
    tried: list[int] = []
    done: dict[int, list[dict[str, object]]] = {}
    f1: dict[int, float] = {}
    while True:
        tried += chosen
        for at in reversed(chosen):  # a tree of average or complete link holds for all above
            chains = Clustering(pd.Series(cut.chains(levels[at]), index=run.mentions.index))
            scored = setting.build(run.having("response", chains).mentions)
            scores = score(scored, names)
            done[at] = [{"threshold": levels[at], **row} for row in scores.rows()]
            f1[at] = scores[aim].f1
        best = max(tried, key=lambda at: f1[at])
        below = max((at for at in done if at < best), default=best)
        above = min((at for at in done if at > best), default=best)
        chosen = [at for at in _quantiles(below, above, MOST // 8) if at not in done]
        if not chosen or len(done) + len(chosen) > MOST:
            break
    return pd.DataFrame([row for at in sorted(done) for row in done[at]])[list(COLUMNS)]


def _quantiles(low: int, high: int, number: int) -> list[int]:
    positions: Ints = np.unique(np.linspace(low, high, number).round().astype(np.int64))
    return [int(at) for at in positions]
