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
from cdec.audit.findings import Findings
from cdec.audit.key import Key, Prepared
from cdec.audit.order.fit import Judged, joined
from cdec.audit.pairwise import Links, Members
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent

_WEIGHT = 0.1  # of a planted row; a judged row has 1
_KINDS = {
    Links.name: {"detach": 300, "pair": 100, "split": 150},
    Members.name: {"attach": 200, "lookalike": 300},
}
_SEED = 11


def planted_samples(
    corpus: Corpus, prepared: Prepared, config: AuditConfig, progress: Progress = silent
) -> dict[str, Judged]:
    """Return the planted errors in ``links`` and ``members``, each with as many other rows.

    The share of mentions outside the reviewed sentences is missing: errors were planted anywhere.
    """
    codes = prepared.pool.mentions.codes["lemma"]
    lemmas = pd.Series(codes, index=corpus.selected.index).astype(str)
    runs = [(table, *kind) for table, kinds in _KINDS.items() for kind in kinds.items()]
    samples: dict[str, list[Judged]] = {table: [] for table in _KINDS}
    for name, kind, count in progress(runs, len(runs), "planting errors"):
        made = plant(corpus, kind, count, _SEED, lemmas, exact=False)
        key = Key(made.corpus, prepared, config)
        (table,) = (one for one in Findings.of(key).pairwise if one.name == name)
        hits = [bool(errors) for errors in Targets.of(made, key).hits(table)]
        samples[name].append(_sample(table, np.array(hits)))
    return {table: joined(parts) for table, parts in samples.items()}


def _sample(table: Links | Members, hits: Bools) -> Judged:
    """Return the suspected rows that hit planted errors, and as many random other ones."""
    chosen = np.flatnonzero(hits & table.suspected)
    others = np.flatnonzero(~hits & table.suspected)
    rng = np.random.default_rng(_SEED)
    drawn = rng.choice(others, min(len(chosen), len(others)), replace=False)
    at = np.concatenate([chosen, drawn])
    columns = table.features().iloc[at].assign(outside=np.nan).reset_index(drop=True)
    weights = np.full(len(at), _WEIGHT)
    return Judged(columns, np.isin(at, chosen), table.units()[at], weights)
