"""A hint spells an option as its door does: ``--noise singletons``, and ``noise="singletons"``."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import cdec as library
from cdec.errors import CdecError
from tests.program import Run
from tests.test_corefud import TWO_IN_A_CORPUS
from tests.tiny_files import given, records, spans

NEEDED = {"two.jsonl": TWO_IN_A_CORPUS}
# Twelve events, then twelve entities.
NEEDED["kinds.jsonl"] = records(
    {"record": "corpus", "format": "cdec-corpus/1", "name": "kinds"},
    {"record": "document", "id": "d", "sentences": [["word"] * 24]},
    *(
        {
            "record": "mention",
            "doc": "d",
            "tokens": [at],
            "chain": "x",
            "kind": "event" if at < 12 else "entity",
        }
        for at in range(24)
    ),
)
NEEDED["all.csv"] = spans([("d", at, at, "x") for at in range(24)])
NEEDED["key.csv"] = spans([("d", 0, 0, "x"), ("d", 1, 1, "x"), ("e", 0, 0, "y")])
NEEDED["noise.csv"] = spans([("d", 0, 0, "-1"), ("d", 1, 1, "-1")])
NEEDED["apart.csv"] = spans([("d", 5, 5, "x"), ("d", 6, 6, "x")])
NEEDED["across.csv"] = spans([("d", 0, 0, "x"), ("e", 0, 0, "x")])
NEEDED["one.csv"] = spans([("d1", 0, 0, "x"), ("d1", 1, 1, "x")])
NEEDED["both.csv"] = spans([("d1", 0, 0, "x"), ("d2", 0, 0, "y"), ("d2", 1, 1, "y")])


@dataclass(frozen=True)
class Case:
    """A call of the shell, the same in Python, and the option in each that their hint names."""

    call: str
    verb: Callable[[], Any]
    option: str
    argument: str
    is_cure: bool = False


def two() -> library.Corpus:
    return library.load_corpus("two.jsonl", "all")


CASES = {
    "noise": Case(
        "score key.csv noise.csv --scope document",
        lambda: library.score("key.csv", "noise.csv", scope="document"),
        "--noise singletons",
        'noise="singletons"',
        is_cure=True,
    ),
    "allow empty": Case(
        "score key.csv apart.csv --scope document",
        lambda: library.score("key.csv", "apart.csv", scope="document"),
        "--allow-empty",
        "allow_empty=True",
        is_cure=True,
    ),
    "scope": Case(
        "score across.csv key.csv",
        lambda: library.score("across.csv", "key.csv"),
        "--scope corpus",
        'scope="corpus"',
        is_cure=True,
    ),
    "scope and setting": Case(
        "score key.csv key.csv --scope corpus -s simple",
        lambda: library.score("key.csv", "key.csv", scope="corpus", setting="simple"),
        "--scope corpus",
        'scope="corpus"',
    ),
    "unit": Case(
        "score key.csv key.csv --scope corpus --by topic",
        lambda: library.score("key.csv", "key.csv", scope="corpus", by="topic"),
        "--by document",
        'by="document"',
    ),
    "topics": Case(
        "score key.csv key.csv -s st",
        lambda: library.score("key.csv", "key.csv", setting="st"),
        "--topics topics.csv",
        'topics="topics.csv"',
    ),
    "topics of intervals": Case(
        "score key.csv key.csv --scope corpus --ci",
        lambda: library.score("key.csv", "key.csv", scope="corpus", ci=True),
        "--topics topics.csv",
        'topics="topics.csv"',
    ),
    "rule of alignment": Case(
        "score key.csv key.csv --scope corpus --match head",
        lambda: library.score("key.csv", "key.csv", scope="corpus", alignment="head"),
        "--match overlap:0.5",
        'alignment="overlap:0.5"',
    ),
    "documents": Case(
        "compare one.csv both.csv --corpus two.jsonl --split all -s simple",
        lambda: library.compare(two(), ["one.csv", "both.csv"], setting="simple"),
        "--missing count",
        'missing="count"',
    ),
    "kind": Case(
        "eval all.csv --corpus kinds.jsonl --split all -s simple",
        lambda: library.evaluate(library.load_corpus("kinds.jsonl", "all"), "all.csv"),
        "--mentions all",
        'mentions="all"',
        is_cure=True,
    ),
    "test data": Case(
        "tune --corpus sample --split test",
        lambda: library.tune(library.load_corpus("sample", "test")),
        "--i-know",
        "i_know=True",
    ),
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in NEEDED.items():
        given(tmp_path, name, content)
    monkeypatch.chdir(tmp_path)


@pytest.mark.filterwarnings("ignore::cdec.errors.CdecWarning")
@pytest.mark.parametrize("name", CASES)
def test_a_hint_names_the_option_of_its_door(name: str, cdec: Run) -> None:
    case = CASES[name]
    ran = cdec(case.call)
    assert ran.exit
    assert case.option in ran.said
    assert case.argument not in ran.said
    with pytest.raises(CdecError) as caught:
        case.verb()
    assert caught.value.code == ran.error
    assert case.argument in str(caught.value)
    assert not re.search(r"(^|[ (])--[a-z]", str(caught.value))
    if case.is_cure:
        assert cdec(f"{case.call} {case.option}").exit == 0


def test_a_notice_names_the_option_of_its_door(cdec: Run) -> None:
    """The response leaves its singletons out; one call treats them, and one does not."""
    key = {("d", 0, 0): "x", ("d", 1, 1): "x", ("d", 2, 2): "y", ("d", 3, 3): "z"}
    response = {("d", 0, 0): "1", ("d", 1, 1): "1"}
    for name, chains in (("k.csv", key), ("r.csv", response)):
        given(Path(), name, spans((*place, label) for place, label in chains.items()))
    calls = {(): "singletons", ("--missing", "singletons"): "count"}
    for options, value in calls.items():
        said = cdec("score", "k.csv", "r.csv", "--scope", "document", *options).err
        assert f"--missing {value}" in said
        choices = {"missing": options[1]} if options else {}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            library.score(key, response, scope="document", **choices)  # type: ignore[arg-type]
        messages = " ".join(str(one.message) for one in caught)
        assert f'missing="{value}"' in messages
        assert "--missing" not in messages
