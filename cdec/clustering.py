"""Clustering: a mapping from mentions to chains."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, get_args

import pandas as pd

from cdec.errors import Notice, ScoringError, UsageError, counted
from cdec.labels import HINT, Noise, chains_of, factorized, unmasked, with_chains

Side = Literal["key", "response"]
SIDES: tuple[Side, ...] = get_args(Side)
OTHER: dict[Side, Side] = {"key": "response", "response": "key"}


@dataclass(frozen=True, eq=False)
class Clustering:
    """A mapping from mentions to chains; every mention occurs once and has a chain label.

    ``labels`` is a Series indexed by mention id; its values are chain labels of any hashable type.
    The order is kept but has no meaning, and neither have the labels: two clusterings are equal if
    they have the same mentions in the same chains. Raises ScoringError for a duplicate mention or a
    missing label, UsageError for what is not a Series or a label that is not hashable.

    >>> clustering = Clustering.from_labels({"d1/a": "fire", "d2/b": "fire", "d2/c": "storm"})
    >>> clustering
    Clustering(3 mentions in 2 chains)
    >>> clustering.chains()
    {'fire': ['d1/a', 'd2/b'], 'storm': ['d2/c']}
    """

    labels: pd.Series[Any] = field(repr=False)

    def __post_init__(self) -> None:
        _check_series(self.labels)
        if not self.labels.index.is_unique:
            duplicate = self.labels.index[self.labels.index.duplicated()][0]
            raise ScoringError(
                "mention-duplicate",
                f"duplicate mention '{duplicate}' in the clustering",
                hint="give each mention one chain",
            )
        _check_present(self.labels)
        if self.labels.dtype == object:
            factorized(self.labels)  # raises UsageError for a label that is not hashable

    @classmethod
    def from_labels(
        cls,
        source: Clustering | pd.Series[Any] | Mapping[str, Hashable],
        noise: Noise | None = None,
    ) -> Clustering:
        """Return a Clustering from a Clustering, Series or mapping mention id → chain label.

        The integer 1 and the text ``"1"`` are the same label. ``noise`` says what a label that
        means "no chain" is (−1, ``"nan"``, a missing value), see ``cdec.score``: mentions that
        share one are an error without it. Raises ScoringError, and UsageError for another type.

        >>> Clustering.from_labels({"a": 1, "b": "1", "c": -1, "d": -1}, noise="singletons")
        Clustering(4 mentions in 3 chains)
        """
        return cls.with_notices(source, "clustering", noise)[0]

    @classmethod
    def with_notices(
        cls,
        source: Clustering | pd.Series[Any] | Mapping[str, Hashable],
        side: str,
        noise: object = None,
    ) -> tuple[Clustering, tuple[Notice, ...]]:
        """Return what ``from_labels`` does, and notices on the labels of ``side``."""
        labels = source.labels if isinstance(source, Clustering) else _series(source)
        if noise is None:
            _check_present(labels)
        chains = chains_of(labels, side, noise)
        settled = with_chains(labels, chains)
        if isinstance(source, Clustering) and settled is labels:
            return source, chains.notices
        return cls(settled), chains.notices

    @classmethod
    def from_chains(cls, chains: Iterable[Iterable[str]]) -> Clustering:
        """Return the Clustering of ``chains``, iterables of mention ids; labels are 0, 1 and so on.

        >>> Clustering.from_chains([["a", "b"], ["c"]]).labels.to_dict()
        {'a': 0, 'b': 0, 'c': 1}
        """
        pairs = [(mention, number) for number, chain in enumerate(chains) for mention in chain]
        return cls(pd.Series([n for _, n in pairs], index=[m for m, _ in pairs], dtype="int64"))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the chains: the same for other labels and another order.

        >>> Clustering.from_labels({"a": 1, "b": 2}) == Clustering.from_labels({"b": "x", "a": "y"})
        True
        """
        return chains_digest(self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clustering):
            return NotImplemented
        return len(self) == len(other) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        chains = counted(self.labels.nunique(), "chain")
        return f"Clustering({counted(len(self), 'mention')} in {chains})"

    def chains(self) -> dict[Any, list[str]]:
        """Return chain label → mention ids, in the order of ``labels``."""
        return {k: list(v) for k, v in self.labels.groupby(self.labels, sort=False).groups.items()}


def chains_digest(labels: pd.Series[Any]) -> str:
    """Return the SHA-256 of the chains of a Series mention → label; a mention may repeat.

    >>> chains_digest(pd.Series({"a": 1, "b": 2})) == chains_digest(pd.Series({"b": 1, "a": "y"}))
    True
    """
    mentions = [str(mention) for mention in labels.index]
    order = sorted(range(len(mentions)), key=mentions.__getitem__)
    chains = pd.factorize(labels.to_numpy()[order])[0]
    content = sha256("\0".join(mentions[place] for place in order).encode("utf-8", "replace"))
    content.update(chains.astype("<i8").tobytes())
    return content.hexdigest()


def _series(source: object) -> pd.Series[Any]:
    if isinstance(source, pd.Series):
        return source
    if isinstance(source, Mapping):
        return pd.Series(unmasked(source.values()), pd.Index(source, tupleize_cols=False), object)
    raise UsageError(
        "argument-invalid",
        f"expected a Clustering, Series or dict, got {type(source).__name__}",
        hint="give a Clustering, or a Series or dict mention id → chain label",
    )


def _check_series(labels: object) -> None:
    if not isinstance(labels, pd.Series):
        raise UsageError(
            "argument-invalid",
            f"expected a Series, got {type(labels).__name__}",
            hint="use Clustering.from_labels for a dict, Clustering.from_chains for lists",
        )


def _check_present(labels: pd.Series[Any]) -> None:
    if labels.hasnans:
        bare = labels.index[labels.isna().to_numpy()][0]
        message = f"mention '{bare}' has no chain label"
        hint = f"give it a label, or {HINT}"
        raise ScoringError("label-ambiguous", message, hint=hint)
