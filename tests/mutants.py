"""Which of a seeded sample of mutants do tests kill, on demand (needs ``pip install coverage``).

``python -m tests.mutants cdec/metrics settings --tests tests/test_metrics.py tests/test_laws.py``

A mutant is one changed operator, condition or number in the named files or folders; messages of
errors are left alone. The tests run once under coverage. Then each mutant is written into a copy
of the checkout, where the tests that ran its lines run until one fails, the fast ones first: in a
fork of a process that has imported the libraries, but nothing of the checkout. A mutant survives
if they all pass, or if there are none. The same seed makes the same mutants for any tests.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from io import StringIO
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).parents[1]
FORK = get_context("fork")
OWN = {"cdec", "tests", "settings", "baselines", "configs"}  # not imported before a fork
PAIRS = "Eq NotEq, Lt LtE, Gt GtE, In NotIn, Is IsNot, Add Sub, Mult Div, BitAnd BitOr, And Or"
SWAPPED = dict(pair.split() for pair in PAIRS.split(", "))
SWAPPED |= {new: old for old, new in SWAPPED.items()}
UNTOUCHED = {"annotation", "returns", "decorator_list", "type_params"}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


def nodes(tree: ast.AST) -> Iterator[Any]:
    """Yield what can be mutated: no messages, strict zips, annotations and decorators."""
    for name, value in ast.iter_fields(tree):
        for child in value if isinstance(value, list) else [value]:
            match child:
                case ast.Raise() | ast.JoinedStr() | ast.keyword("strict"):
                    pass
                case ast.Assign(targets=[ast.Name("message" | "hint")]):
                    pass
                case ast.AST() if name not in UNTOUCHED:
                    yield child
                    yield from nodes(child)


def swapped(op: ast.AST) -> Any:
    """Return the operator in whose place another is; None if it has none."""
    name = SWAPPED.get(type(op).__name__)
    return name and getattr(ast, name)()


def changed(node: ast.AST) -> Any:
    """Return the node as a mutant has it; None if it has no mutant."""
    new = deepcopy(node)
    match new:
        case ast.Compare(ops=[op, *rest]) if swapped(op):
            new.ops = [swapped(op), *rest]
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op) if swapped(op):
            new.op = swapped(op)
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


@dataclass(frozen=True)
class Mutant:
    """A changed node: its file, its lines, what it was and is, and the whole file with it."""

    file: str
    lines: range
    change: str
    text: str


def sample(rooms: Sequence[str], seed: int, number: int) -> list[Mutant]:
    """Return that many of all mutants of files and folders, in an order that the seed gives."""
    files = {file for room in rooms for file in [ROOT / room, *(ROOT / room).rglob("*.py")]}
    trees = {file: ast.parse(file.read_text("utf8")) for file in sorted(files) if file.is_file()}
    places = [(file, node) for file in trees for node in nodes(trees[file]) if changed(node)]
    made = []
    for file, node in random.Random(seed).sample(places, min(number, len(places))):  # noqa: S311
        new = changed(node)
        Replace(node, new).visit(trees[file])
        text = ast.unparse(ast.fix_missing_locations(trees[file]))
        Replace(new, node).visit(trees[file])
        old, now = (node.test, new.test) if type(node) is ast.If else (node, new)
        change = f"{ast.unparse(old)}  →  {ast.unparse(now)}"
        lines = range(node.lineno, (old.end_lineno or 0) + 1)
        made.append(Mutant(str(file.relative_to(ROOT)), lines, change, text))
    return made


@dataclass
class Run:
    """A plug-in of pytest: a run under coverage, which it tells the test; or one of some tests."""

    coverage: Any = None
    order: Sequence[str] = ()
    seconds: dict[str, float] = field(default_factory=dict)

    def __call__(self, tests: Sequence[str]) -> int:
        """Run pytest in this process and return its exit code."""
        ignored = "ignore::pytest.PytestAssertRewriteWarning"  # a fork has Hypothesis already
        options = ["-q", "-p", "no:cacheprovider", "-W", ignored]
        return int(pytest.main([*options, *tests], plugins=[self]))

    def pytest_sessionstart(self) -> None:
        """Let Hypothesis neither shrink nor remember what fails."""
        phases = (Phase.explicit, Phase.generate)
        quick = settings(settings(), phases=phases, database=None, derandomize=True)
        settings.register_profile("mutants", quick)
        settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Choose and order the tests."""
        if self.order:
            named = {item.nodeid: item for item in items}
            items[:] = [named[test] for test in self.order if test in named]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Tell coverage the test that runs, or end the process if it runs for too long."""
        if self.coverage:
            self.coverage.switch_context(nodeid)
        else:
            signal.setitimer(signal.ITIMER_PROF, 10 + 10 * self.seconds[nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the seconds of a test."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0) + report.duration


def forked(work: Callable[[], int], copy: Path) -> int | None:
    """Return the exit code of work in a fork, in a copy of the checkout."""

    def begin() -> None:
        os.chdir(copy)
        os.environ["PYTHONPATH"] = sys.path[0] = str(copy)
        for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
            del sys.modules[name]
        os._exit(work())

    child = FORK.Process(target=begin)
    child.start()
    child.join()
    return child.exitcode


def checkout(folder: Path) -> Path:
    """Copy the checkout into a folder, beside a link to the data that tests find there."""
    copy = folder / "checkout"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", "build", ".venv"))
    if (shared := ROOT.parent / "shared").exists():
        (folder / "shared").symlink_to(shared.resolve())
    return copy


@dataclass
class Covered:
    """What a run of the tests recorded."""

    seconds: dict[str, float]  # of each test
    lines: dict[str, dict[str, list[str]]]  # file → line → tests; "" ran it on import
    modules: list[str]  # what was imported

    @classmethod
    def by(cls, tests: Sequence[str], rooms: Sequence[str], folder: Path) -> Covered:
        """Run tests under coverage in a copy of the checkout."""
        copy = checkout(folder)

        def work() -> int:
            parts = [f"{copy / room}{rest}" for room in rooms for rest in ("", "/**")]
            coverage = import_module("coverage").Coverage(data_file=None, include=parts)
            run = Run(coverage)
            coverage.start()
            code = run(tests)
            coverage.stop()
            data = coverage.get_data()
            files = {str(Path(name).relative_to(copy)): name for name in data.measured_files()}
            lines = {file: data.contexts_by_lineno(name) for file, name in files.items()}
            said = json.dumps([run.seconds, lines, list(sys.modules)])
            (folder / "covered.json").write_text(said)
            return code

        if forked(work, copy):
            sys.exit("the tests do not pass without a mutant")
        return cls(*json.loads((folder / "covered.json").read_text()))

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that ran a line of a mutant, the fast ones first."""
        lines = self.lines.get(mutant.file, {})
        found = {test for line in mutant.lines for test in lines.get(str(line), ())}
        if "" in found:
            found = {test for tests in lines.values() for test in tests}

        def order(test: str) -> tuple[float, str]:  # files stay together, for their fixtures
            return sum(self.seconds[test] > limit for limit in (0.03, 0.3, 3)), test

        return sorted(found & self.seconds.keys(), key=order)


