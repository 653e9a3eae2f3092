"""Words that differ between response and key in texts of the same length."""

import os
from pathlib import Path

import pytest

from cdec.errors.notices import Notice
from cdec.formats import Annotation, from_corpus
from cdec.matching import WORDS, FilePolicy, Matched, match_corpus, match_files
from tests.formats.made import conll, corpus, kinds, parse, written
from tests.formats.perl import PerlScorer, by_document, ours
from tests.refusals import refused

CORPUS = corpus()
# Twenty tokens; those of mentions are at 0-1, 3-6, 9, 11-12, 14 and 16-18.
CELLS = ["(0", "0)", "-", "(1", "-", "-", "1)", "-", "-", "(1)",
         "-", "(2", "2)", "-", "(2)", "-", "(2", "-", "2)", "-"]  # fmt: skip
KEY = conll(("d", CELLS), name="key")


def with_words(words: dict[int, str], made: Annotation = KEY, name: str = "mine") -> Annotation:
    """The annotation in CoNLL with other words at some of its tokens."""
    lines = written(made, "conll").splitlines()
    for token, word in words.items():
        fields = lines[token + 1].split("\t")
        lines[token + 1] = "\t".join([*fields[:3], word, *fields[4:]])
    return parse("\n".join([*lines, ""]), name)


def words_of(matched: Matched) -> Notice:
    """The notice on words that differ."""
    (notice,) = (notice for notice in matched.notices if notice.code == "words-differ")
    return notice


def test_a_word_in_twenty_is_a_warning() -> None:
    matched = match_files(KEY, with_words({4: "x"}))
    assert words_of(matched).count == 1
    assert words_of(matched).examples == ("'x' for 'e' at mine:6",)
    assert all(notice.warning for notice in matched.notices)
    assert len(matched.response) == 6


def test_words_outside_the_mentions_of_the_key_are_a_warning() -> None:
    matched = match_files(KEY, with_words({10: "x", 13: "y", 15: "z"}))
    assert kinds(matched) == {"words-differ": 3}
    assert words_of(matched).examples[0].endswith("at mine:12")


@pytest.mark.parametrize("others", [{4: "x", 9: "y"}, dict.fromkeys((2, 7, 8, 10, 13, 15, 4), "x")])
def test_many_words_are_an_error(others: dict[int, str]) -> None:
    response = with_words(others)
    line = min(others) + 2
    with refused("text-mismatch", f"token {min(others)}", "words=warn", place=f"mine:{line}"):
        match_files(KEY, response)
    matched = match_files(KEY, response, FilePolicy(words="warn"))
    assert kinds(matched) == {"words-differ": len(others)}
    assert kinds(match_files(KEY, response, FilePolicy(words="ignore"))) == {}


def test_half_of_the_words_outside_mentions_are_an_error() -> None:
    key = conll(("d", ["(1)", "-", "-", "-"]))
    assert kinds(match_files(key, with_words({1: "x"}, key))) == {"words-differ": 1}
    with refused("text-mismatch", "token 1 of 'd'", "'x'", "'b'"):
        match_files(key, with_words({1: "x", 2: "y"}, key))


def test_any_difference_is_an_error_with_this_policy() -> None:
    with refused("text-mismatch", "token 4 of 'd'", "'x'", "'e'", place="mine:6"):
        match_files(KEY, with_words({4: "x"}), FilePolicy(words="error"))


@pytest.mark.parametrize("words", [None, *WORDS])
@pytest.mark.parametrize("kept", [slice(0, 19), slice(0, 1)])
def test_other_numbers_of_tokens_are_an_error(words: str | None, kept: slice) -> None:
    shorter = conll(("d", ["-"] * len(CELLS[kept])), name="r")
    for key, response in ((KEY, shorter), (shorter, KEY)):
        with refused("text-mismatch", "missing"):
            match_files(key, response, FilePolicy(allow_empty=True, words=words))


@pytest.mark.parametrize("word", ["_", "___", "&#;"])
def test_a_placeholder_agrees_with_anything(word: str) -> None:
    policy = FilePolicy(words="error")
    response = with_words(dict.fromkeys(range(0, 20, 2), word))
    assert kinds(match_files(KEY, response, policy)) == {}
    assert kinds(match_files(response, KEY, policy)) == {"swapped": 1}  # by its name
    most = with_words({**dict.fromkeys(range(19), word), 19: "x"})
    with refused("text-mismatch", "token 19"):
        match_files(KEY, most)


def test_words_against_the_corpus() -> None:
    made = from_corpus(CORPUS, CORPUS.gold)
    other = parse(written(made, "conll").replace("Police", "police"), "r")
    matched = match_corpus(other, CORPUS)
    assert kinds(matched) == {"words-differ": 3, "swapped": 1}
    assert "3 words of 29" in words_of(matched).message
    assert "'police' for 'Police' at r:2" in words_of(matched).examples
    with refused("text-mismatch", "token 0 of '1_1ecb'", "'police'", place="r:2"):
        match_corpus(other, CORPUS, FilePolicy(words="error"))
    assert kinds(match_corpus(other, CORPUS, FilePolicy(words="ignore"))) == {"swapped": 1}
    changed = parse(written(made, "conll").replace("took", "told"), "r")
    with refused("text-mismatch", "'told'", "'took'"):
        match_corpus(changed, CORPUS)
    assert kinds(match_corpus(changed, CORPUS, FilePolicy(words="warn")))["words-differ"] == 3


def test_unknown_policies() -> None:
    with refused("name-unknown", "unknown policy", "'warn'"):
        FilePolicy(words="wran")
    with refused("name-unknown", "unknown alignment", "exact"):
        FilePolicy(alignment="nearest")


CASES = Path(os.environ.get("CDEC_REFERENCE_SCORER", "")).parent / "test" / "DataFiles"
RESPONSES = sorted(CASES.glob("TC-[A-N]-*.response"))


@pytest.mark.skipif(not RESPONSES, reason="the reference scorer has no test files")
def test_the_cases_of_the_reference_scorer_run_as_they_are(perl_scorer: PerlScorer) -> None:
    assert len(RESPONSES) == 36
    for file in RESPONSES:
        key, response = CASES.joinpath(f"TC-{file.name[3]}.key").read_text(), file.read_text()
        matched = match_files(parse(key), parse(response), FilePolicy(allow_empty=True))
        # metric by metric: it stops after ten repeated mentions in a run
        for metric in ("muc", "bcub", "ceafm", "ceafe", "blanc"):
            for name, counts in perl_scorer(key, response, [metric]).items():
                found = ours(by_document(matched))[name]
                assert found == pytest.approx(counts, abs=0.01), (file.name, name)


def test_a_case_as_those_of_the_reference_scorer(perl_scorer: PerlScorer) -> None:
    """Words that differ, in a block over two documents, some at twinless mentions."""
    rows = [f"t{int(n > 8)}\t0\t{n % 9}\tw{n}\t{cell}" for n, cell in enumerate(CELLS)]
    key = "\n".join(["#begin document (all);", *rows, "#end document", ""])
    response = key
    for number, cell in ((10, "(1)"), (13, "(2)"), (15, "(3)")):
        response = response.replace(f"\tw{number}\t-", f"\tx{number}\t{cell}")
    matched = match_files(parse(key), parse(response))
    assert kinds(matched)["words-differ"] == 3
    expected, found = perl_scorer(key, response), ours(by_document(matched))
    for name, counts in expected.items():
        assert found[name] == pytest.approx(counts, abs=0.01), name
