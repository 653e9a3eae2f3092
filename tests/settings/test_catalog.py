"""Parsing of setting names and choices."""

from __future__ import annotations

import pytest

from cdec.configs import read_table
from cdec.settings import SETTINGS, Setting, find_setting, find_settings, label_of, signed
from tests.refusals import refused

NAMES = {
    "bh": ["bh", "BH", "b&h", "B&H", "B & H", "Bejan-Harabagiu"],
    "st": ["st", "S.T.", "s.t."],
    "is": ["is", "IS", "I.S."],
    "ycf": ["ycf", "YCF", " ycf "],
    "simple": ["simple", "SIMPLE", "simple-cdec", "Simple_CDEC", "simple cdec"],
    "pure": ["pure", "PURE", "PURE-CDEC", "pure_cdec"],
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, texts in NAMES.items() for t in texts])
def test_case_and_punctuation_of_names_do_not_matter(name: str, text: str) -> None:
    assert find_setting(text) == SETTINGS[name]


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=lambda setting: setting.name)
def test_each_setting_is_found_by_its_label_and_by_its_choices(setting: Setting) -> None:
    assert find_setting(setting.label) == find_setting(setting.choices) == setting


@pytest.mark.parametrize(
    ("text", "scope", "ignore", "reduce"),
    [
        ("scope=topic,ignore_singletons=yes", "topic", "key", False),
        ("scope=corpus,ignore_singletons=own", "corpus", "own", False),
        ("reduce-within-document=true, scope=SubTopic", "subtopic", "no", True),
        ("scope=document,ignore_singletons=0,reduce_within_document=1", "document", "no", True),
    ],
)
def test_a_custom_setting(text: str, scope: str, ignore: str, reduce: bool) -> None:
    setting = find_setting(text)
    choices = (setting.scope, setting.ignore_singletons, setting.reduce_within_document)
    assert choices == (scope, ignore, reduce)
    assert setting.name == setting.label == signed(setting) == setting.choices
    assert find_setting(setting.choices) == setting


@pytest.mark.parametrize(
    ("text", "code", "value"),
    [
        ("puer", "name-unknown", "'pure'"),
        ("", "name-unknown", "''"),
        ("all", "argument-type", "all"),
        ("scope=topics", "name-unknown", "'topic'"),
        ("scope=topic=corpus", "name-unknown", "'topic=corpus'"),
        ("ignore_singletons=yes", "option-invalid", "ignore_singletons=yes"),
        ("scope=topic,ignore_singleton=yes", "name-unknown", "'ignore_singletons'"),
        ("scope=topic,ignore_singletons=maybe", "option-invalid", "maybe"),
        ("scope=topic,scope=corpus", "option-invalid", "scope=topic,scope=corpus"),
        ("scope=topic,", "name-unknown", "''"),
    ],
)
def test_an_invalid_setting_is_refused(text: str, code: str, value: str) -> None:
    with refused(code, value):
        find_setting(text)


def test_several_settings_keep_their_order_without_duplicates() -> None:
    several = find_settings(["pure", "ALL", "PURE-CDEC", "scope=topic"])
    assert [s.name for s in several] == ["pure", "bh", "st", "is", "ycf", "simple"]
    assert [s.name for s in find_settings(["all"])] == list(SETTINGS)
    with refused("name-unknown", "unknown setting", "simpel"):
        find_settings(["pure", "simpel"])


def test_a_custom_setting_is_signed_by_its_choices_whatever_its_name() -> None:
    assert signed(SETTINGS["pure"]) == "pure"
    assert signed(Setting("pure", "PURE-CDEC", "topic")) == "scope=topic"


def test_the_label_of_a_custom_setting_is_its_choices() -> None:
    assert label_of("bh") == "B&H"
    assert label_of("scope=topic,ignore_singletons=yes") == "scope=topic,ignore_singletons=yes"


def test_the_labels_are_those_of_the_paper() -> None:
    printed = {row["setting"] for n in (2, 3) for row in read_table(f"tables/table{n}.csv")}
    assert {setting.label for setting in SETTINGS.values()} == printed


@pytest.mark.parametrize("word", ["yes", "true", "1", "no", "false", "0", "YES", "False"])
def test_words_for_yes_and_no(word: str) -> None:
    setting = find_setting(f"scope=document,ignore_singletons={word}")
    assert setting.ignore_singletons == ("key" if word.lower() in {"yes", "true", "1"} else "no")
    assert setting == Setting(
        setting.name, setting.label, "document", setting.ignore_singletons == "key"
    )


def test_an_invalid_choice_in_python() -> None:
    with refused("option-invalid", "'maybe'"):
        Setting("mine", "Mine", "topic", ignore_singletons="maybe")  # type: ignore[arg-type]
