"""Every choice of SAC that can move a number, as data (``configs/systems/sac*.toml``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from cdec.baselines.sac.agglomeration import LINKS, Link
from cdec.baselines.sac.classifiers import MEMBERS
from cdec.configs import read_toml
from cdec.errors import UnknownNameError, UsageError
from cdec.language.vectors import Tfidf
from cdec.pairs import embedding, wordnet
from cdec.pairs.arguments import GOLD
from cdec.pairs.features import FAMILIES

Arguments = Literal["none", "gold"]
ARGUMENTS: tuple[Arguments, ...] = get_args(Arguments)
EXTRAS = {"wordnet": wordnet.installed, "embedding": embedding.installed}
# The least and the most of each whole number.
_WHOLE = {"negatives": (1, 1000), "folds": (2, 1000), "seed": (0, 2**32 - 1)}


@dataclass(frozen=True)
class SacConfig:
    """The choices of one SAC system.

    ``gate``: pairs across documents need this tf-idf cosine. ``families``: see ``FAMILIES``.
    ``classifiers``: their log-odds are averaged. ``link``: see ``agglomeration``. ``negatives``:
    random negatives a positive in training. ``folds``: of topics, for calibration and threshold.
    ``seed``: of sampling. ``extras``: families that join where their package is installed (see
    ``resolved``). ``arguments``: "gold" adds the families of ``GOLD``, made of the spans of gold
    arguments; "none" shows nothing gold. Raises UsageError for what is out of range.
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

    def __post_init__(self) -> None:
        # As TOML and JSON have them: lists, and a table.
        for name in ("families", "classifiers", "extras"):
            object.__setattr__(self, name, _names(name, getattr(self, name)))
        if isinstance(self.tfidf, Mapping):
            object.__setattr__(self, "tfidf", Tfidf(**self.tfidf))
        for name, (least, most) in _WHOLE.items():
            _check_whole(name, getattr(self, name), least, most)
        named = {"feature family": (self.families, FAMILIES), "link": ((self.link,), LINKS)}
        named["classifier"] = (self.classifiers, tuple(MEMBERS))
        named["kind of arguments"] = ((self.arguments,), ARGUMENTS)
        named["extra"] = (self.extras, EXTRAS)
        for kind, (names, known) in named.items():
            for name in names:
                if name not in known:
                    raise UnknownNameError(kind, str(name), known)
            if not names and kind != "extra":
                raise UsageError(f"no {kind}", hint=", ".join(known))
        if type(self.gate) not in (int, float) or not 0 < self.gate <= 1:
            raise UsageError(f"the gate is {self.gate!r:.60}", hint="above 0, at most 1")
        if self.arguments == "none" and not set(GOLD).isdisjoint(self.families):
            hint = "arguments = 'gold', or leave these families out"
            raise UsageError(f"{', '.join(GOLD)} are made of gold arguments", hint=hint)

    @classmethod
    def shipped(cls, system: str) -> SacConfig:
        """Return the choices of ``configs/systems/<system>.toml``."""
        return cls(**read_toml(f"systems/{system}.toml")["choices"])

    def resolved(self) -> SacConfig:
        """Return the choices with all families that they lead to.

        These are the extras whose packages are installed, and those made of gold arguments.
        """
        found = [name for name in self.extras if EXTRAS[name]()]
        found += GOLD if self.arguments == "gold" else ()
        new = tuple(name for name in found if name not in self.families)
        return replace(self, families=self.families + new, extras=())

    def distance(self, other: SacConfig) -> int:
        """Return in how many choices two differ; families that ``resolved`` adds do not count."""
        added = {*EXTRAS, *GOLD}

        def plain(choices: SacConfig) -> dict[str, Any]:
            families = [name for name in choices.families if name not in added]
            return asdict(choices) | {"families": families, "extras": ()}

        one, two = plain(self), plain(other)
        return sum(one[name] != two[name] for name in one)

    def table(self) -> dict[str, Any]:
        """Return the choices as plain data, for signatures, stores and cache keys.

        ``arguments`` is left out where it is "none", as in models made before there was the choice.
        """
        held = asdict(self)
        if self.arguments == "none":
            del held["arguments"]
        return held | {
            "families": list(self.families),
            "classifiers": list(self.classifiers),
        }


def _names(name: str, value: object) -> tuple[str, ...]:
    """Return a list of names. Raises UsageError for another value, and for a name that repeats."""
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"{name} is {value!r:.60}", hint='a list of names, such as ["head"]')
    for item, count in Counter(value).items():
        if count > 1:
            raise UsageError(f"{name} names '{item}' twice", hint="name each once")
    return tuple(value)


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        shown = value if type(value) is not int or abs(value) <= most**2 else "a huge number"
        raise UsageError(f"{name} is {shown!r:.60}", hint=f"a whole number from {least} to {most}")
