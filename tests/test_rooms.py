"""Rooms that hang on the core: without one of them, and its entry, the rest works."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cdec.rooms import ROOMS, imported

ROOT = Path(__file__).parents[1]
INSIDE = ("settings", "baselines", "configs")
MODULES = sorted(
    path for folder in ("cdec", *INSIDE) for path in (ROOT / folder).rglob("*.py") if path.is_file()
)
WORKS = """
import pkgutil, sys
from importlib import import_module

import cdec

for module in pkgutil.walk_packages(cdec.__path__, "cdec."):
    if module.name != "cdec.__main__":
        import_module(module.name)
assert all(getattr(cdec, name) is not None for name in cdec.__all__)
from cdec.cli.start import main

def called(*arguments):
    sys.argv = ["cdec", *arguments]
    try:
        main()
    except SystemExit as end:
        assert not end.code, arguments

called("--version")
called("--help")
for name in ("eval", "predict", "train", "stats", "check", "report"):
    called(name, "--help")
called("stats", "--corpus", "sample")
called("eval", "--corpus", "sample", "--setting", "pure", "--metric", "conll", "-f", "csv")
"""


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts if parts[0] == "cdec" else ("cdec", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(name: str) -> str:
    return next((room for room in ROOMS if f"{name}.".startswith(f"{room}.")), "")


def names_imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_a_room_is_imported_by_no_module_outside_it() -> None:
    wrong = {
        (name_of(path), imported)
        for path in MODULES
        for imported in names_imported(path)
        if room_of(imported) not in ("", room_of(name_of(path)))
    }
    assert not wrong


def test_all_that_the_rooms_add_is_there() -> None:
    for room, kinds in ROOMS.items():
        assert importlib.util.find_spec(room)
        for text in (text for names in kinds.values() for text in names.values()):
            assert text.startswith(room)
            assert imported(text)


def without_entry(text: str, room: str) -> str:
    """Return the table of rooms without the lines of one room."""
    keys = [
        (key, value)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == room
    ]
    ((key, value),) = keys
    assert key is not None
    lines = text.splitlines(keepends=True)
    return "".join(lines[: key.lineno - 1] + lines[value.end_lineno :])


@pytest.mark.parametrize("room", ROOMS)
def test_the_package_works_without_a_room(room: str, tmp_path: Path) -> None:
    house = tmp_path / "cdec"
    ignore = shutil.ignore_patterns("results")  # byte code of unchanged modules is valid there
    shutil.copytree(ROOT / "cdec", house, ignore=ignore)
    for name in INSIDE:
        if not (house / name).exists():
            shutil.copytree(ROOT / name, house / name, ignore=ignore)
    path = tmp_path.joinpath(*room.split("."))
    shutil.rmtree(path) if path.is_dir() else path.with_suffix(".py").unlink()
    table = house / "rooms.py"
    table.write_text(without_entry(table.read_text("utf-8"), room), "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WORKS],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "sample,sample-test,pure,lemma,conll,,,0.4674422986841688," in done.stdout
