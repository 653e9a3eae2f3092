"""``cdec explain`` on files and on the sample corpus."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import cdec
from cdec.cli.app import app
from cdec.clustering import Clustering
from cdec.corpus import Corpus
from cdec.errors import CdecError
from cdec.evaluation import FilePolicy, prepare_pair, run_on
from cdec.explanation import explain
from cdec.metrics import METRICS, score
from cdec.settings import SETTINGS
from tests.refusals import refused

EXACT = 1e-12
SAMPLE = ("--corpus", "sample", "--quiet")


def run(*arguments: str) -> str:
    """Return stdout; an error of the command is raised."""
    result = CliRunner().invoke(app, ["explain", *arguments])
    if isinstance(result.exception, CdecError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def rows(*arguments: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(run(*arguments, "--format", "json"))
    return content


def test_a_chain_of_two_files(files: tuple[str, str]) -> None:
    shown = run(*files, "--metric", "muc", "--chain", "2", "--side", "key")
    assert "MUC: chain 2" in shown
    assert "d1/4-4   e     twinless" in shown
    assert "p(K) = {d1/3-3} {d1/4-4} {d1/5-5 d1/6-6}; a twinless mention" in shown
    assert "|K| − |p(K)| = 4 − 3 = 1 of |K| − 1 = 3" in shown
    assert "key:key.conll" in shown


def test_both_sides_of_a_label(files: tuple[str, str]) -> None:
    shown = run(*files, "--metric", "lea", "--chain", "2")
    assert "K = key chain 2 = {d1/3-3" in shown
    assert "R = response chain 2 = {d1/2-2 d1/3-3}" in shown


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "csv", "json", "html"])
@pytest.mark.parametrize("choice", [("--chain", "3"), ("--document", "d1")])
def test_every_format(files: tuple[str, str], format: str, choice: tuple[str, str]) -> None:
    assert "3" in run(*files, "-m", "avg4", *choice, "--format", format)


def summed(content: dict[str, Any], metric: str, side: str, half: str) -> float:
    chains = (row for row in content["rows"] if row["row"] == "chain")
    return math.fsum(row[half] for row in chains if (row["metric"], row["side"]) == (metric, side))


@pytest.mark.parametrize("metric", METRICS)
def test_the_sums_of_a_document_are_its_score(two_documents: tuple[str, str], metric: str) -> None:
    content = rows(*two_documents, "--metric", metric, "--document", "d1")
    experiment = prepare_pair(
        *two_documents, scope="document", metrics=[metric], scorer="cdec", policy=FilePolicy()
    )
    expected = experiment.results("document").units.set_index("unit").loc["d1"]
    for side, (num, den) in {"key": ("r_num", "r_den"), "response": ("p_num", "p_den")}.items():
        numerator = summed(content, metric, side, "numerator")
        assert numerator == pytest.approx(expected[num], abs=EXACT)
        assert summed(content, metric, side, "denominator") == expected[den]


def test_a_document_among_others_shows_its_own_score(two_documents: tuple[str, str]) -> None:
    shown = run(*two_documents, "--metric", "muc", "--document", "d1")
    assert "MUC in d1 alone: recall 0.4000 (40.0 %), precision 0.4000 (40.0 %)" in shown


def test_a_label_of_several_documents_asks_which(two_documents: tuple[str, str]) -> None:
    with refused("chain-ambiguous", "d1, d2"):
        run(*two_documents, "--metric", "muc", "--chain", "1")
    shown = run(*two_documents, "--metric", "muc", "--chain", "1", "--document", "d2")
    assert "|K| − |p(K)| = 4 − 3 = 1 of |K| − 1 = 3" in shown
    assert ", in d2" in shown


def test_corpus_scope_joins_the_documents(two_documents: tuple[str, str]) -> None:
    shown = run(*two_documents, "--metric", "b3", "--chain", "1", "--scope", "corpus")
    assert "K = key chain 1 = {d1/0-0 d1/1-1 d1/2-2 d2/0-0" in shown


def test_texts_where_files_are_compared_by_block(tmp_path: Path) -> None:
    rows = "x\t0\t0\tone\t(1)\nx\t0\t1\ttwo\t-\ny\t0\t0\tthree\t(1)\ny\t0\t1\tfour\t-\n"
    paths = []
    for name in ("key", "response"):
        path = tmp_path / f"{name}.conll"
        path.write_text(f"#begin document (all); part 000\n{rows}\n#end document\n")
        paths.append(str(path))
    shown = run(*paths, "--metric", "b3", "--chain", "1", "--side", "key", "--scope", "corpus")
    assert "one" in shown
    assert "three" in shown
    assert "four" not in shown


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return cdec.load_corpus("sample", "test")


@pytest.fixture(scope="module")
def largest_chain(sample: Corpus) -> str:
    """A gold chain of several mentions that stays whole under every scope."""
    events = sample.selected
    spread = events.groupby("chain")["subtopic"].nunique()
    sizes = events["chain"].value_counts()
    return str(sizes[spread.reindex(sizes.index) == 1].index[0])


@pytest.fixture(scope="module")
def lemma(sample: Corpus) -> Clustering:
    return cdec.predict(sample, "lemma")


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("metric", ["avg4", "lea", "ceafm"])
def test_totals_are_the_scores_of_eval(
    sample: Corpus, lemma: Clustering, setting: str, metric: str
) -> None:
    answer = run_on(sample, lemma)
    explanation = explain(answer, SETTINGS[setting], metric, document="4_1ecb")
    expected = score(answer.meta_documents(SETTINGS[setting]), [metric])
    scored = cdec.evaluate(sample, lemma, setting=setting, metrics=[metric])
    assert scored[metric] == expected[metric]
    assert explanation.values[metric] == pytest.approx(expected[metric], abs=EXACT)
    for part in explanation.parts:
        assert explanation.counts[part].r_num == pytest.approx(
            expected.counts[part].r_num, abs=EXACT
        )


def test_words_and_sentences_of_the_corpus(largest_chain: str) -> None:
    shown = run(*SAMPLE, "--system", "lemma", "-s", "simple", "-m", "muc", "-c", largest_chain)
    assert "Sentence  Text" in shown
    assert "corpus:sample" in shown


def test_a_response_file_with_the_corpus(tmp_path: Path, largest_chain: str) -> None:
    path = tmp_path / "gold.jsonl"
    assert CliRunner().invoke(app, ["corpus", "export", *SAMPLE, "-o", str(path)]).exit_code == 0
    arguments = ("--response", f"gold={path}", "-s", "simple", "-m", "b3", "-c", largest_chain)
    content = rows(*SAMPLE, *arguments)
    assert content["values"]["b3"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}


@pytest.mark.parametrize(
    ("arguments", "code", "value"),
    [
        (("--chain", "1"), "argument-missing", "--system"),
        (("--chain", "1", "--system", "lemma", "--response", "f"), "option-conflict", "--system"),
        (("key.conll", "--chain", "1"), "argument-missing", "RESPONSE"),
        (("k", "r", "--chain", "1", "--system", "lemma"), "option-conflict", "--system"),
        (("k", "r", "--chain", "1", "--split", "dev"), "option-conflict", "--split"),
        (("--chain", "1", "--system", "lemma", "--scope", "corpus"), "option-requires", "--scope"),
        ((*SAMPLE, "--chain", "1", "--system", "lemma", "-s", "all"), "argument-type", "all"),
    ],
)
def test_an_invalid_call(arguments: tuple[str, ...], code: str, value: str) -> None:
    with refused(code, value):
        run("--metric", "muc", *arguments)


def test_an_unknown_chain(files: tuple[str, str]) -> None:
    with refused("name-unknown", "unknown chain", "'77'"):
        run(*files, "--metric", "muc", "--chain", "77")


def test_an_error_has_one_line_and_exit_code_2(files: tuple[str, str]) -> None:
    command = [sys.executable, "-m", "cdec", "explain", *files, "--metric", "muc", "--chain", "77"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'77'" in done.stderr.splitlines()[-1]


def test_the_help_has_worked_examples() -> None:
    shown = run("--help")
    assert shown.count("cdec explain ") == 4
