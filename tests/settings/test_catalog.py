"""Names and descriptions of settings."""

from __future__ import annotations

import pytest

from cdec.configs import read_table
from cdec.errors import UnknownNameError, UsageError
from cdec.settings import SETTINGS, Setting, find_setting, find_settings, label_of, signed

NAMES = {
    "bh": ["bh", "BH", "b&h", "B&H", "B & H", "Bejan-Harabagiu"],
    "st": ["st", "S.T.", "s.t."],
    "is": ["is", "IS", "I.S."],
    "ycf": ["ycf", "YCF", " ycf "],
    "simple": ["simple", "SIMPLE", "simple-cdec", "Simple_CDEC", "simple cdec"],
    "pure": ["pure", "PURE", "PURE-CDEC", "pure_cdec"],
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, texts in NAMES.items() for t in texts])
def test_names_are_forgiving(name: str, text: str) -> None:
    assert find_setting(text) == SETTINGS[name]


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=lambda setting: setting.name)
def test_each_setting_is_found_by_its_label_and_by_its_choices(setting: Setting) -> None:
    assert find_setting(setting.label) == find_setting(setting.choices) == setting


@pytest.mark.parametrize(
    ("text", "scope", "ignore", "reduce"),
    [
        ("scope=topic,ignore_singletons=yes", "topic", True, False),
        ("reduce-within-document=true, scope=SubTopic", "subtopic", False, True),
        ("scope=document,ignore_singletons=0,reduce_within_document=1", "document", False, True),
    ],
)
def test_a_setting_of_ones_own(text: str, scope: str, ignore: bool, reduce: bool) -> None:
    made = find_setting(text)
    choices = (made.scope, made.ignore_singletons, made.reduce_within_document)
    assert choices == (scope, ignore, reduce)
    assert made.name == made.label == signed(made) == made.choices
    assert find_setting(made.choices) == made


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("puer", "unknown setting 'puer' .*did you mean 'pure'"),
        ("", "unknown setting ''"),
        ("all", "six settings where one is wanted"),
        ("scope=topics", "unknown scope 'topics' .*did you mean 'topic'"),
        ("scope=topic=corpus", "unknown scope 'topic=corpus'"),
        ("ignore_singletons=yes", "no scope in the setting 'ignore_singletons=yes'"),
        ("scope=topic,ignore_singleton=yes", "did you mean 'ignore_singletons'"),
        ("scope=topic,ignore_singletons=maybe", "^ignore_singletons is yes or no, not 'maybe'"),
        ("scope=topic,scope=corpus", "stands twice"),
        ("scope=topic,", "unknown choice in the setting 'scope=topic,'"),
    ],
)
def test_what_is_no_setting_is_an_error_with_a_hint(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_setting(text)


def test_many_settings_each_once_in_the_order_given() -> None:
    found = find_settings(["pure", "ALL", "PURE-CDEC", "scope=topic"])
    assert [s.name for s in found] == ["pure", "bh", "st", "is", "ycf", "simple"]
    assert [s.name for s in find_settings(["all"])] == list(SETTINGS)
    with pytest.raises(UnknownNameError, match=r"known: .*all"):
        find_settings(["pure", "simpel"])


def test_a_setting_of_ones_own_cannot_sign_with_a_name_of_the_catalogue() -> None:
    assert signed(SETTINGS["pure"]) == "pure"
    assert signed(Setting("pure", "PURE-CDEC", "topic")) == "scope=topic"


def test_a_setting_of_the_catalogue_has_a_label_and_one_of_ones_own_its_choices() -> None:
    assert label_of("bh") == "B&H"
    assert label_of("scope=topic,ignore_singletons=yes") == "scope=topic,ignore_singletons=yes"


def test_the_labels_are_those_that_the_paper_prints() -> None:
    printed = {row["setting"] for n in (2, 3) for row in read_table(f"tables/table{n}.csv")}
    assert {setting.label for setting in SETTINGS.values()} == printed


@pytest.mark.parametrize("word", ["yes", "true", "1", "no", "false", "0", "YES", "False"])
def test_a_choice_is_yes_or_no_in_many_words(word: str) -> None:
    made = find_setting(f"scope=document,ignore_singletons={word}")
    assert made.ignore_singletons is (word.lower() in {"yes", "true", "1"})
