"""Digest of the code of a class that no installed distribution contains.

It covers the modules that were loaded since the import of the class began (since it ended, if cdec
did not import it), those that import statements reach from its module, and all files of its
package; not the modules of distributions. In a notebook, it covers the cells of the class.
"""

from __future__ import annotations

import ast
import linecache
import site
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from importlib.util import resolve_name
from itertools import islice
from pathlib import Path
from types import FunctionType, ModuleType
from weakref import WeakKeyDictionary

# The names of the modules that were loaded before a module that ``import_own`` imported.
_LOADED_BEFORE: WeakKeyDictionary[ModuleType, frozenset[str]] = WeakKeyDictionary()
Files = dict[str, Path]


def import_own(module: str) -> ModuleType:
    """Import a module; ``digest`` covers all modules that are loaded from now on."""
    before = frozenset(sys.modules)
    imported = import_module(module)
    if module not in before:
        _LOADED_BEFORE[imported] = before
    return imported


def digest(class_: type, is_installed: Callable[[str, Path], bool]) -> str | None:
    """Return the SHA-256 of the code of ``class_``; None if its source cannot be found.

    For several files it is that of their list as ``sha256sum`` prints it. ``is_installed`` says
    whether a distribution contains a module (name, file).
    """
    module, files, file = class_.__module__, _files(), _file(class_.__module__)
    chosen = {n: path for n in _chosen(module, files) if not is_installed(n, path := files[n])}
    paths = {_label(name, path): path for name, path in chosen.items()} | _package(module)
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
    found = ((name, _file(name)) for name in list(sys.modules) if name.split(".")[0] != "cdec")
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
