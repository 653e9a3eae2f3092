"""A hint spells an option as its door does: ``--noise singletons``, and ``noise="singletons"``."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import cdec as library
from tests.cases import cases, refused
from tests.program import Run
from tests.test_corefud import TWO_IN_A_CORPUS
from tests.tiny_files import given, records, spans

CASES = cases("hints_cases")
NEEDED = {"two.jsonl": TWO_IN_A_CORPUS, **CASES["files"]}
KINDS = ["event"] * 12 + ["entity"] * 12
NEEDED["kinds.jsonl"] = records(
    {"record": "corpus", "format": "cdec-corpus/1", "name": "kinds"},
    {"record": "document", "id": "d", "sentences": [["word"] * len(KINDS)]},
    *(
        {"record": "mention", "doc": "d", "tokens": [at], "chain": "x", "kind": kind}
        for at, kind in enumerate(KINDS)
    ),
)
NEEDED["all.csv"] = spans([("d", at, at, "x") for at in range(len(KINDS))])


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in NEEDED.items():
        given(tmp_path, name, content)
    monkeypatch.chdir(tmp_path)


@pytest.mark.filterwarnings("ignore::cdec.errors.CdecWarning")
@pytest.mark.parametrize("name", CASES["calls"])
def test_a_hint_names_the_option_of_its_door(name: str, cdec: Run) -> None:
    case = CASES["calls"][name]
    ran = cdec(case["shell"])
    assert ran.exit
    assert case["shell_option"] in ran.said
    assert case["python_option"] not in ran.said
    corpus = [library.load_corpus(*case["corpus"])] if "corpus" in case else []
    verb: Callable[..., object] = getattr(library, case["verb"])
    with refused(ran.error) as caught:
        verb(*corpus, *case["arguments"], **case["choices"])
    assert case["python_option"] in str(caught.value)
    assert not re.search(r"(^|[ (])--[a-z]", str(caught.value))
    if case["cure"]:
        assert cdec(f"{case['shell']} {case['shell_option']}").exit == 0


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
