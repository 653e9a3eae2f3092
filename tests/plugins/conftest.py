"""Installed distributions with plug-ins, and the command line."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from cdec.baselines import SYSTEMS
from cdec.language import PIPELINES
from cdec.settings import SETTINGS
from tests.cli.conftest import Ran, Run, cdec

__all__ = ["cdec"]  # a fixture


SYSTEM = """
from cdec.clustering import Clustering


class OneChain:
    name = "one-chain"
    parameters = {"chains": 1}

    def predict(self, corpus):
        return Clustering.from_labels(dict.fromkeys(corpus.mentions.index, "x"))
"""


class Site:
    """A folder of installed distributions, in the layout of pip."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def module(self, name: str, code: str) -> None:
        path = self.folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(dedent(code), "utf-8")

    def install(
        self, name: str, version: str, modules: dict[str, str], points: dict[str, str]
    ) -> None:
        """``modules``: name → code; ``points``: ``"group name"`` → ``"module:attribute"``."""
        for module, code in modules.items():
            self.module(module, code)
        info = self.folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (info / "METADATA").write_text(metadata, "utf-8")
        lines: list[str] = []
        for point, value in points.items():
            group, entry = point.split()
            lines += [f"[cdec.{group}]", f"{entry} = {value}"]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
        record = [f"{module}.py,," for module in modules] + [f"{info.name}/METADATA,,"]
        (info / "RECORD").write_text("\n".join(record) + "\n", "utf-8")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site on the path of this process; its modules are unloaded after the test."""
    folder, before = Site(tmp_path / "site"), set(sys.modules)
    monkeypatch.syspath_prepend(str(folder.folder))
    for registry in (SYSTEMS, SETTINGS, PIPELINES):
        monkeypatch.setattr(registry, "_loaded", {})
        vars(registry).pop("_points", None)
    yield folder
    for registry in (SYSTEMS, SETTINGS, PIPELINES):
        vars(registry).pop("_points", None)
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def run(cdec: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``cdec`` in this process, on a wide terminal."""
    monkeypatch.setenv("COLUMNS", "200")
    return cdec


def rows_of(ran: Ran) -> list[dict[str, str]]:
    assert (ran.code, ran.err) == (0, "")
    return list(csv.DictReader(io.StringIO(ran.out)))
