"""Companions of a pair: other linked pairs between its two sentences.

Pairs between the same two sentences support each other: in "A massive quake … sparking a tsunami
that killed" and "a huge earthquake … triggered a tsunami that killed" the links between equal words
are evidence for a link between "quake" and "earthquake".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats, Ints
from cdec.auditing.detectors.svm import SLACK, SVM
from cdec.auditing.suspect import Measured, PairDetector

if TYPE_CHECKING:
    from cdec.auditing.config import AuditConfig
    from cdec.auditing.key import Key

_NEARLY = 0.6  # smallest |a| of an unlinked pair that counts as a companion
_LEAST = 2  # smallest number of other pairs between the two sentences


def companions(left: Ints, right: Ints, sentence: Ints, supported: Bools) -> Ints:
    """Return for each pair the number of other ``supported`` pairs between its two sentences.

    ``left`` and ``right`` are rows of mentions, ``sentence`` is the sentence code of each mention.
    The other pairs share no mention with the pair; among pairs that share a mention with each
    other, one counts. Pairs inside a sentence have no companions.
    """
    table = pd.DataFrame({"left": left, "right": right})
    one, two = sentence[left], sentence[right]
    size = int(sentence.max(initial=0)) + 1
    table["place"] = np.where(one == two, -1, one * size + two)
    support = table[supported & (one != two)]
    places = support.groupby("place")
    by_mention = (support.groupby(["place", side])[side].size() for side in ("left", "right"))
    counts = []
    for side, own in zip(("left", "right"), by_mention, strict=True):
        distinct = table["place"].map(places[side].nunique()).fillna(0)
        keys = pd.MultiIndex.from_frame(table[["place", side]])
        counts.append(distinct.to_numpy() - (own.reindex(keys).fillna(0).to_numpy() > 0))
    return np.asarray(np.minimum(*counts), dtype=np.int64)


def _measure(key: Key) -> Measured:
    """Return the number of companions of each pair, which are linked or nearly so by the SVM."""
    events = key.corpus.selected
    sentence = events.groupby(["doc", "sentence"], sort=False).ngroup().to_numpy().astype(np.int64)
    anchors, _ = key.measure(SVM).columns[SLACK]
    supported = key.linked | (anchors > _NEARLY)
    counts = companions(key.pairs.left, key.pairs.right, sentence, supported)
    return Measured(None, {COMPANIONS.id: (counts, None)})


def _flags(rows: pd.DataFrame, config: AuditConfig, link: bool) -> Floats:
    count = rows[COMPANIONS.id].to_numpy(dtype=float)
    return np.where(count >= _LEAST, count / (count + 1), np.nan)


def _reason(record: Mapping[Any, Any], link: bool) -> str:
    count = int(record[COMPANIONS.id])
    return f"{count} other mention pairs of these two sentences are linked or almost linked"


COMPANIONS = PairDetector(
    id="companions",
    words="pairs between two sentences with two other linked or almost linked pairs",
    measure=_measure,
    flags=_flags,
    reason=_reason,
    feature=np.log1p,
    learned=False,
    requires=(SVM,),
    ordered=("links",),
)
