"""Results that must not be mixed, files of results, and mistakes of callers in Python."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cdec
from cdec.corpus import Corpus
from cdec.formats import from_corpus, write
from tests.refusals import refused

PLAN = cdec.Plan(resamples=20, exchanges=20)
KEY = {"a/1": 1, "a/2": 1, "b/1": 1, "b/2": 2}
CHAINS = {"a/1": "x", "a/2": "x", "b/1": "y", "b/2": "y"}


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return cdec.load_corpus("sample", "test")


def test_other_mentions_are_another_task(sample: Corpus, tmp_path: Path) -> None:
    entities = cdec.load_corpus("sample", "test", mentions="entity")
    ones = cdec.evaluate(sample, sample.gold, metrics="b3")
    others = cdec.evaluate(entities, {"other": entities.gold}, metrics="b3")
    with refused("input-mismatch", "entity"):
        ones + others
    with refused("input-mismatch", "entity"):
        cdec.report([ones, others])


def test_other_topics_are_another_task() -> None:
    apart, joined = (
        cdec.score(KEY, CHAINS, setting="bh", topics=topics, metrics="conll")
        for topics in ({"a": "t1", "b": "t2"}, {"a": "t1", "b": "t1"})
    )
    assert apart["conll"].f1 != joined["conll"].f1
    assert apart.signature.fields["topics_digest"] != joined.signature.fields["topics_digest"]
    with refused("input-mismatch"):
        apart + joined


def test_topics_are_signed_where_scores_depend_on_them() -> None:
    """By setting, or by unit of the resamples; other results agree with all topics."""
    topics = [{"a": "t1", "b": "t2"}, {"a": "t1", "b": "t1"}]
    both, other = (
        cdec.score(KEY, CHAINS, setting=["bh", "simple"], topics=t, metrics="conll") for t in topics
    )
    signed = {r.setting: "topics_digest" in r.signature.fields for r in both}
    assert signed == {"bh": True, "simple": False}
    assert len(both["bh"] + other["simple"]) == 2
    with refused("input-mismatch", "topics"):
        both["simple"] + both["bh"] + other["bh"]
    drawn = cdec.score(KEY, CHAINS, setting="simple", topics=topics[0], metrics="conll", ci=PLAN)
    assert "topics_digest" in drawn.signature.fields


@pytest.mark.parametrize(
    "topics",
    [
        {"a": "t1", "b": "t2"},
        pd.Series({"a": "t1", "b": "t2"}),
        {"a": ["t1", "t1"], "b": ("t2", "t2")},
    ],
)
def test_a_topic_alone_is_the_sub_topic_too(topics: Any) -> None:
    pairs = {"a": ("t1", "t1"), "b": ("t2", "t2")}
    expected = cdec.score(KEY, CHAINS, setting="st", topics=pairs, metrics="conll")
    given = cdec.score(KEY, CHAINS, setting="st", topics=topics, metrics="conll")
    assert given.signature == expected.signature
    assert given["conll"] == expected["conll"]


@pytest.mark.parametrize("topic", [1, None, ("t",), ("t", 1), ("t", "s", "u")])
def test_a_topic_of_another_type(topic: Any) -> None:
    with refused("argument-type", "'a'"):
        cdec.score(KEY, CHAINS, setting="bh", topics={"a": topic, "b": "t"})


def test_a_file_of_topics_names_a_document_once(tmp_path: Path) -> None:
    file = tmp_path / "topics.csv"
    file.write_text("a,t1\n\na,t1\nb,t2\n", "utf-8")
    assert cdec.score(KEY, CHAINS, setting="bh", topics=file).signature
    file.write_text("a,t1\nb,t2\na,t2\n", "utf-8")
    with refused("table-invalid", place="topics.csv:3"):
        cdec.score(KEY, CHAINS, setting="bh", topics=file)


def test_intervals_of_another_plan_are_not_merged(sample: Corpus) -> None:
    def of(name: str, **changes: Any) -> cdec.Results:
        plan = cdec.Plan(**({"resamples": 20} | changes))
        return cdec.evaluate(sample, {name: "lemma"}, metrics="conll", ci=plan)

    first = of("a")
    assert len(first + of("b")) == 2
    changes: list[Mapping[str, Any]] = [{"resamples": 21}, {"seed": 1}, {"unit": "subtopic"}]
    for change in changes:
        with refused("input-mismatch"):
            first + of("b", **change)


def test_several_runs_are_the_same_after_loading(sample: Corpus, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.conll", "b.conll")]
    for file, name in zip(files, ("lemma", "lemma-docs"), strict=True):
        write(from_corpus(sample, cdec.predict(sample, name)).numbered(), file, "conll")
    results = cdec.evaluate(sample, f"m={files[0]},{files[1]}", setting=["pure", "simple"])
    results.save(tmp_path / "1.json")
    loaded = cdec.load_results(tmp_path / "1.json")
    assert repr(loaded) == repr(results)
    pd.testing.assert_frame_equal(loaded.to_frame(), results.to_frame(), check_dtype=False)
    columns = ["setting", "system", "metric", "f1"]
    assert loaded.runs_frame()[columns].equals(results.runs_frame()[columns])
    loaded.save(tmp_path / "2.json")
    again = cdec.load_results(tmp_path / "2.json")
    assert again.to_frame().equals(loaded.to_frame())
    broken = json.loads((tmp_path / "1.json").read_text("utf-8"))
    for field, value in (("runs", [3]), ("notices", 3), ("notices", [{"code": 1}])):
        (tmp_path / "3.json").write_text(json.dumps(broken | {field: value}), "utf-8")
        with refused("file-invalid"):
            cdec.load_results(tmp_path / "3.json")


def foreign(sample: Corpus) -> pd.DataFrame:
    """A response for the whole corpus, of which the test part is scored."""
    rows = cdec.load_corpus("sample").selected
    return rows[["doc", "start", "end"]].assign(chain=rows["text"].str.lower())


def test_notices_are_shown_and_warned_of_in_every_verb(sample: Corpus, tmp_path: Path) -> None:
    pair = {"mine": foreign(sample), "base": "lemma"}
    calls: list[Any] = [
        lambda: cdec.evaluate(sample, pair, setting="simple"),
        lambda: cdec.compare(sample, pair, metrics="conll", plan=PLAN),
        lambda: cdec.diagnose(sample, pair, top=1),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found: Any = call()
        assert [str(w.message)[-15:] for w in caught] == ["[outside-split]"]
        assert caught[0].filename == __file__
        for shown in (repr(found), found._repr_html_()):
            assert "warning (outside-split)" in shown
    with pytest.warns(cdec.CdecWarning):
        results = cdec.evaluate(sample, pair)
    results.save(tmp_path / "x.json")
    assert repr(cdec.load_results(tmp_path / "x.json")) == repr(results)
    assert "(outside-split)" in cdec.report(tmp_path / "x.json").to_html()


def test_the_diagnosed_response_is_the_scored_one(sample: Corpus) -> None:
    labels = sample.gold.labels
    results = cdec.evaluate(sample, {"mine": sample.gold}, setting="simple")
    with refused("input-mismatch", "'mine'"):
        cdec.report(results, sample, {"mine": dict.fromkeys(labels.index, 1)}, plan=PLAN)
    for given in ((sample, None), (None, {"mine": sample.gold})):
        with refused("option-requires"):
            cdec.report(results, *given)


class Other:
    """A system that does not return a Clustering."""

    name = "other"
    parameters: Mapping[str, object] = {}

    def predict(self, corpus: Corpus) -> Any:
        return dict.fromkeys(corpus.selected.index, 1)


def test_arguments_of_another_type(sample: Corpus) -> None:
    calls: list[Any] = [
        lambda: cdec.evaluate(sample, "lemma", ci="yes"),  # type: ignore[arg-type]
        lambda: cdec.compare(sample, ["lemma", "lemma-wd"], plan=100),
        lambda: cdec.evaluate(sample, "lemma", setting=[]),
        lambda: cdec.tune(None),
        lambda: cdec.train(None),
        lambda: cdec.audit(None),
        lambda: cdec.report(None),
        lambda: cdec.report({"a": 1}),
        lambda: cdec.evaluate(sample, Other()),
    ]
    for call in calls:
        with refused("argument-type"):
            call()
    with pytest.raises(TypeError):
        cdec.score(KEY, KEY, scope="corpus") + None  # type: ignore[operator]


def test_a_trained_system_is_saved_under_a_path_as_text(tmp_path: Path) -> None:
    learner = cdec.train(cdec.load_corpus("sample"))
    learner.save(f"{tmp_path}/sac.model")
    assert learner.load(f"{tmp_path}/sac.model").parameters == learner.parameters
