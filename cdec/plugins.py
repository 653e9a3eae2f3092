"""Registries of named entries, of cdec and of other packages.

A package adds an entry with an entry point::

    [project.entry-points."cdec.metrics"]
    min = "my_package:MIN"

Entries of cdec come first and cannot be replaced. A plug-in is imported when it is used; if the
import fails, only that name is affected.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cdec._version import __version__
from cdec.catalogue import added, imported
from cdec.errors import CdecError, PluginError, UsageError, one_of

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint, EntryPoints

T = TypeVar("T")
_DIGITS = 12  # of the digest that is used as a version


@dataclass(frozen=True, order=True)
class Origin:
    """The distribution that provides an entry, else the module and a digest of its file.

    >>> str(Origin("my-metrics", "1.2"))
    'my-metrics-1.2'
    """

    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.distribution}-{self.version}"


def part_of_room(kind: str, name: str) -> Any:
    """Return what a room adds. Raises UsageError if the room is not installed."""
    text = added(kind).get(name)
    if text is None:
        raise UsageError(
            "argument-invalid",
            f"the room that adds {kind}: {name} is not installed",
            hint="drop what needs it, or reinstall cdec",
        )
    return imported(text)


class Registry(Mapping[str, T]):
    """Named entries of one kind: of cdec, then of the entry-point ``group``.

    ``own`` maps name → value, or name → ``"module:attribute"`` for a value that is imported when it
    is used. ``check`` receives the name and value of a
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
        check: Callable[[str, object], None] = lambda name, value: None,
    ) -> None:
        self.kind = kind
        self.group = group
        self.own = dict(own)
        self._check = check
        self._loaded = dict[str, T]()

    def __getitem__(self, name: str) -> T:
        """Return the entry. Raises UnknownNameError, or PluginError if its import fails."""
        if name not in self._loaded:
            name = self.require(name)
            value: Any = self.own[name] if name in self.own else self._plugin(name)
            self._loaded[name] = imported(value) if isinstance(value, str) else value
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in self._points

    def __iter__(self) -> Iterator[str]:
        names = dict.fromkeys((*self.own, *self._points))
        return iter(names)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def origin(self, name: str) -> Origin | None:
        """Return the distribution that provides ``name``; None for an entry of cdec."""
        self.require(name)
        if name in self.own:
            return None
        return _origin(self._points[name][0].dist)

    def origins(self, names: Iterable[str]) -> tuple[Origin, ...]:
        """Return the distinct distributions that provide ``names``, sorted; none is cdec."""
        origins = map(self.origin, names)
        return tuple(sorted({*filter(None, origins)}))

    def require(self, name: str) -> str:
        """Return the name as it is registered, for a name in any case.

        Raises UnknownNameError, with the nearest name, if it is unknown.

        >>> Registry("number", "cdec.numbers", {"pi": 3.14}).require("Pi")
        'pi'
        """
        if name in self:
            return name
        return one_of(self.kind, matching_name(name, self) or name, self)

    def entries(self) -> list[dict[str, str]]:
        """Import every plug-in, and return a row for every entry.

        Its ``problem`` is the reason why it cannot be used, '' if it can.
        """
        rows = [self._row(name, Origin("cdec", __version__)) for name in self.own]
        for name, points in self._points.items():
            problem = ""
            try:
                self[name]
            except PluginError as error:
                problem = str(error)
            if name in self.own:
                problem = f"not used: cdec has a {self.kind} '{name}'"
            rows += [self._row(name, _origin(point.dist), problem) for point in points]
        return rows

    def _row(
        self,
        name: str,
        origin: Origin,
        problem: str = "",
    ) -> dict[str, str]:
        return {"kind": self.kind, "name": name, **vars(origin), "problem": problem}

    @cached_property
    def _points(self) -> dict[str, list[EntryPoint]]:
        """The entry points of the group by name, in an order independent of the file system."""
        points: dict[str, list[EntryPoint]] = {}
        group = _entry_points(self.group)
        for point in sorted(group, key=lambda point: (point.name, _origin(point.dist))):
            points.setdefault(point.name, []).append(point)
        return points

    def _plugin(self, name: str) -> T:
        origins = [_origin(point.dist) for point in self._points[name]]
        if len(origins) > 1:
            packages = f"{origins[0]} and {origins[1]}"
            raise PluginError(
                "plugin-invalid",
                f"two packages provide the {self.kind} '{name}': {packages}",
                hint="uninstall one of them",
            )
        point = self._points[name][0]
        try:
            loaded: T = point.load()
            self._check(name, loaded)
        # A module of another package can raise any exception at import, also SystemExit.
        except (Exception, SystemExit) as error:
            raise PluginError(
                "plugin-invalid",
                f"the {self.kind} '{name}' of {origins[0]} cannot be used: {reason(error)}",
                place=point.value,
                hint="fix or uninstall that package",
            ) from error
        return loaded


def matching_name(name: object, known: Collection[str]) -> str | None:
    """Return the known name that equals ``name``, else the only one that differs in case only.

    >>> matching_name("MUC", ["muc", "b3"]), matching_name("Mine", ["mine", "MINE"])
    ('muc', None)
    """
    if not isinstance(name, str):
        return None
    if name in known:
        return name
    near = [entry for entry in known if entry.lower() == name.lower()]
    return near[0] if len(near) == 1 else None


def reason(error: BaseException) -> str:
    """Return type and text of an exception in the code of another package.

    >>> reason(ValueError("invalid label"))
    'ValueError: invalid label'
    """
    return f"{type(error).__name__}: {error}"


@contextmanager
def errors_of_plugin(
    what: str,
    hint: str,
    place: object = None,
) -> Iterator[None]:
    """Turn an exception in the code of another package into a PluginError.

    ``what`` describes the failure and starts the message.
    """
    try:
        yield
    except CdecError:
        raise
    except Exception as error:
        raise PluginError(
            "plugin-failed", f"{what}: {reason(error)}", place=place, hint=hint
        ) from error


def origin_of(system: object) -> Origin | None:
    """Return the distribution of the code of a system; None for cdec itself.

    It is the one that has a plug-in in the package of its class. Of other code it is the module
    and, as the version, the first digits of the SHA-256 of the file of that module, or "unknown"
    if there is no such file, as in a notebook.

    >>> from cdec.errors import CdecError
    >>> origin_of(CdecError("x", "y")) is None, origin_of(Path()) is None
    (True, False)
    """
    module = type(system).__module__
    package = module.partition(".")[0]
    if package == "cdec":
        return None
    for point in _entry_points("cdec.systems"):
        if point.module.partition(".")[0] == package:
            return _origin(point.dist)
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None or not Path(path).is_file():
        return Origin(module, "unknown")
    digest = sha256(Path(path).read_bytes()).hexdigest()
    return Origin(module, digest[:_DIGITS])


def _entry_points(group: str) -> EntryPoints:
    from importlib.metadata import entry_points  # noqa: PLC0415  # cdec's own need none

    return entry_points(group=group)


def _origin(dist: Distribution | None) -> Origin:
    if dist is None:
        return Origin("unknown", "0")
    return Origin(str(dist.name), str(dist.version))
