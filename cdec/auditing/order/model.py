"""Probabilities of errors, with the uncertainty of their estimation.

Cases of one mention pair, and members of chains, have a logistic regression on the columns of
``features``. Other detectors have one probability for each group of cases: (k + ½) / (n + 1) for k
errors among n judged cases (Jeffreys).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
import pandas as pd
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator
from scipy.special import expit

from cdec.arrays import Floats
from cdec.errors import FormatError
from cdec.files.input import FileKind
from cdec.files.models import FileModel, Schema, complaint

FORMAT = "cdec-audit-calibration/1"
_KIND = FileKind(
    "a calibration of the audit",
    FormatError,
    "file-invalid",
    "use the one of cdec",
)
# The fields of a signature that identify the content of a corpus and the key audited.
KEY = ("digest", "kind", "key_variant", "key_patch_digest")
_NORMAL = 1.96  # 97.5 % quantile of the normal distribution
_Numbers = Annotated[tuple[float, ...], Field(strict=False)]


class Logistic(FileModel):
    """P(error) = expit(w·z + b); ``covariance`` is that of (w, b).

    z are the columns, less ``mean``, divided by ``scale``; a missing value is 0, the mean.
    """

    names: Annotated[tuple[str, ...], Field(strict=False)]
    mean: _Numbers
    scale: Annotated[tuple[Annotated[float, Field(gt=0)], ...], Field(strict=False)]
    weights: _Numbers
    covariance: Annotated[tuple[_Numbers, ...], Field(strict=False)]

    @model_validator(mode="after")
    def _refuse_other_lengths(self) -> Self:
        size = len(self.names) + 1
        lengths = {len(self.mean) + 1, len(self.scale) + 1, len(self.weights)}
        if {*lengths, len(self.covariance), *map(len, self.covariance)} != {size}:
            raise complaint(f"must have {size - 1} columns and {size} weights")
        return self

    def design(self, table: pd.DataFrame) -> Floats:
        """Return z and the constant 1 of each row."""
        x = (table[list(self.names)].to_numpy(np.float64) - self.mean) / self.scale
        return np.column_stack([np.nan_to_num(x), np.ones(len(x))])

    def probabilities(self, table: pd.DataFrame) -> Floats:
        """Return P(error) of each row."""
        return np.asarray(expit(self.design(table) @ np.array(self.weights)), dtype=np.float64)

    @model_serializer(mode="wrap")
    def _rounded(self, every: SerializerFunctionWrapHandler) -> dict[str, Any]:
        numbers = every(self)
        names = numbers.pop("names")
        return {"names": names, **{n: np.round(v, 6).tolist() for n, v in numbers.items()}}


class Rate(NamedTuple):
    """``errors`` among ``judged`` cases."""

    errors: int
    judged: int

    @property
    def probability(self) -> float:
        """The probability of an error."""
        return (self.errors + 0.5) / (self.judged + 1)

    @property
    def variance(self) -> float:
        """The variance of the estimate."""
        return self.probability * (1 - self.probability) / (self.judged + 2)


class Calibration(FileModel):
    """The probabilities of all cases; ``about`` says from which judged cases they are.

    ``links`` and ``members`` are the models of these tables, ``rates`` the probabilities of other
    cases, by group. ``about`` also names the corpus and, in the fields ``KEY``, the key of these
    cases.
    """

    about: dict[str, Any] = Field(default_factory=dict)
    links: Logistic
    members: Logistic
    rates: dict[str, Rate]

    def to_json(self) -> str:
        """Return the text of the file."""
        return json.dumps({"format": FORMAT, **self.model_dump(mode="json")}, indent=1) + "\n"

    def holds_for(self, corpus: Mapping[str, str]) -> bool:
        """Whether the judged cases are of this corpus and key; ``corpus``: its ``about``."""
        return "digest" in self.about and key_of(self.about) == key_of(corpus)

    @property
    def digest(self) -> str:
        """SHA-256 of all numbers."""
        numbers = {"format": FORMAT, **self.model_dump(mode="json", exclude={"about"})}
        return sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()

    def model(self, table: str) -> Logistic:
        """Return the model of ``links`` or ``members``."""
        return {"links": self.links, "members": self.members}[table]

    def rate(self, group: str) -> Rate:
        """Return the rate of a group of cases; without judged cases it is 1 of 2."""
        return self.rates.get(group, Rate(0, 0))


_SCHEMA = Schema(_KIND, Calibration, FORMAT)


def read_calibration(path: Path) -> Calibration:
    """Return the calibration of a file; raises FormatError if it is invalid."""
    return _SCHEMA.read_json(path)


def key_of(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields ``KEY`` of a signature."""
    return {name: about[name] for name in KEY if name in about}


def expected(p: Floats, groups: Sequence[tuple[Floats, Floats]]) -> tuple[float, float, float]:
    """Return the expected number of errors among cases with probabilities ``p``, and an interval.

    The 95 % interval has the variance of the cases, Σ p (1 − p), and that of the estimation: for
    each group of cases with common parameters, gᵀ Σ g, where g is the sum of the derivatives. A
    group is (derivatives of its cases, covariance).
    """
    total = float(p.sum())
    variance = float((p * (1 - p)).sum())
    for derivatives, covariance in groups:
        g = derivatives.sum(axis=0)
        variance += float(g @ covariance @ g)
    half = _NORMAL * variance**0.5
    return total, max(0.0, total - half), min(float(len(p)), total + half)
