"""Clustering: a mapping from mentions to chains."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd

from cdec.errors import ScoringError, UsageError, counted


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
        if self.labels.hasnans:
            bare = self.labels.index[self.labels.isna().to_numpy()][0]
            raise ScoringError(
                "chain-missing",
                f"mention '{bare}' has no chain label",
                hint="give it a label, or leave it out",
            )
        _check_hashable(self.labels)

    @classmethod
    def from_labels(
        cls, source: Clustering | pd.Series[Any] | Mapping[str, Hashable]
    ) -> Clustering:
        """Return a Clustering from a Clustering, Series or mapping mention id → chain label.

        Raises UsageError for another type.
        """
        if isinstance(source, Clustering):
            return source
        if not isinstance(source, pd.Series | Mapping):
            raise UsageError(
                "argument-type",
                f"expected a Clustering, Series or dict, got {type(source).__name__}",
                hint="give a Clustering, or a Series or dict mention id → chain label",
            )
        return cls(
            source if isinstance(source, pd.Series) else pd.Series(dict(source), dtype=object)
        )

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
        mentions = [str(mention) for mention in self.labels.index]
        order = sorted(range(len(mentions)), key=mentions.__getitem__)
        chains = pd.factorize(self.labels.to_numpy()[order])[0]
        content = sha256("\0".join(mentions[place] for place in order).encode("utf-8", "replace"))
        content.update(chains.astype("<i8").tobytes())
        return content.hexdigest()

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


def unhashable_label(mention: object, label: object) -> UsageError:
    """Return the error of a mention whose label is not hashable, such as a list.

    >>> unhashable_label("d1/a", ["fire"]).code, unhashable_label("d1/a", {"fire"}).code
    ('labels-not-flat', 'argument-type')
    """
    return UsageError(
        "labels-not-flat" if isinstance(label, list | np.ndarray) else "argument-type",
        f"the label of mention '{mention}' is not hashable: {type(label).__name__}",
        hint="give each mention one label, such as a number or a string",
    )


def _check_series(labels: object) -> None:
    if not isinstance(labels, pd.Series):
        raise UsageError(
            "argument-type",
            f"expected a Series, got {type(labels).__name__}",
            hint="use Clustering.from_labels for a dict, Clustering.from_chains for lists",
        )


def _check_hashable(labels: pd.Series[Any]) -> None:
    if labels.dtype != object:
        return
    try:
        set(labels)
    except TypeError as error:
        items = labels.items()
        bad = next((m, label) for m, label in items if not pd.api.types.is_hashable(label))
        raise unhashable_label(*bad) from error
