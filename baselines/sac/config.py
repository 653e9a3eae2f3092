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
from cdec.records import Row

_RANGES = {
    "gate": (1e-9, 1),
    "negatives": (1, 1000),
    "folds": (2, 1000),
    "seed": (0, 2**32 - 1),
}


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
        families = _names("families", self.families, FAMILIES)
        classifiers = _names("classifiers", self.classifiers, ("linear",))
        object.__setattr__(self, "families", families)
        object.__setattr__(self, "classifiers", classifiers)
        for name, (low, high) in _RANGES.items():
            check_number(name, getattr(self, name), low, high, whole=name != "gate")
        one_of("link", self.link, LINKS)

    @classmethod
    def shipped(cls) -> SacConfig:
        """Return the parameters in ``configs/systems/sac.toml``."""
        return cls(**read_toml("systems/sac.toml")["choices"])

    def table(self) -> Row:
        """Return the parameters as plain data, for signatures, model files and cache keys."""
        return {
            **asdict(self),
            "families": list(self.families),
            "classifiers": list(self.classifiers),
        }


def _names(
    field_name: str, value: Any, valid_names: Collection[str]
) -> tuple[str, ...]:
    """Return a list of different names. Raises UsageError for any other value."""
    is_list = isinstance(value, list | tuple) and all(
        isinstance(item, str) for item in value
    )
    if not is_list or not value or len(set(value)) < len(value):
        raise UsageError(
            "argument-invalid",
            f"{field_name} must be a list of different names, got {value!r:.60}",
            hint=f"as in {[*valid_names][:2]}",
        )
    return tuple(one_of(field_name, item, valid_names) for item in value)
