"""Mutation of what mutmut leaves alone: declarations, and functions under a decorator.

Also of functions that run while the package is imported, which mutmut would change too late: they
have its mark (``AT_IMPORT``), so that it leaves them out.

mutmut mutates plain functions only, but settings, metrics and registries are data. Here its own
operators go over the rest of the same files, with the same tests; ``make mutants`` calls it in a
copy of the package. A mutant is killed where pytest does not end with 0.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import libcst as cst
import libcst.matchers as m
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

TIME_OUT = 300
"""Seconds for the tests of one mutant."""

CONFIG: dict[str, Any] = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]

PLAIN = m.FunctionDef(decorators=[]) | m.FunctionDef(
    decorators=[m.Decorator(m.Name("classmethod") | m.Name("staticmethod"))]
)
TYPES = m.Annotation() | m.AnnAssign(annotation=m.Annotation(m.Name("TypeAlias")))
NAMES = m.Import() | m.ImportFrom() | m.Assign(targets=[m.AssignTarget(m.Name("__all__"))])
WORDING = m.Arg(keyword=m.Name("citation")) | m.Assign(targets=[m.AssignTarget(m.Name("CITATION"))])
AT_IMPORT = "# pragma: no mutate block"
LEFT_OUT = PLAIN | TYPES | NAMES | WORDING | m.Decorator()


@dataclass(frozen=True)
class Mutant:
    """One file with one change."""

    path: Path
    line: int
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} → {self.after}"


def files() -> list[Path]:
    """Return the files that mutmut mutates."""
    found = {path for pattern in CONFIG["only_mutate"] for path in Path().glob(pattern)}
    return sorted(found - set(map(Path, CONFIG["do_not_mutate"])))


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of the file outside of plain functions."""
    code = path.read_text("utf-8")
    lines = code.splitlines()
    wrapper = MetadataWrapper(cst.parse_module(code))
    positions = wrapper.resolve(PositionProvider)
    for node in _open(wrapper.module):
        line = positions[node].start.line if node in positions else 0
        if not any(re.search(p, lines[line - 1]) for p in CONFIG["do_not_mutate_patterns"]):
            for changed in _changes(node):
                whole = wrapper.module.deep_replace(node, changed)
                assert isinstance(whole, cst.Module)
                yield Mutant(path, line, _text(node), _text(changed), whole.code)


def _open(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if not m.matches(node, LEFT_OUT) or _is_marked(node):
        yield node
        for child in node.children:
            yield from _open(child)


def _is_marked(node: cst.CSTNode) -> bool:
    if not isinstance(node, cst.FunctionDef) or not isinstance(node.body, cst.IndentedBlock):
        return False
    comment = node.body.header.comment
    return comment is not None and comment.value == AT_IMPORT


def _changes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            yield from operator(node)


def _text(node: cst.CSTNode) -> str:
    return " ".join(cst.Module([]).code_for_node(node).split())


def survives(mutant: Mutant, tests: list[str]) -> bool:
    """Return whether the tests pass on the mutant; the file is put back afterwards."""
    original = mutant.path.read_text("utf-8")
    mutant.path.write_text(mutant.source, "utf-8")
    try:
        return _status(tests) == 0
    finally:
        mutant.path.write_text(original, "utf-8")


def _status(tests: list[str]) -> int:
    """Run the tests in a child, which imports the package by itself."""
    child = os.fork()
    if not child:
        signal.alarm(TIME_OUT)
        os._exit(_pytest("-x", *tests))
    return os.waitpid(child, 0)[1]


def _pytest(*arguments: str) -> int:
    with (
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        return int(pytest.main([*CONFIG["pytest_add_cli_args"], *arguments]))


def _import_libraries(tests: list[str]) -> None:
    """Import what the tests import, once for all children, and forget the package again."""
    _pytest("--collect-only", *tests)
    for name in [name for name in sys.modules if name.split(".")[0] in ("cdec", "tests")]:
        del sys.modules[name]


def main() -> None:
    """Try every mutant, print the survivors and the sum."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(Path.cwd()))
    tests = CONFIG["pytest_add_cli_args_test_selection"]
    _import_libraries(tests)
    if _status(tests):
        sys.exit("the tests fail without a mutant")
    tried = [mutant for path in files() for mutant in mutants(path)]
    survivors = [mutant for mutant in tried if survives(mutant, tests)]
    print(*survivors, sep="\n")
    print(f"declarations: {len(tried)} mutants, {len(tried) - len(survivors)} killed")


if __name__ == "__main__":
    main()
