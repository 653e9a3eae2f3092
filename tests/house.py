"""Figures of the structure of the package: size, imports, and how far one number travels.

    python tests/house.py            # print them

The imports are those that ``grimp`` finds, also inside functions, without those for type checkers.
``tests/walk.py`` counts the functions that a command enters.
"""

from __future__ import annotations

import ast
import functools
import io
import json
import shutil
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import grimp
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[1]
INSIDE = ("settings", "baselines", "configs")
# Rooms that hang on the core: nothing in the core imports them.
HUNG = (
    *("cdec.reproduction", "cdec.leaderboards", "cdec.baselines.sac", "cdec.detection"),
    *("cdec.integrations", "cdec.io.cluster", "cdec.pair_scores"),
)
METRICS = ("muc", "b3", "ceafm", "ceafe", "lea", "blanc_coref", "blanc_noncoref")
DETECTORS = ("two-events", "no-event", "copies", "companions", "duplicate", "held-out")
_NO_ROOM = ("cdec", "cdec.__main__", "cdec._version")
_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
Graph = dict[str, set[str]]


def copied(folder: Path) -> Path:
    """Copy the package to ``folder`` as it is installed: all of it in one folder."""
    ignore = shutil.ignore_patterns("sample", "results", "__pycache__")
    shutil.copytree(ROOT / "cdec", folder / "cdec", ignore=ignore)
    for name in INSIDE:
        shutil.copytree(ROOT / name, folder / "cdec" / name, ignore=ignore)
    return folder


def static(folder: Path) -> dict[str, int]:
    """Return the figures of the source in ``folder``, see ``copied``."""
    files = dict(_modules(folder))
    trees = {name: ast.parse(file.read_text("utf-8")) for name, file in files.items()}
    graph = _graph(folder)
    lines = {name: _code_lines(file, trees[name]) for name, file in files.items()}
    core = [name for name in files if not _hung(name)]
    rooms: Graph = {_room(name): set() for name in files if name not in _NO_ROOM}
    for name, targets in graph.items():
        if _room(name) in rooms:
            rooms[_room(name)] |= {_room(t) for t in targets} & rooms.keys() - {_room(name)}
    return {
        "code lines": sum(lines.values()),
        "code lines of the core": sum(lines[name] for name in core),
        "modules": len(files),
        "modules of the core": len(core),
        "imports from the core into hung-on rooms": sum(_hung(t) for n in core for t in graph[n]),
        "modules with one importer": _with_one_importer(files, graph),
        "rooms": len(rooms),
        "floors": _height(rooms),
        "circles of rooms": _circles(rooms),
        "circles of modules": _circles(graph),
        "longest import chain": _height(graph),
        "files that name a metric": _most_homes(METRICS, trees.values()),
        "files that name a detector": _most_homes(DETECTORS, trees.values()),
        "codes": sum(
            map(len, tomllib.loads((ROOT / "cdec/errors/codes.toml").read_text()).values())
        ),
    }


def _modules(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted((folder / "cdec").rglob("*.py")):
        parts = file.relative_to(folder).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name != "cdec.configs":  # data, and where they lie
            yield name, file


def _graph(folder: Path) -> Graph:
    """Return module → the modules that it imports."""
    sys.path.insert(0, str(folder))
    try:
        found = grimp.build_graph("cdec", cache_dir=None, exclude_type_checking_imports=True)
    finally:
        sys.path.remove(str(folder))
    names = set(found.modules) - {"cdec.configs"}
    return {name: found.find_modules_directly_imported_by(name) & names for name in names}


def _room(module: str) -> str:
    """Return the part of cdec that a module is in; ``baselines.sac`` is one."""
    sac = "cdec.baselines.sac"
    return sac if module.startswith(sac) else ".".join(module.split(".")[:2])


def _hung(module: str) -> bool:
    return any(module == room or module.startswith(f"{room}.") for room in HUNG)


def _with_one_importer(files: dict[str, Path], graph: Graph) -> int:
    """Return how many modules one module imports that is no package, registry or app."""
    importers: Graph = {name: set() for name in files}
    for name, targets in graph.items():
        for target in targets:
            importers[target].add(name)
    collecting = ("__init__.py", "app.py", "registry.py")
    return sum(
        len(by) == 1 and files[next(iter(by))].name not in collecting
        for name, by in importers.items()
        if files[name].name != "__init__.py"
    )


def _parts(graph: Graph) -> tuple[dict[str, int], int]:
    """Return the strongly connected component of each node, and how many there are."""
    names = list(graph)
    at = {name: number for number, name in enumerate(names)}
    edges = [(at[name], at[target]) for name in names for target in graph[name]]
    rows, columns = np.array(edges).reshape(-1, 2).T
    matrix = coo_array((np.ones(len(edges)), (rows, columns)), shape=(len(names), len(names)))
    size, labels = connected_components(matrix, connection="strong")
    return dict(zip(names, labels.tolist(), strict=True)), size


def _circles(graph: Graph) -> int:
    return sum(size > 1 for size in Counter(_parts(graph)[0].values()).values())


def _height(graph: Graph) -> int:
    """Return the length of the longest chain of imports; a circle is one link."""
    part, size = _parts(graph)
    below: dict[int, set[int]] = {number: set() for number in range(size)}
    for name, targets in graph.items():
        below[part[name]] |= {part[target] for target in targets} - {part[name]}

    @functools.cache
    def height(number: int) -> int:
        return 1 + max(map(height, below[number]), default=0)

    return max(map(height, below))


def _code_lines(file: Path, tree: ast.Module) -> int:
    """Return the number of lines with code: no comments, blank lines and docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(file.read_text("utf-8")).readline):
        if token.type not in _LAYOUT:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for text in _docstrings(tree):
        lines -= set(range(text.lineno, (text.end_lineno or 0) + 1))
    return len(lines)


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and node.body:
            match node.body[0]:
                case ast.Expr(value=ast.Constant(value=str()) as text):
                    yield text


def _most_homes(names: tuple[str, ...], trees: Iterable[ast.Module]) -> int:
    """Return in how many modules the most frequent of ``names`` is a string of the code."""
    homes: Counter[str] = Counter()
    for tree in trees:
        docstrings = set(map(id, _docstrings(tree)))
        strings = {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and id(node) not in docstrings
            if isinstance(node.value, str)
        }
        homes.update(strings.intersection(names))
    return max(homes.values(), default=0)


def main() -> None:
    """Print the figures, with those of the walks, as TOML."""
    with tempfile.TemporaryDirectory() as temporary:
        command = [sys.executable, "-P", str(Path(__file__).with_name("walk.py")), temporary]
        figures = static(copied(Path(temporary)))
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        figures |= json.loads(done.stdout)
    print("\n".join(f'"{name}" = {number}' for name, number in figures.items()))


if __name__ == "__main__":
    main()
