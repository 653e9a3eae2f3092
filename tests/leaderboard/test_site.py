"""The site of a board: values, links, data, and what writing it may touch."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest

import cdec as package
from cdec.io import output
from cdec.leaderboards import Leaderboard, saved_results, site
from cdec.leaderboards.rows import BoardRow
from cdec.leaderboards.site import site_files, write_site
from cdec.leaderboards.site_pages import METRICS
from cdec.leaderboards.study.tables import Study
from cdec.render import percent
from cdec.settings import SETTINGS
from cdec.settings.catalog import STRICT_TO_LENIENT
from tests.cli.conftest import Run
from tests.refusals import refused

_LINK = re.compile(r'(?:href|src)="([^"]+)"')


def rows(page: Path) -> dict[str, list[tuple[str, str, str]]]:
    """Return for each row of a table its cells: raw value, text, interval."""
    cell = r'<td data-value="([^"]+)">(?:<strong>)?([^<]+)(?:</strong>)?(?:<small>([^<]+))?'
    parts = re.findall(r'<tr id="system-([^"]+)"(.*?)</tr>', page.read_text("utf-8"), re.DOTALL)
    return {name: re.findall(cell, text) for name, text in parts}


def check_values(board: Leaderboard, folder: Path, task: str) -> int:
    """Check that the pages of a task have the saved results; return the number of cells."""
    cells = 0
    for metric in METRICS:
        file = "index" if metric == METRICS[0] else metric
        shown = rows(folder / "task" / task / f"{file}.html")
        for (system, _), results in saved_results(board, task).items():
            known = {one.setting: one[metric].f1 for one in results}
            f1 = [known[s.name] for s in STRICT_TO_LENIENT if s.name in known]
            cells_of = [cell for cell in shown[system] if cell[:2] != ("nan", "–")]
            assert [float(value) for value, _, _ in cells_of] == f1
            assert [text.partition(" ")[0] for _, text, _ in cells_of] == [*map(percent, f1)]
            cells += len(f1)
    return cells


def check_links(folder: Path) -> int:
    """Check that every link within the site leads to a file, and to an element in it."""
    files, links = {path: path.read_text("utf-8") for path in folder.rglob("*.html")}, 0
    for path, text in files.items():
        for link in _LINK.findall(text):
            if link.startswith(("https://", "http://", "data:")):
                continue
            name, _, place = unquote(link).partition("#")
            target = (path.parent / name).resolve() if name else path
            assert target.is_file(), (path, link)
            assert not place or f'id="{place}"' in files[target], (path, link)
            links += 1
    return links


def test_values_are_those_of_the_saved_results(described: Leaderboard, made: Path) -> None:
    assert check_values(described, made, "sample") == 3 * len(METRICS) * len(SETTINGS.own)
    known = Study.read(described.folder / "study").intervals
    known = known.query("system == 'single' and setting == 'pure' and metric == 'conll'")
    (low,), (high,) = known["low"], known["high"]
    shown = rows(made / "task/sample/index.html")
    assert shown["single"][0][2] == f"[{percent(low)}, {percent(high)}]"
    assert {interval for _, _, interval in shown["wd"]} == {""}
    page = (made / "task/sample/index.html").read_text("utf-8")
    assert "<p>Without intervals: wd.</p>" in page
    assert "no intervals of MUC" in (made / "task/sample/muc.html").read_text("utf-8")


def test_a_score_made_after_the_study_has_no_interval(
    described: Leaderboard, tmp_path: Path
) -> None:
    path = described.folder / "study" / "scores.csv"
    table = pd.read_csv(path)
    single = (
        table["system"].eq("single") & table["setting"].eq("pure") & table["metric"].eq("conll")
    )
    table.loc[single, "f1"] += 0.01
    table.to_csv(path, index=False)
    write_site(described, tmp_path / "site")
    cells = rows(tmp_path / "site" / "task/sample/index.html")["single"]
    assert [interval != "" for _, _, interval in cells] == [False, *[True] * 5]


def test_each_run_of_a_model_must_declare_that_it_has_not_seen_test(
    described: Leaderboard,
) -> None:
    entry = described.systems["runs"]
    results = saved_results(described)["runs", "sample"]
    one, *rest = entry.responses
    assert rest
    for seen, hides in (("no", False), (None, True), ("unknown", True)):
        told = [each.model_copy(update={"model": "m", "saw_test": seen}) for each in rest]
        first = one.model_copy(update={"model": "m", "saw_test": "no"})
        made = entry.model_copy(update={"responses": (first, *told)})
        assert ("saw-test" in BoardRow(described, made, "sample", results).hidden_by) == hides


def test_a_folder_that_is_named_is_not_replaced_by_the_board_of_cdec(
    cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = cdec("leaderboard", "site", "leaderboard", "-o", "s")
    assert (result.code, result.error) == (1, "file-unreadable")
    assert not (tmp_path / "s").exists()


def test_a_row_has_its_source_tags_and_published_value(described: Leaderboard, made: Path) -> None:
    page = (made / "task/sample/index.html").read_text("utf-8")
    row = page.partition('<tr id="system-single"')[2].partition("</tr>")[0]
    assert row.startswith(' data-hidden-by="gold-topics saw-test">')
    for text in ('href="https://example.org/paper"', 'href="https://example.org/code"'):
        assert text in row
    assert re.findall(r'class="tag">([^<]+)', row) == ["gold topics", "saw test: unknown"]
    ours = saved_results(described)["single", "sample"]["simple"]["conll"].f1
    assert f"50.0<small>SIMPLE-CDEC, {100 * (ours - 0.5):+.4f}</small>" in row


def test_data_lie_beside_the_pages(described: Leaderboard, made: Path) -> None:
    rows_of = pd.read_csv(made / "task/sample/results.csv").to_dict("records")
    table = {(row["system"], row["setting"], row["metric"]): row for row in rows_of}
    records = json.loads((made / "task/sample/results.json").read_text("utf-8"))["rows"]
    assert len(records) == len(table) == 3 * len(METRICS) * len(SETTINGS.own)
    for (system, task), results in saved_results(described).items():
        for one in results:
            at = (system, one.setting, "lea")
            assert table[at]["f1"] == pytest.approx(one["lea"].f1, abs=1e-15)
        copy = made / table[at]["saved"]
        assert copy.read_bytes() == described.result_path(system, task).read_bytes()
    single = {(r["setting"], r["metric"]): r for r in records if r["system"] == "single"}
    assert single["simple", "conll"]["f1_published"] == 0.5
    assert single["pure", "conll"]["f1_published"] is None
    assert {row["name"] for row in json.loads((made / "index.json").read_text())["rows"]} == {
        *described.systems
    }
    for name in vars(Study.read(described.folder / "study")):
        assert len(pd.read_csv(made / f"study/{name}.csv")) == len(
            json.loads((made / f"study/{name}.json").read_text("utf-8"))
        )


def test_links_resolve_and_nothing_is_inline(made: Path) -> None:
    assert check_links(made) > 100
    for path in made.rglob("*.html"):
        text = path.read_text("utf-8")
        assert "default-src 'none'; style-src 'self'; script-src 'self'" in text
        assert not re.search(r"<style|<script(?! src=)| style=| on\w+=|javascript:|unsafe-", text)


def test_the_same_bytes_twice_and_nothing_else_is_touched(
    described: Leaderboard, made: Path, tmp_path: Path
) -> None:
    write_site(described, tmp_path / "again")
    files = {p.relative_to(made): p for p in made.rglob("*") if p.is_file()}
    assert {p.relative_to(tmp_path / "again") for p in (tmp_path / "again").rglob("*.*")} == {
        *files
    }
    assert all(
        (tmp_path / "again" / name).read_bytes() == p.read_bytes() for name, p in files.items()
    )
    (made / "CNAME").write_text("board.example.org", "utf-8")
    (made / "system/wd.html").write_text("edited", "utf-8")
    times = {path: path.stat().st_mtime_ns for path in files.values()}
    for gone in ("systems/wd.toml", "results/sample/wd.json"):
        (described.folder / gone).unlink()
    package.leaderboard_site(made, described.folder)
    assert (made / "CNAME").is_file()
    assert (made / "system/wd.html").read_text("utf-8") == "edited"
    assert not [*(made / "result/sample").glob("wd/*.json")]
    assert (made / "page.css").stat().st_mtime_ns == times[made / "page.css"]
    assert "wd" not in rows(made / "task/sample/index.html")


def test_an_interrupted_site_is_completed(
    described: Leaderboard, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, left, save = tmp_path / "cut", iter(range(9)), output.save_bytes

    def cut(data: bytes, target: Path, parents: bool = False) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        save(data, target, parents)

    monkeypatch.setattr(site, "save_bytes", cut)
    with pytest.raises(KeyboardInterrupt):
        write_site(described, folder)
    monkeypatch.setattr(site, "save_bytes", save)
    assert not (folder / "site.js").exists()
    write_site(described, folder)
    assert (folder / "site.json").read_bytes() == (made / "site.json").read_bytes()
    assert not [*folder.rglob("*.part")]


def test_a_folder_of_others_is_refused(described: Leaderboard, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "index.html").write_text("mine", "utf-8")
    for target in (folder, Path("-")):
        with refused("file-unwritable", "site", place=target):
            write_site(described, target)
    (folder / "site.json").write_text('{"format": "cdec-leaderboard-site/1", "files": {}}', "utf-8")
    with refused("file-unwritable", place=folder / "index.html"):
        write_site(described, folder)
    for name in ("../away.txt", "/etc/x", "a\\\\..\\\\b"):
        text = f'{{"format": "cdec-leaderboard-site/1", "files": {{"{name}": "{"0" * 64}"}}}}'
        (folder / "site.json").write_text(text, "utf-8")
        with refused("file-invalid", "not in the folder"):
            write_site(described, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["index.html", "site.json"]
    with refused("file-unwritable"):
        write_site(described, described.folder)


def test_without_results_or_study(described: Leaderboard, tmp_path: Path, cdec: Run) -> None:
    shutil.rmtree(described.folder / "study")
    assert not [name for name in site_files(described) if "study" in name]
    described.result_path("wd", "sample").unlink()
    ran = cdec("leaderboard", "site", described.folder, "-o", tmp_path / "none")
    assert (ran.code, ran.error) == (1, "results-missing")
    assert not (tmp_path / "none").exists()


@pytest.mark.slow
def test_the_site_of_cdec(cdec: Run, tmp_path: Path) -> None:
    ran = cdec("leaderboard", "site", "-o", tmp_path / "site")
    assert ran.code == 0, ran.err
    board = Leaderboard.at(Path(__file__).parents[2] / "configs" / "leaderboard")
    assert sum(check_values(board, tmp_path / "site", task) for task in board.tasks) > 7000
    assert check_links(tmp_path / "site") > 4000
    without_topics = (tmp_path / "site/task/fcc-t/index.html").read_text("utf-8")
    assert "<strong>" in without_topics and "<strong>–" not in without_topics
    names = rows(tmp_path / "site/task/ecb+/index.html")
    assert {"cdec-sac-plus", "nath-2024-gpt-3.5", "ahmed-2023-xamr-gpt4"} <= names.keys()
