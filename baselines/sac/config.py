"""Every parameter of SAC that can change a score, as data (``configs/systems/sac.toml``)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from cdec.configs import read_toml
from cdec.errors import UsageError, check_number, one_of
from cdec.language.similarity import Tfidf
from cdec.pairs.agglomeration import LINKS, Link
from cdec.pairs.features import FAMILIES

_RANGES = {"gate": (1e-9, 1), "negatives": (1, 1000), "folds": (2, 1000), "seed": (0, 2**32 - 1)}


@dataclass(frozen=True)
class SacConfig:
    """The parameters of one SAC system.

    ``gate``: minimum tf-idf cosine of the documents of a pair. ``families``: see ``FAMILIES``.
    ``classifiers``: logistic regression, "linear". ``link``: see ``agglomeration``. ``negatives``:
    random negatives per positive in training. ``folds``: of topics, for calibration and threshold.
    ``seed``: of the sampling. Raises UsageError for an invalid value.
    """

    gate: float
    families: tuple[str, ...]
    classifiers: tuple[str, ...]
    link: Link
    negatives: int
    folds: int
    seed: int
    tfidf: Tfidf = field(repr=False)

    def __post_init__(self) -> None:
        # TOML and JSON give lists and a table.
        if isinstance(self.tfidf, Mapping):
            object.__setattr__(self, "tfidf", Tfidf(**self.tfidf))
        for name, known in (("families", FAMILIES), ("classifiers", ("linear",))):
            object.__setattr__(self, name, _names(name, getattr(self, name), known))
        for name, (least, most) in _RANGES.items():
            value, whole = getattr(self, name), name != "gate"
            check_number(name, value, least, most, whole=whole)
        one_of("link", self.link, LINKS)

    @classmethod
    def shipped(cls) -> SacConfig:
        """Return the parameters in ``configs/systems/sac.toml``."""
        return cls(**read_toml("systems/sac.toml")["choices"])

    def table(self) -> dict[str, Any]:
        """Return the parameters as plain data, for signatures, model files and cache keys."""
        lists = {"families": list(self.families), "classifiers": list(self.classifiers)}
        return asdict(self) | lists


def _names(name: str, value: Any, known: Collection[str]) -> tuple[str, ...]:
    """Return a list of different names. Raises UsageError for any other value."""
    valid = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    if not valid or not value or len(set(value)) < len(value):
        message = f"{name} must be a list of different names, got {value!r:.60}"
        raise UsageError("argument-invalid", message, hint=f"as in {[*known][:2]}")
    return tuple(one_of(name, item, known) for item in value)
