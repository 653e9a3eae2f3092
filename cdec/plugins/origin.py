"""The origin of an entry: its distribution, else a digest of the file of its class."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import Distribution, distribution, packages_distributions
from pathlib import Path
from urllib.parse import urlparse

_DIGITS = 12  # of the digest that is used as a version


@dataclass(frozen=True, order=True)
class Origin:
    """The distribution that provides an entry.

    >>> str(Origin("my-metrics", "1.2"))
    'my-metrics-1.2'
    """

    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.distribution}-{self.version}"


def origin_of_dist(dist: Distribution) -> Origin:
    """Return the distribution; its name and version are None if the metadata are damaged."""
    return Origin(str(dist.name), str(dist.version))


def origin_of(value: object) -> Origin | None:
    """Return the distribution of the code of a value; None for cdec itself.

    The value is a class or an instance. For code outside a distribution, the result is its module
    and, as the version, the first digits of the SHA-256 of the file of that module, or "unknown"
    if there is no such file, as in a notebook.

    >>> from cdec.errors import CdecError
    >>> origin_of(CdecError) is None, origin_of(Path) is None
    (True, False)
    """
    class_ = value if isinstance(value, type) else type(value)
    module = class_.__module__
    if module.partition(".")[0] == "cdec":
        return None
    named = getattr(sys.modules.get(module), "__file__", None)
    file = Path(named).resolve() if named else None
    if file is None or not file.is_file():
        return Origin(module, "unknown")
    installed = _installed(module.partition(".")[0], file, tuple(sys.path))
    return installed or Origin(module, sha256(file.read_bytes()).hexdigest()[:_DIGITS])


def origins_of(system: object) -> tuple[Origin, ...]:
    """Return the origins of a system and of the ``system`` that it wraps, without cdec itself."""
    systems = (system, getattr(system, "system", None))
    found = (origin_of(one) for one in systems if hasattr(one, "predict"))
    return tuple(dict.fromkeys(origin for origin in found if origin))


@lru_cache
def _providers(_path: tuple[str, ...]) -> Mapping[str, list[str]]:
    return packages_distributions()


@lru_cache
def _installed(top: str, file: Path, path: tuple[str, ...]) -> Origin | None:
    """Return the distribution that installed ``file``, of the package or module ``top``.

    A module of the same name in another folder does not count. ``path`` is the search path, on
    which the result depends.
    """
    names = sorted(set(_providers(path).get(top, ())))
    inside = [dist for dist in map(distribution, names) if file.is_relative_to(_root(dist))]
    if len(inside) > 1:  # they share a namespace
        inside = [d for d in inside if file in {_root(d) / f for f in d.files or ()}]
    return origin_of_dist(inside[0]) if inside else None


def _root(dist: Distribution) -> Path:
    """Return the folder of the modules of a distribution."""
    url = json.loads(dist.read_text("direct_url.json") or "{}")
    if url.get("dir_info", {}).get("editable"):
        # Imported here: it imports ssl and http, a tenth of the start-up.
        from urllib.request import url2pathname  # noqa: PLC0415

        return Path(url2pathname(urlparse(url["url"]).path)).resolve()
    return Path(str(dist.locate_file(""))).resolve()
