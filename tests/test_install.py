"""What an installation needs: extras, licences, names of files."""

from __future__ import annotations

import runpy
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LICENCES = runpy.run_path(str(ROOT / "docs" / "_site" / "licences.py"))
PAGE = (ROOT / "docs" / "licences.md").read_text("utf-8")


def rows() -> dict[str, list[str]]:
    """Package → licence, purpose, dependency, as the page has them."""
    cells = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]
    return {Requirement(first).name: rest for first, *rest in cells if first != "package"}


def test_every_extra_is_used_by_ci() -> None:
    used = runpy.run_path(str(ROOT / ".ci" / "use_extras.py"))["USES"]
    assert {*used, "all", "test"} == set(EXTRAS)
    (every,) = EXTRAS["all"]
    assert Requirement(every).extras == set(used) == set(LICENCES["EXTRAS"])
    assert ".ci/use_extras.py" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_the_page_has_every_direct_dependency_with_the_licence_of_its_metadata() -> None:
    known, checked = rows(), 0
    for name in LICENCES["direct"]():
        assert known[name][0] != "not stated"
        try:
            assert known[name][0] == LICENCES["licence"](name), name
        except PackageNotFoundError:
            continue
        checked += 1
    assert checked >= len(PROJECT["dependencies"])


def test_what_is_not_permissive_is_in_the_first_table() -> None:
    first = PAGE.partition("## Permissive")[0]
    for name in ("HanTa", "tqdm", "certifi", "py7zr"):
        assert f"| {name}" in first
    assert not LICENCES["RECIPROCAL"].search(PAGE.partition("## Permissive")[2])


@pytest.mark.parametrize(
    ("names", "refused"),
    [
        (["a/console.py", "a/b.py"], []),
        (["a/con.txt"], ["a/con.txt"]),
        (["a:b"], ["a:b"]),
        (["a/x", "A/X"], ["a/x", "A/X"]),
        (["x" * 201], ["x" * 201]),
        (["end./y"], ["end./y"]),
    ],
)
def test_names_that_windows_refuses(names: list[str], refused: list[str]) -> None:
    unportable: Any = runpy.run_path(str(ROOT / ".ci" / "check_dist.py"))["unportable"]
    assert unportable(names) == refused
