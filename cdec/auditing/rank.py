"""The probability that a suspect is an error, fitted to judged cases of ECB+ (``ecbplus.json``).

Flagged links and members have a logistic regression each, on the columns of ``of_links`` and
``of_members``. Other suspects have one probability for each group: (k + ½) / (n + 1) for k errors
among n judged cases (Jeffreys).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.linalg import block_diag
from scipy.special import expit

from cdec.arrays import Floats, Ints
from cdec.auditing.detectors.pairs import COMPANIONS, HELD_OUT
from cdec.auditing.key import FEATURES, Key
from cdec.auditing.readers import SYSTEMS
from cdec.auditing.suspect import LINKS, RULE

_NORMAL = 1.96  # 97.5 % quantile of the normal distribution
# The fields of a signature that identify the content of a corpus and the key audited.
_KEY = ("digest", "kind", "key_variant", "key_patch_digest")
# Of the strongest pair: words around the mentions, of their sentences and documents, rarity of a
# common lemma, spelling of the heads.
_CONTEXTS = ("window", "sentence", "lemma_idf", "document_cosine", "events", "letter_cosine")


@cache
def _calibration() -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads(
        files("cdec.auditing").joinpath("ecbplus.json").read_text("utf-8")
    )
    return content


def fitted_to(about: Mapping[str, Any]) -> tuple[bool, str, str]:
    """Return whether the judged cases are of this corpus and key, their corpus, and a digest.

    ``about`` are the fields of a signature.
    """
    numbers = dict(_calibration())
    own = numbers.pop("about")
    digest = sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()
    return all(own.get(name) == about.get(name) for name in _KEY), own["corpus"], digest[:12]


class Probable(NamedTuple):
    """P(error) of suspects, its derivatives by the parameters, and their covariance."""

    p: Floats
    derivatives: Floats
    covariance: Floats

    @classmethod
    def joined(cls, parts: Sequence[Probable]) -> Probable:
        """Return the suspects of all parts, which have no parameter in common."""
        none = cls(np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0)))
        p, derivatives, covariances = zip(none, *parts, strict=True)
        return cls(np.concatenate(p), block_diag(*derivatives), block_diag(*covariances))

    def expected(self, rows: Ints) -> tuple[float, float, float]:
        """Return the expected number of errors among these suspects, with a 95 % interval.

        Its variance is that of the suspects, Σ p (1 − p), and that of the estimation, gᵀ Σ g, where
        g is the sum of the derivatives.
        """
        p, g = self.p[rows], self.derivatives[rows].sum(axis=0)
        total, variance = float(p.sum()), float((p * (1 - p)).sum() + g @ self.covariance @ g)
        half = _NORMAL * variance**0.5
        return total, max(0.0, total - half), min(float(len(p)), total + half)


def by_model(key: Key, table: str, flagged: Sequence[int]) -> Probable:
    """Return P(error) of the flagged rows of a table."""
    one = {name: np.array(value) for name, value in _calibration()[table].items()}
    columns = _of_links(key, flagged) if table == LINKS else _of_members(key, flagged)
    values = pd.DataFrame(columns)[one["names"].tolist()].to_numpy(np.float64)
    z = (values - one["mean"]) / one["scale"]
    z = np.column_stack([np.nan_to_num(z), np.ones(len(z))])  # a missing value is the mean
    p = np.asarray(expit(z @ one["weights"]), dtype=np.float64)
    return Probable(p, z * (p * (1 - p))[:, None], one["covariance"])


def by_rate(groups: Sequence[str]) -> Probable:
    """Return P(error) of suspects of these groups; without judged cases it is ½."""
    codes, names = pd.factorize(pd.Series(groups), sort=True)
    rates = np.array([_calibration()["rates"].get(name, (0, 0)) for name in names], dtype=float)
    errors, judged = rates.reshape(-1, 2).T
    p = np.where(names == RULE, 1, (errors + 0.5) / (judged + 1))
    variance = p * (1 - p) / (judged + 2)
    return Probable(p[codes], np.eye(len(names))[codes], np.diag(variance))


def _of_links(key: Key, flagged: Sequence[int]) -> dict[str, Any]:
    """Return the columns of links.

    ``pairs`` (mention pairs between the chains) is a logarithm of 1 + a count; ``clusters``:
    whether both chains have several mentions, and ``dense`` their ``pairs``; ``smaller`` and
    ``larger`` the logarithms of their sizes; ``crossing``: whether the pair is of two sub-topics;
    ``outside`` the share of its mentions outside the reviewed sentences; ``inside``: whether it is
    in one document.
    """
    rows, events = key.links.loc[list(flagged)], key.corpus.selected
    left, right = (rows[side].to_numpy(np.int64) for side in ("left", "right"))
    pair = rows["pair"].to_numpy(np.int64)
    values, alone = key.features[pair], pair < 0
    if alone.any():
        values[alone] = key.describe(*np.sort([left[alone], right[alone]], axis=0))
    ends = np.log([key.sizes[rows["one"]], key.sizes[rows["two"]]])
    clusters, pairs = ends.min(axis=0) > 0, np.log1p(rows["count"].to_numpy())
    docs, subtopics = (pd.factorize(events[name])[0] for name in ("doc", "subtopic"))
    return {
        COMPANIONS: np.log1p(rows[COMPANIONS].to_numpy()),
        SYSTEMS: rows.get("share", np.nan),
        **{name: values[:, FEATURES.index(name)] for name in _CONTEXTS},
        "clusters": clusters,
        "crossing": subtopics[left] != subtopics[right],
        "pairs": pairs,
        "dense": clusters * pairs,
        "smaller": ends.min(axis=0),
        "larger": ends.max(axis=0),
        "outside": _outside(key, left, right),
        "inside": docs[left] == docs[right],
    }


def _of_members(key: Key, flagged: Sequence[int]) -> dict[str, Any]:
    """Return the columns of members.

    ``rival``: the highest margin to a mention of another chain; ``size``: the logarithm of the
    number of links; ``copy``: whether a copy of the mention is in the same chain; ``outside`` as
    for links.
    """
    rows = key.memberships.loc[list(flagged)]
    mention = rows["mention"].to_numpy(np.int64)
    copies = key.alike[["left", "right"]].to_numpy()
    together = np.equal(*key.chain[copies].T)
    return {
        HELD_OUT: rows.get(HELD_OUT, np.nan),
        SYSTEMS: rows.get("share", np.nan),
        "rival": rows[[f"rival-{name}" for name in key.margins]]
        .mean(axis=1)
        .fillna(-3.0)
        .to_numpy(),
        "size": np.log(rows["count"].to_numpy()),
        "copy": np.isin(mention, copies[together]),
        "outside": _outside(key, mention),
    }


def _outside(key: Key, *sides: Ints) -> Floats:
    """Return the share of mentions outside the reviewed sentences; NaN if unknown."""
    if key.unread is None:
        return np.full(len(sides[0]), np.nan)
    unread = ~key.corpus.selected["reviewed"].to_numpy(bool)
    return np.asarray(np.mean([unread[side] for side in sides], axis=0))
