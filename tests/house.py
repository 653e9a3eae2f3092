"""Figures of the structure of the package: size, imports, and how far one number travels.

    python tests/house.py            # print them

The imports are those that ``grimp`` finds, also inside functions, without those for type checkers.
A walk is a command that runs twice in one process: counted are the functions of cdec that the
second run enters, their modules, and how deep they are nested.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, cast

import grimp
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[1]
INSIDE = ("settings", "baselines", "configs")
# Rooms that hang on the core: nothing in the core imports them.
HUNG = (
    *("cdec.reproduction", "cdec.leaderboard", "cdec.baselines.sac", "cdec.detection"),
    *("cdec.integrations", "cdec.io.cluster", "cdec.evaluation.literature"),
)
METRICS = ("muc", "b3", "ceafm", "ceafe", "lea", "blanc_coref", "blanc_noncoref")
DETECTORS = ("two-events", "no-event", "copies", "companions", "duplicate", "held-out")
_NO_ROOM = ("cdec", "cdec.__main__", "cdec._version")
_MADE_UP = ("<module>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")
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
        "codes": sum(map(len, tomllib.loads((ROOT / "cdec/codes.toml").read_text()).values())),
    }


def walks(folder: Path) -> dict[str, int]:
    """Return the figures of three commands on the sample; ``folder`` is for their files."""
    key, response = str(folder / "key.conll"), str(folder / "response.conll")
    _cdec(folder, "predict", "--corpus", "sample", "--system", "lemma", "-o", response)
    _cdec(folder, "corpus", "export", "--corpus", "sample", "-o", key)
    one = ("--setting", "pure", "--metric", "conll")
    of_file = _walk(folder, "eval", "--corpus", "sample", "--response", response, *one)
    of_system = _walk(folder, "eval", "--corpus", "sample", "--system", "lemma", *one)
    of_pair = _walk(folder, "score", key, response, "--scope", "corpus", "--metric", "conll")
    return {
        **{f"eval --response: {name}": number for name, number in of_file.items()},
        "eval --system lemma: functions": of_system["functions"],
        "score KEY RESPONSE: functions": of_pair["functions"],
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


def _environment(folder: Path) -> dict[str, str]:
    own = {"CDEC_CACHE": str(folder / "cache"), "CDEC_DATA": str(folder / "data")}
    return {name: v for name, v in os.environ.items() if name != "CDEC_ECBPLUS"} | own


def _cdec(folder: Path, *words: str) -> None:
    command = [sys.executable, "-P", "-m", "cdec", *words, "-q"]
    subprocess.run(command, check=True, env=_environment(folder), capture_output=True)


def _walk(folder: Path, *words: str) -> dict[str, int]:
    command = [sys.executable, "-P", __file__, "walk", *words, "-q"]
    done = subprocess.run(
        command, check=True, env=_environment(folder), capture_output=True, text=True
    )
    figures: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return figures


class _Counter:
    """A profile function that counts the functions of cdec."""

    def __init__(self) -> None:
        self.entered: set[CodeType] = set()
        self.depth = 0

    @staticmethod
    @functools.cache
    def is_ours(code: CodeType) -> bool:
        folders = [f"{ROOT / name}{os.sep}" for name in ("cdec", "settings", "baselines")]
        return os.path.realpath(code.co_filename).startswith(tuple(folders))

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not self.is_ours(frame.f_code):
            return
        self.entered.add(frame.f_code)
        depth, above = 0, cast("FrameType | None", frame)
        while above is not None:
            depth += self.is_ours(above.f_code)
            above = above.f_back
        self.depth = max(self.depth, depth)


def _walked(words: list[str]) -> dict[str, int]:
    """Run a command twice in this process, and count in the second run."""
    from cdec.cli.start import main

    def run() -> None:
        quiet = io.StringIO()
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            try:
                main()
            except SystemExit as end:
                if end.code:
                    raise RuntimeError(f"{words} ended with {end.code}") from end

    sys.argv = ["cdec", *words]
    run()
    imported = sum(name.split(".")[0] == "cdec" for name in sys.modules)
    for known in gc.get_objects():
        if type(known).__name__ == "_lru_cache_wrapper" and known.__module__.startswith("cdec"):
            known.cache_clear()
    counter = _Counter()
    sys.setprofile(counter)
    run()
    sys.setprofile(None)
    functions = {
        (code.co_filename, code.co_qualname, code.co_firstlineno)
        for code in counter.entered
        if not any(name in code.co_qualname for name in _MADE_UP)
    }
    modules = {file for file, _, _ in functions}
    return {
        "functions": len(functions),
        "modules": len(modules),
        "depth": counter.depth,
        "modules imported": imported,
    }


def main() -> None:
    """Print the figures, as TOML."""
    with tempfile.TemporaryDirectory() as temporary:
        figures = static(copied(Path(temporary))) | walks(Path(temporary))
    print("\n".join(f'"{name}" = {number}' for name, number in figures.items()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["walk"]:
        print(json.dumps(_walked(sys.argv[2:])))
    else:
        main()
