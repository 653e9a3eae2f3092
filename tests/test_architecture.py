"""The layers, the size of modules, and what starts fast."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Folders at the top that install inside the package.
INSIDE = ("settings", "baselines", "configs")
MODULES = sorted(
    path
    for folder in ("cdec", *INSIDE)
    for path in (ROOT / folder).rglob("*.py")
    if not path.name.startswith(".")
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it installs; the tree of an editable one is seen by importers only."""
    folder = tmp_path_factory.mktemp("installed")
    ignore = shutil.ignore_patterns("sample", "__pycache__")
    shutil.copytree(ROOT / "cdec", folder / "cdec", ignore=ignore)
    for name in INSIDE:
        shutil.copytree(ROOT / name, folder / "cdec" / name, ignore=ignore)
    return folder


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    code = (
        "import sys; from importlinter.cli import lint_imports; "
        f"sys.exit(lint_imports(config_filename={str(ROOT / 'pyproject.toml')!r}, no_cache=True))"
    )
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_imports_point_down_the_layers(installed: Path) -> None:
    done = lint(installed)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_an_import_up_the_layers_would_be_seen(installed: Path, tmp_path: Path) -> None:
    shutil.copytree(installed / "cdec", tmp_path / "cdec")
    with (tmp_path / "cdec" / "metrics" / "muc.py").open("a") as module:
        module.write("import cdec.render\n")
    done = lint(tmp_path)
    assert done.returncode == 1
    assert "1 broken" in done.stdout


def test_every_package_stands_in_a_layer() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (contract,) = config["tool"]["importlinter"]["contracts"]
    layered = {name.strip() for layer in contract["layers"] for name in layer.split(":")}
    children = {path.stem for path in (ROOT / "cdec").glob("*.py")} - {"__init__", "__main__"}
    children |= {path.parent.name for path in (ROOT / "cdec").glob("*/__init__.py")}
    unlayered = {f"cdec.{name}" for name in (*children, *INSIDE)} - layered
    assert unlayered <= {"cdec.metrics.neleval"}


def test_every_package_is_installed() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    listed = set(config["tool"]["setuptools"]["packages"])
    found = {f"cdec.{name}" for name in INSIDE} | {"cdec"}
    for folder in ("cdec", *INSIDE):
        for path in (ROOT / folder).rglob("__init__.py"):
            parts = path.parent.relative_to(ROOT).parts
            found.add(".".join(parts if folder == "cdec" else ("cdec", *parts)))
    assert listed == found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_are_small_documented_and_named_for_what_they_hold(path: Path) -> None:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) <= 300
    assert path.stem not in {"utils", "util", "helpers", "common", "misc"}
    assert ast.get_docstring(tree)
    # Data is refused with an exception: Python drops assertions when it optimises.
    assert not [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert)]


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield node


def test_functions_are_short() -> None:
    lengths = sorted(
        (node.end_lineno or 0) - node.body[0].lineno + 1 - _docstring_lines(node)
        for path in MODULES
        for node in functions(path)
    )
    assert lengths[len(lengths) // 2] <= 8
    assert lengths[-1] <= 30


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
