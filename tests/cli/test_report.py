"""``cdec report``: one page from results and responses."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from cdec.cli.app import app
from tests.cli.conftest import Done, Run


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Saved results with intervals and by topic."""
    folder = tmp_path_factory.mktemp("results")
    calls = {
        "scores": ("--setting", "all", "--ci", "--resamples", "20"),
        "topics": ("--setting", "pure", "--by", "topic"),
    }
    systems = ("--system", "lemma", "--system", "lemma-wd")
    for name, options in calls.items():
        call = ["eval", *systems, *options, "-q", "-f", "json", "-o", f"{folder / name}.json"]
        assert CliRunner().invoke(app, [*call, "--corpus", "sample"]).exit_code == 0
    return folder


@pytest.fixture
def page(done: Done, results: Path) -> Callable[[str], Path]:
    """Return the page with everything on it, in the format of this ending; it is written once."""

    def write(ending: str) -> Path:
        path = results / f"report.{ending}"
        if path.exists():
            return path
        files = (results / "scores.json", results / "topics.json")
        answers = ("-r", "lemma", "-r", "lemma-wd")
        done("report", *files, *answers, "--resamples", 20, "--top", 2, "-o", path)
        return path

    return write


def test_the_page_has_every_part(page: Callable[[str], Path]) -> None:
    text = page("html").read_text("utf-8")
    for title in ("Scores", "By topic", "Is one better", "lemma: where it errs", "side by side"):
        assert title in text
    assert "corpus:sample" in text
    assert text.count("<svg") == 1 + 1 + 2
    assert text.count("<table") >= 10


def test_the_page_loads_nothing(page: Callable[[str], Path]) -> None:
    text = page("html").read_text("utf-8")
    assert "<script" not in text
    links = re.findall(r'(?:src|href)="([^"#]*)', text)
    assert set(links) <= {"", "data:,"}
    assert "@import" not in text
    assert not re.findall(r"url\((?!#)", text)


def test_the_page_forbids_what_it_does_not_need(page: Callable[[str], Path]) -> None:
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', _text(page))
    parts = dict(part.split(" ", 1) for part in policy.split("; "))
    assert parts["default-src"] == "'none'"
    assert set(parts) == {"default-src", "style-src", "img-src"}


def _text(page: Callable[[str], Path]) -> str:
    return page("html").read_text("utf-8")


