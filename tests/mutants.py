"""Which of a seeded sample of mutants do tests kill: ``python -m tests.mutants TEST …``, on demand.

A mutant is one changed operator, condition or number in metrics, settings, matching or claims.
Each is written into a copy of the checkout, where pytest runs the named tests until one fails.
The same seed makes the same mutants for any choice of tests. Messages of errors are left alone.
"""

from __future__ import annotations

import argparse
import ast
import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("cdec/metrics", "settings", "cdec/matching", "cdec/corpus/claims.py")
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what can be mutated, without errors, annotations and decorators."""
    for field, value in ast.iter_fields(tree):
        if field in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.Raise):
                yield child
                yield from nodes(child)


def changed(node: ast.AST) -> ast.AST | None:
    """Return the node as a mutant has it; None if it has no mutant."""
    new = deepcopy(node)
    match new:
        case ast.Compare(ops=[op, *rest]) if type(op) in SWAPPED:
            new.ops = [SWAPPED[type(op)](), *rest]  # type: ignore[list-item]
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op) if type(op) in SWAPPED:
            new.op = SWAPPED[type(op)]()  # type: ignore[assignment]
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            return operand
        case ast.If(test=test) | ast.IfExp(test=test):
            new.test = ast.UnaryOp(ast.Not(), test)
        case ast.Constant(value=bool(value)):
            new.value = not value
        case ast.Constant(value=int(value)):
            new.value = value + 1
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            new.func = ast.Name(NAMES[name])
        case _:
            return None
    return new


class Replace(ast.NodeTransformer):
    """Puts a node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def sample(seed: int, number: int) -> list[tuple[str, int, str]]:
    """Return mutants: file, line, source text of the whole file."""
    places = []
    files = (file for room in ROOMS for file in [ROOT / room, *(ROOT / room).rglob("*.py")])
    for file in sorted(file for file in files if file.suffix == ".py"):
        count = sum(1 for node in nodes(ast.parse(file.read_text("utf8"))) if changed(node))
        places += [(file, index) for index in range(count)]
    made = []
    for file, index in random.Random(seed).sample(places, min(number, len(places))):  # noqa: S311
        tree = ast.parse(file.read_text("utf8"))
        node = [one for one in nodes(tree) if changed(one)][index]
        new = changed(node)
        assert new is not None
        text = ast.unparse(ast.fix_missing_locations(Replace(node, new).visit(tree)))
        made.append((str(file.relative_to(ROOT)), getattr(node, "lineno", 0), text))
    return made


def run(job: tuple[tuple[str, int, str], list[str], int]) -> tuple[str, int, bool]:
    """Return the file and line of a mutant, and whether the tests killed it."""
    (file, line, text), tests, seconds = job
    folder = Path(tempfile.gettempdir()) / f"mutants-{os.getpid()}" / "checkout"
    if not folder.exists():
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".git", "build", ".venv"))
        shared = ROOT.parent / "shared"
        if shared.exists():
            (folder.parent / "shared").symlink_to(shared.resolve())
    original = (folder / file).read_text("utf8")
    (folder / file).write_text(text, "utf8")
    call = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        call, cwd=folder, env=environment, start_new_session=True, stdout=subprocess.DEVNULL
    ) as process:
        try:
            killed = process.wait(seconds) != 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            killed = True
    (folder / file).write_text(original, "utf8")
    return file, line, killed


def main() -> None:
    """Run the tests on each mutant; survivors are printed, the last line counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=300, help="longer is killed")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    jobs = [(mutant, given.tests, given.seconds) for mutant in sample(given.seed, given.number)]
    with multiprocessing.Pool(given.jobs) as pool:
        results = []
        for result in pool.imap(run, jobs):
            results.append(result)
            if not result[2]:
                print(json.dumps(result[:2]), flush=True)
    print(f"{sum(killed for *_, killed in results)} of {len(results)} mutants killed")


if __name__ == "__main__":
    main()
