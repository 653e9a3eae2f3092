"""Scores against the key in which a patch of this package links unlinked duplicates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from cdec.audit.patches.model import Patch, read_patch
from cdec.audit.patches.rescore import against, patched_corpus
from cdec.clustering import Clustering
from cdec.corpus.model import EVENT, Corpus
from cdec.evaluation.results import Results
from cdec.metrics.links import pairs
from cdec.reproduction.comparison import tidy
from cdec.reproduction.material import Material

_PATCH = "ecbplus-duplicates"


@dataclass(frozen=True, eq=False)
class Corrected:
    """The results of the same responses against both keys; ``part`` has the corrected key."""

    patch: Patch
    part: Corpus
    before: Results
    after: Results

    @classmethod
    def from_material(cls, material: Material) -> Corrected | None:
        """Score the untrained systems and the files of ``material``; no system is run again.

        A trained system has learned from the released key, so it is left out. Return None if the
        patch is not for this corpus, or its key is corrected already.
        """
        patch, corpus = read_patch(_PATCH), material.corpus
        is_other = patch.about["digest"] != corpus.digest or corpus.kind != EVENT
        if is_other or corpus.correction:
            return None
        part = patched_corpus(corpus, patch)
        untrained = {run.system for run in material.runs if "trained_on" not in run.about}
        both = (material.results, against(part, material.experiment).results())
        before, after = (Results.joined(r for r in x if r.system in untrained) for x in both)
        return cls(patch, part, before, after)

    @property
    def scores(self) -> pd.DataFrame:
        """One row per value: setting, system, metric, field, ours, corrected, change."""
        cell = ["setting", "system", "metric", "field"]
        after = tidy(self.after).rename(columns={"ours": "corrected"})
        both = tidy(self.before).merge(after, on=cell, how="left", validate="1:1")
        return both.assign(change=both["corrected"] - both["ours"])

    @property
    def linked(self) -> tuple[int, int]:
        """The number of mentions of the part that the patch links, and of reviewed ones of them."""
        events = self.part.selected
        linked = events[events.index.isin(self.patch.mentions)]
        return len(linked), int(linked["reviewed"].sum())


def shape(key: Clustering) -> dict[str, int]:
    """Return the number of chains, of singletons and of links of a key."""
    sizes = np.asarray(key.labels.value_counts(), dtype=np.int64)
    return {"chains": len(sizes), "singletons": int((sizes == 1).sum()), "links": pairs(sizes)}