def test_results_by_topic_with_other_metrics(done: Done, tmp_path: Path) -> None:
    """Each system is shown with a metric that it has, in tables, charts and intervals."""
    paths = []
    for system, metric in (("lemma", "conll"), ("lemma-wd", "lea")):
        for name, more in (("topic", ("--by", "topic")), ("ci", ("--ci", "--resamples", 10))):
            paths.append(tmp_path / f"{system}-{name}.json")
            call = ("--system", system, "--metric", metric, "-s", "pure", *more, "-o", paths[-1])
            done("eval", "-q", *call)
    report = tmp_path / "report.md"
    done("report", *paths, "-o", report)
    text = report.read_text("utf-8")
    for title in ("CoNLL F by topic", "LEA F by topic"):
        assert text.count(f"**{title} (PURE-CDEC)**") == 1
    done("report", *paths, "-o", tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text("utf-8").count("<svg") == 2 + 2


def test_the_split_is_that_of_the_results(cdec: Run, tmp_path: Path) -> None:
    """Not the default part, unless --split names one; then the results are of another task."""
    scores, report = tmp_path / "scores.json", tmp_path / "report.md"
    assert cdec("eval", "-q", "--system", "lemma", "--split", "sample/dev", "-o", scores).code == 0
    assert cdec("report", scores, "-r", "lemma-wd", "-o", report).code == 0
    assert "lemma-wd: where it errs" in report.read_text("utf-8")
    ran = cdec("report", scores, "-r", "lemma-wd", "-o", report, "--split", "test", "-v")
    assert (ran.code, ran.error) == (1, "input-mismatch")


def test_charts_are_valid_and_described_in_words(page: Callable[[str], Path]) -> None:
    text = page("html").read_text("utf-8")
    charts = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    names = set()
    for chart in charts:
        root = ET.fromstring(chart)  # noqa: S314
        space = "{http://www.w3.org/2000/svg}"
        title, description = root.find(f"{space}title"), root.find(f"{space}desc")
        assert title is not None and title.text
        assert description is not None and re.search(r"\d", description.text or "")
        assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
        names.add(title.get("id"))
    assert len(names) == len(charts)


@pytest.mark.parametrize(
    ("ending", "sign"),
    [pytest.param("md", "| --- |", marks=pytest.mark.slow), ("tex", r"\toprule")],
)
def test_the_tables_come_as_markdown_and_latex(
    page: Callable[[str], Path], ending: str, sign: str
) -> None:
    assert sign in page(ending).read_text("utf-8")


def test_the_data_contain_the_saved_scores(page: Callable[[str], Path], results: Path) -> None:
    rows = json.loads(page("json").read_text("utf-8"))["rows"]
    saved = json.loads((results / "scores.json").read_text("utf-8"))["rows"]
    kept = [row for row in rows if row["section"] == "scores"]
    assert len(kept) == len(saved)
    for row, other in zip(kept, saved, strict=True):
        assert {name: row[name] for name in other} == other


def test_results_alone_make_a_page(done: Done, results: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    done("report", results / "scores.json", "-o", path)
    text = path.read_text("utf-8")
    assert "Scores" in text
    assert "where it errs" not in text


def test_results_of_two_corpora_are_rejected(cdec: Run, results: Path, tmp_path: Path) -> None:
    content = json.loads((results / "topics.json").read_text("utf-8"))
    for signature in content["signatures"]:
        signature["digest"] = "0" * 64
    other = tmp_path / "other.json"
    other.write_text(json.dumps(content), "utf-8")
    ran = cdec("report", results / "scores.json", other, "-o", tmp_path / "report.html")
    assert (ran.code, ran.error) == (1, "input-mismatch")


def test_a_response_that_has_changed_is_rejected(cdec: Run, done: Done, tmp_path: Path) -> None:
    response, saved = tmp_path / "mine.conll", tmp_path / "mine.json"
    done("predict", "--system", "lemma", "-o", response)
    done("eval", "--response", response, "--setting", "bh", "--format", "json", "-o", saved)
    done("predict", "--system", "lemma-wd", "-o", response)
    ran = cdec("report", saved, "-r", response, "-o", tmp_path / "report.html")
    assert (ran.code, ran.error) == (1, "input-mismatch")


@pytest.mark.parametrize("content", ["[]", "{", '{"rows": [], "signatures": []}'])
def test_a_file_that_is_not_a_result(cdec: Run, tmp_path: Path, content: str) -> None:
    path = tmp_path / "result.json"
    path.write_text(content, "utf-8")
    ran = cdec("report", path, "-o", tmp_path / "report.html")
    assert (ran.code, ran.error) == (1, "file-invalid")
    assert str(path) in ran.err


def test_an_ending_that_is_not_a_format(cdec: Run, results: Path, tmp_path: Path) -> None:
    ran = cdec("report", results / "scores.json", "-o", tmp_path / "report.doc")
    assert (ran.code, ran.error) == (2, "output-ending")
    assert ".html" in ran.err


@pytest.fixture
def saved(done: Done, tmp_path: Path) -> Callable[..., Path]:
    """Score a system and save the results under a name."""

    def write(name: str, *options: object) -> Path:
        path = tmp_path / f"{name}.json"
        done("eval", "--corpus", "sample", "--setting", "simple", *options, "-o", path)
        return path

    return write


def rows(done: Done, tmp_path: Path, *files: Path) -> dict[tuple[str, str], float]:
    output = tmp_path / "page.json"
    done("report", *files, "-o", output)
    scores = json.loads(output.read_text())["rows"]
    return {(row["system"], row["metric"]): row["f1"] for row in scores}


def test_different_results_of_one_name_are_told_apart(
    done: Done, saved: Callable[..., Path], tmp_path: Path
) -> None:
    files = []
    for delta in (0.05, 0.6):
        config = tmp_path / f"{delta}.toml"
        config.write_text(f'system = "lemma-delta"\ndelta = {delta}\n')
        options = ("--system", "lemma-delta", "--config", config, "--metric", "conll")
        files.append(saved(f"delta-{delta}", *options))
    merged = rows(done, tmp_path, *files)
    for delta, file in zip((0.05, 0.6), files, strict=True):
        (own,) = json.loads(file.read_text())["rows"]
        assert merged[f"lemma-delta (delta:{delta})", "conll"] == own["f1"]


def test_metrics_of_different_responses_of_one_name_are_not_mixed(
    done: Done, saved: Callable[..., Path], tmp_path: Path
) -> None:
    files = []
    for system, metric in (("lemma", "muc"), ("lemma-wd", "b3")):
        response = tmp_path / system / "mine.conll"
        response.parent.mkdir()
        done("predict", "--corpus", "sample", "--system", system, "-o", response)
        files.append(saved(system, "--response", response, "--metric", metric))
    names = {system for system, _ in rows(done, tmp_path, *files)}
    assert len(names) == 2
    assert all(name.startswith("mine (response_digest:") for name in names)


def test_metrics_of_one_response_from_two_files_are_put_together(
    done: Done, saved: Callable[..., Path], tmp_path: Path
) -> None:
    files = [saved(metric, "--system", "lemma", "--metric", metric) for metric in ("muc", "b3")]
    assert set(rows(done, tmp_path, *files, files[0])) == {("lemma", "muc"), ("lemma", "b3")}


def test_topics_and_documents_have_sections_of_their_own(
    done: Done, saved: Callable[..., Path], tmp_path: Path
) -> None:
    both = [saved(by, "--system", "lemma", "--by", by) for by in ("topic", "document")]
    output = tmp_path / "page.md"
    done("report", *both, both[0], "-o", output)
    text = output.read_text()
    assert "By topic (SIMPLE-CDEC)" in text
    assert "By document (SIMPLE-CDEC)" in text


def test_rows_with_f1_only_are_shown(
    done: Done, saved: Callable[..., Path], tmp_path: Path
) -> None:
    file = saved("mine", "--system", "lemma", "--metric", "muc")
    content = json.loads(file.read_text())
    for row in content["rows"]:
        del row["precision"], row["recall"]
    file.write_text(json.dumps(content))
    assert list(rows(done, tmp_path, file)) == [("lemma", "muc")]
