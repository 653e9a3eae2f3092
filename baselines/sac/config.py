"""Every parameter of SAC that can change a score, as data (``configs/systems/sac*.toml``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from cdec.baselines.sac.arguments import GOLD
from cdec.baselines.sac.features import FAMILIES
from cdec.configs import read_toml
from cdec.errors import UsageError, one_of
from cdec.language.similarity import Tfidf
from cdec.pairs.agglomeration import LINKS, Link

Arguments = Literal["none", "gold"]
ARGUMENTS: tuple[Arguments, ...] = get_args(Arguments)
CLASSIFIERS = ("linear",)
# Range of each integer parameter.
_WHOLE = {
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
    ``seed``: of the sampling. ``arguments``: "gold" adds the families of ``GOLD``,
    computed from the spans of gold arguments; with "none" the system sees no gold annotation.
    Raises UsageError for an invalid value.
    """

    gate: float
    families: tuple[str, ...]
    classifiers: tuple[str, ...]
    link: Link
    negatives: int
    folds: int
    seed: int
    tfidf: Tfidf = field(repr=False)
    arguments: Arguments = "none"

    def __post_init__(self) -> None:
        # TOML and JSON give lists and a table.
        for name in ("families", "classifiers"):
            object.__setattr__(self, name, _names(name, getattr(self, name)))
        if isinstance(self.tfidf, Mapping):
            object.__setattr__(self, "tfidf", Tfidf(**self.tfidf))
        for name, (least, most) in _WHOLE.items():
            _check_whole(name, getattr(self, name), least, most)
        named = {"feature family": (self.families, FAMILIES), "link": ((self.link,), LINKS)}
        named["classifier"] = (self.classifiers, CLASSIFIERS)
        named["arguments"] = ((self.arguments,), ARGUMENTS)
        for kind, (names, known) in named.items():
            _check_names(kind, names, known)
            if not names:
                hint = f"name at least one of {', '.join(known)}"
                raise UsageError("parameter-invalid", f"no {kind} is named", hint=hint)
        if type(self.gate) not in (int, float) or not 0 < self.gate <= 1:
            message = f"gate must be a number above 0 and at most 1, got {self.gate!r:.60}"
            raise UsageError("parameter-invalid", message, hint="as in gate = 0.2")
        if self.arguments == "none" and not set(GOLD).isdisjoint(self.families):
            message = f"the feature families {', '.join(GOLD)} require gold arguments"
            hint = "set arguments = 'gold', or remove these families"
            raise UsageError("parameter-invalid", message, hint=hint)

    @classmethod
    def shipped(cls, system: str) -> SacConfig:
        """Return the parameters in ``configs/systems/<system>.toml``."""
        return cls(**read_toml(f"systems/{system}.toml")["choices"])

    @property
    def used(self) -> tuple[str, ...]:
        """The families, with ``GOLD`` if the arguments are gold."""
        added = GOLD if self.arguments == "gold" else ()
        return self.families + tuple(name for name in added if name not in self.families)

    def table(self) -> dict[str, Any]:
        """Return the parameters as plain data, for signatures, model files and cache keys."""
        data = asdict(self)
        if self.arguments == "none":
            del data["arguments"]
        return data | {"families": list(self.used), "classifiers": list(self.classifiers)}


def _names(name: str, value: object) -> tuple[str, ...]:
    """Return a list of names. Raises UsageError for another value, and for a duplicate name."""
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        message = f"{name} must be a list of names, got {value!r:.60}"
        raise UsageError("parameter-invalid", message, hint='as in ["head"]')
    for item, count in Counter(value).items():
        if count > 1:
            message = f"duplicate name '{item}' in {name}"
            raise UsageError("parameter-invalid", message, hint="name each once")
    return tuple(value)


def _check_names(kind: str, names: Iterable[object], known: Collection[str]) -> None:
    for name in names:
        one_of(kind, str(name), known)


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        shown = value if type(value) is not int or abs(value) <= most**2 else "a huge number"
        message = f"{name} must be a whole number from {least} to {most}, got {shown!r:.60}"
        raise UsageError("parameter-invalid", message, hint=f"as in {name} = {max(least, 8)}")
