"""The layers, the size of modules, and what starts fast."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Folders at the top that are packages inside cdec.
INSIDE = ("settings", "baselines", "configs")
MODULES = sorted(
    path
    for folder in ("cdec", *INSIDE)
    for path in (ROOT / folder).rglob("*.py")
    if not path.name.startswith(".")
)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the package as it is installed: all in one folder."""
    ignore = shutil.ignore_patterns("sample", "results", "__pycache__")
    shutil.copytree(ROOT / "cdec", tmp_path / "cdec", ignore=ignore)
    for name in INSIDE:
        shutil.copytree(ROOT / name, tmp_path / "cdec" / name, ignore=ignore)
    return tmp_path


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the package ``cdec`` in ``folder`` with the contract of the project."""
    code = (
        "import sys; from importlinter.cli import lint_imports; "
        f"sys.exit(lint_imports(config_filename={str(ROOT / 'pyproject.toml')!r}, no_cache=True))"
    )
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_imports_point_down_the_layers(house: Path) -> None:
    done = lint(house)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


@pytest.mark.parametrize("module", ["metrics/muc.py", "baselines/lemma.py"])
def test_an_import_up_the_layers_would_be_seen(module: str, house: Path) -> None:
    with (house / "cdec" / module).open("a") as file:
        file.write("import cdec.api\n")
    done = lint(house)
    assert done.returncode == 1
    assert "1 broken" in done.stdout


def test_every_room_is_on_a_floor() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (contract,) = config["tool"]["importlinter"]["contracts"]
    layered = {name.strip() for layer in contract["layers"] for name in re.split("[:|]", layer)}
    rooms = {path.stem for path in (ROOT / "cdec").glob("*.py")} - {"__init__", "__main__"}
    rooms |= {path.parent.name for path in (ROOT / "cdec").glob("*/__init__.py")} | {*INSIDE}
    assert {f"cdec.{name}" for name in rooms} == layered


@pytest.mark.parametrize("name", INSIDE)
def test_the_folders_at_the_top_are_packages_inside_cdec(name: str) -> None:
    spec = importlib.util.find_spec(f"cdec.{name}")
    assert spec is not None
    assert Path(str(spec.origin)) in {
        ROOT / name / "__init__.py",
        ROOT / "cdec" / name / "__init__.py",
    }


def test_nothing_in_the_tree_is_a_link() -> None:
    folders = ("cdec", *INSIDE, "tests", "docs")
    assert not [path for name in folders for path in (ROOT / name).rglob("*") if path.is_symlink()]


def test_modules_and_functions_are_short_and_documented() -> None:
    """Data is refused with an exception: Python drops assertions when it optimises."""
    faults = [f"{path.relative_to(ROOT)}: {why}" for path in MODULES for why in _faults(path)]
    assert not faults, "\n".join(faults)


def _faults(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    if len(text.splitlines()) > 300:
        yield "more than 300 lines"
    if path.stem in {"utils", "util", "helpers", "common", "misc"}:
        yield "not named for what it holds"
    if not ast.get_docstring(tree):
        yield "no docstring"
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            yield f"an assertion in line {node.lineno}"
        if isinstance(node, ast.FunctionDef) and (lines := _body_lines(node)) > 30:
            yield f"{node.name} has {lines} lines"


def _body_lines(node: ast.FunctionDef) -> int:
    return (node.end_lineno or 0) - node.body[0].lineno + 1 - _docstring_lines(node)


def _docstring_lines(node: ast.FunctionDef) -> int:
    first = node.body[0]
    held = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return (first.end_lineno or 0) - first.lineno + 1 if held else 0


def python(code: str) -> str:
    """Run the code in a new interpreter and return what it prints."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "80"}
    ).stdout


HEAVY = "pandas spacy numpy scipy sklearn neleval lxml requests pooch matplotlib HanTa thinc"


@pytest.mark.parametrize("arguments", [["--help"], ["eval", "--help"], ["corpus", "fetch", "-h"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = f"""
import sys
sys.argv = ["cdec", *{arguments!r}]
from cdec.cli.app import main
try:
    main()
except SystemExit as exit:
    assert not exit.code
print("loaded:", *sorted({{name.split(".")[0] for name in sys.modules}} & set({HEAVY.split()!r})))
"""
    assert python(code).splitlines()[-1] == "loaded:"


def test_import_cdec_imports_nothing_heavy() -> None:
    code = f"import sys, cdec; print(*({set(HEAVY.split())!r} & sys.modules.keys()))"
    assert python(code) == "\n"