def judge(one: Mutant, covered: Covered, folder: Path) -> str:
    """Return whether the tests killed a mutant, it survived, or it is not covered."""
    copy = folder / str(os.getpid()) / "checkout"
    if not copy.exists():
        checkout(copy.parent)
    tests = covered.tests(one)
    if not tests:
        return "not covered"

    def work() -> int:
        sys.stdout = StringIO()
        return Run(order=tests, seconds=covered.seconds)(
            ["-x", *sorted({test.partition("::")[0] for test in tests})]
        )

    original = (copy / one.file).read_text("utf8")
    (copy / one.file).write_text(one.text, "utf8")
    code = forked(work, copy)
    (copy / one.file).write_text(original, "utf8")
    return "survived" if code in {0, 5} else "killed"  # 5: a mutant that renames the tests


def main() -> None:
    """Run the tests on each mutant; what is not killed is printed, the last line counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rooms", nargs="+")
    parser.add_argument("--tests", nargs="+", required=True)
    for name, default in {"number": 300, "seed": 1, "jobs": 2}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    # Without workers, whose lines are not counted, unless a test asks for some.
    os.environ |= {"LOKY_MAX_CPU_COUNT": "1", "OPENBLAS_NUM_THREADS": "1"}
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    mutants = sample(given.rooms, given.seed, given.number)
    with TemporaryDirectory() as made:
        folder = Path(made)
        covered = Covered.by(given.tests, given.rooms, folder / "covered")
        for module in covered.modules:
            if module.partition(".")[0] not in OWN:
                with suppress(Exception):
                    import_module(module)
        with ProcessPoolExecutor(given.jobs, FORK) as pool:
            judged = pool.map(partial(judge, covered=covered, folder=folder), mutants)
            results = []
            for one, result in zip(mutants, judged, strict=True):
                results.append(result)
                if result != "killed":
                    print(f"{one.file}:{one.lines[0]} {result}: {one.change}", flush=True)
    print(f"{results.count('killed')} of {len(results)} mutants killed")


if __name__ == "__main__":
    main()
