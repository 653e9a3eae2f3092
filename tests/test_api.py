"""The Python API."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pytest

import cdec
from cdec.api import load_corpus
from cdec.baselines import SYSTEMS, system
from cdec.corpus import Corpus, default_split, divided
from cdec.evaluation import COLUMNS
from cdec.settings import SETTINGS, Setting
from tests.refusals import refused


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return load_corpus("sample", "test")


def test_a_missing_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        _ = cdec.evalute


def test_the_example_in_the_docstring_runs() -> None:
    result = doctest.testmod(cdec)
    assert result.attempted == 5
    assert result.failed == 0


def test_load_corpus_reads_parts_of_the_sample() -> None:
    whole = load_corpus("sample")
    assert (whole.name, whole.part, len(whole.documents)) == ("sample", "all", 36)
    assert default_split(whole).name == "sample"
    parts = divided(whole)
    assert list(parts) == ["train", "dev", "test"]
    assert sum(len(part.documents) for part in parts.values()) == 36
    assert load_corpus("sample", "test").gold.labels.equals(parts["test"].gold.labels)
    assert load_corpus("sample", "sample/dev").part == "sample-dev"


def test_load_corpus_takes_a_custom_split(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[topics]\na = ["1-5"]\nb = ["6"]\n')
    assert {d.topic for d in load_corpus("sample", f"{file}/b").documents.values()} == {"6"}
    with refused("name-unknown", "unknown part", "a, b, all"):
        load_corpus("sample", f"{file}/c")
    with refused("split-invalid", "12, 18", "'dev'"):
        load_corpus("sample", "cybulska/dev")


def test_predict_takes_a_name_or_a_system(sample: Corpus) -> None:
    by_name = cdec.predict(sample, "lemma", pipeline="hanta")
    assert by_name.labels.equals(cdec.predict(sample, system("lemma")).labels)
    assert by_name.labels.index.equals(sample.selected.index)
    with refused("name-unknown", "unknown system", "'lemma'"):
        cdec.predict(sample, "lemmma")


def test_evaluate_takes_one_or_several_responses_and_settings(sample: Corpus) -> None:
    lemma = system("lemma")
    one = cdec.evaluate(sample, lemma)
    assert len(one) == 1
    assert one["conll"] == one.values["conll"]
    many = cdec.evaluate(sample, [lemma, sample.gold], setting=["pure", SETTINGS["bh"], "all"])
    assert [r.setting for r in many][::2] == ["pure", "bh", "st", "is", "ycf", "simple"]
    assert {r.system for r in many} == {"lemma", "response"}
    assert many.values == one.values
    with pytest.raises(KeyError, match="12 results"):
        many["conll"]


def test_results_render(sample: Corpus) -> None:
    results = cdec.evaluate(sample, sample.gold, setting=["pure", "simple"])
    frame = results.to_frame()
    assert tuple(frame.columns) == COLUMNS
    assert set(frame["f1"]) == {1.0}
    assert results.to_latex().startswith("% corpus:sample|")
    assert "<table" in results._repr_html_()
    assert "PURE-CDEC" in repr(results)
    assert str(results.signature) in repr(results)
    assert json.loads(json.dumps(results.page.about))["signatures"][1]["setting"] == "simple"


def test_a_custom_setting(sample: Corpus) -> None:
    mine = Setting("mine", "Mine", "topic", ignore_singletons=True)
    results = cdec.evaluate(sample, sample.gold, setting=mine)
    assert set(results.to_frame()["setting"]) == {"mine"}
    assert results.signature.fields["setting"] == "scope=topic,ignore_singletons=key"


def test_arguments_are_checked_before_a_system_runs(sample: Corpus) -> None:
    class Slow:
        name = "slow"
        parameters: ClassVar[dict[str, object]] = {}

        def predict(self, corpus: Corpus) -> None:
            raise AssertionError("it ran")

    options = {"setting": "puer", "metrics": ["muk"], "scorer": "me"}
    for name, value in options.items():
        with refused("name-unknown", f"unknown {name.removesuffix('s')}"):
            cdec.evaluate(sample, Slow(), **{name: value})  # type: ignore[arg-type]
    with refused("name-duplicate", 2, "'slow'"):
        cdec.evaluate(sample, [Slow(), Slow()])  # type: ignore[list-item]
    with refused("response-missing"):
        cdec.evaluate(sample, [])


def test_score_of_clusterings_and_of_files(tmp_path: Path) -> None:
    key, response = {"d/a": 1, "d/b": 1, "e/a": 1}, {"d/a": 1, "d/b": 2, "e/a": 2}
    with refused("scope-ambiguous"):
        cdec.score(key, response)
    assert cdec.score(key, response, scope="corpus")["muc"].f1 == 2 / 3
    chains = pd.Series(key), cdec.Clustering.from_labels(response)
    assert cdec.score(*chains, scope="corpus")["muc"].f1 == 2 / 3
    assert cdec.score(*chains, scope="document")["muc"].f1 == 0
    files = []
    for name, side in {"key": key, "mine": response}.items():
        rows = [
            {"doc": m[0], "start": ord(m[-1]), "end": ord(m[-1]), "chain": c}
            for m, c in side.items()
        ]
        file = tmp_path / f"{name}.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        files.append(file)
    assert cdec.score(*files, scope="corpus")["muc"].f1 == 2 / 3
    with refused("scope-ambiguous", "document", "corpus"):
        cdec.score(*files)
    local = cdec.score(*files, scope="document")
    assert local["muc"].f1 == 0
    assert local.notices == ()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"scope": "topic"}, "name-unknown"),
        ({"scope": "document"}, "level-missing"),
        ({"metrics": ["muk"]}, "name-unknown"),
        ({"scorer": "me"}, "name-unknown"),
        ({"scorer": "neleval", "metrics": ["lea"]}, "metric-unsupported"),
    ],
)
def test_invalid_options_of_score_are_errors(options: dict[str, Any], code: str) -> None:
    with refused(code):
        cdec.score({"a": 1}, {"a": 1}, **options)


def test_key_and_response_have_the_same_type_and_common_mentions(tmp_path: Path) -> None:
    with refused("argument-type"):
        cdec.score(tmp_path / "key", {"a": 1})
    with refused("mentions-disjoint", 1):
        cdec.score({"a": 1}, {"b": 1})


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_can_be_built_by_name(name: str) -> None:
    assert system(name).name == name


def test_the_default_corpus_warns_that_it_is_the_sample() -> None:
    with pytest.warns(cdec.SampleWarning) as caught:
        cdec.load_corpus(split="test")
    assert [warning.filename for warning in caught] == [__file__]


WRONG_CALLS: dict[str, tuple[Callable[[Corpus], object], str]] = {
    "response": (lambda c: cdec.evaluate(c, untyped()), "NoneType"),
    "list of responses": (lambda c: cdec.evaluate(c, [untyped(), untyped(3)]), "NoneType"),
    "corpus to score on": (lambda _: cdec.evaluate(untyped("sample"), "lemma"), "str"),
    "setting": (lambda c: cdec.evaluate(c, c.gold, setting=untyped()), "None"),
    "key": (lambda _: cdec.score(untyped(3), untyped(4)), "int"),
    "system": (lambda c: cdec.predict(c, untyped(3)), "int"),
    "corpus to predict on": (lambda _: cdec.predict(untyped()), "NoneType"),
}


def untyped(value: object = None) -> Any:
    """Return an argument that the type checker accepts everywhere."""
    return value


@pytest.mark.parametrize(("call", "value"), WRONG_CALLS.values(), ids=WRONG_CALLS)
def test_arguments_of_a_wrong_type_are_refused(
    call: Callable[[Corpus], object], value: str, sample: Corpus
) -> None:
    with refused("argument-type", value):
        call(sample)


def test_scoring_does_not_import_the_modules_for_a_corpus_on_disk() -> None:
    late = {"lxml", "cdec.auditing", "cdec.language", "cdec.baselines", "cdec.corpus.store"}
    code = "import sys, cdec; cdec.score({'a': 1}, {'a': 1}); print(*sys.modules)"
    command = [sys.executable, "-W", "ignore", "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert late & set(loaded) == set()


def test_one_metric_needs_no_list(sample: Corpus) -> None:
    assert list(cdec.evaluate(sample, sample.gold, metrics="lea").to_frame()["metric"]) == ["lea"]


def test_a_list_is_the_runs_of_a_system(sample: Corpus) -> None:
    runs = [cdec.predict(sample, name) for name in ("lemma", "lemma-wd")]
    given = {"mine": [runs[0], dict(runs[1].labels)], "one": [runs[0]]}
    results = cdec.evaluate(sample, given, metrics="conll")
    each = [cdec.evaluate(sample, run, metrics="conll")["conll"].f1 for run in runs]
    assert results["mine"]["conll"].f1 == pytest.approx(sum(each) / 2)
    assert results["one"]["conll"].f1 == each[0]
    assert results.runs_frame()["system"].unique().tolist() == ["mine/1", "mine/2"]
    with refused("response-missing", "'mine' has no run"):
        cdec.evaluate(sample, {"mine": []})
    with refused("argument-type", "list"):
        cdec.evaluate(sample, {"mine": [[runs[0]]]})  # type: ignore[arg-type]


def test_a_latex_table_with_caption_and_label(sample: Corpus) -> None:
    results = cdec.evaluate(sample, "lemma", metrics="conll")
    table = results.to_latex("Scores.", "tab:mine")
    assert table.startswith("\\begin{table}[t]\n")
    assert "\\caption{Scores.}\n\\label{tab:mine}\n\\end{table}\n" in table
    assert results.to_latex() in table
