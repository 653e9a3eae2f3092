"""The verbs of the Python API, and results as values: the same numbers as on the command line."""

from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

import cdec
from cdec.corpus import Corpus
from cdec.io import progress
from tests.refusals import refused

PLAN = cdec.Plan(resamples=20, exchanges=20)
KEY = {("a", 0, 0): 1, ("a", 1, 1): 1, ("b", 0, 0): 2, ("b", 1, 1): 3}
RECURRING = {**KEY, ("b", 0, 0): 1}
TOPICS = {"a": ("t1", "x"), "b": ("t2", "x")}


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return cdec.load_corpus("sample", "test")


@pytest.fixture(scope="module")
def results(sample: Corpus) -> cdec.Results:
    return cdec.evaluate(
        sample,
        {"gold": sample.gold, "base": "lemma"},
        setting=["pure", "simple"],
        metrics=["muc", "conll"],
        ci=PLAN,
    )


def test_a_dict_names_its_responses(sample: Corpus, results: cdec.Results, tmp_path: Path) -> None:
    assert [(r.setting, r.system) for r in results] == [
        (setting, system) for setting in ("pure", "simple") for system in ("gold", "base")
    ]
    alone = cdec.evaluate(sample, "lemma", metrics="conll")
    assert results["pure"]["base"]["conll"] == alone["conll"]
    assert results["base"]["simple"]["muc"] == results["simple"]["base"]["muc"]
    with pytest.raises(KeyError, match="gold"):
        results["conll"]
    with refused("name-duplicate"):
        cdec.evaluate(sample, [sample.gold, sample.gold])
    # A name without "/" is that of a system: a file that is missing is an error, not a mention.
    with refused("file-unreadable"):
        cdec.evaluate(sample, {"mine": str(tmp_path / "none.conll")})


def test_a_response_has_a_digest_by_its_chains(sample: Corpus) -> None:
    labels = sample.gold.labels
    same = cdec.Clustering(labels.map("x{}".format).iloc[::-1])
    other = labels.mask(labels == labels.iloc[0], labels.iloc[-1])
    digests = [
        cdec.evaluate(sample, chains, metrics="b3").signature.fields["response_digest"]
        for chains in (sample.gold, same, other.to_dict())
    ]
    assert digests[0] == digests[1] != digests[2]
    assert same == sample.gold
    assert hash(same) == hash(sample.gold)
    assert cdec.Clustering(other) != sample.gold
    assert sample.gold != labels.to_dict()


def test_results_are_saved_loaded_and_merged(
    sample: Corpus, results: cdec.Results, tmp_path: Path
) -> None:
    results.save(tmp_path / "all.json")
    loaded = cdec.load_results(tmp_path / "all.json")
    assert repr(loaded) == repr(results)
    pd.testing.assert_frame_equal(loaded.to_frame(), results.to_frame(), check_dtype=False)
    assert repr(loaded["pure"] + results["simple"]) == repr(results)
    with refused("name-duplicate"):
        results + results["gold"]
    bare = cdec.evaluate(sample, {"base": "lemma"}, setting=["pure", "simple"])
    with refused("input-mismatch"):
        bare + results["gold"]
    bare.save(tmp_path / "bare.json")
    assert cdec.load_results(tmp_path / "bare.json").to_frame().equals(bare.to_frame())
    with refused("input-mismatch"):
        results + cdec.score({"a": 1}, {"a": 1})
    (tmp_path / "x.json").write_text("[]")
    with refused("file-invalid"):
        cdec.load_results(tmp_path / "x.json")


def test_results_are_plotted_and_exported(results: cdec.Results) -> None:
    axes = results.plot("muc")
    heights = [100 * results[s][n]["muc"].f1 for n in ("gold", "base") for s in ("pure", "simple")]
    assert [
        bar.get_path().get_extents(bar.get_patch_transform()).height for bar in axes.patches
    ] == pytest.approx(heights)
    assert len(axes.collections) == 2  # the intervals of each system
    with refused("name-unknown", "unknown metric"):
        results.plot("lea")
    assert "| PURE-CDEC" in results.to_markdown()
    assert "toprule" in results.to_latex()
    assert "<table" in results.to_html()


