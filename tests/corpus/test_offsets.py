"""Mentions at characters of a text: their tokens, and offsets that do not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cdec import CdecWarning, build_corpus, load_corpus
from cdec.corpus import installed
from tests.cli.conftest import Run, cdec
from tests.corpus.articles import (
    COMPOSED,
    DECOMPOSED,
    TEXTS,
    Count,
    characters,
    folder,
    lines_in_lf,
    one_less,
    one_more,
    rows,
    table,
    utf_8,
    utf_16,
    words,
)
from tests.refusals import refused

__all__ = ["cdec", "folder"]  # fixtures
FIRE = {"from_char": 2, "to_char": 6}  # in a


COUNTS: dict[str, tuple[Count, Count]] = {
    "from 1": (one_more, one_more),
    "last character": (characters, one_less),
    "from 1, last character": (one_more, characters),
    "UTF-16": (utf_16, utf_16),
    "UTF-8": (utf_8, utf_8),
    "CR LF": (lines_in_lf, lines_in_lf),
}


def hint_of(given: list[dict[str, Any]], row: int) -> str:
    """The hint for mentions of which this row is the first that does not fit."""
    with refused("offsets-invalid", place=f"mentions, row {row}") as caught:
        build_corpus(given, TEXTS)
    return str(caught.value.hint)


def general_hint() -> str:
    """The hint for offsets that fit no other count."""
    return hint_of([{**rows(characters)[0], "to_char": 900}], 1)


@pytest.mark.parametrize("count", COUNTS)
def test_another_count_is_refused_and_recognised(count: str) -> None:
    given = rows(*COUNTS[count])
    same = [row == good for row, good in zip(given, rows(characters), strict=True)]
    hint = hint_of(given, same.index(False) + 1)
    assert hint.endswith(general_hint())
    assert "8 of 8" in hint
    assert count in hint or not count.isupper()


def test_each_count_has_a_hint_of_its_own() -> None:
    hints = set()
    for counts in COUNTS.values():
        with refused("offsets-invalid") as caught:
            build_corpus(rows(*counts), TEXTS)
        hints.add(caught.value.hint)
    assert len(hints) == len(COUNTS)


def test_offsets_that_fit_two_readings_are_named_by_the_rarer_unit(folder: Path, cdec: Run) -> None:
    """One emoji before every mention shifts UTF-16 by one, as counting from 1 does."""
    (folder / "a.txt").write_text("🔥 A fire.", "utf-8")
    row = {"doc": "a", "from_char": 5, "to_char": 9, "chain": "F", "text": "fire"}
    mentions = table(folder.parent / "m.csv", [row])
    ran = cdec("corpus", "import", folder, "--mentions", mentions)
    assert ran.error == "offsets-invalid"
    assert "UTF-16" in ran.err


def test_a_single_wrong_text_has_row_and_share(folder: Path, cdec: Run, tmp_path: Path) -> None:
    given = rows(characters)
    given[3]["text"] = "tea"
    ran = cdec("corpus", "import", folder, "--mentions", table(tmp_path / "m.csv", given))
    assert (ran.code, ran.error) == (1, "offsets-invalid")
    for value in ("m.csv:5", "1 of 8", "12.5%"):
        assert value in ran.err
    assert installed() == {}
    assert hint_of(given, 4) == general_hint()  # no other count fits


def test_text_may_differ_in_white_space_and_normal_form() -> None:
    given = rows(characters)
    given[1]["text"], given[3]["text"], given[6]["text"] = "broke\n  out", DECOMPOSED, COMPOSED
    assert len(build_corpus(given, TEXTS).mentions) == 8


@pytest.mark.parametrize(("count", "cut"), [(characters, 1), (one_more, 8)])
def test_cut_tokens_are_counted(count: Count, cut: int) -> None:
    given = rows(count, text=False)
    if cut == 1:
        given[0]["to_char"] -= 1
    with pytest.warns(CdecWarning, match=rf"{cut} of 8 .*\[token-cut\]") as caught:
        corpus = build_corpus(given, TEXTS)
    # The count that fits all of them is named too.
    assert str(caught[0].message).count("8 of 8") == 1 + (cut == 8)
    assert words(corpus)[0] == "fire"


def test_overlapping_and_discontinuous_mentions(tmp_path: Path, cdec: Run) -> None:
    text = "Police shut the road down quickly."
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a.txt").write_text(text, "utf-8")
    mentions = tmp_path / "m.csv"
    mentions.write_text(
        "doc,from_char,to_char,chain,text,id\n"
        "a,7;21,11;25,S,shut down,m1\na,7,25,S2,shut the road down,m2\na,7,11,,shut,m3\n"
    )
    assert cdec("corpus", "import", tmp_path / "t", "--mentions", mentions, "-q").code == 0
    table_ = load_corpus("t").mentions
    assert table_["tokens"].to_dict() == {"a/m3": (1,), "a/m1": (1, 4), "a/m2": (1, 2, 3, 4)}
    assert table_["chain"]["a/m3"] == "a/m3"
    lists = [{"doc": "a", "from_char": [7, 21], "to_char": [11, 25], "chain": "S"}]
    assert build_corpus(lists, {"a": text}).mentions["tokens"].tolist() == [(1, 4)]


def test_tokens_that_are_those_of_the_offsets_are_accepted() -> None:
    alone = {"doc": "a", "chain": "F", **FIRE}
    gap = {"doc": "a", "chain": "G", "from_char": [13, 2], "to_char": [16, 6]}
    more: list[dict[str, Any]] = [{"tokens": [1]}, {"start": 1}, {"start": 1.0, "end": 1}]
    expected = build_corpus([alone, gap], TEXTS).digest
    for tokens in more:
        assert (
            build_corpus([{**alone, **tokens}, {**gap, "tokens": [3, 1]}], TEXTS).digest == expected
        )


@pytest.mark.parametrize(
    ("row", "code", "value"),
    [
        ({"from_char": 500, "to_char": 504}, "offsets-invalid", "500"),
        ({"from_char": 4, "to_char": 4}, "offsets-invalid", "4 to 4"),
        ({"from_char": -3, "to_char": 4}, "offsets-invalid", "-3"),
        ({"from_char": 17, "to_char": 19}, "offsets-invalid", "17 to 19"),
        ({"from_char": 2}, "offsets-invalid", "to_char"),
        ({"from_char": "x", "to_char": 4}, "offsets-invalid", "'x'"),
        ({"from_char": "1 3", "to_char": 4}, "offsets-invalid", "from_char"),
        ({"from_char": 10**400, "to_char": 4}, "offsets-invalid", "from_char"),
        ({"from_char": 2.5, "to_char": 4}, "offsets-invalid", "2.5"),
        ({"from_char": [], "to_char": []}, "offsets-invalid", "from_char"),
        ({"from_char": True, "to_char": 4}, "offsets-invalid", "from_char"),
        ({"from_char": [2, True], "to_char": [6, 4]}, "offsets-invalid", "from_char"),
        ({**FIRE, "tokens": [0]}, "offsets-invalid", "[1]"),
        ({**FIRE, "tokens": [1, 1]}, "offsets-invalid", "[1, 1]"),
        ({**FIRE, "tokens": [[1]]}, "offsets-invalid", "[[1]]"),
        ({**FIRE, "tokens": [True]}, "corpus-record-invalid", "true"),
        ({**FIRE, "start": 0, "end": 0}, "offsets-invalid", "[0]"),
        ({"from_char": [2, 2], "to_char": [6, 6]}, "offsets-invalid", "2"),
        ({"from_char": [2, 4], "to_char": [6, 8]}, "offsets-invalid", "8"),
        ({"tokens": [1, 1]}, "corpus-record-invalid", "tokens"),
        ({"doc": "a.txt", "from_char": 1, "to_char": 4}, "corpus-record-invalid", "a.txt"),
        ({"from_char": 2, "to_char": 6, "kind": "x"}, "corpus-record-invalid", "'kind'"),
        ({"tokens": [500]}, "corpus-record-invalid", "tokens"),
        ({}, "corpus-record-invalid", "tokens"),
    ],
)
def test_an_invalid_mention_has_its_row(row: dict[str, Any], code: str, value: str) -> None:
    good = {"doc": "b", "from_char": 4, "to_char": 9, "chain": "1"}
    with refused(code, value, place="mentions, row 2"):
        build_corpus([good, {"doc": "a", "chain": "1", **row}], TEXTS)
