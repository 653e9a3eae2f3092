"""Known errors planted in a key, to evaluate the detectors, and what hits them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from cdec.arrays import Bools
from cdec.auditing.detector import ADD, DIVIDE, LEAVE, MERGE
from cdec.auditing.findings import Cases, Table
from cdec.auditing.key import Key
from cdec.auditing.patches.apply import token_numbers
from cdec.corpus.model import Corpus
from cdec.errors import UsageError, counted, one_of
from cdec.matching.view import runs

_SMALLEST_SPLIT = 4  # mentions; smaller chains are not split


@dataclass(frozen=True)
class Error:
    """A planted error: the moved ``mentions``; ``rest`` is the chain they left or joined.

    ``place`` (``document/tokens``): that of a mention removed from the key.
    """

    kind: str
    mentions: tuple[str, ...]
    rest: str
    place: str = ""


@dataclass(frozen=True, eq=False)
class Planted:
    """A corpus with planted errors in its key, and the list of these errors."""

    corpus: Corpus
    errors: tuple[Error, ...]


def plant(
    corpus: Corpus,
    kind: str,
    count: int,
    seed: int,
    lemmas: pd.Series[str] | None = None,
    *,
    exact: bool = True,
) -> Planted:
    """Return ``corpus`` with ``count`` random errors of one of ``KINDS`` in its event chains.

    ``lemmas`` are the head lemmas of the event mentions (default: their last word). Without
    ``exact`` fewer errors are planted if the key does not allow that many. Raises UnknownNameError
    for another kind, UsageError if the key does not allow that many, or any.
    """
    one_of("planted error", kind, KINDS)
    events = corpus.selected
    words = events["text"].str.lower().str.split().str[-1] if lemmas is None else lemmas
    plan = KINDS[kind](events.assign(lemma=words), np.random.default_rng(seed))
    if not 0 < count <= len(plan) and (exact or count < 1 or not plan):
        raise UsageError(
            "parameter-invalid",
            f"cannot plant {counted(count, 'error')} of the kind '{kind}'",
            hint=f"choose a number from 1 to {len(plan)}",
        )
    chosen = plan[:count]
    chains = corpus.mentions["chain"].copy()
    for number, (error, target) in enumerate(chosen):
        chains[list(error.mentions)] = target or f"planted/{number}"
    gone = [id_ for error, _ in chosen if error.place for id_ in error.mentions]
    mentions = corpus.mentions.assign(chain=chains).drop(index=gone)
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


def _parted(events: pd.DataFrame, rng: np.random.Generator) -> Plan:
    """Make two singletons of cross-document chains of two."""
    groups = events.groupby("chain")["doc"]
    pairs = events[(groups.transform("size") == 2) & (groups.transform("nunique") == 2)]
    last = pairs.drop_duplicates("chain", keep="last")
    return [
        (Error("pair", (str(last.index[at]),), str(last["chain"].iloc[at])), "")
        for at in rng.permutation(len(last))
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
    clusters = _clusters(events).drop_duplicates("chain")
    return _moved("attach", events, clusters, ["topic"], rng)


def _lookalikes(events: pd.DataFrame, rng: np.random.Generator) -> Plan:
    """Move single mentions to another chain of their topic that has their head lemma."""
    clusters = _clusters(events).drop_duplicates(["chain", "lemma"])
    return _moved("lookalike", events, clusters, ["topic", "lemma"], rng)


def _moved(
    kind: str,
    events: pd.DataFrame,
    clusters: pd.DataFrame,
    keys: list[str],
    rng: np.random.Generator,
) -> Plan:
    """Return moves of mentions to random chains of ``clusters`` with equal values of ``keys``."""
    names = clusters[keys].astype(str).agg("\n".join, axis=1)
    targets = clusters["chain"].groupby(names).agg(list)
    own = events[keys].astype(str).agg("\n".join, axis=1).to_numpy()
    plan = []
    for place in rng.permutation(len(events)):
        id_, chain = str(events.index[place]), str(events["chain"].iloc[place])
        others = [c for c in targets.get(own[place], []) if c != chain]
        if others:
            target = str(others[rng.integers(len(others))])
            plan.append((Error(kind, (id_,), target), target))
    return plan


def _fused(events: pd.DataFrame, rng: np.random.Generator) -> Plan:
    """Merge two chains of a topic that have two or more mentions each and a common head lemma."""
    clusters = _clusters(events)
    ids = clusters.groupby("chain", sort=False).groups
    plan, used = [], set()
    for _, part in clusters.groupby(["topic", "lemma"], sort=True):
        chains = [c for c in dict.fromkeys(part["chain"]) if c not in used]
        for one, two in zip(chains[::2], chains[1::2], strict=False):
            used |= {one, two}
            small, large = sorted((one, two), key=lambda chain: len(ids[chain]))
            moved = tuple(map(str, ids[small]))
            plan.append((Error("fuse", moved, str(large)), str(large)))
    return [plan[at] for at in rng.permutation(len(plan))]


def _unmarked(events: pd.DataFrame, rng: np.random.Generator) -> Plan:
    """Remove one mention of a chain of two or more, in a reviewed sentence if these are known."""
    listed = events["reviewed"].astype(bool)
    clusters = _clusters(events)
    inside = clusters[listed[clusters.index]] if listed.any() else clusters
    drawn = inside.iloc[rng.permutation(len(inside))].drop_duplicates("chain")
    columns = drawn[["chain", "doc", "tokens"]].itertuples(name=None)
    return [
        (Error("unmark", (str(id_),), str(chain), f"{doc}/{runs(tokens)}"), "")
        for id_, chain, doc, tokens in columns
    ]


def _clusters(events: pd.DataFrame) -> pd.DataFrame:
    """Return the mentions of chains of two or more."""
    return events[events.groupby("chain")["chain"].transform("size") > 1]


KINDS: dict[str, Callable[[pd.DataFrame, np.random.Generator], Plan]] = {
    "detach": _detached,
    "pair": _parted,
    "split": _split,
    "attach": _attached,
    "lookalike": _lookalikes,
    "fuse": _fused,
    "unmark": _unmarked,
}
# What a case must propose to undo an error of each kind.
CURES = {
    "detach": MERGE,
    "pair": MERGE,
    "split": MERGE,
    "attach": LEAVE,
    "lookalike": LEAVE,
    "fuse": DIVIDE,
    "unmark": ADD,
}
_PURE = 0.8  # share of the mentions of a fused chain that a division puts on the right side
Hits: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Targets:
    """The planted errors by what a row must propose to hit them.

    ``merges``: the two chains to merge; ``leaves``: the row of the mention to remove; ``fused``:
    chain code → error, and the rows of the mentions of its smaller part; ``adds``: document and
    token of a removed mention.
    """

    merges: dict[tuple[int, int], Hits] = field(repr=False)
    leaves: dict[int, Hits] = field(repr=False)
    fused: dict[int, tuple[int, frozenset[int]]] = field(repr=False)
    adds: dict[tuple[str, int], Hits] = field(repr=False)
    key: Key = field(repr=False)

    @classmethod
    def of(cls, planted: Planted, key: Key) -> Targets:
        """Return the targets of all planted errors; ``key`` is that of the planted corpus."""
        labels = key.corpus.selected["chain"].astype(str)
        code = dict(zip(labels, key.chain.tolist(), strict=True))
        merges: dict[tuple[int, int], Hits] = {}
        leaves: dict[int, Hits] = {}
        fused: dict[int, tuple[int, frozenset[int]]] = {}
        adds: dict[tuple[str, int], Hits] = {}
        for number, error in enumerate(planted.errors):
            if error.place:
                adds |= dict.fromkeys(_tokens(error.place), (number,))
                continue
            moved = [key.rows[id_] for id_ in error.mentions]
            rest, cure = code.get(error.rest), CURES[error.kind]
            if cure == LEAVE:
                leaves[moved[0]] = (number,)
            elif cure == DIVIDE and rest is not None:
                fused[rest] = (number, frozenset(moved))
            elif rest is not None:
                own = int(key.chain[moved[0]])
                merges[min(own, rest), max(own, rest)] = (number,)
        return cls(merges, leaves, fused, adds, key)

    def hits(self, table: Table) -> list[Hits]:
        """Return the errors that each row of a table hits."""
        hit: dict[str, Callable[[Any], Hits]]
        hit = {MERGE: self._merge, LEAVE: self._leave, DIVIDE: self._division}
        if isinstance(table, Cases) and table.proposes not in hit:
            return [self._added(places) for places in table.places]
        return [hit[table.proposes](one) for one in table.proposed]

    def _merge(self, codes: tuple[int, ...]) -> Hits:
        pairs = combinations(codes, 2)
        return tuple(error for pair in pairs for error in self.merges.get(pair, ()))

    def _leave(self, row: int) -> Hits:
        return self.leaves.get(row, ())

    def _added(self, places: tuple[str, ...]) -> Hits:
        hits = (self.adds.get(at, ()) for place in places for at in _tokens(place))
        return tuple({error for errors in hits for error in errors})

    def _division(self, parts: tuple[Any, Any]) -> Hits:
        """Return the errors that a division of a chain hits: two events, or one wrong mention."""
        part, rest = parts
        single = tuple(error for side in parts if len(side) == 1 for error in self._leave(side[0]))
        number, moved = self.fused.get(int(self.key.chain[part[0]]), (None, frozenset()))
        if number is None:
            return single
        right = len(moved.intersection(part)) + len(set(rest) - moved)
        total = len(part) + len(rest)
        return (*single, number) if max(right, total - right) >= _PURE * total else single


def _tokens(place: str) -> list[tuple[str, int]]:
    doc, _, tokens = place.rpartition("/")
    return [(doc, token) for token in token_numbers(tokens)]


def in_scope(table: Table, scope: str) -> Bools:
    """Return which rows are cases inside (``only``) or outside the reviewed sentences, or all."""
    if scope == "all":
        return np.ones(len(table.rows), dtype=bool)
    return table.inside if scope == "only" else ~table.inside
