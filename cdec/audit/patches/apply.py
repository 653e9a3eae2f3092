"""Apply a patch to a key."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain as flat
from typing import Any

import pandas as pd
from scipy.cluster.hierarchy import DisjointSet

from cdec.audit.patches.model import Groups, Patch, contradiction
from cdec.clustering import Clustering
from cdec.errors import ScoringError

_SHOWN = 10  # mentions in a message
_HINT = "use the corpus or key for which the patch was made"


def apply_patch(
    key: Clustering, patch: Patch, known: Mapping[str, str] | None = None
) -> Clustering:
    """Return the key with the corrected chains; ``key`` is not modified.

    Operations whose mentions are all outside the key are ignored, so that the patch of a corpus
    fits its parts. ``known`` maps mentions of the patch to mentions of the key, if their ids
    differ. Raises ScoringError if no mention of the patch is in the key, or an operation is only
    partly in the key; FormatError if merges undo a move.
    """
    names = known or {mention: mention for mention in patch.mentions}
    present = {m: names[m] for m in patch.mentions if names.get(m) in key.labels.index}
    if patch.mentions and not present:
        message = "no mention of the patch is in the key"
        raise ScoringError("input-mismatch", message, place=patch.name, hint=_HINT)
    moves, merges = (_in_key(groups, present, patch.name) for groups in (patch.move, patch.merge))
    labels, merged = _applied(key, moves, merges, patch)
    undone = _undone(key.labels, labels, merged, moves)
    if undone:
        message = (
            f"merges return moved mentions to the chain they are moved from: {_listed(undone)}"
        )
        raise contradiction(message, patch.name)
    return Clustering(merged)


def _applied(
    key: Clustering, moves: Groups, merges: Groups, patch: Patch
) -> tuple[pd.Series[Any], pd.Series[Any]]:
    """Return the chain labels after all moves, and after all merges."""
    labels = key.labels.astype(object).copy()
    for number, group in enumerate(moves):
        labels[list(group)] = f"patch/{patch.digest[:8]}/{number}"
    chains = DisjointSet(labels.unique())
    for group in merges:
        for mention in group[1:]:
            chains.merge(labels[group[0]], labels[mention])
    return labels, labels.map(lambda label: chains[label])


def _undone(
    before: pd.Series[Any], moved: pd.Series[Any], after: pd.Series[Any], moves: Groups
) -> list[str]:
    unmoved = pd.MultiIndex.from_arrays([before, after])[(before == moved).to_numpy()]
    mentions = flat.from_iterable(moves)
    return [mention for mention in mentions if (before[mention], after[mention]) in unmoved]


def _listed(mentions: list[str]) -> str:
    """Return the first mentions as text."""
    shown = ", ".join(f"'{mention}'" for mention in mentions[:_SHOWN])
    return shown if len(mentions) <= _SHOWN else f"{shown} and {len(mentions) - _SHOWN} more"


def _in_key(groups: Groups, present: Mapping[str, str], name: str) -> Groups:
    """Return the groups whose mentions are in the key, with the mention ids of the key."""
    in_key: list[tuple[str, ...]] = []
    for group in groups:
        missing = [mention for mention in group if mention not in present]
        if missing and len(missing) < len(group):
            known = next(mention for mention in group if mention in present)
            raise ScoringError(
                "input-mismatch",
                f"mention '{missing[0]}' is not in the key, but '{known}' of the same operation is",
                place=name,
                hint=_HINT,
            )
        if not missing:
            in_key.append(tuple(present[mention] for mention in group))
    return tuple(in_key)
