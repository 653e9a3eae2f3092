"""docs/benchmarks.*: the page is its table, the table is of one run, and the program works."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarks.page import files, plot, rows, text
from tests.benchmarks.page.measure import Limits, used
from tests.benchmarks.page.peers import METRICS, THEIRS, peers
from tests.benchmarks.page.rows import Log, Row, difference
from tests.benchmarks.page.run import score_cases

DOCS = Path(__file__).parents[1] / "docs"
DIGITS = {"neleval": 1e-6, "scorch": 1e-6}
"""Points up to which the values of a tool agree; the others print two digits."""
TABLE = DOCS / "benchmarks.csv"


def test_the_page_and_its_plot_are_the_table() -> None:
    measured = rows.read(TABLE)
    assert (DOCS / "benchmarks.md").read_text("utf-8") == text.page(measured)
    picture = (DOCS / "benchmarks.svg").read_text("utf-8")
    assert len(picture) < 100_000
    described = plot.described(measured)
    assert described
    assert described in picture


def test_ratios_and_differences_follow_from_times_and_values() -> None:
    measured = [row for row in rows.read(TABLE) if row.table == "files"]
    with_peers = [row for row in measured if row.ratio]
    assert {row.tool for row in with_peers} >= {"neleval"}
    formats = {peer.name: peer.ours.removeprefix(files.JOINED) for peer in peers()}
    for row in with_peers:
        name = f"cdec, {formats[row.tool]}"
        [ours] = (each for each in measured if (each.case, each.tool) == (row.case, name))
        assert float(row.ratio) == pytest.approx(float(row.cpu) / float(ours.cpu), abs=0.006)
        assert float(row.difference) == pytest.approx(difference(row.values, ours.values), abs=1e-4)
        assert float(row.difference) <= DIGITS.get(row.tool, 0.01)


def test_every_row_has_values_or_says_why_not() -> None:
    for row in rows.read(TABLE):
        if row.table == "files":
            assert bool(row.values) != bool(row.note), row
        if row.table == "tools":
            assert bool(row.version) != row.note.startswith("not installed"), row


def test_limits_of_time_and_memory_are_problems() -> None:
    loop, list_ = ([sys.executable, "-c", code] for code in ("while 1: 0", "[0] * 10**9"))
    assert used([loop], Limits(1)).problem == "stopped after 1 s of processor time"
    assert used([list_], Limits(5, mebibytes=2048)).problem == "needs more than 2 GiB"
    assert used([["no-such-program"]], Limits(5)).problem.startswith("failed: ")
    done = used([[sys.executable, "-c", "print(1)"]] * 2, Limits(5, rounds=2))
    assert (done.runs, done.output, done.problem) == (2, ("1\n", "1\n"), "")
    assert 0 < done.cpu < 5
    assert 1 < done.peak < 500


def test_an_interrupted_run_goes_on_unless_something_changed(tmp_path: Path) -> None:
    about = [Row("about", "commit", note="1")]
    path = tmp_path / "rows.csv"
    first = Row("files", "case", "tool")
    new = Log(path, about)
    assert new.is_new
    new.row(first, lambda row: replace(row, cpu="1.00"))
    again = Log(path, about)
    assert not again.is_new
    assert again.row(first, lambda row: replace(row, cpu="2.00")).cpu == "1.00"
    other = Log(path, [Row("about", "commit", note="2")])
    assert other.is_new
    assert other.row(first, lambda row: replace(row, cpu="2.00")).cpu == "2.00"


def test_a_tool_that_is_not_here_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CDEC_COVAL", "CDEC_COREFUD_SCORER", "CDEC_REFERENCE_SCORER"):
        monkeypatch.setenv(name, "no-such-file")
    missing = {peer.name for peer in peers() if peer.version is None}
    assert {"coval", "corefud-scorer", "CoNLL scorer, CEAF_e"} <= missing
    assert "neleval" not in missing


def test_every_metric_of_a_peer_is_one_of_cdec() -> None:
    assert {*THEIRS.values()} <= {*METRICS}
    for peer in peers():
        assert {*peer.metrics} <= {*METRICS}


@pytest.mark.slow
def test_the_peers_that_are_here_agree_on_made_up_files(tmp_path: Path) -> None:
    here = [peer for peer in peers() if peer.version]
    log = Log(tmp_path / "rows.csv", [])
    score_cases([files.made(tmp_path, 200)], here, Limits(60, rounds=1), log)
    found = {row.tool: row for row in log.rows if row.table == "files"}
    assert found.keys() >= {peer.name for peer in here} | {"cdec, conll"}
    for peer in here:
        row = found[peer.name]
        assert float(row.difference) <= peer.digits, (peer.name, row.note)
        assert float(row.ratio) > 0
        assert {name for name, *_ in map(str.split, row.values.split("; "))} == {*peer.metrics}
