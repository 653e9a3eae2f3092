"""A deprecated name works, warns once with its successor, and is gone when its release comes."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any, ClassVar

import pytest
from packaging.version import Version

import cdec
from cdec.errors import CdecWarning, FormatError, notices
from cdec.errors.notices import DEPRECATED, with_old_parameters
from cdec.io import FileKind, FileModel, Schema
from tests.cli.conftest import Run
from tests.cli.conftest import cdec as program
from tests.refusals import refused

__all__ = ["program"]
MADE = {
    ("cdec", "evaluate"): ("eval", "9.0"),
    ("cdec eval", "--scenario"): ("--setting", "9.0"),
    ("cdec corpus stats", "--part"): ("--split", "9.0"),
    ("module cdec", "score_files"): ("score", "9.0"),
    ("cdec.measure", "settings"): ("setting", "9.0"),
    ("a thing", "titel"): ("title", "9.0"),
}
BOTH = "cdec 9.0 removes"


@pytest.fixture
def _made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "DEPRECATED", DEPRECATED | MADE)


def overdue(names: dict[Any, tuple[str, str]], release: str) -> list[Any]:
    """The names that this release should no longer have."""
    return [old for old, (_, removed) in names.items() if Version(removed) <= Version(release)]


def test_what_is_to_be_removed_is_removed() -> None:
    message = "delete the entry in cdec/errors/notices.py, its code, and its line in the CHANGELOG"
    assert overdue(DEPRECATED, cdec.__version__) == [], message
    assert overdue(MADE, "9.0.0") == list(MADE) and overdue(MADE, "8.9") == []


def test_every_deprecation_lasts_a_minor_release() -> None:
    for new, removed in DEPRECATED.values():
        version = Version(removed)
        assert new and version.micro == 0 and f"{version.major}.{version.minor}.0" == removed


@pytest.mark.usefixtures("_made")
def test_options_and_commands(program: Run) -> None:
    new = program("eval", "--setting", "pure", "--system", "lemma", "-f", "csv", "-q")
    for old in (["--scenario", "pure"], ["--scenario=pure"]):
        ran = program("evaluate", *old, "--system", "lemma", "-f", "csv")
        assert (ran.code, ran.out) == (0, new.out)
        lines = [line for line in ran.err.splitlines() if "[name-deprecated]" in line]
        assert [line.split("'")[1::2][:2] for line in lines] == [
            ["evaluate", "eval"],
            ["--scenario", "--setting"],
        ]
        assert all(line.startswith("cdec: warning: ") and BOTH in line for line in lines)
    assert program("eval", "--scenario", "pure", "--system", "lemma", "-qf", "csv").err == ""
    group = program("corpus", "stats", "--part", "sample", "-f", "csv")
    assert group.code == 0 and "'--part' is deprecated" in group.err


@pytest.mark.usefixtures("_made")
def test_an_old_option_beside_its_successor_is_unknown(program: Run) -> None:
    ran = program("eval", "--scenario", "pure", "--setting", "bh")
    assert (ran.code, ran.error) == (2, "name-unknown")
    assert "--scenario" in ran.err


@pytest.mark.usefixtures("_made")
def test_names_and_parameters_in_python() -> None:
    @with_old_parameters
    def measure(*, setting: str = "pure") -> str:
        return setting

    with pytest.warns(CdecWarning, match=r"'settings' is deprecated, use 'setting'") as caught:
        assert measure(settings="bh") == "bh"  # type: ignore[call-arg]
    assert [Path(one.filename).name for one in caught] == [Path(__file__).name]
    with pytest.raises(TypeError, match="settings"):
        measure(settings="bh", setting="bh")  # type: ignore[call-arg]
    with pytest.warns(CdecWarning, match=r"module cdec: 'score_files' is deprecated, use 'score'"):
        assert cdec.score_files is cdec.score
    with pytest.raises(AttributeError, match="scores_file"):
        cdec.scores_file  # noqa: B018
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        for _ in range(3):
            measure(settings="bh")  # type: ignore[call-arg]
    assert len(shown) == 1  # once, and filters work
    with warnings.catch_warnings(), pytest.raises(CdecWarning):
        warnings.simplefilter("error", CdecWarning)
        measure(settings="bh")  # type: ignore[call-arg]


class _Thing(FileModel):
    known_as: ClassVar[str] = "a thing"
    title: str


@pytest.mark.usefixtures("_made")
def test_fields_of_files(tmp_path: Path) -> None:
    schema = Schema(FileKind("a thing", FormatError, "file-invalid", "make one"), _Thing, "thing/1")
    file = tmp_path / "thing.json"
    file.write_text(json.dumps({"format": "thing/1", "titel": "t"}))
    with pytest.warns(CdecWarning, match="a thing: 'titel' is deprecated, use 'title'") as caught:
        assert schema.read_json(file).title == "t"
    assert [Path(one.filename).name for one in caught] == [Path(__file__).name]
    file.write_text(json.dumps({"format": "thing/1", "titel": "t", "title": "t"}))
    with refused("file-invalid", "unknown field 'titel'", place="thing.json"):
        schema.read_json(file)


def test_the_old_name_of_corpus_stats(program: Run) -> None:
    old, new = program("stats", "-f", "csv"), program("corpus", "stats", "-f", "csv")
    assert (old.code, old.out) == (0, new.out)
    assert "'stats' is deprecated, use 'corpus stats'; cdec 0.2.0 removes" in old.err
    assert "deprecated" not in new.err
