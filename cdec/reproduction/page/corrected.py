"""The corrected key: the six settings with and without the unlinked duplicates of the key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cdec.auditing.patches.model import Patch, read_patch
from cdec.auditing.patches.rescore import against, patched_corpus
from cdec.clustering import Clustering
from cdec.corpus.model import EVENT, Corpus
from cdec.errors import counted
from cdec.evaluation.results import Results
from cdec.metrics.links import pairs
from cdec.render.numbers import percent, points
from cdec.render.page import Block, Grid, Listing, Section, Text
from cdec.render.table import grid_of_lines
from cdec.reproduction.material import Material, Request, of_corpus
from cdec.reproduction.page.cells import heads
from cdec.reproduction.page.scores import signature_listing
from cdec.reproduction.printed import tidy
from cdec.settings.catalog import STRICT_TO_LENIENT

_TITLE = "The corrected key"
_NONE = "Available for the released key of the paper's corpus only: the patch is for that key."
_BIAS = (
    "The same responses are scored against both keys. The corrections were found by shared words. "
    "Such corrections favour systems that link by shared words, so differences "
    "between systems against the corrected key are not comparable to those against the released "
    "one."
)
_LINES = (
    ("released", "ours", percent),
    ("corrected", "corrected", percent),
    ("change", "change", points),
)


def corrected(request: Request) -> Section:
    """Return CoNLL F under every setting, against the released and the corrected key."""
    materials = [material for material in (request.material, request.reviewed) if material]
    parts = [both for each in materials if (both := Corrected.from_material(each))]
    if not parts:
        return Section("corrected", _TITLE, (Text(_NONE),))
    scores = [of_corpus(both.part, both.scores) for both in parts]
    blocks: tuple[Block, ...] = (
        Text(_about(parts[0].patch)),
        *(Text(_sizes(each.corpus, both)) for each, both in zip(materials, parts, strict=True)),
        Text(_BIAS),
        *(_grid(part) for part in scores),
        Listing("The patch", tuple(_provenance(parts[0].patch))),
        *(signature_listing(both.after) for both in parts),
    )
    return Section("corrected", _TITLE, blocks, pd.concat(scores, ignore_index=True))


def _about(patch: Patch) -> str:
    return (
        "In identical sentences of two documents some singletons at the same place are not linked. "
        f"A patch has {counted(patch.about['corrections'], 'correction')} of these in the whole "
        "corpus. Nearly all are in sentences that were not reviewed, so the scores on the split of "
        "reviewed sentences hardly change."
    )


def _sizes(corpus: Corpus, both: Corrected) -> str:
    before, after = shape(corpus.gold), shape(both.part.gold)
    changes = ", ".join(f"{before[name]:,} → {after[name]:,} {name}" for name in before)
    linked, reviewed = both.linked
    return (
        f"{corpus.part}: of {len(both.part.selected):,} event mentions the patch links {linked:,}, "
        f"{reviewed:,} of these in reviewed sentences. The key: {changes}."
    )


def _grid(scores: pd.DataFrame) -> Grid:
    conll = scores[(scores["metric"] == "conll") & (scores["field"] == "f1")]
    settings = [setting.name for setting in STRICT_TO_LENIENT]
    rows = []
    for system, part in conll.groupby("system", sort=False):
        values = part.set_index("setting").loc[settings]
        lines = [(name, values[column].map(write)) for name, column, write in _LINES]
        rows.append((heads("", str(system))[1:], lines))
    caption = (
        f"CoNLL F on {scores['split'].iloc[0]} by setting, strict to lenient, against both keys"
    )
    below = ("Change: corrected minus released, in points, before rounding.",)
    columns = (setting.label for setting in STRICT_TO_LENIENT)
    return grid_of_lines(caption, ["System"], columns, rows, below=below)


def _provenance(patch: Patch) -> Iterator[str]:
    """Yield the file, its digest and operations, and everything that it says about its making."""
    yield f"file: {patch.name}, digest {patch.digest[:12]}"
    yield f"operations: {counted(len(patch.merge), 'merge')}, {counted(len(patch.move), 'move')}"
    yield from (f"{name}: {_text(value)}" for name, value in patch.about.items())


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{number} {name}" for name, number in value.items())
    return str(value)


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
