"""Planted errors as additional data for the order.

They have few of the traits of real errors (unreviewed sentences, repeated statements), so they
count little: with a weight of 0.1 the order of judged cases of other topics hardly changes, and the
planted errors of other topics rank higher.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from cdec.arrays import Bools
from cdec.audit.benchmark.plant import plant
from cdec.audit.benchmark.targets import Targets
from cdec.audit.config import AuditConfig
from cdec.audit.find import LEARNED, Finds, Prepared, find, units_of
from cdec.audit.order.features import link_features, member_features
from cdec.audit.order.fit import Judged
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent

_WEIGHT = 0.1  # of a planted row; a judged row has 1
_KINDS = {
    "links": {"detach": 300, "pair": 100, "split": 150},
    "members": {"attach": 200, "lookalike": 300},
}
_SEED = 11


def planted_samples(
    corpus: Corpus, prepared: Prepared, config: AuditConfig, progress: Progress = silent
) -> dict[str, Judged]:
    """Return the planted errors in ``links`` and ``members``, each with as many other rows.

    The share of mentions outside the reviewed sentences is missing: errors were planted anywhere.
    """
    lemmas = pd.Series(prepared.pool.mentions.codes["lemma"], index=corpus.selected.index).astype(
        str
    )
    runs = [(table, *kind) for table, kinds in _KINDS.items() for kind in kinds.items()]
    samples: dict[str, list[Judged]] = {table: [] for table in _KINDS}
    for table, kind, count in progress(runs, len(runs), "planting errors"):
        made = plant(corpus, kind, count, _SEED, lemmas, exact=False)
        finds = find(made.corpus, prepared, config)
        hits = np.array([bool(errors) for errors in Targets.of(made, finds).hits(table)])
        samples[table].append(_sample(made.corpus, prepared, finds, table, hits))
    return {table: _joined(parts) for table, parts in samples.items()}


def _sample(corpus: Corpus, prepared: Prepared, finds: Finds, table: str, hits: Bools) -> Judged:
    """Return the flagged rows that hit planted errors, and as many random other flagged rows."""
    features = link_features if table == "links" else member_features
    rows, flagged = getattr(finds, table), _flagged(finds, table)
    chosen = np.flatnonzero(hits & flagged)
    others = np.flatnonzero(~hits & flagged)
    rng = np.random.default_rng(_SEED)
    drawn = rng.choice(others, min(len(chosen), len(others)), replace=False)
    at = np.concatenate([chosen, drawn])
    columns = features(corpus, prepared, finds).iloc[at].assign(outside=np.nan)
    mention = rows["left" if table == "links" else "mention"].to_numpy(np.int64)[at]
    topics = units_of(corpus, np.arange(len(finds.chain)))[mention]
    weights = np.full(len(at), _WEIGHT)
    return Judged(columns.reset_index(drop=True), np.isin(at, chosen), topics, weights)


def _flagged(finds: Finds, table: str) -> Bools:
    """Return which rows a detector flags; links in groups of duplicates are other cases."""
    rows = getattr(finds, table)
    sign = 1 if table == "links" else -1
    flags = [sign * rows[name].to_numpy(dtype=float) > 0 for name in LEARNED if name in rows]
    if table == "links":
        flags = [np.any(flags, axis=0) & (rows["group"].to_numpy() < 0)]
    return np.asarray(np.any(flags, axis=0))


def _joined(parts: list[Judged]) -> Judged:
    if not parts:
        none = np.zeros(0)
        return Judged(pd.DataFrame(), none.astype(bool), none.astype(np.int64), none)
    columns = ("error", "topics", "weights")
    arrays = (np.concatenate([getattr(part, name) for part in parts]) for name in columns)
    return Judged(pd.concat([part.table for part in parts], ignore_index=True), *arrays)
