"""Strata: properties of links, mentions and chains by whose values the counts of a score divide.

A stratum belongs to pairs of mentions, or to mentions. The property of a chain, such as its size,
is one of its mentions: of the key chain for recall, of the response chain for precision. A link of
two mentions with different values belongs to the higher of both, or to the level ``mixed``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.clustering import Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.chains import SIZES, size_class
from cdec.diagnosis.facts import present
from cdec.diagnosis.links import ALL, KINDS, LEMMAS, by_distance, linked
from cdec.diagnosis.seen import TrainPairs
from cdec.errors import UsageError

MIXED = "mixed"


@dataclass(frozen=True)
class Stratum:
    """A declared stratum: ``pairs`` counts the pairs of each group by level, or ``level`` says it.

    ``levels`` maps level → label; those of ``class`` are the classes of the corpus. ``level`` is
    the number of the level of each mention, for the chains of a side. ``needs`` are the facts that
    it needs: lemmas, classes, train. ``about`` says which level a pair, a mention or a chain has.

    >>> STRATA["lemma"].levels["same"]
    'same lemma'
    """

    name: str
    title: str
    about: str
    levels: Mapping[str, str]
    pairs: Callable[[pd.DataFrame, Ints, Any], Ints] | None = None
    level: Callable[[pd.DataFrame, Side], Any] | None = None
    needs: tuple[str, ...] = ()


def _distance(rows: pd.DataFrame, group: Ints, train: Any) -> Ints:
    return by_distance(rows, group)


def _lemma(rows: pd.DataFrame, group: Ints, train: Any) -> Ints:
    same = linked(rows, group, "lemma")
    return np.stack([same, linked(rows, group) - same], axis=1)


def _seen(rows: pd.DataFrame, group: Ints, train: TrainPairs) -> Ints:
    return sum(np.hsplit(train.links(rows, group), 2))  # type: ignore[return-value]


def _seen_lemma(rows: pd.DataFrame, group: Ints, train: TrainPairs) -> Ints:
    return train.links(rows, group)


def _lemmas_per_chain(facts: pd.DataFrame, side: Side) -> Any:
    chains = present(facts, side).groupby(side)
    lemmas = chains["lemma"].nunique().clip(upper=3).mask(chains.size() == 1, 0)
    return facts[side].map(lemmas).fillna(0)


def _chains_per_lemma(facts: pd.DataFrame, side: Side) -> Any:
    chains = present(facts, "key").groupby("lemma")["key"].nunique()
    return np.searchsorted((1, 4), facts["lemma"].map(chains).fillna(0))


def _size(facts: pd.DataFrame, side: Side) -> Any:
    return size_class(facts[side].map(present(facts, side)[side].value_counts()).fillna(0))


def _class(facts: pd.DataFrame, side: Side) -> Any:
    return facts["class"]


_SEEN = {
    "coreferent": "coreferent in train",
    "compared": "compared in train only",
    "never": "not compared in train",
}
_LEMMAS = dict(zip(LEMMAS, ("same lemma", "different lemmas"), strict=True))
UNSEEN = ("different/compared", "different/never")
"""The levels of different lemmas that are never coreferent in train."""
_DECLARED = (
    Stratum(
        "seen",
        "Head lemmas in train",
        "Coreferent: mentions with these two head lemmas share a chain of train. Compared: such "
        "mentions are in one topic of train, in no chain together. Never: in no topic together.",
        _SEEN,
        pairs=_seen,
        needs=("lemmas", "train"),
    ),
    Stratum(
        "lemma",
        "Head lemmas",
        "Whether the heads of the two mentions have the same lemma.",
        _LEMMAS,
        pairs=_lemma,
        needs=("lemmas",),
    ),
    Stratum(
        "seen-lemma",
        "Head lemmas, and in train",
        "Whether the heads of the two mentions have the same lemma, and whether mentions with "
        "these lemmas share a chain of train (coreferent), a topic only (compared), or neither.",
        {f"{a}/{b}": f"{one}, {two}" for a, one in _LEMMAS.items() for b, two in _SEEN.items()},
        pairs=_seen_lemma,
        needs=("lemmas", "train"),
    ),
    Stratum(
        "lemmas-per-chain",
        "Lemmas in the chain",
        "The number of head lemmas in the chain: of the key for recall, of the response for "
        "precision.",
        {"singleton": "singleton", "1": "1 lemma", "2": "2 lemmas", "3+": "3 and more"},
        level=_lemmas_per_chain,
        needs=("lemmas",),
    ),
    Stratum(
        "chains-per-lemma",
        "Key chains of the lemma",
        "The number of key chains that have a mention with the head lemma; of a link the higher "
        "number of its two lemmas.",
        {"1": "1 chain", "2–4": "2–4 chains", "5+": "5 and more"},
        level=_chains_per_lemma,
        needs=("lemmas",),
    ),
    Stratum(
        "class",
        "Class",
        "The class of the mention in the corpus (ECB+: the tag of its action); of a link that of "
        "both mentions, or mixed.",
        {},
        level=_class,
        needs=("classes",),
    ),
    Stratum(
        "size",
        "Mentions in the chain",
        "The size of the chain: of the key for recall, of the response for precision.",
        {size: size for size in SIZES},
        level=_size,
    ),
    Stratum(
        "distance",
        "Distance",
        "The smallest unit (document, sub-topic, topic) that has both mentions.",
        KINDS,
        pairs=_distance,
    ),
)
STRATA = {one.name: one for one in _DECLARED}


def classes_of(corpus: Corpus) -> tuple[pd.Series[Any], dict[str, str]]:
    """Return the code of the class of each mention, and its levels; code 0 is no class.

    Raises UsageError for a corpus without classes.
    """
    classes = corpus.selected["tag"].astype(str)
    if not classes.str.strip().any():
        message = f"the mentions of {corpus.name} have no class"
        hint = f"divide by {', '.join(name for name in STRATA if name != 'class')}"
        raise UsageError("annotation-missing", message, hint=hint)
    names = ["", *sorted({*classes} - {""})]
    levels = {}
    for name in names:
        # A class does not have the name of a level of all classes.
        level = f"class:{name}" if name.rpartition(":")[2] in (ALL, MIXED) else name
        levels[level] = name.lower().replace("action_", "").replace("_", " ") or "no class"
    codes = pd.Series(pd.Index(names).get_indexer(pd.Index(classes)), classes.index)
    return codes, {**levels, MIXED: "of two classes"}
