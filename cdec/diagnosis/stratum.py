"""Strata: properties of links, mentions and chains by whose values the counts of a score divide.

A stratum belongs to pairs of mentions, or to mentions. The property of a chain, such as its size,
is one of its mentions: of the key chain for recall, of the response chain for precision. A link of
two mentions with different values belongs to the higher of both, or to the level ``mixed``.

Every count is a sum over ordered pairs (m, m′) of mentions of a chain of n mentions:

==========  ===============================  =====================================================
metric      term of a pair, if it is right   its terms in the denominator
==========  ===============================  =====================================================
links       1/2, m ≠ m′                      the same, of all pairs of the chain
B³          1/n                              the same; a pair (m, m) has one too
LEA         1/(n − 1), m ≠ m′                the same; 1 for the pair (m, m) of a singleton
==========  ===============================  =====================================================

A pair is right if it shares a chain of the other side, for LEA and (m, m) if that is a singleton,
too. So B³ and LEA divide by any stratum, exactly: a stratum of pairs has the pairs m ≠ m′, and the
level ``self`` the pairs (m, m); in a stratum of mentions a pair (m, m′) has the level of m.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.clustering import Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.links import KINDS, LEMMAS, by_distance, linked
from cdec.diagnosis.mentions import Mentions
from cdec.diagnosis.seen import TrainPairs
from cdec.errors import UsageError

ALL, SELF, MIXED = "all", "self", "mixed"
SIZES = {"1": 1, "2": 2, "3–5": 5, "6–10": 10, "11–20": 20, "21 and more": None}
_UPPER = [most for most in SIZES.values() if most is not None]
_CHAINS = (1, 4)  # the last of each class of chains per lemma
_DIVERSE = 3
_SEEN = ("coreferent", "compared", "never")


@dataclass(frozen=True, eq=False)
class Facts:
    """What strata know of mentions, by mention id, besides their chains and places."""

    lemmas: pd.Series[Any] = field(default_factory=lambda: pd.Series(dtype=object))
    classes: pd.Series[Any] = field(default_factory=lambda: pd.Series(dtype=object))
    train: TrainPairs | None = None

    @cached_property
    def class_names(self) -> list[str]:
        """The classes; '' for none, as of a mention that is not in the key."""
        return ["", *sorted({*self.classes} - {""})]

    @property
    def class_levels(self) -> dict[str, str]:
        """The level of each class and its label; none has the name of a level of all classes."""
        named = {n: n.lower().replace("action_", "").replace("_", " ") for n in self.class_names}
        taken = {n: f"class:{n}" for n in named if n.rpartition(":")[2] in (ALL, MIXED)}
        return {taken.get(n, n): label or "no class" for n, label in named.items()}


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
    pairs: Callable[[Mentions, Facts, Ints, Ints], Ints] | None = None
    level: Callable[[Mentions, Facts, Side], Ints] | None = None
    needs: tuple[str, ...] = ()


def _distance(m: Mentions, facts: Facts, at: Ints, group: Ints) -> Ints:
    return by_distance(m, at, group)


def _lemma(m: Mentions, facts: Facts, at: Ints, group: Ints) -> Ints:
    same = linked(group, m.lemma[at])
    return np.stack([same, linked(group) - same], axis=1)


def _seen(m: Mentions, facts: Facts, at: Ints, group: Ints) -> Ints:
    both = _seen_lemma(m, facts, at, group)
    return both[:, : len(_SEEN)] + both[:, len(_SEEN) :]


def _seen_lemma(m: Mentions, facts: Facts, at: Ints, group: Ints) -> Ints:
    every, same = _trained(facts).links(facts.lemmas.reindex(m.index[at]), group)
    one = np.stack([*same, linked(group, m.lemma[at])], axis=1)
    other = np.stack([*every, linked(group)], axis=1) - one
    return np.hstack([np.diff(part, axis=1, prepend=0) for part in (one, other)])


def _trained(facts: Facts) -> TrainPairs:
    if facts.train is None:
        message, hint = "this stratum needs a train key", "pass train=load_corpus(…)"
        raise UsageError("argument-missing", message, hint=hint)
    return facts.train


def _ambiguity(m: Mentions, facts: Facts, side: Side) -> Ints:
    key = m.key >= 0
    pairs = np.unique(np.stack([m.lemma[key], m.key[key]]), axis=1)
    chains = np.bincount(pairs[0], minlength=int(m.lemma.max(initial=-1)) + 1)
    return np.searchsorted(_CHAINS, chains[m.lemma])


def _diversity(m: Mentions, facts: Facts, side: Side) -> Ints:
    chains = getattr(m, side)
    at = chains >= 0
    pairs = np.unique(np.stack([chains[at], m.lemma[at]]), axis=1)
    lemmas = np.minimum(np.bincount(pairs[0]), _DIVERSE)
    lemmas[np.bincount(chains[at]) == 1] = 0
    return _of_chain(lemmas, chains)


def _size(m: Mentions, facts: Facts, side: Side) -> Ints:
    chains = getattr(m, side)
    return _of_chain(size_class(np.bincount(chains[chains >= 0])), chains)


def size_class(sizes: Ints) -> Ints:
    """Return the number of the class in SIZES of each size.

    >>> size_class(np.array([1, 4, 99])).tolist()
    [0, 2, 5]
    """
    return np.searchsorted(_UPPER, sizes)


def _of_chain(level: Ints, chains: Ints) -> Ints:
    return np.where(chains >= 0, np.append(level, 0)[chains], 0)


def _class(m: Mentions, facts: Facts, side: Side) -> Ints:
    names = facts.classes.reindex(m.index, fill_value="")
    return pd.Index(facts.class_names).get_indexer(pd.Index(names))


_WORDS = ("coreferent in train", "compared in train only", "not compared in train")
_LEMMAS = dict(zip(LEMMAS, ("same lemma", "different lemmas"), strict=True))
UNSEEN = tuple(f"{LEMMAS[1]}/{seen}" for seen in _SEEN[1:])
"""The levels of different lemmas that are never coreferent in train."""
_DECLARED = (
    Stratum(
        "seen",
        "Head lemmas in train",
        "Coreferent: mentions with these two head lemmas share a chain of train. Compared: such "
        "mentions are in one topic of train, in no chain together. Never: in no topic together.",
        dict(zip(_SEEN, _WORDS, strict=True)),
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
        {
            f"{lemma}/{seen}": f"{of_lemma}, {of_seen}"
            for lemma, of_lemma in _LEMMAS.items()
            for seen, of_seen in zip(_SEEN, _WORDS, strict=True)
        },
        pairs=_seen_lemma,
        needs=("lemmas", "train"),
    ),
    Stratum(
        "lemmas-per-chain",
        "Lemmas in the chain",
        "The number of head lemmas in the chain: of the key for recall, of the response for "
        "precision.",
        {"singleton": "singleton", "1": "1 lemma", "2": "2 lemmas", "3+": "3 and more"},
        level=_diversity,
        needs=("lemmas",),
    ),
    Stratum(
        "chains-per-lemma",
        "Key chains of the lemma",
        "The number of key chains that have a mention with the head lemma; of a link the higher "
        "number of its two lemmas.",
        {"1": "1 chain", "2–4": "2–4 chains", "5+": "5 and more"},
        level=_ambiguity,
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
STRATA: Mapping[str, Stratum] = MappingProxyType({one.name: one for one in _DECLARED})


def classes_of(corpus: Corpus) -> pd.Series[Any]:
    """Return mention id → class. Raises UsageError for a corpus without classes."""
    classes = corpus.selected["tag"].astype(str)
    if not classes.str.strip().any():
        message = f"the mentions of {corpus.name} have no class"
        hint = f"divide by {', '.join(name for name in STRATA if name != 'class')}"
        raise UsageError("annotation-missing", message, hint=hint)
    return classes
