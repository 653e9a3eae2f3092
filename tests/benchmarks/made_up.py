"""Synthetic clusterings for benchmarks: label arrays, one entry per mention."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

Labels: TypeAlias = npt.NDArray[np.int64]


def zipf_key(mentions: int, seed: int = 0, singletons: float = 0.6) -> Labels:
    """60 % singletons; the other mentions in chains of Zipf-distributed size, at least two."""
    rng = np.random.default_rng(seed)
    alone = int(mentions * singletons)
    sizes = np.minimum(rng.zipf(1.8, mentions - alone) + 1, mentions // 100)
    chains = np.repeat(np.arange(len(sizes)), sizes)[: mentions - alone]
    return rng.permutation(np.concatenate([np.arange(alone), alone + chains]))


def merged_or_split(key: Labels, seed: int = 1, share: float = 0.2) -> Labels:
    """Merge half of ``share`` of the chains into any other chain, split the other half in two."""
    rng = np.random.default_rng(seed)
    chains = int(key.max()) + 1
    merged, split = np.array_split(rng.permutation(chains)[: int(chains * share)], 2)
    target = np.arange(chains)
    target[merged] = rng.integers(0, chains, len(merged))
    second_half = np.isin(key, split) & (rng.random(len(key)) < 0.5)
    return target[key] + chains * second_half


def moved(key: Labels, seed: int = 2, share: float = 0.2) -> Labels:
    """Move ``share`` of the mentions to the chain of a random mention: one giant component."""
    rng = np.random.default_rng(seed)
    chosen = rng.random(len(key)) < share
    return np.where(chosen, key[rng.integers(0, len(key), len(key))], key)


def path(mentions: int) -> tuple[Labels, Labels]:
    """Chains of two, and chains shifted by one mention; the mentions in random order."""
    numbers = np.random.default_rng(5).permutation(mentions)
    return numbers // 2, (numbers + 1) // 2


def unrelated(mentions: int, size: int = 5, seed: int = 3) -> tuple[Labels, Labels]:
    """Two unrelated partitions into chains of ``size``."""
    rng = np.random.default_rng(seed)
    return rng.permutation(mentions) // size, rng.permutation(mentions) // size


def like_ecbplus() -> tuple[pd.Series[Any], pd.Series[Any]]:
    """8951 mentions in about as many chains as the ECB+ test split and a head-word response."""
    rng = np.random.default_rng(4)
    key = zipf_key(8951, singletons=0.63)
    response = rng.zipf(1.35, 8951) % 2300
    index = pd.Index([f"doc{number % 447}/{number}" for number in range(8951)])
    return pd.Series(key, index=index), pd.Series(response, index=index).map("w{}".format)
