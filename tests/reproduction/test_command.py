"""``cdec reproduce`` on the sample, and invalid calls."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cdec.api import load_corpus
from cdec.cli.app import app
from cdec.errors import CdecError
from cdec.reproduction import ARTEFACTS
from tests.reproduction.conftest import reproduce

SAMPLE = ("--corpus", "sample", "-q", "--resamples", "20")


# Other tests of this folder have JSON and HTML.
FORMATS = [
    pytest.param(name, marks=[] if name == "markdown" else pytest.mark.slow)
    for name in ("table", "markdown", "latex", "csv", "json", "html")
]


@pytest.mark.parametrize("format", FORMATS)
def test_everything_in_every_format(format: str) -> None:
    text = reproduce("all", *SAMPLE, "-f", format)
    assert all(word in text for word in ("lemma", "Lemma")) or format in ("csv", "json")
    assert "Traceback" not in text


def test_json_has_every_section_with_numbers() -> None:
    content = json.loads(reproduce(*SAMPLE, "-f", "json"))
    sections = {row["section"] for row in content["rows"]}
    # Only the paper's corpus has published values to simulate, another split,
    # and a patch of its key.
    assert sections == set(ARTEFACTS) - {"simulation", "cybulska", "corrected"}
    assert content["signatures"]
    assert all(row.get("printed") is None for row in content["rows"])


def test_table_2_of_a_response_file(tmp_path: Path) -> None:
    part = load_corpus("sample", "test")
    file = tmp_path / "mine.csv"
    rows = [f"{m.doc},{m.start},{m.end},{m.chain}" for m in part.selected.itertuples()]
    file.write_text("\n".join(["doc,start,end,chain", *rows]) + "\n", "utf-8")
    text = reproduce("table2", *SAMPLE, "-f", "csv", "--response", f"perfect={file}")
    records = list(csv.DictReader(io.StringIO(text)))
    assert {r["system"] for r in records} == {"perfect"}
    conll = {r["setting"]: float(r["ours"]) for r in records if r["metric"] == "conll"}
    assert conll == pytest.approx(dict.fromkeys(("simple", "bh", "st", "is", "ycf"), 1))


def test_notices_about_a_response(tmp_path: Path) -> None:
    part = load_corpus("sample", "test")
    first = next(part.selected.itertuples())
    file = tmp_path / "short.csv"
    file.write_text(f"doc,start,end,chain\n{first.doc},{first.start},{first.end},1\n", "utf-8")
    arguments = ["reproduce", "table2", "--corpus", "sample", "--response", str(file)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert "missing" in result.stderr


@pytest.mark.parametrize("name", ["table1", "figure3"])
def test_artefacts_without_systems_run_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> object:
        raise AssertionError("a system was constructed")

    monkeypatch.setattr("cdec.baselines.system", refuse)
    monkeypatch.setattr("cdec.baselines.run", refuse)
    assert reproduce(name, *SAMPLE)


def test_table_2_of_a_system_shows_changes() -> None:
    text = reproduce("table2", *SAMPLE, "--system", "lemma-wd", "-f", "markdown")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    changes = [row for row in rows if len(row) > 2 and row[2] == "change"]
    assert len(changes) == 5
    assert set(changes[0][3:]) == {"+0.0", "+0.0 |"}
    assert "print" not in {row[2] for row in rows}


def test_figure_3() -> None:
    records = list(csv.DictReader(io.StringIO(reproduce("figure3", *SAMPLE, "-f", "csv"))))
    f1 = {
        (r["setting"], r["system"]): float(r["ours"])
        for r in records
        if (r["metric"], r["field"]) == ("muc", "f1")
    }
    assert f1["simple", "System 1"] == f1["simple", "System 2"] > f1["simple", "System 3"]
    assert f1["pure", "System 1"] == 0 < f1["pure", "System 2"] < f1["pure", "System 3"]


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_chart_is_written_and_linked(ending: str, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    chart, page = tmp_path / "docs" / f"chart.{ending}", tmp_path / "page.md"
    reproduce("ranking", *SAMPLE, "--chart", chart, "-f", "markdown", "-o", page)
    assert chart.stat().st_size > 1000
    assert f"](docs/chart.{ending})" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (["tabel2"], "did you mean 'table2'"),
        (["--format", "pdf"], "'pdf'"),
        (["--chart", "x.gif"], "x.gif"),
        (["--chart", "no/where/x.svg"], "no/where"),
        (["table2", "--system", "lema"], "did you mean 'lemma'"),
        (["table2", "--response", "nowhere.conll"], "nowhere.conll"),
        (["intervals", "--resamples", "0"], ""),
    ],
)
def test_a_wrong_call_is_one_line(arguments: list[str], value: str) -> None:
    result = CliRunner().invoke(app, ["reproduce", "--corpus", "sample", "-q", *arguments])
    assert isinstance(result.exception, CdecError), result.exception
    assert value in str(result.exception)
