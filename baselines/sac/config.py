"""Every parameter of SAC that can change a score, as data (``configs/systems/sac*.toml``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from cdec.baselines.sac.arguments import GOLD
from cdec.baselines.sac.classifiers import MEMBERS
from cdec.baselines.sac.features import FAMILIES
from cdec.configs import read_toml
from cdec.errors import UsageError, one_of
from cdec.language.vectors import Tfidf
from cdec.pairs import embedding
from cdec.pairs.agglomeration import LINKS, Link

Arguments = Literal["none", "gold"]
ARGUMENTS: tuple[Arguments, ...] = get_args(Arguments)
EXTRAS = {"embedding": embedding.installed}
# Range of each integer parameter.
_WHOLE = {
    "negatives": (1, 1000),
    "folds": (2, 1000),
    "seed": (0, 2**32 - 1),
    "seeds": (1, 100),
}


# Parameters that older models do not have, and their defaults.
_LATER: dict[str, object] = {"arguments": "none", "seeds": 1, "shares": ()}
_NEWER = ("centrality", "rivals", "density")  # families that older models do not have


@dataclass(frozen=True)
class SacConfig:
    """The parameters of one SAC system.

    ``gate``: minimum tf-idf cosine of the documents of a pair. ``families``: see ``FAMILIES``.
    ``classifiers``: their log-odds are averaged. ``link``: see ``agglomeration``. ``negatives``:
    random negatives per positive in training. ``folds``: of topics, for calibration and threshold.
    ``seed``: of the sampling. ``seeds``: how many seeds the final classifiers have, from ``seed``
    on; their log-odds are averaged. ``shares``: shares of singletons to which the training
    mentions are resampled for the choice of the threshold (see ``shift``); none: as they
    are. ``extras``: families added if their package is installed (see ``resolved``).
    ``arguments``: "gold" adds the families of ``GOLD``, computed from the spans of gold arguments;
    with "none" the system sees no gold annotation. Raises UsageError for an invalid value.
    """

    gate: float
    families: tuple[str, ...]
    classifiers: tuple[str, ...]
    link: Link
    negatives: int
    folds: int
    seed: int
    extras: tuple[str, ...]
    tfidf: Tfidf = field(repr=False)
    arguments: Arguments = "none"
    seeds: int = 1
    shares: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        # TOML and JSON give lists and a table.
        for name in ("families", "classifiers", "extras"):
            object.__setattr__(self, name, _names(name, getattr(self, name)))
        if isinstance(self.tfidf, Mapping):
            object.__setattr__(self, "tfidf", Tfidf(**self.tfidf))
        for name, (least, most) in _WHOLE.items():
            _check_whole(name, getattr(self, name), least, most)
        object.__setattr__(self, "shares", _shares(self.shares))
        named = {"feature family": (self.families, FAMILIES), "link": ((self.link,), LINKS)}
        named["classifier"] = (self.classifiers, tuple(MEMBERS))
        named["arguments"] = ((self.arguments,), ARGUMENTS)
        for kind, (names, known) in named.items():
            _check_names(kind, names, known)
            if not names:
                hint = f"name at least one of {', '.join(known)}"
                raise UsageError("parameter-invalid", f"no {kind} is named", hint=hint)
        _check_names("feature family", self.extras, EXTRAS)
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

    def resolved(self) -> SacConfig:
        """Return the parameters with all families that will be used.

        Added are the extras whose packages are installed, and with gold arguments ``GOLD``.
        """
        added = [name for name in self.extras if EXTRAS[name]()]
        added += GOLD if self.arguments == "gold" else ()
        new = tuple(name for name in added if name not in self.families)
        return replace(self, families=self.families + new, extras=())

    def distance(self, other: SacConfig) -> int:
        """Return the number of differing parameters among those that distinguish systems.

        Families that ``resolved`` adds, and what older models do not have, do not count.
        """
        added = {*EXTRAS, *GOLD, *_NEWER}

        def plain(choices: SacConfig) -> dict[str, Any]:
            families = [name for name in choices.families if name not in added]
            later = {"seeds": None, "shares": None}
            return asdict(choices) | {"families": families, "extras": ()} | later

        ours, theirs = plain(self), plain(other)
        return sum(ours[name] != theirs[name] for name in ours)

    def table(self) -> dict[str, Any]:
        """Return the parameters as plain data, for signatures, model files and cache keys.

        A parameter of ``_LATER`` is omitted at its default: older models do not have it.
        """
        data = asdict(self)
        for name, default in _LATER.items():
            if data[name] == default:
                del data[name]
            elif name == "shares":
                data[name] = list(self.shares)
        return data | {
            "families": list(self.families),
            "classifiers": list(self.classifiers),
        }


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


def _shares(value: object) -> tuple[float, ...]:
    """Return a list of shares. Raises UsageError unless each is above 0 and below 1."""
    shares = value if isinstance(value, list | tuple) else ()
    right = shares is value and all(type(share) is float and 0 < share < 1 for share in shares)
    if not right:
        message = f"shares must be a list of numbers above 0 and below 1, got {value!r:.60}"
        raise UsageError("parameter-invalid", message, hint="as in [0.38, 0.65]")
    return tuple(shares)


def _check_names(kind: str, names: Iterable[object], known: Collection[str]) -> None:
    for name in names:
        one_of(kind, str(name), known)


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        shown = value if type(value) is not int or abs(value) <= most**2 else "a huge number"
        message = f"{name} must be a whole number from {least} to {most}, got {shown!r:.60}"
        raise UsageError("parameter-invalid", message, hint=f"as in {name} = {max(least, 8)}")
