"""A key corrected by a patch."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain as flat
from typing import Any

import pandas as pd
from scipy.cluster.hierarchy import DisjointSet

from cdec.audit.patches.model import Groups, Patch, contradiction
from cdec.clustering import Clustering
from cdec.errors import ScoringError


def apply_patch(
    key: Clustering, patch: Patch, known: Mapping[str, str] | None = None
) -> Clustering:
    """Return the corrected key; ``key`` stays as it is.

    Lines whose mentions are all outside the key say nothing here (a patch of a whole corpus serves
    its parts). ``known`` maps the patch's mentions to the key's, where the names differ. Raises
    ScoringError where nothing of the patch is in the key, and for a line that is there in part;
    FormatError where merges bring a mention back to the chain that it was moved from.
    """
    names = known or {mention: mention for mention in patch.mentions}
    present = {m: names[m] for m in patch.mentions if names.get(m) in key.labels.index}
    if patch.mentions and not present:
        hint = "was the patch made for this corpus or key?"
        raise ScoringError("no mention of the patch is in the key", place=patch.name, hint=hint)
    moves, merges = (_here(groups, present, patch.name) for groups in (patch.move, patch.merge))
    labels = key.labels.astype(object).copy()
    for number, group in enumerate(moves):
        labels[list(group)] = f"patch/{patch.digest[:8]}/{number}"
    chains = DisjointSet(labels.unique())
    for group in merges:
        for mention in group[1:]:
            chains.merge(labels[group[0]], labels[mention])
    merged = labels.map(lambda label: chains[label])
    _refuse_circles(key.labels, labels, merged, moves, patch.name)
    return Clustering(merged)


def _refuse_circles(
    before: pd.Series[Any],
    moved: pd.Series[Any],
    after: pd.Series[Any],
    moves: Groups,
    name: str,
) -> None:
    """Raise FormatError where a mention ends in one chain with those that it was moved from."""
    left_behind = pd.MultiIndex.from_arrays([before, after])[(before == moved).to_numpy()]
    for mention in flat.from_iterable(moves):
        if (before[mention], after[mention]) in left_behind:
            raise contradiction(
                f"merges bring '{mention}' back to the chain it is moved from", name
            )


def _here(groups: Groups, present: Mapping[str, str], name: str) -> Groups:
    """Return the groups whose mentions the key has, under its names."""
    found: list[tuple[str, ...]] = []
    for group in groups:
        missing = [mention for mention in group if mention not in present]
        if missing and len(missing) < len(group):
            raise ScoringError(
                f"mention '{missing[0]}' is not in the key, and others of its line are",
                place=name,
                hint="was the patch made for this corpus or key?",
            )
        if not missing:
            found.append(tuple(present[mention] for mention in group))
    return tuple(found)
