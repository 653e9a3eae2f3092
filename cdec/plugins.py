"""Registries: what cdec knows by name, its own entries and those of other packages.

A package adds an entry by an entry point, without touching cdec::

    [project.entry-points."cdec.metrics"]
    min = "my_package:MIN"

Entries of cdec come first and cannot be replaced. A plug-in is imported when it is asked for; one
that cannot be imported is an error of that name alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points, packages_distributions, version
from pathlib import Path
from typing import Any, Generic, TypeVar

from cdec.errors import PluginError, UnknownNameError

T = TypeVar("T")
_DIGITS = 12  # of the digest that stands for a version


@dataclass(frozen=True, order=True)
class Origin:
    """The distribution that an entry comes from.

    >>> str(Origin("my-metrics", "1.2"))
    'my-metrics-1.2'
    """

    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.distribution}-{self.version}"


class Registry(Generic[T]):
    """Named entries of one kind: those of cdec, then those of the entry-point ``group``.

    ``own`` maps name → value, or name → ``"module:attribute"`` for what is imported when it is
    asked for. ``check`` receives the name and value of a plug-in, and raises ValueError or
    TypeError for one that cannot serve as an entry.

    >>> numbers = Registry("number", "cdec.numbers", {"pi": 3.14, "e": "math:e"})
    >>> numbers["e"], list(numbers), "tau" in numbers, numbers.origin("pi")
    (2.718281828459045, ['pi', 'e'], False, None)
    """

    def __init__(
        self,
        kind: str,
        group: str,
        own: Mapping[str, T | str],
        check: Callable[[str, Any], None] = lambda name, value: None,
    ) -> None:
        self.kind, self.group = kind, group
        self._own = dict(own)
        self._check = check
        self._loaded: dict[str, T] = {}

    @property
    def own(self) -> tuple[str, ...]:
        """The names of the entries that come with cdec, in their order."""
        return tuple(self._own)

    def __getitem__(self, name: str) -> T:
        """Return the entry. Raises UnknownNameError, and PluginError for one that fails."""
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._points

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self._points

    def __len__(self) -> int:
        return len(self._own) + len(self._points)

    def origin(self, name: str) -> Origin | None:
        """Return the distribution that adds ``name``; None for an entry of cdec."""
        self.require(name)
        return None if name in self._own else _origin(self._points[name])

    def origins(self, names: Iterable[str]) -> tuple[Origin, ...]:
        """Return the distributions that add any of ``names``, sorted, each once."""
        return tuple(sorted({origin for name in names if (origin := self.origin(name))}))

    def require(self, name: str) -> str:
        """Return ``name``; raise UnknownNameError, with the nearest name, where it is no entry."""
        if name not in self:
            raise UnknownNameError(self.kind, name, self)
        return name

    @cached_property
    def _points(self) -> dict[str, EntryPoint]:
        found: dict[str, EntryPoint] = {}
        for point in sorted(entry_points(group=self.group), key=lambda p: (p.name, _origin(p))):
            if point.name not in self._own:
                found.setdefault(point.name, point)
        return found

    def _load(self, name: str) -> T:
        self.require(name)
        if name in self._own:
            value = self._own[name]
            return _attribute(value) if isinstance(value, str) else value
        point = self._points[name]
        try:
            loaded: T = point.load()
            self._check(name, loaded)
        except Exception as error:  # whatever a stranger's module does when it is imported
            reason = f"{type(error).__name__}: {error}"
            raise PluginError(
                f"the {self.kind} '{name}' of {_origin(point)} cannot be used: {reason}",
                place=point.value,
                cure="repair or uninstall that package",
            ) from error
        return loaded


def _attribute(reference: str) -> Any:
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def _origin(point: EntryPoint) -> Origin:
    dist = point.dist
    return Origin(dist.name, dist.version) if dist else Origin("unknown", "0")


def origin_of(value: object) -> Origin | None:
    """Return where the code of a value comes from: None for cdec itself.

    The value is a class, a function, or an instance of a class. Code of no distribution is named
    by its module, and its version is the beginning of the SHA-256 of its file.

    >>> from cdec.errors import CdecError
    >>> origin_of(CdecError) is None, origin_of(sha256) is None
    (True, False)
    """
    module = getattr(value, "__module__", None) or type(value).__module__
    top = str(module).partition(".")[0]
    if top == "cdec":
        return None
    names = packages_distributions().get(top)
    if names:
        return Origin(names[0], version(names[0]))
    file = getattr(sys.modules.get(str(module)), "__file__", None)
    digest = sha256(Path(file).read_bytes()).hexdigest()[:_DIGITS] if file else "unknown"
    return Origin(str(module), digest)
