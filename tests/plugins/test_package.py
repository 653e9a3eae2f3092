"""`cdec plugins new`: each kind of package works as it is written."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cdec.cli.plugins import KINDS, REGISTRIES
from cdec.rooms import imported
from tests.cli.conftest import Run, cdec
from tests.guides import Guide
from tests.plugins.conftest import Site, rows_of

__all__ = ["cdec"]  # a fixture


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site on the path of this process; afterwards, no registry knows it."""
    site = Site(tmp_path / "site")
    monkeypatch.syspath_prepend(str(site.folder))
    for registry in map(imported, REGISTRIES.values()):
        monkeypatch.setattr(registry, "_loaded", {})
    yield site
    forget()
    for kind in KINDS:
        sys.modules.pop(f"my_{kind}", None)


def forget() -> None:
    """Let the registries look for entry points again, as another process does."""
    for registry in map(imported, REGISTRIES.values()):
        vars(registry).pop("_points", None)


def installed(site: Site, package: Path) -> None:
    """Install the package for this process, as its pyproject.toml says."""
    project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]
    modules = {path.stem: path.read_text("utf-8") for path in package.glob("my_*.py")}
    points = {
        f"{group.removeprefix('cdec.')} {name}": value
        for group, entries in project["entry-points"].items()
        for name, value in entries.items()
    }
    site.install(project["name"], project["version"], modules, points)


def checks_of(package: Path) -> list[Any]:
    (path,) = package.glob("test_*.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [value for name, value in vars(module).items() if name.startswith("test_")]


def test_each_kind_is_listed_when_it_is_installed(cdec: Run, site: Site, tmp_path: Path) -> None:
    for kind in KINDS:
        ran = cdec("plugins", "new", kind, f"my-{kind}", "--into", tmp_path)
        assert (ran.code, ran.out) == (0, "")
        assert f"my-{kind}" in ran.err
        installed(site, tmp_path / f"my-{kind}")
    forget()
    listed = rows_of(cdec("plugins", "--format", "csv"))
    others = [row for row in listed if row["distribution"].startswith("my-")]
    assert [row["name"] for row in others] == [row["distribution"] for row in others]
    assert {row["name"] for row in others} == {f"my-{kind}" for kind in KINDS}
    assert [row["problem"] for row in others] == [""] * len(KINDS)
    for kind in ("metric", "setting"):  # the tests of the others take seconds
        for test in checks_of(tmp_path / f"my-{kind}"):
            test()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_package_is_installed_and_its_test_passes(kind: str, tmp_path: Path) -> None:
    page, folder = tmp_path / "page.md", tmp_path / "folder"
    folder.mkdir()
    commands = (
        f"cdec plugins new {kind} my-{kind} --quiet",
        f"pip install -q ./my-{kind}",
        f"cd my-{kind} && python -m pytest -q --no-header\n... passed in ...",
        f"cdec plugins | grep my-{kind}\n...my-{kind}...my-{kind} 0.1",
    )
    lines = "".join(f"$ {command}\n" for command in commands)
    page.write_text(f"```console\n{lines}```\n", "utf-8")
    guide = Guide(page, folder)
    assert guide.followed() == guide.text


@pytest.mark.parametrize(
    "case",
    [
        (["metric", "My-Metric"], "option-invalid", "'My-Metric' is not a valid name"),
        (["metric", "../mine"], "option-invalid", "'../mine' is not a valid name"),
        (["metric", "2nd"], "option-invalid", "'2nd'"),
        (["metric", "class"], "option-invalid", "'class'"),
        (["metric", "muc"], "option-invalid", "the metric 'muc' exists already"),
        (["setting", "pure"], "option-invalid", "the setting 'pure' exists already"),
        (["system", "numpy"], "option-invalid", "hide the module 'numpy'"),
        (["system", "json"], "option-invalid", "hide the module 'json'"),
        (["parser", "mine"], "name-unknown", "metric"),
        (["system", "taken"], "file-unwritable", "taken"),
        (["system", "mine", "--into", "none"], "file-unwritable", "none"),
    ],
)
def test_a_wrong_call_writes_nothing(
    case: tuple[list[str], str, str], cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, code, said = case
    monkeypatch.chdir(tmp_path)
    Path("taken").mkdir()
    ran = cdec("plugins", "new", *arguments)
    assert (ran.error, ran.out) == (code, "")
    assert ran.code in (1, 2)
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert [path.name for path in tmp_path.rglob("*")] == ["taken"]


def test_an_interrupted_call_leaves_no_folder(
    cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cdec.plugins.package.Template.substitute", interrupt)
    ran = cdec("plugins", "new", "metric", "mine", "--into", tmp_path)
    assert ran.code == 130
    assert list(tmp_path.iterdir()) == []