def test_notices_are_shown_and_warned_of(sample: Corpus) -> None:
    whole = cdec.load_corpus("sample")
    other = whole.subset(list(whole.documents)[:5], "other")
    rows = sample.selected.to_dict("records")
    foreign = {(m["doc"], m["start"] + 1, m["end"] + 1): m["chain"] for m in rows}
    with pytest.warns(cdec.CdecWarning, match=r"\[[a-z-]+\]$"):
        results = cdec.evaluate(sample, foreign, metrics="conll")
    codes = [notice.code for notice in results.notices]
    assert codes
    assert all(f"({code})" in repr(results) for code in codes)
    assert all(f"({code})" in results._repr_html_() for code in codes)
    assert "warning (" not in repr(cdec.evaluate(other, other.gold))


def test_the_two_scopes_agree_or_one_is_named() -> None:
    response = {key: str(label) for key, label in RECURRING.items()}
    with refused("scope-ambiguous", "corpus", "document"):
        cdec.score(RECURRING, response)
    assert len(cdec.score(RECURRING, response, scope="corpus")) == 1
    assert cdec.score(KEY, KEY).setting == "scope=document"
    assert cdec.score({"a": 1}, {"a": 2}).setting == "scope=corpus"
    with refused("option-conflict"):
        cdec.score(KEY, KEY, scope="corpus", setting="pure")


def test_settings_and_intervals_without_a_corpus(tmp_path: Path) -> None:
    file = tmp_path / "topics.csv"
    file.write_text("a,t1\nb,t2\n")
    for topics in (TOPICS, file):
        results = cdec.score(RECURRING, RECURRING, setting="all", topics=topics, ci=PLAN)
        assert len(results) == 6
        assert results.to_frame()["f1_low"].notna().any()
    # Under a setting of topics, the label 1 is two chains: it is in two topics.
    key = cdec.score(RECURRING, KEY, setting="bh", topics=TOPICS, metrics="b3")
    assert key["b3"].f1 == 1.0
    with refused("document-unassigned", "'b'"):
        cdec.score(KEY, KEY, setting="bh", topics={"a": ("t1", "x")})
    with refused("level-missing"):
        cdec.score(KEY, KEY, setting="bh")
    file.write_text("a,t1,x,y\n")
    with refused("table-invalid", place="topics.csv:1"):
        cdec.score(KEY, KEY, setting="bh", topics=file)


def test_a_comparison_and_a_diagnosis(sample: Corpus, tmp_path: Path) -> None:
    pair = {"gold": sample.gold, "base": "lemma"}
    compared = cdec.compare(sample, pair, metrics="conll", plan=PLAN)
    assert compared.to_frame().loc[0, "a"] == "gold"
    assert compared.value.plan == PLAN
    assert "gold" in repr(compared)
    found = cdec.diagnose(sample, pair, top=1)
    for ending in ("html", "md", "tex", "json", "csv"):
        found.save(tmp_path / f"diagnosis.{ending}")
        assert (tmp_path / f"diagnosis.{ending}").stat().st_size > 1000
    with refused("output-ending"):
        found.save(tmp_path / "diagnosis.doc")
    assert found._repr_html_() == found.to_html()
    assert found.to_latex()
    assert found.to_markdown()


def test_a_report_of_results_with_and_without_a_corpus(
    sample: Corpus, results: cdec.Results
) -> None:
    page = cdec.report([results["gold"], cdec.evaluate(sample, "lemma-wd")], title="Mine").to_html()
    assert "<h1>Mine" in page
    assert "lemma-wd" in page
    full = cdec.report(results, sample, {"gold": sample.gold, "base": "lemma"}, plan=PLAN, top=1)
    assert full.to_frame()["section"].str.startswith("diagnosis").any()
    assert "scope=corpus" in cdec.report(cdec.score({"a": 1, "b": 1}, {"a": 1, "b": 1})).to_html()
    with refused("response-missing"):
        cdec.report([])


def test_tuning_refuses_test_data_and_training_a_rule(sample: Corpus) -> None:
    with refused("tuning-on-test"):
        cdec.tune(sample)
    with refused("name-unknown", "unknown trainable system", "lemma"):
        cdec.train(sample, "lemma")


def test_a_notebook_has_a_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert progress.notebook() is progress.silent
    monkeypatch.setattr(progress, "in_notebook", lambda: True)
    assert list(progress.notebook()([1, 2], 2, "counting")) == [1, 2]


def test_a_verb_that_is_also_a_package_can_be_called_again() -> None:
    import_module("cdec.auditing.config")
    for _ in range(2):
        found = cdec.audit(cdec.load_corpus("sample"), detectors=["companions"])
        assert found.value.cases
