"""Settings as a user names them, and key and response under them, worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

import cdec as package
from cdec.settings import SETTINGS, Setting, as_settings, find_setting
from tests.cases import cases, fractions, refused
from tests.program import Run
from tests.twins import LENIENT, SIX, choices, counts, score, tiny

CASES = cases("settings_cases")
NAMES = [(name, text) for name, texts in CASES["names"].items() for text in texts]


# --- names ----------------------------------------------------------------------------------------


def test_the_six_settings_are_those_of_the_paper() -> None:
    found = {
        name: (one.scope, one.ignore_singletons, one.reduce_within_document)
        for name, one in SETTINGS.items()
    }
    assert [*found.items()] == [*SIX.items()]
    assert [one.label for one in SETTINGS.values()] == [
        *("PURE-CDEC", "SIMPLE-CDEC", "B&H", "S.T.", "I.S.", "YCF"),
    ]


@pytest.mark.parametrize(("name", "text"), NAMES)
def test_case_and_punctuation_of_a_name_do_not_matter(name: str, text: str) -> None:
    assert find_setting(text) == SETTINGS[name]


@pytest.mark.parametrize("name", SIX)
def test_a_setting_is_found_by_its_choices(name: str) -> None:
    setting = SETTINGS[name]
    assert find_setting(setting.choices) == find_setting(choices(*SIX[name])) == setting


@pytest.mark.parametrize("text", CASES["choices"])
def test_choices_of_a_setting(text: str) -> None:
    one = find_setting(text)
    found = [one.scope, one.ignore_singletons, one.reduce_within_document]
    assert found == CASES["choices"][text]
    assert one.name == one.label == one.choices
    assert find_setting(one.choices) == one


@pytest.mark.parametrize(("text", "code"), CASES["invalid"].items())
def test_an_invalid_setting_is_refused(cdec: Run, text: str, code: str) -> None:
    with refused(code):
        find_setting(text)
    if text != "all":
        assert cdec("eval", "lemma", "--corpus", "sample", "-s", text).error == code


def test_several_settings_keep_their_order_without_duplicates() -> None:
    several = as_settings(["pure", "ALL", "PURE-CDEC", "scope=topic"])
    assert [one.name for one in several] == ["pure", "simple", "bh", "st", "is", "ycf"]
    assert [one.name for one in as_settings(["all"])] == list(SIX)
    with refused("name-unknown"):
        as_settings(["pure", "simpel"])


def test_choices_in_python() -> None:
    assert Setting("mine", "Mine", "topic", True) == Setting("mine", "Mine", "topic", "key")
    assert Setting("mine", "Mine", "topic", False).ignore_singletons == "no"
    whole: Any = "maybe"
    with refused("argument-invalid"):
        Setting("mine", "Mine", "topic", whole)


# --- settings in calls ----------------------------------------------------------------------------

CASE = tiny([0, 0, 1, 2, 4, 4], [0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 3])


def evaluate(setting: Any, **options: Any) -> package.Results:
    given = {"metrics": "b3", "policy": LENIENT, **options}
    return package.evaluate(CASE.corpus, CASE.response, setting=setting, **given)


def test_results_are_named_by_setting_in_the_order_of_the_call() -> None:
    mine = Setting("mine", "Mine", "document")
    results = evaluate(["simple", mine, "scope=topic,ignore_singletons=own", "bh", "B&H"])
    assert list(dict.fromkeys(results.to_frame()["setting"])) == [
        *("simple", "mine", "scope=topic,ignore_singletons=own", "bh"),
    ]
    assert results["mine"]["b3"] == evaluate(mine)["b3"] != results["bh"]["b3"]
    fields = [one.fields["setting"] for one in results.signatures]
    assert fields == ["simple", "scope=document", "scope=topic,ignore_singletons=own", "bh"]


def test_a_name_that_hides_a_setting_is_signed_by_its_choices() -> None:
    hidden = Setting("pure", "PURE-CDEC", "topic")
    assert evaluate(hidden).signature.fields["setting"] == "scope=topic"
    with refused("argument-invalid"):
        evaluate(["pure", hidden])
    for wrong in ([], 3, ["pure", 3]):
        with refused("argument-invalid"):
            evaluate(wrong)


def test_all_leaves_out_levels_that_a_corpus_does_not_have() -> None:
    documents = [{"id": name, "sentences": [["a", "b"]]} for name in ("x", "y")]
    records = [{"doc": doc, "start": 0, "end": 0, "chain": "a"} for doc in ("x", "y")]
    bare = package.build_corpus(records, documents)
    results = package.evaluate(bare, bare.gold, metrics="b3")
    assert results.to_frame()["setting"].tolist() == ["pure", "simple", "is"]
    assert "scope=document" in str(
        package.evaluate(bare, bare.gold, setting="scope=document", metrics="b3").signature
    )
    for name in ("bh", "st", "ycf", "scope=topic"):
        with refused("annotation-missing"):
            package.evaluate(bare, bare.gold, setting=name)


def test_scoring_two_sides_under_settings_needs_their_topics() -> None:
    key = {"x/1-1": "a", "x/2-2": "a", "y/1-1": "a", "z/1-1": "b"}
    response = {"x/1-1": "a", "x/2-2": "b", "y/1-1": "a", "z/1-1": "a"}
    topics = {"x": ("t", "a"), "y": ("t", "b"), "z": ("u", "a")}
    results = score(key, response, setting="all", topics=topics, metrics="blanc_coref")
    found = {one.setting: counts(one)["blanc_coref"] for one in results}
    assert found == {
        "bh": (1, 1, 1, 3), "st": (0, 0, 0, 1), "is": (1, 1, 1, 3), "ycf": (0, 0, 0, 1),
        "simple": (1, 3, 1, 3), "pure": (1, 3, 1, 1),
    }  # fmt: skip
    one_level = score(key, response, setting="st", topics={"x": "t", "y": "t", "z": "u"})
    assert counts(one_level)["blanc_coref"] == found["bh"]
    with refused("annotation-missing"):
        score(key, response, setting="bh")
    unplaced = dict.fromkeys(["x/a", "x/b", "y/a"], "a")
    with refused("annotation-missing"):
        score(unplaced, unplaced, setting="pure", topics=topics)
    with refused("corpus-invalid"):
        score(key, response, setting="bh", topics={"x": "t"})
    with refused("option-conflict"):
        package.score(key, key, setting="pure", scope="corpus")
    with refused("scope-ambiguous"):
        package.score(key, key)
    with refused("name-unknown"):
        package.score(key, key, scope="topic")


def test_the_command_takes_settings_by_name_and_by_choices(cdec: Run) -> None:
    call = "eval lemma --corpus sample --metric conll --format json"
    every = cdec(call).json["rows"]
    assert [row["setting"] for row in every] == list(SIX)
    some = cdec(f"{call} -s PURE-CDEC -s scope=topic -s scope=document").json["rows"]
    assert [row["setting"] for row in some] == ["pure", "bh", "scope=document"]
    f1 = {row["setting"]: row["f1"] for row in every}
    assert [row["f1"] for row in some[:2]] == [f1["pure"], f1["bh"]]


# --- what a setting does, by hand -----------------------------------------------------------------


@pytest.mark.parametrize("name", CASES["worked"])
def test_worked_setting(name: str) -> None:
    worked = CASES["worked"][name]
    expected = fractions(worked["counts"])
    case = tiny(worked["documents"], worked["key"], worked["response"])
    results = package.evaluate(
        case.corpus,
        case.response,
        setting=worked["setting"],
        metrics=list(expected),
        policy=LENIENT,
    )
    assert counts(results) == expected


def test_the_first_mention_is_that_of_the_text_also_where_mentions_nest() -> None:
    documents = [{"id": doc, "sentences": [["a"] * 9]} for doc in ("x", "y")]
    spans = [("x", 5, 5), ("x", 2, 4), ("x", 2, 6), ("y", 0, 0)]
    records = [{"doc": d, "start": a, "end": b, "chain": "a"} for d, a, b in spans]
    corpus = package.build_corpus(records, documents)

    def kept(*mentions: tuple[str, int, int]) -> tuple[float, ...]:
        response = dict.fromkeys(mentions, "z")
        results = package.evaluate(corpus, response, setting="pure", metrics="mentions")
        return counts(results)["mentions"]

    first, *others = sorted(spans[:3], key=lambda span: span[1:])
    assert kept(first, spans[3]) == (2, 2, 2, 2)
    for other in others:
        assert kept(other, spans[3]) == (1, 2, 1, 2)
    assert kept(*spans[::-1]) == (2, 2, 2, 2)
