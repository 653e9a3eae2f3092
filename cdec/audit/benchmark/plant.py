"""Plant known errors in a key, to evaluate the detectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.errors import UsageError, counted, one_of

_SMALLEST_SPLIT = 4  # mentions; smaller chains are not split


@dataclass(frozen=True)
class Error:
    """A planted error: the moved ``mentions``; ``rest`` is the chain they left or joined."""

    kind: str
    mentions: tuple[str, ...]
    rest: str


@dataclass(frozen=True, eq=False)
class Planted:
    """A corpus with planted errors in its key, and the list of these errors."""

    corpus: Corpus
    errors: tuple[Error, ...]


def plant(corpus: Corpus, kind: str, count: int, seed: int) -> Planted:
    """Return ``corpus`` with ``count`` random errors of one of ``KINDS`` in its event chains.

    Raises UnknownNameError for another kind, UsageError if the key does not allow that many.
    """
    one_of("planted error", kind, KINDS)
    events = corpus.events
    plan = KINDS[kind](events, np.random.default_rng(seed))
    if not 0 < count <= len(plan):
        raise UsageError(
            "planted-error-count",
            f"cannot plant {counted(count, 'error')} of the kind '{kind}'",
            hint=f"choose a number from 1 to {len(plan)}",
        )
    chosen = plan[:count]
    chains = corpus.mentions["chain"].copy()
    for number, (error, target) in enumerate(chosen):
        chains[list(error.mentions)] = target or f"planted/{number}"
    mentions = corpus.mentions.assign(chain=chains)
    return Planted(replace(corpus, mentions=mentions), tuple(error for error, _ in chosen))


Plan = list[tuple[Error, str]]  # the error, and the new chain of its mentions ("": a new label)


def _detached(events: pd.DataFrame, rng: np.random.Generator) -> Plan:
    """Remove single mentions from cross-document chains."""
    documents = events.groupby("chain")["doc"].transform("nunique")
    ids = events.index[documents > 1]
    return [
        (Error("detach", (str(id_),), str(events["chain"][id_])), "")
        for id_ in ids[rng.permutation(len(ids))]
    ]


def _split(events: pd.DataFrame, rng: np.random.Generator) -> Plan:
    """Remove a random half of the mentions from chains of four or more."""
    groups = events.groupby("chain", sort=False).groups
    large = [name for name, ids in groups.items() if len(ids) >= _SMALLEST_SPLIT]
    plan = []
    for place in rng.permutation(len(large)):
        ids = groups[large[place]]
        half = sorted(rng.permutation(len(ids))[: len(ids) // 2])
        plan.append((Error("split", tuple(map(str, ids[half])), str(large[place])), ""))
    return plan


def _attached(events: pd.DataFrame, rng: np.random.Generator) -> Plan:
    """Move single mentions to another chain of their topic with two or more mentions."""
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
