"""Known errors planted in a key, for measuring what the detectors find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.errors import UsageError, counted, one_of

_SMALLEST_SPLIT = 4  # mentions of a chain that is split


@dataclass(frozen=True)
class Error:
    """A planted error: ``mentions`` were moved, and ``rest`` is the chain they left or came to."""

    kind: str
    mentions: tuple[str, ...]
    rest: str


@dataclass(frozen=True, eq=False)
class Planted:
    """A corpus whose key holds errors, and which."""

    corpus: Corpus
    errors: tuple[Error, ...]


def plant(corpus: Corpus, kind: str, count: int, seed: int) -> Planted:
    """Return ``corpus`` with ``count`` errors of a kind of ``KINDS`` in the key of its events.

    Raises UnknownNameError for another kind, UsageError where the key has no room for so many.
    """
    one_of("kind of planted error", kind, KINDS)
    events = corpus.events
    made = KINDS[kind](events, np.random.default_rng(seed))
    if not 0 < count <= len(made):
        raise UsageError(
            f"{counted(count, 'error')} of the kind '{kind}'", hint=f"at most {len(made)}"
        )
    chosen = made[:count]
    chains = corpus.mentions["chain"].copy()
    for number, (error, target) in enumerate(chosen):
        chains[list(error.mentions)] = target or f"planted/{number}"
    mentions = corpus.mentions.assign(chain=chains)
    return Planted(replace(corpus, mentions=mentions), tuple(error for error, _ in chosen))


Plan = list[tuple[Error, str]]  # the error, and the chain its mentions go to ("": one of their own)


def _detached(events: pd.DataFrame, rng: np.random.Generator) -> Plan:
    """Take single mentions out of cross-document chains."""
    documents = events.groupby("chain")["doc"].transform("nunique")
    ids = events.index[documents > 1]
    return [
        (Error("detach", (str(id_),), str(events["chain"][id_])), "")
        for id_ in ids[rng.permutation(len(ids))]
    ]


def _split(events: pd.DataFrame, rng: np.random.Generator) -> Plan:
    """Take a random half out of chains of four mentions or more."""
    groups = events.groupby("chain", sort=False).groups
    large = [name for name, ids in groups.items() if len(ids) >= _SMALLEST_SPLIT]
    plan = []
    for place in rng.permutation(len(large)):
        ids = groups[large[place]]
        half = sorted(rng.permutation(len(ids))[: len(ids) // 2])
        plan.append((Error("split", tuple(map(str, ids[half])), str(large[place])), ""))
    return plan


def _attached(events: pd.DataFrame, rng: np.random.Generator) -> Plan:
    """Move single mentions into another chain, of two or more mentions, of their topic."""
    sizes = events["chain"].value_counts()
    clusters = events[events["chain"].map(sizes) > 1].drop_duplicates("chain")
    by_topic = clusters.groupby("topic")["chain"].agg(list)
    plan = []
    for place in rng.permutation(len(events)):
        id_, own = str(events.index[place]), str(events["chain"].iloc[place])
        others = [c for c in by_topic.get(events["topic"].iloc[place], []) if c != own]
        if others:
            target = str(others[rng.integers(len(others))])
            plan.append((Error("attach", (id_,), target), target))
    return plan


KINDS: dict[str, Callable[[pd.DataFrame, np.random.Generator], Plan]] = {
    "detach": _detached,
    "split": _split,
    "attach": _attached,
}
