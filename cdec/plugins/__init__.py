"""Registries of named entries, of cdec and of other packages.

A package adds an entry with an entry point::

    [project.entry-points."cdec.metrics"]
    min = "my_package:MIN"

Entries of cdec come first and cannot be replaced. A plug-in is imported when it is used; if the
import fails, only that name is affected.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from cdec.errors import CdecError, PluginError, one_of
from cdec.plugins.origin import Origin, origin_of, origin_of_dist, origins_of
from cdec.rooms import imported

T = TypeVar("T")
__all__ = ["Entry", "Origin", "Registry", "origin_of", "origins_of"]


@dataclass(frozen=True)
class Entry:
    """One row of the list of plug-ins.

    ``origin`` is None for an entry of cdec; ``problem`` is the reason, in one line, why the entry
    cannot be used, '' if it can.
    """

    kind: str
    name: str
    origin: Origin | None
    problem: str = ""


class Registry(Mapping[str, T]):
    """Named entries of one kind: of cdec, then of the entry-point ``group``.

    ``own`` maps name → value, or name → ``"module:attribute"`` for a value that is imported when it
    is used; the attribute ``own`` has their names. ``check`` receives the name and value of a
    plug-in, and raises ValueError or TypeError if the value is invalid.

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
        self.own = tuple(own)
        self._own = dict(own)
        self._check = check
        self._loaded: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        """Return the entry. Raises UnknownNameError, or PluginError if its import fails."""
        name = self.require(name)
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def get(self, name: str, default: Any = None, /) -> Any:
        """Return the entry, or ``default`` for an unknown name. Raises PluginError as ``[]``."""
        if name not in self:
            return default
        return self[name]

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._points

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from (name for name in self._points if name not in self._own)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def origin(self, name: str) -> Origin | None:
        """Return the distribution that provides ``name``; None for an entry of cdec."""
        self.require(name)
        return None if name in self._own else _origin(self._points[name][0])

    def origins(self, names: Iterable[str]) -> tuple[Origin, ...]:
        """Return the distinct distributions that provide ``names``, sorted."""
        others = {self.origin(name) for name in names if name not in self._own}
        return tuple(sorted(origin for origin in others if origin))

    def require(self, name: str) -> str:
        """Return the name as it is registered, for a name in any case.

        Raises UnknownNameError, with the nearest name, if it is unknown.

        >>> Registry("number", "cdec.numbers", {"pi": 3.14}).require("Pi")
        'pi'
        """
        return one_of(self.kind, self.registered(name) or name, self)

    def registered(self, name: str) -> str | None:
        """Return the name as it is registered, for a name in any case; None if it is unknown."""
        return spelled(name, self)

    def entries(self) -> Iterator[Entry]:
        """Import every plug-in, and yield every entry, including those that cannot be used."""
        yield from (Entry(self.kind, name, None) for name in self._own)
        for name, points in self._points.items():
            problem = self._problem(name)
            yield from (Entry(self.kind, name, _origin(point), problem) for point in points)

    def _problem(self, name: str) -> str:
        if name in self._own:
            return f"not used: cdec has a {self.kind} '{name}'"
        try:
            self[name]
        except PluginError as error:
            return str(error)
        return ""

    @cached_property
    def _points(self) -> dict[str, list[EntryPoint]]:
        """The entry points of the group by name, in an order independent of the file system."""
        points: dict[str, list[EntryPoint]] = {}
        for point in sorted(entry_points(group=self.group), key=lambda p: (p.name, _origin(p))):
            points.setdefault(point.name, []).append(point)
        return points

    def _load(self, name: str) -> T:
        if name in self._own:
            value = self._own[name]
            return imported(value) if isinstance(value, str) else value
        point, *others = self._points[name]
        if others:
            both = f"{_origin(point)} and {_origin(others[0])}"
            message = f"two packages provide the {self.kind} '{name}': {both}"
            raise PluginError("plugin-duplicate", message, hint="uninstall one of them")
        try:
            loaded: T = point.load()
            self._check(name, loaded)
        # A module of another package can raise any exception at import, also SystemExit.
        except (Exception, SystemExit) as error:
            raise PluginError(
                "plugin-invalid",
                f"the {self.kind} '{name}' of {_origin(point)} cannot be used: {reason(error)}",
                place=point.value,
                hint="fix or uninstall that package",
            ) from error
        return loaded


def spelled(name: object, known: Collection[str]) -> str | None:
    """Return the known name that equals ``name``, else the only one that differs in case only.

    >>> spelled("MUC", ["muc", "b3"]), spelled("Mine", ["mine", "MINE"])
    ('muc', None)
    """
    if not isinstance(name, str) or name in known:
        return name if isinstance(name, str) else None
    near = [other for other in known if other.lower() == name.lower()]
    return near[0] if len(near) == 1 else None


def reason(error: BaseException) -> str:
    """Return type and text of an exception in the code of another package.

    >>> reason(ValueError("invalid label"))
    'ValueError: invalid label'
    """
    return f"{type(error).__name__}: {error}"


@contextmanager
def errors_of_plugin(what: str, hint: str) -> Iterator[None]:
    """Turn an exception in the code of another package into a PluginError.

    ``what`` describes the failure and starts the message.
    """
    try:
        yield
    except CdecError:
        raise
    except Exception as error:
        raise PluginError("plugin-failed", f"{what}: {reason(error)}", hint=hint) from error


def _origin(point: EntryPoint) -> Origin:
    return origin_of_dist(point.dist) if point.dist else Origin("unknown", "0")
