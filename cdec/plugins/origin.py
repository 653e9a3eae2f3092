"""The origin of an entry: its distribution, else a digest of the code of its class.

The digest covers the modules that were loaded since the import of the class began (since it ended,
if cdec did not import it), those that import statements reach from its module, and all files of its
package; not the modules of distributions. In a notebook, it covers the cells of the class.
"""

from __future__ import annotations

import ast
import json
import linecache
import site
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import Distribution, distribution, packages_distributions
from importlib.util import resolve_name
from itertools import islice
from pathlib import Path
from types import FunctionType, ModuleType
from urllib.parse import urlparse
from weakref import WeakKeyDictionary

_DIGITS = 12  # of the digest that is used as a version

# The names of the modules that were loaded before a module that ``import_own`` imported.
_LOADED_BEFORE: WeakKeyDictionary[ModuleType, frozenset[str]] = WeakKeyDictionary()
Files = dict[str, Path]


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


def import_own(module: str) -> ModuleType:
    """Import a module; ``digest`` covers all modules that are loaded from now on."""
    before = frozenset(sys.modules)
    imported = import_module(module)
    if module not in before:
        _LOADED_BEFORE[imported] = before
    return imported


def digest(class_: type, is_installed: Callable[[str, Path], bool]) -> str | None:
    """Return the SHA-256 of the code of ``class_``; None if its source cannot be found.

    For several files it is the digest of their list as ``sha256sum`` prints it. ``is_installed``
    says whether a distribution contains a module (name, file).
    """
    module, file = class_.__module__, _file(class_.__module__)
    # Imports are not followed through a library: one may import the script.
    files = {name: path for name, path in _files().items() if not is_installed(name, path)}
    paths = {_label(name, files[name]): files[name] for name in _chosen(module, files)}
    paths |= _package(module)
    try:
        contents = {label: path.read_bytes() for label, path in paths.items()}
        own = {_label(module, file): file.read_bytes()} if file else _cells(class_)
    except OSError:
        return None
    sums = {label: sha256(data).hexdigest() for label, data in (contents | own).items()}
    listed = "".join(f"{sums[label]}  {label}\n" for label in sorted(sums)).encode()
    if not own:
        return None
    return sha256(listed).hexdigest() if len(sums) > 1 else next(iter(sums.values()))


def _file(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file else None


def _files() -> Files:
    """Return name → file of the loaded modules outside of cdec and the libraries of Python."""
    libraries = (sysconfig.get_path("stdlib"), *site.getsitepackages(), site.getusersitepackages())
    # multiprocessing gives the module of the script a second name when it is imported.
    left_out = {"cdec", "__mp_main__"}
    found = (
        (name, _file(name)) for name in list(sys.modules) if name.split(".")[0] not in left_out
    )
    return {
        name: file for name, file in found if file and not any(map(file.is_relative_to, libraries))
    }


def _chosen(module: str, files: Files) -> set[str]:
    """Return the modules among ``files`` that were loaded since, or that imports reach."""
    loaded, own = list(sys.modules), sys.modules.get(module)
    # Python moves a module to the end of the list when its import ends.
    ended = loaded.index(module) if own else len(loaded)
    before = (_LOADED_BEFORE.get(own) if own else None) or loaded[:ended]
    chosen: set[str] = set()
    new = {module, *set(files).difference(before)}
    while new:
        chosen |= new
        new = {name for one in new for name in _imported(one)}.intersection(files) - chosen
    return chosen.intersection(files)


def _imported(module: str) -> Iterator[str]:
    """Yield the modules, and other names, in the import statements of a module."""
    file, package = _file(module), getattr(sys.modules.get(module), "__package__", None)
    nodes: list[ast.AST] = []
    with suppress(OSError, SyntaxError, ValueError):
        nodes = list(ast.walk(ast.parse(file.read_bytes() if file else b"")))
    for node in nodes:
        names = [alias.name for alias in getattr(node, "names", []) if isinstance(alias, ast.alias)]
        if isinstance(node, ast.ImportFrom):
            with suppress(ImportError):  # a relative import that failed, with an alternative
                base = resolve_name("." * node.level + (node.module or ""), package)
                names = [f"{base}.{name}" for name in names]
        for parts in (name.split(".") for name in names):
            yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def _label(module: str, file: Path) -> str:
    """Return the path of the file of a module from the folder that Python searched."""
    parts = module.split(".")
    return "/".join([*(parts if file.stem == "__init__" else parts[:-1]), file.name])


def _package(module: str) -> Files:
    """Return the files in the folder of the outermost regular package of a module."""
    parts = module.split(".")
    packages = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
    regular = (
        (p, file)
        for p in packages
        if hasattr(sys.modules.get(p), "__path__")
        for file in [_file(p)]
        if file
    )
    found: Files = {}
    for package, init in islice(regular, 1):
        for path in filter(Path.is_file, init.parent.rglob("*")):
            inside = path.relative_to(init.parent).parts
            if not any(part[0] == "." or part == "__pycache__" for part in inside):
                found["/".join([*package.split("."), *inside])] = path
    return found


def _cells(class_: type) -> dict[str, bytes]:
    """Return the cells of a notebook with the methods of a class and its bases there."""
    bases = [base for base in class_.__mro__ if base.__module__ == class_.__module__]
    values = [value for base in bases for value in vars(base).values()]
    names = dict.fromkeys(v.__code__.co_filename for v in values if isinstance(v, FunctionType))
    cells = ["".join(linecache.getlines(name)) for name in names]
    return {f"cell {number}": cell.encode() for number, cell in enumerate(cells, 1) if cell}


def origin_of_dist(dist: Distribution) -> Origin:
    """Return the distribution; its name and version are None if the metadata are damaged."""
    return Origin(str(dist.name), str(dist.version))


def origin_of(value: object) -> Origin | None:
    """Return the distribution of the code of a value; None for cdec itself.

    The value is a class or an instance. For code outside a distribution, the result is its module
    and, as the version, the first digits of its digest (``own_code``), or "unknown" if the source
    cannot be found.

    >>> from cdec.errors import CdecError
    >>> origin_of(CdecError) is None, origin_of(Path) is None
    (True, False)
    """
    class_ = value if isinstance(value, type) else type(value)
    module = class_.__module__
    if module.partition(".")[0] == "cdec":
        return None
    file = getattr(sys.modules.get(module), "__file__", None)
    installed = _distribution_of(module, Path(file)) if file else None
    if installed:
        return installed
    found = digest(class_, lambda name, path: _distribution_of(name, path) is not None)
    return Origin(module, found[:_DIGITS] if found else "unknown")


def origins_of(system: object) -> tuple[Origin, ...]:
    """Return the origins of a system and of the ``system`` that it wraps, without cdec itself."""
    systems = (system, getattr(system, "system", None))
    found = (origin_of(one) for one in systems if hasattr(one, "predict"))
    return tuple(dict.fromkeys(origin for origin in found if origin))


def _distribution_of(module: str, file: Path) -> Origin | None:
    """Return the distribution that installed a module, whose file this is.

    A compiled module may be loaded under a name without its package, as ``_csparsetools`` of scipy
    is; then the path of its file names the package.
    """
    file, path = file.resolve(), tuple(sys.path)
    inside = [file.relative_to(folder) for folder in path if file.is_relative_to(folder)]
    tops = dict.fromkeys([module.partition(".")[0], *(below.parts[0] for below in inside)])
    return next(filter(None, (_installed(top, file, path) for top in tops)), None)


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
