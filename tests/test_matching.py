"""How mentions of a response find those of the key: by id, tokens, span, words, document name."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given as examples
from hypothesis import settings
from hypothesis import strategies as st

import cdec as package
from tests.cases import cases
from tests.program import Run
from tests.tiny_files import (
    EVENTS,
    FREE,
    SENTENCE,
    Answer,
    answer,
    conll,
    corpus,
    given,
    records,
    spans,
)

Match: TypeAlias = Callable[..., Answer]
Options: TypeAlias = tuple[object, ...]
Call: TypeAlias = Callable[..., tuple[Any, ...]]
GIVEN = cases("matching_cases")
FIVE = conll(("d", ["(1)", "(1)", "(2", "2)", "(2)"]))


@pytest.fixture
def files(tmp_path: Path) -> Call:
    """The call that scores two contents."""

    def call(key: str, response: str, *options: object, names: tuple[str, str] = ("a", "b")) -> Any:
        paths = map(given, [tmp_path] * 2, names, (key, response))
        scope = () if "--scope" in options else ("--scope", "document")
        return ("score", *paths, *scope, *options)

    return call


@pytest.fixture
def score(cdec: Run, files: Call) -> Match:
    return lambda *of, metric="muc", **names: answer(cdec, *files(*of, **names), metric=metric)


@pytest.fixture
def on_corpus(tmp_path: Path) -> Call:
    """The call that evaluates a content on the small corpus, in all of its documents."""

    def call(response: str, *options: object) -> tuple[Any, ...]:
        made = given(tmp_path, "made.jsonl", corpus())
        where = () if "--split" in options else ("--split", "all")
        which = () if "--corpus" in options else ("--corpus", made)
        path = given(tmp_path, "mine", response)
        return ("eval", path, *which, *where, "--setting", "simple", *options)

    return call


@pytest.fixture
def evaluate(cdec: Run, on_corpus: Call) -> Match:
    return lambda response, *options: answer(cdec, *on_corpus(response, *options))


PLACED = records(
    {"doc": "1_1ecb", "start": 3, "end": 3, "mention": "1_1ecb/7", "chain": "a"},
    {"doc": "1_1ecb", "tokens": [5, 8], "mention": "1_1ecb/9", "chain": "a"},
    {"doc": "1_2ecb", "start": 1, "end": 2, "mention": "1_2ecb/4", "chain": "b"},
)
IDS = "mention,chain\n1_1ecb/7,1\n1_1ecb/9,1\n1_2ecb/4,2\n"


# Two files: document and tokens.


@pytest.mark.parametrize("case", GIVEN["files"])
def test_two_files(score: Match, case: str) -> None:
    one = GIVEN["files"][case]
    found = score(one["key"], one["response"], "--scope", "corpus")
    assert ([*found.numbers], found.said) == (one["mentions"], one["said"])


def test_the_same_document_and_tokens_are_the_same_mention(score: Match) -> None:
    found = score(FIVE, conll(("d", ["(7)", "-", "(7", "7)", "(8)"])))
    assert found.numbers == (4, 3, 3)
    assert found.said == {"missing-mention": 1}
    assert found.notices["missing-mention"]["examples"] == ["d/1-1"]
    assert found.counts["muc"] == (0, 1, 0, 2)
    assert not found.warnings
    words = score(FIVE, conll(("d", ["(7)", "-", "(7", "7)", "(8)"])), metric="mor")
    assert words.counts["mor"] == (4, 4, 4, 5)


@pytest.mark.parametrize("format_", GIVEN["formats"])
def test_any_two_formats_match(score: Match, format_: str) -> None:
    response = GIVEN["formats"][format_]
    for pair in ((FIVE, response), (response, FIVE)):
        found = score(*pair)
        assert (found.numbers, found.said) == ((4, 4, 4), {})
        assert found.counts["muc"] == (2, 2, 2, 2)


def test_mentions_are_counted_by_default_if_they_differ(cdec: Run, files: Call) -> None:
    for response in (FIVE.replace("(1)", "(9)"), FIVE.replace("(1)", "-")):
        rows = cdec(*files(FIVE, response), "-f", "json").json["rows"]
        assert ("mentions" in {row["metric"] for row in rows}) == ("-" in response)


def test_a_mention_with_gaps_is_named_by_its_runs(score: Match) -> None:
    key = records(
        {"doc": "d", "tokens": [0, 2, 3, 5], "chain": 1}, {"doc": "d", "tokens": [1], "chain": 1}
    )
    found = score(key, spans([("d", 1, 1, 1)]))
    assert found.notices["missing-mention"]["examples"] == ["d/0,2-3,5"]


def test_brackets_match_a_mention_with_a_gap_by_its_ends(score: Match) -> None:
    gap = records(
        {"doc": "d", "tokens": [0, 2], "chain": 1}, {"doc": "d", "tokens": [1], "chain": 1}
    )
    brackets = conll(("d", ["(1", "(1)", "1)"]))
    assert score(gap, brackets).numbers == score(brackets, gap).numbers == (2, 2, 2)
    assert score(gap, spans([("d", 0, 2, 1), ("d", 1, 1, 1)])).numbers == (2, 2, 1)
    assert score(gap, gap.replace("[0, 2]", "[0, 1, 2]")).numbers == (2, 2, 1)


def test_a_text_of_a_model_needs_its_brackets_if_the_key_has_no_trees(
    cdec: Run, files: Call
) -> None:
    ran = cdec(*files(FIVE.replace("(d)", "(1)"), "a|[1] b|[1 c\n", "--allow-empty"))
    assert (ran.error, "b:1:" in ran.said) == ("brackets-invalid", True)


# Documents.


@pytest.mark.parametrize(
    "name", ["x", "x.xml", "00/x.xml", "a/cnn/00/x", "cnn\\00\\x", "x_cnn/00/x"]
)
def test_a_shorter_or_longer_path_is_the_same_document(score: Match, name: str) -> None:
    key, response = (conll((doc, ["(1)", "(1)"])) for doc in ("cnn/00/x", name))
    for pair in ((key, response), (response, key)):
        found = score(*pair)
        assert found.numbers == (2, 2, 2)
        assert not found.said.keys() - {"document-renamed"}


@pytest.mark.parametrize(("name", "same"), [("4dc1", True), ("bbc/4dc1", True), ("c1", False)])
def test_another_name_of_a_document_is_noticed(score: Match, name: str, same: bool) -> None:
    key, response = (
        conll((doc, ["(1)", "-"]), ("z", ["(2)"])) for doc in ("violence_2_4dc1", name)
    )
    found = score(key, response)
    assert found.common == 1 + same
    assert found.said.get("document-renamed", 0) == same
    assert found.said.get("missing-document", 0) == 1 - same
    assert "document-renamed" not in found.warnings


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(["a/x", "b/x"], ["x"]), (["x"], ["a/x", "b/x"]), (["x"], ["x.xml", "a/x"])],
)
def test_an_ambiguous_name_is_an_error(
    cdec: Run, files: Call, ours: list[str], theirs: list[str]
) -> None:
    key, response = (spans([(doc, 0, 0, 1) for doc in docs]) for docs in (ours, theirs))
    ran = cdec(*files(key, response, "--scope", "corpus"))
    assert (ran.exit, ran.error) == (1, "mention-unknown")


def test_a_document_of_the_key_that_the_response_lacks_counts_as_empty(score: Match) -> None:
    key = conll(("a", ["(1)", "(1)"]), ("b", ["(2)"]))
    found = score(key, conll(("a", ["(1)", "(3)"])))
    assert found.numbers == (3, 2, 2)
    assert found.said == {"missing-document": 1, "missing-mention": 1}
    assert found.notices["missing-document"]["examples"] == ["b"]
    assert found.warnings == {"missing-document"}


def test_the_only_documents_of_two_files_need_no_name(score: Match) -> None:
    text = "#begin document{}\na (1)\nb (1)\n#end document\n"
    bare = text.format("")
    for key, response in ((text.format(" (k)"), bare), (bare, text.format(" (n)")), (bare, bare)):
        assert score(key, response).numbers == (2, 2, 2)


# Ids.


@pytest.mark.parametrize("form", GIVEN["ids"])
def test_an_id_is_the_tokens_that_the_other_file_gives_it(score: Match, form: str) -> None:
    response = GIVEN["ids"][form]
    for pair in ((PLACED, response), (response, PLACED)):
        found = score(*pair, "--scope", "corpus")
        assert found.numbers == (3, 3, 3)
        assert found.counts["muc"] == (1, 1, 1, 1)
        assert not found.said


def test_ids_against_tokens_without_ids(cdec: Run, files: Call, score: Match) -> None:
    key = conll(("1_1ecb", ["(1)", "(1)"]))
    mixed = records(
        {"mention": "1_1ecb/7", "chain": 1}, {"doc": "1_1ecb", "tokens": [0], "chain": 1}
    )
    assert score(key, mixed).said["mention-unknown"] == 1
    assert cdec(*files(key, IDS)).error == "mentions-disjoint"
    more = score(PLACED, IDS + "1_1ecb/99,1\n", "--scope", "corpus")
    assert more.notices["twinless"]["examples"] == ["1_1ecb/99"]


# Words.

TWENTY = conll(("d", [
    "(0", "0)", "-", "(1", "-", "-", "1)", "-", "-", "(1)", "-", "(2", "2)", "-", "(2)", "-",
    "(2", "-", "2)", "-",
]))  # fmt: skip


def with_words(words: dict[int, str]) -> str:
    """TWENTY with other words at these tokens."""
    lines = TWENTY.splitlines()
    for at, word in words.items():
        fields = lines[at + 1].split("\t")
        lines[at + 1] = "\t".join([*fields[:3], word, fields[4]])
    return "\n".join([*lines, ""])


@pytest.mark.parametrize(
    "others", [{4: "x"}, {10: "x"}, {4: "x", 9: "y"}, dict.fromkeys(range(0, 18, 2), "x")]
)
def test_few_words_that_differ_are_a_warning(score: Match, others: dict[int, str]) -> None:
    found = score(TWENTY, with_words(others))
    assert found.numbers == (6, 6, 6)
    assert found.said == {"text-mismatch": len(others)}
    assert found.warnings == {"text-mismatch"}


@pytest.mark.parametrize(("size", "refused"), [(2, True), (3, False)])
def test_half_of_the_words_is_too_much(cdec: Run, tmp_path: Path, size: int, refused: bool) -> None:
    key = conll(("d", ["(1)", "(1)"] + ["-"] * (size - 2)))
    files = given(tmp_path, "a", key), given(tmp_path, "b", key.replace("\tb\t", "\tx\t"))
    ran = cdec("score", *files, "--scope", "document")
    assert ran.error == ("text-mismatch" if refused else "")


@pytest.mark.parametrize(
    "others", [dict.fromkeys(range(4, 14), "x"), dict.fromkeys(range(20), "x")]
)
def test_many_words_that_differ_are_an_error(
    cdec: Run, files: Call, others: dict[int, str]
) -> None:
    ran = cdec(*files(TWENTY, with_words(others)))
    assert (ran.exit, ran.error) == (1, "text-mismatch")
    assert f"b:{min(others) + 2}:" in ran.said
    assert "'x'" in ran.said


def test_words_are_compared_in_each_document(cdec: Run, files: Call, score: Match) -> None:
    """Another text of one document is refused, however long the others are."""
    key = TWENTY + conll(("e", ["(9)", "(9)", "-"]))
    one = key.replace("e\t0\t0\ta", "e\t0\t0\tx")
    assert score(key, one).said == {"text-mismatch": 1}
    assert cdec(*files(key, one.replace("e\t0\t1\tb", "e\t0\t1\ty"))).error == "text-mismatch"


def test_words_of_a_block_have_their_lines(cdec: Run, files: Call) -> None:
    key = conll(("all", ["(1)", "(1)"])).replace("all\t", "x\t")
    ran = cdec(*files(key, key.replace("x\t", "u\t").replace("\tb\t", "\tz\t")))
    assert (ran.error, "b:3:" in ran.said) == ("text-mismatch", True)


@pytest.mark.parametrize("kept", [1, 19])
def test_another_number_of_words_is_an_error(cdec: Run, files: Call, kept: int) -> None:
    shorter = conll(("d", ["-"] * (kept - 1) + ["(1)"]))
    for pair in ((TWENTY, shorter), (shorter, TWENTY)):
        assert cdec(*files(*pair, "--allow-empty")).error == "text-mismatch"


@pytest.mark.parametrize("word", ["_", "___"])
def test_a_masked_word_agrees_with_any(cdec: Run, files: Call, score: Match, word: str) -> None:
    masked = with_words(dict.fromkeys(range(0, 20, 2), word))
    for pair in ((TWENTY, masked), (masked, TWENTY)):
        assert not score(*pair).said
    most = with_words({**dict.fromkeys(range(19), word), 19: "x"})
    assert cdec(*files(TWENTY, most)).error == "text-mismatch"


def test_white_space_in_a_word_makes_no_difference(score: Match) -> None:
    key = "#begin document (d);\nd\t0\t0\t7&#9;½\t(1)\nd\t0\t1\tb&#9;\t(1)\n#end document\n"
    for word in ("7", "7½", "7&#8201;½"):
        response = f"#begin document (d);\nd 0 0 {word} (1)\nd 0 1 b (1)\n#end document\n"
        assert not score(key, response).said


# Repeated mentions.

FIRST = conll(("d", ["(1)", "(1)", "(2)", "-", "(2)"]))
AGAIN = conll(("d", ["(7)|(7)", "(9)|(7)", "(9)", "-", "(5)|(7)"]))


def test_the_chain_that_opens_first_keeps_a_repeated_mention(score: Match) -> None:
    """7 keeps tokens 0, 1 and 4."""
    found = score(FIRST, AGAIN)
    assert (found.numbers, found.counts["muc"]) == ((4, 4, 4), (1, 2, 1, 2))
    assert found.said["mention-duplicate"] == 3
    assert "mention-duplicate" in found.warnings
    assert (found.signature["repeated"], found.signature["mentions"]) == ("first", "gold")
    assert "repeated" not in score(FIRST, FIRST.replace("(1)", "(3)")).signature


def test_a_repeated_mention_that_the_key_lacks_counts_each_time(score: Match) -> None:
    found = score(FIRST, conll(("d", ["(1)", "-", "-", "(1)|(1)|(2)", "-"])), metric="b3")
    assert found.counts["b3"][1] == 4  # mentions of the response
    assert (found.response, found.signature["mentions"]) == (2, "predicted")  # distinct ones


# Missing mentions.

KEY = spans([("d", 0, 0, 1), ("d", 1, 1, 1), ("d", 2, 2, 2), ("d", 3, 3, 3)])
LEFT_OUT = spans([("d", 0, 0, 1), ("d", 1, 1, 1)])
LARGE = KEY + "d,5,5,4\nd,6,6,4\nd,7,7,4\n"
GAMED = LEFT_OUT + "d,5,5,4\n"


@pytest.mark.parametrize(
    ("policy", "mentions"), [("count", (4, 2, 2)), ("singletons", (4, 4, 4)), ("drop", (2, 2, 2))]
)
def test_a_response_without_its_singletons(
    score: Match, policy: str, mentions: tuple[int, int, int]
) -> None:
    found = score(KEY, LEFT_OUT, "--missing", policy)
    assert found.numbers == mentions
    assert found.signature.get("missing", "count") == policy
    codes = {"singletons-left-out", "missing-mention"} if policy == "count" else {"missing-mention"}
    assert found.said == dict.fromkeys(codes, 2)


@pytest.mark.parametrize(("more", "noticed"), [("", True), ("d,5,5,2\n", False)])
def test_half_of_the_missing_mentions_are_singletons(
    score: Match, more: str, noticed: bool
) -> None:
    key = spans([("d", 0, 0, 1), ("d", 1, 1, 1), ("d", 2, 2, 2), ("d", 3, 3, 2), ("d", 4, 4, 3)])
    found = score(key + more, spans([("d", at, at, 1) for at in range(3)]))
    assert ("singletons-left-out" in found.said) == noticed


def test_an_added_singleton_joins_no_chain_of_the_response(score: Match) -> None:
    response = spans([("d", 0, 0, "missing:d/2-2"), ("d", 1, 1, "missing:d/2-2")])
    assert score(KEY, response, "--missing", "singletons").counts["muc"] == (1, 1, 1, 1)


@pytest.mark.parametrize("policy", ["singletons", "drop"])
def test_what_is_excused_is_a_warning_and_in_the_signature(score: Match, policy: str) -> None:
    found = score(LARGE, GAMED, "--missing", policy)
    assert found.said == {"missing-mention": 4}
    assert found.warnings == {"missing-mention"}
    assert found.signature["missing_share"] == {"mentions": 0.5714, "links": 0.75}
    whole = score(LARGE, LARGE.replace("4", "9"), "--missing", policy)
    assert "missing_share" not in whole.signature


@pytest.mark.parametrize(("size", "warned"), [(101, False), (100, True)])
def test_one_percent_of_excused_mentions_is_a_warning(
    score: Match, size: int, warned: bool
) -> None:
    rows = [("d", at, at, at) for at in range(size)]
    found = score(spans(rows), spans(rows[1:]), "--missing", "drop")
    assert ("missing-mention" in found.warnings) == warned


@pytest.mark.parametrize(("scope", "links"), [("corpus", 0.6667), ("document", 1.0)])
def test_excused_links_end_with_the_document_if_chains_do(
    score: Match, scope: str, links: float
) -> None:
    key = spans([("d", 0, 0, 1), ("d", 1, 1, 1), ("e", 0, 0, 1)])
    response = spans([("d", 0, 0, 1), ("e", 0, 0, 1)])
    found = score(key, response, "--scope", scope, "--missing", "drop")
    assert found.signature["missing_share"]["links"] == links


@pytest.mark.parametrize(("scope", "mentions"), [("corpus", (4, 4, 4)), ("document", (2, 2, 2))])
def test_singletons_that_both_sides_drop(
    score: Match, scope: str, mentions: tuple[int, int, int]
) -> None:
    """A chain in two documents is one or two; a mention that a chain has twice counts once."""
    rows = [("d", 0, 0, 1), ("e", 0, 0, 1), ("d", 2, 2, 2), ("d", 3, 3, 5), ("d", 5, 5, 5)]
    response = [*rows[:2], *rows[3:], ("d", 7, 7, 6), ("d", 7, 7, 6)]
    found = score(spans(rows), spans(response), "--scope", scope, "--singletons", "drop")
    assert found.numbers == mentions
    assert found.signature["own_singletons"] == "drop"


# Little or nothing in common.

WORDS = [(0, 0), (2, 2), (4, 5), (7, 7), (8, 8), (10, 12), (14, 14), (17, 17)]


def moved(start: int = 0, end: int = 0, *, chain: str = "c{at}", doc: str = "d") -> str:
    """The mentions of WORDS, with other starts and ends."""
    rows = enumerate(WORDS)
    return spans([(doc, s + start, e + end, chain.format(at=at)) for at, (s, e) in rows])


@pytest.mark.parametrize("pair", [(moved(), moved(1, 1)), (moved(1, 1), moved())])
def test_tokens_that_count_from_one_are_noticed(score: Match, pair: tuple[str, str]) -> None:
    found = score(*pair)
    assert (found.said["little-in-common"], found.common) == (1, 1)
    assert "little-in-common" in found.warnings
    assert "8 would match" in found.notices["little-in-common"]["message"]


@pytest.mark.parametrize(
    ("shift", "warned"), [((1, 1), True), ((-1, -1), True), ((0, 1), True), ((3, 3), False)]
)
def test_one_document_that_counts_otherwise_is_noticed(
    score: Match, shift: tuple[int, int], warned: bool
) -> None:
    first, last = shift
    docs = ("a", "b", "c")
    later = [(doc, start + 5, end + 5) for doc in docs for start, end in WORDS]
    key = spans([(*place, str(at)) for at, place in enumerate(later)])
    rows = [
        (doc, start + first * (doc == "b"), end + last * (doc == "b"), str(at))
        for at, (doc, start, end) in enumerate(later)
    ]
    found = score(key, spans(rows), "--scope", "document")
    assert ("little-in-common" in found.warnings) == warned
    if warned:
        assert found.notices["little-in-common"]["examples"] == ["b"]
        assert "8 mentions would match" in found.notices["little-in-common"]["message"]


@pytest.mark.parametrize("other", [moved(0, 1), moved(doc="e"), "doc,start,end,chain\n", "[]"])
def test_nothing_in_common_is_an_error(cdec: Run, files: Call, score: Match, other: str) -> None:
    ran = cdec(*files(moved(), other))
    assert (ran.exit, ran.error) == (1, "mentions-disjoint")
    assert ("8 would match" in ran.said) == (other == moved(0, 1))
    assert ("has no mentions" in ran.said) == (other in ("[]", "doc,start,end,chain\n"))
    found = score(moved(), other, "--allow-empty")
    assert (found.key, found.common) == (8, 0)
    assert found.said["missing-mention"] == 8


def test_an_empty_key_is_an_error(cdec: Run, files: Call, score: Match) -> None:
    assert cdec(*files("doc,start,end,chain\n", moved())).error == "mentions-disjoint"
    assert score("doc,start,end,chain\n", moved(), "--allow-empty").key == 0


@pytest.mark.parametrize(
    ("size", "shared", "noticed"), [(8, 1, True), (8, 2, False), (9, 2, True), (12, 3, False)]
)
def test_less_than_a_quarter_in_common_is_noticed(
    score: Match, size: int, shared: int, noticed: bool
) -> None:
    key, far = ([("d", first + at, first + at, at) for at in range(size)] for first in (0, 50))
    found = score(spans(key), spans(key[:shared] + far[shared:]))
    assert (found.common, "little-in-common" in found.said) == (shared, noticed)


@pytest.mark.parametrize(("shifted", "named"), [(4, False), (5, True)])
def test_a_shift_is_named_if_most_mentions_would_match(
    cdec: Run, files: Call, shifted: int, named: bool
) -> None:
    starts = range(0, 80, 10)
    rows = [("d", at + (1 if n < shifted else 5), at + 5, n) for n, at in enumerate(starts)]
    ran = cdec(*files(spans(("d", at, at + 4, at) for at in starts), spans(rows)))
    assert (ran.error, "would match" in ran.said) == ("mentions-disjoint", named)


# Swapped files.


@pytest.mark.parametrize("case", GIVEN["swapped"])
def test_names_of_swapped_files(score: Match, case: str) -> None:
    names, noticed, warned = GIVEN["swapped"][case]
    found = score(FIVE, FIVE.replace("1", "9"), names=names)
    assert found.said.get("swapped", 0) == noticed
    assert ("swapped" in found.warnings) == warned
    assert "swapped" not in score(FIVE, FIVE, names=names).warnings


# Labels.


@pytest.mark.parametrize("label", ["nan", "NaN", "None", "null", "<NA>", "-1", "-1.0"])
def test_a_label_that_means_no_chain(cdec: Run, files: Call, score: Match, label: str) -> None:
    odd = moved(chain=label)
    assert cdec(*files(moved(), odd)).error == cdec(*files(odd, moved())).error == "label-ambiguous"
    alone = score(moved(), odd, "--noise", "singletons")
    assert (alone.numbers, alone.said) == ((8, 8, 8), {"label-ambiguous": 8})
    assert alone.counts["muc"][1] == 0
    assert alone.signature["noise"] == "singletons"
    absent = score(moved(), odd, "--noise", "absent", "--allow-empty")
    assert absent.numbers == (8, 0, 0)
    assert absent.said == {"label-ambiguous": 8, "missing-mention": 8}


def test_a_chain_of_one_mention_may_have_such_a_label(score: Match) -> None:
    single = spans([("d", 0, 0, "nan"), ("d", 2, 2, "x"), ("d", 4, 5, "None")])
    assert "label-ambiguous" not in score(moved(), single).said
    absent = score(moved(), single, "--noise", "absent")
    assert (absent.said["label-ambiguous"], absent.response) == (2, 1)


def test_a_blank_label_is_refused_with_its_line(cdec: Run, files: Call) -> None:
    ran = cdec(*files(moved(), moved() + "d,20,20,\n"))
    assert (ran.error, "b:10:" in ran.said) == ("field-invalid", True)


def test_whole_floats_are_the_integers_that_they_mean(cdec: Run, files: Call, score: Match) -> None:
    key = spans([("d", 0, 0, 1), ("d", 1, 1, 1)])
    assert score(key, spans([("d", 0, 0, "1.0"), ("d", 1, 1, "1.0")])).counts["muc"] == (1, 1, 1, 1)
    both = spans([("d", 0, 0, "1.0"), ("d", 1, 1, "1")])
    assert cdec(*files(key, both)).error == "label-ambiguous"


@pytest.mark.parametrize(("scope", "muc"), [("document", 0), ("corpus", 1)])
def test_labels_that_recur_need_a_scope(
    cdec: Run, score: Match, tmp_path: Path, scope: str, muc: int
) -> None:
    key = conll(("a", ["(1)"]), ("b", ["(1)"]))
    found = score(key, key.replace("(1)", "(2)"), "--scope", scope)
    assert (found.numbers, found.counts["muc"]) == ((2, 2, 2), (muc,) * 4)
    assert cdec("score", tmp_path / "a", tmp_path / "b").error == "scope-ambiguous"


# A corpus.

GOLD = [(doc, tokens[0], tokens[-1], chain) for doc, _, tokens, chain, _ in EVENTS]
# Labels of a system: ACT5 is ACT1, ACT3 is ACT2.
SYSTEM = [{"ACT5": "1", "ACT3": "2", "ACT1": "1", "ACT2": "2"}.get(c, c) for *_, c in GOLD]
SYSTEM_SPANS = spans([(*place, label) for (*place, _), label in zip(GOLD, SYSTEM, strict=True)])


@pytest.mark.parametrize(
    "form", ["{}/{}", "{}_{}", "{}.xml_{}", "ECB+/1/{}.xml/{}", "metadoc_{}_{}"]
)
def test_ids_of_a_corpus_in_the_forms_that_systems_write(evaluate: Match, form: str) -> None:
    whole = evaluate(SYSTEM_SPANS)
    assert (whole.numbers, whole.said) == ((7, 7, 7), {})
    rows = [(form.format(*one), label) for one, label in zip(EVENTS, SYSTEM, strict=True)]
    found = evaluate("mention,chain\n" + "".join(f"{name},{label}\n" for name, label in rows))
    assert (found.numbers, found.counts) == (whole.numbers, whole.counts)
    lines = "".join(f"evt\t0\t{at}\t{name}\t({label})\n" for at, (name, label) in enumerate(rows))
    text = f"#begin document (evt);\n{lines}#end document\n"
    for doc in ("evt", "1_1ecb"):
        assert evaluate(text.replace("evt", doc)).counts == whole.counts


def test_a_document_has_its_other_name(tmp_path: Path, evaluate: Match) -> None:
    record = '"id": "1_2ecb", "topic"'
    text = corpus().replace(record, record.replace(",", ', "attributes": {"alias": "D7"},'))
    path = given(tmp_path, "alias.jsonl", text)
    assert evaluate(spans([("D7", 1, 1, 1)]), "--corpus", path).common == 1


def test_mentions_by_number_in_text_order(
    cdec: Run, on_corpus: Call, tmp_path: Path, evaluate: Match
) -> None:
    """Numbers count all mentions of a document from 0 if no mention has a number as its id."""
    named = [(d, f"{d}/m{at[0]}_{at[-1]}", at, chain, kind) for d, _, at, chain, kind in EVENTS]
    path = given(tmp_path, "named.jsonl", corpus(mentions=named))
    rows = "mention\tchain\n1_1ecb_1\tx\nmetadoc_2_1ecb_2\tx\n"
    found = evaluate(rows, "--corpus", path)
    assert (found.common, found.said["reading-assumed"]) == (2, 2)
    assert "reading-assumed" not in found.warnings
    own = "doc,mention,start,end,chain\n1_1ecb,1,7,8,1\n"
    assert "reading-assumed" not in evaluate(own, "--corpus", path).said
    ran = cdec(*on_corpus("mention\tchain\n1_1ecb_1\t1\n1_1ecb_4\t1\n", "--corpus", path))
    assert (ran.error, "mine:3:" in ran.said) == ("mention-unknown", True)


def test_an_id_beside_the_tokens_of_another_mention_is_noticed(
    evaluate: Match, score: Match
) -> None:
    """The tokens count; numbers that never fit are the file's own."""
    rows = [("1_1ecb/11", 0), ("1_1ecb/13", 1), ("1_1ecb/99", 5)]
    text = "doc,mention,start,end,chain\n"
    text += "".join(f"1_1ecb,{id_},{at},{at},1\n" for id_, at in rows)
    found = evaluate(text, "--allow-empty")
    assert "reading-assumed" in found.warnings
    assert found.notices["reading-assumed"]["examples"][0].startswith("1_1ecb/11 at ")
    assert found.notices["reading-assumed"]["examples"][0].endswith("mine:2")
    own = evaluate(text.replace("1_1ecb/", ""), "--allow-empty")
    assert "reading-assumed" not in own.said
    moved_ = PLACED.replace('"start": 3, "end": 3', '"start": 4, "end": 4')
    assert score(PLACED, moved_).said["reading-assumed"] == 1


@pytest.mark.parametrize(
    ("response", "found"),
    [
        ('{"doc": "1_1ecb", "start": 1, "end": 4, "chain": 1}\n', True),
        ('{"doc": "1_1ecb", "tokens": [1, 4], "chain": 1}\n', True),
        ('{"doc": "1_1ecb", "tokens": [1, 2, 3, 4], "chain": 1}\n', False),
    ],
)
def test_a_gap_is_found_by_its_ends_unless_tokens_are_named(
    evaluate: Match, response: str, found: bool
) -> None:
    answer = evaluate(response, "--allow-empty")
    assert (answer.common, answer.said.get("twinless", 0)) == (found, 1 - found)


def test_twinless_mentions_and_those_of_another_kind(evaluate: Match) -> None:
    found = evaluate(spans([("1_1ecb", 1, 4, 1), ("1_1ecb", 5, 6, 1), ("1_1ecb", 2, 3, 1)]))
    assert found.numbers == (7, 3, 1)
    assert found.said == {
        "mention-left-out": 1, "missing-document": 2, "missing-mention": 6, "twinless": 2,
        "singletons-left-out": 6,
    }  # fmt: skip
    assert found.notices["twinless"]["examples"] == ["1_1ecb/12", "1_1ecb/5-6"]
    assert {"missing-mention", "twinless"}.isdisjoint(found.warnings)
    every = evaluate(spans([("1_1ecb", 2, 3, 1)]), "--mentions", "entity")
    assert every.numbers == (2, 1, 1)


@pytest.mark.parametrize("case", [(10, 20, True), (10, 21, False), (9, 9, False)])
def test_many_mentions_of_another_kind_are_an_error(
    cdec: Run, on_corpus: Call, tmp_path: Path, case: tuple[int, int, bool]
) -> None:
    """Many are ten and a third of all."""
    others, events, refused = case
    at = [(start, start + more) for more in range(4) for start in range(6)]
    rows = [("1_1ecb", start, start, "x") for start in range(others)]
    rows += [("2_1ecb", *place, "x") for place in at[:events]]
    kinds = {"1_1ecb": "entity", "2_1ecb": "event"}
    many = [(doc, f"{a}-{b}", [*range(a, b + 1)], "x", kinds[doc]) for doc, a, b, _ in rows]
    path = given(tmp_path, "many.jsonl", corpus(mentions=many))
    ran = cdec(*on_corpus(spans(rows), "--corpus", path))
    assert (ran.exit, ran.error) == ((1, "input-mismatch") if refused else (0, ""))


def test_a_response_without_mentions_has_its_documents(evaluate: Match) -> None:
    rows = "".join(f"1_1ecb {at} {word} -\n" for at, word in enumerate([*SENTENCE, *FREE]))
    found = evaluate(f"#begin document (1_1ecb);\n{rows}#end document\n", "--allow-empty")
    assert (found.response, found.said["missing-document"]) == (0, 2)


def test_excused_links_of_a_corpus_cross_documents(evaluate: Match) -> None:
    """ACT1 is in 1_1ecb and in 1_2ecb; it has one of the two links of the key."""
    found = evaluate(spans(GOLD[1:]), "--missing", "drop")
    assert found.signature["missing_share"]["links"] == 0.5


def test_the_gold_annotation_is_noticed(evaluate: Match) -> None:
    found = evaluate(spans(GOLD))
    assert found.said == {"swapped": 1}
    assert found.warnings == {"swapped"}


@pytest.mark.parametrize(("chains", "noticed"), [("aa", False), ("ab", False), ("aab", True)])
def test_equal_chains_say_little_if_all_or_no_mentions_are_in_one(
    evaluate: Match, tmp_path: Path, chains: str, noticed: bool
) -> None:
    few = [(*one[:3], chain, "event") for one, chain in zip(EVENTS, chains, strict=False)]
    path = given(tmp_path, "few.jsonl", corpus(mentions=few))
    found = evaluate(spans([(doc, at[0], at[-1], c) for doc, _, at, c, _ in few]), "--corpus", path)
    assert ("swapped" in found.said) == noticed


@pytest.mark.parametrize("case", GIVEN["unfit"])
def test_a_response_that_does_not_fit_the_corpus(cdec: Run, on_corpus: Call, case: str) -> None:
    text, code, line = GIVEN["unfit"][case]
    ran = cdec(*on_corpus(text))
    assert (ran.exit, ran.error) == (1, code)
    assert f"mine{line}" in ran.said


def test_documents_of_another_part_are_left_out(evaluate: Match) -> None:
    response = '[["1_1ecb/11", "2_1ecb/11"], ["1_1ecb/13", "9_9ecb/1"]]'
    found = evaluate(response, "--split", "test", "--unknown", "drop")
    assert (found.key, found.response, found.common) == (4, 2, 2)
    assert (found.said["outside-split"], found.said["unknown-document"]) == (1, 1)
    assert found.notices["outside-split"]["examples"] == ["2_1ecb"]
    assert found.notices["unknown-document"]["examples"] == ["9_9ecb"]


def test_a_document_without_a_name_is_found_by_its_words(cdec: Run, tmp_path: Path) -> None:
    gold = tmp_path / "gold.conll"
    assert cdec("corpus", "export", "--from", "sample", "--split", "test", "-o", gold).exit == 0
    rows = gold.read_text().partition("#end document")[0].splitlines()[1:]
    lines = ["#begin document", *("\t".join(row.split("\t")[-2:]) for row in rows), "#end document"]
    mine = given(tmp_path, "mine.conll", "\n".join([*lines, ""]))
    found = answer(cdec, "eval", mine, "--corpus", "sample", "--setting", "simple")
    assert found.common == found.response > 0
    assert found.said["missing-document"] == 17
    assert "document-unnamed" in found.said.keys() - found.warnings


def test_a_response_for_another_part_is_noticed(cdec: Run, tmp_path: Path) -> None:
    """Its topics are exactly those of a part of a split that comes with the program."""
    train = tmp_path / "train.csv"
    assert cdec("corpus", "export", "--from", "sample", "--split", "train", "-o", train).exit == 0
    call = ("eval", train, "--corpus", "sample", "--setting", "simple", "--allow-empty")
    found = answer(cdec, *call, "--split", "test")
    assert "other-split" in found.warnings
    assert "outside-split" in found.warnings
    assert "other-split" not in answer(cdec, *call, "--split", "train").said
    one = "".join(line for line in train.read_text().splitlines(True) if "2_" not in line[:3])
    given(tmp_path, "train.csv", one)
    assert "other-split" not in answer(cdec, *call, "--split", "test").said


@pytest.mark.parametrize("case", GIVEN["declared"])
def test_a_response_may_not_contradict_what_it_declares(
    cdec: Run, on_corpus: Call, case: str
) -> None:
    declared = GIVEN["declared"][case]
    line = f'# cdec: {{"uses": {{"{declared["uses"]}": "gold"}}}}\n'
    ran = cdec(*on_corpus(line + spans(declared["mentions"])))
    expected = (0, "") if declared["true"] else (1, "declaration-invalid")
    assert (ran.exit, ran.error) == expected


# Token numbers that count in the sentence.

# Document, sentence, first and last token in it.
ROWS = [
    ("1_1ecb", 0, 1, 4), ("1_1ecb", 1, 2, 3), ("1_2ecb", 0, 1, 1), ("1_2ecb", 1, 1, 1),
    ("2_1ecb", 0, 1, 4),
]  # fmt: skip
HEADER = "doc,sentence,start,end,chain\n"


def in_sentences(rows: list[tuple[str, int, int, int]] = ROWS) -> str:
    return HEADER + "".join(f"{doc},{s},{a},{b},x\n" for doc, s, a, b in rows)


@pytest.mark.parametrize(
    "response",
    [
        in_sentences(),
        "mention\tchain\n" + "".join(f"{doc}_{s}_{a}_{b}\tx\n" for doc, s, a, b in ROWS),
        records(*(
            {"doc": d, "sent_id": s, "coref_chain": "x",
             "tokens_number": [a, b] if b - a == 3 else [*range(a, b + 1)]}
            for d, s, a, b in ROWS
        )),
        "#begin document (0); part 000\n"
        + "".join(f"{doc}_{s}_{a}_{b}\t(x)\n" for doc, s, a, b in ROWS)
        + "#end document\n",
    ],
)  # fmt: skip
def test_tokens_that_count_in_the_sentence(evaluate: Match, response: str) -> None:
    found = evaluate(response)
    assert (found.common, found.response, found.said["reading-assumed"]) == (5, 5, 5)
    assert "reading-assumed" not in found.warnings


def test_tokens_that_count_in_the_document(evaluate: Match) -> None:
    found = evaluate(in_sentences([(doc, s, a + 5 * s, b + 5 * s) for doc, s, a, b in ROWS]))
    assert (found.common, found.said.get("reading-assumed")) == (5, None)
    words = evaluate("doc,sentence,start,end,chain\n1_1ecb,It rained.,7,8,1\n")
    assert words.common == 1
    across = evaluate(in_sentences([("1_1ecb", 0, 4, 5), ("1_1ecb", 1, 7, 8)]))
    assert (across.common, across.notices["twinless"]["examples"]) == (1, ["1_1ecb/4-5"])
    some = evaluate(in_sentences([("1_1ecb", 1, 2, 3)]) + "1_2ecb,,1,1,x\n")
    assert (some.common, some.said["reading-assumed"]) == (2, 1)
    # The URL counts if that is as good: then the last mention is one of ACT1.
    url = evaluate(in_sentences([("1_1ecb", 0, 1, 4), ("1_1ecb", 1, 2, 3), ("1_2ecb", 0, 1, 1)]))
    assert (url.common, url.counts["muc"][:2]) == (3, (1, 2))
    gap = {"doc": "1_1ecb", "sentence": 1, "tokens": [0, 2], "chain": 1}
    odd = evaluate(records({**gap, "tokens": [2, 3]}, gap))
    assert (odd.common, odd.notices["twinless"]["examples"]) == (1, ["1_1ecb/5,7"])


def test_the_url_of_a_page_may_be_no_sentence(tmp_path: Path, evaluate: Match) -> None:
    body = [one for one in EVENTS if one[:2] != ("1_2ecb", "11")]
    path = given(tmp_path, "body.jsonl", corpus(mentions=body))
    rows = [(d, s - (d == "1_2ecb"), a, b) for d, s, a, b in ROWS if (d, s) != ("1_2ecb", 0)]
    found = evaluate(in_sentences(rows), "--corpus", path)
    assert (found.common, found.response) == (4, 4)


@pytest.mark.parametrize("row", [("1_1ecb", 1, 3, 7), ("1_1ecb", 0, 3, 7), ("1_1ecb", 7, 0, 0)])
def test_a_mention_outside_its_sentence(
    tmp_path: Path, cdec: Run, on_corpus: Call, row: tuple[str, int, int, int]
) -> None:
    path = given(tmp_path, "three.jsonl", corpus(sentences=[SENTENCE] * 3))
    ran = cdec(*on_corpus(in_sentences([*ROWS, row]), "--corpus", path))
    assert (ran.error, "mine:7:" in ran.said) == ("tokens-invalid", True)


def test_a_key_with_sentences_resolves_a_response_without_text(score: Match) -> None:
    cells = ["-", "(1)", "-", "(1)", "-", "-"]
    lines = [f"t\tt_0\td\t{at // 3}\t{at}\tw{at}\tTrue\t{cell}\n" for at, cell in enumerate(cells)]
    key = "".join(["#begin document (all)\n", *lines, "#end document\n"])
    for rows in ([("d", 0, 1, 1), ("d", 1, 0, 0)], [("d", 0, 1, 1), ("d", 1, 3, 3)]):
        for pair in ((key, in_sentences(rows)), (in_sentences(rows), key)):
            assert score(*pair).numbers == (2, 2, 2)
    more = in_sentences([("d", 0, 1, 1), ("d", 1, 0, 0), ("e", 0, 0, 0)])
    assert score(key, more).numbers == (2, 3, 2)


@pytest.mark.parametrize("first", [(0, 4, 4), (0, 0, 0)])
def test_two_files_with_sentences_and_no_text(score: Match, first: tuple[int, int, int]) -> None:
    """Tokens count in the sentence unless their numbers rise from sentence to sentence."""
    rows = [("d", *first), ("d", 0, 5, 5), ("d", 1, 0, 0), ("d", 1, 5, 5)]
    found = score(in_sentences(rows), in_sentences(rows[:3]))
    assert found.numbers == (4, 3, 3)
    assert found.notices["missing-mention"]["examples"] == ["d/11-11"]
    rising = [("d", 0, 0, 0), ("d", 0, 5, 5), ("d", 1, 6, 7)]
    found = score(in_sentences(rising), in_sentences(rising[:2]))
    assert (found.common, found.notices["missing-mention"]["examples"]) == (2, ["d/6-7"])
    bare = score(in_sentences(rows[1:3]), spans([("d", 5, 5, 1), ("d", 6, 6, 1)]))
    assert bare.common == 1
    assert score(in_sentences(rows[1::2]), in_sentences(rows[3:])).common == 1


@pytest.mark.parametrize(("sentence", "first"), [(0, 1), (1, 6), (1, 90), (0, 90)])
def test_a_file_may_lack_sentences_of_a_document(
    evaluate: Match, sentence: int, first: int
) -> None:
    """Sentence 1 is the first of the text, or sentence 0 if the URL is none."""
    cells = zip(["Half", "7 ½", "_", "-"], ("-", "(1)", "-", "-"), strict=True)
    lines = [f"1\t1_0\t1_2ecb.xml\t{sentence}\t{first + at}\t{word}\tTrue\t{cell}\n"
             for at, (word, cell) in enumerate(cells)]  # fmt: skip
    lines += [f"1\t1_0\t1_1ecb.xml\t0\t{at}\t{word}\tTrue\t{'(2)' if at == 1 else '-'}\n"
              for at, word in enumerate(SENTENCE)]  # fmt: skip
    found = evaluate("".join(["#begin document all\n", *lines, "#end document\n"]))
    assert (found.common, found.notices["twinless"]["examples"]) == (1, ["1_1ecb/1-1"])


# Sentences that were reviewed.


@pytest.fixture
def reviewed(tmp_path: Path) -> Options:
    """Options for the corpus of which sentence 0 of each document was reviewed, with its split."""
    split = 'title = "Reviewed"\nreviewed_only = true\n[topics]\ntest = ["1", "2"]\n'
    path = given(tmp_path, "seen.jsonl", corpus(reviewed=[0]))
    return "--corpus", path, "--split", f"{given(tmp_path, 'only.toml', split)}/test"


def test_mentions_outside_the_reviewed_sentences_are_left_out(
    evaluate: Match, reviewed: Options
) -> None:
    found = evaluate(SYSTEM_SPANS, *reviewed)
    assert found.numbers == (3, 3, 3)
    # What is left of the response is the gold partition.
    assert found.said == {"outside-region": 4, "swapped": 1}


def test_a_mention_in_a_reviewed_sentence_that_the_key_lacks_is_twinless(
    evaluate: Match, reviewed: Options
) -> None:
    found = evaluate(
        spans([("1_1ecb", 0, 1, 1), ("1_1ecb", 1, 4, 1), ("1_1ecb", 5, 5, 1)]), *reviewed
    )
    assert found.numbers == (3, 2, 1)
    assert (found.said["twinless"], found.said["outside-region"]) == (1, 1)
    assert "result-limited" not in found.said


def test_an_id_has_the_place_of_its_mention(evaluate: Match, reviewed: Options) -> None:
    found = evaluate("mention,chain\n1_1ecb/11,1\n1_1ecb/12,1\n", *reviewed)
    assert (found.numbers, found.said["mention-left-out"]) == ((3, 2, 1), 1)
    assert "outside-region" not in found.said


def test_predicted_mentions_where_sentences_were_not_reviewed(
    evaluate: Match, reviewed: Options
) -> None:
    path = reviewed[1]
    gold = evaluate(SYSTEM_SPANS, "--corpus", path)
    assert not gold.said
    predicted = evaluate(SYSTEM_SPANS + "1_1ecb,0,1,x\n", "--corpus", path)
    assert predicted.said["result-limited"] == 3
    assert "result-limited" in predicted.warnings


@pytest.mark.parametrize(("sentences", "warned"), [(20, True), (21, False)])
def test_five_percent_that_were_not_reviewed(
    evaluate: Match, tmp_path: Path, sentences: int, warned: bool
) -> None:
    text: dict[str, Any] = {"sentences": [SENTENCE] * sentences, "reviewed": [*range(1, sentences)]}
    path = given(tmp_path, "long.jsonl", corpus(**text, text_start=0))
    found = evaluate(SYSTEM_SPANS + "1_1ecb,0,1,x\n", "--corpus", path)
    assert ("result-limited" in found.said) == warned


# Rules of alignment: equal mentions first, then one to one with the greatest weight.

Side: TypeAlias = list[tuple[int, ...]]
side = st.lists(
    st.sets(st.integers(0, 7), min_size=1, max_size=4).map(lambda one: tuple(sorted(one))),
    min_size=1, max_size=3, unique=True,
)  # fmt: skip


def pairs_of(folder: Path, key: Side, response: Side, rule: str) -> set[tuple[int, int]]:
    """Which mentions are aligned, as BLANC's count of links tells.

    Mention i of the key and j of the response have 2 ** (3i + j) anchors in common, single words
    that both files put into the chains i and j; a pair adds as many links as it has anchors.
    """
    cells = [(i, j) for i in range(len(key)) for j in range(len(response))]
    sizes = [2 ** (3 * i + j) for i, j in cells]
    anchors = [cell for cell, size in zip(cells, sizes, strict=True) for _ in range(size)]
    files = []
    for side, mentions in enumerate((key, response)):
        rows = [*enumerate(mentions)]
        rows += [(cell[side], (100 + 2 * at,)) for at, cell in enumerate(anchors)]
        text = records(*({"doc": "d", "tokens": at, "chain": f"c{chain}"} for chain, at in rows))
        files.append(given(folder, "ab"[side], text))
    policy = package.FilePolicy(alignment=rule)
    results = package.score(*files, scope="document", metrics=["blanc_coref"], policy=policy)
    table = results.to_frame().set_index("metric")
    links = int(table.loc["blanc_coref", "r_num"])  # type: ignore[arg-type]
    links -= sum(size * (size - 1) // 2 for size in sizes)
    return {cell for cell, size in zip(cells, sizes, strict=True) if links & size}


def weight(ours: tuple[int, ...], theirs: tuple[int, ...], least: Fraction) -> Fraction:
    share = Fraction(len({*ours} & {*theirs}), len({*ours} | {*theirs}))
    return share + 9 * (ours == theirs) if share >= least else Fraction(0)


@settings(max_examples=25)
@examples(rule=st.sampled_from(["overlap:0.5", "overlap:0.01"]), key=side, response=side)
def test_equal_mentions_first_then_the_greatest_total(
    tmp_path_factory: pytest.TempPathFactory, rule: str, key: Side, response: Side
) -> None:
    pairs = pairs_of(tmp_path_factory.getbasetemp(), key, response, rule)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    least = Fraction(rule.partition(":")[2])
    weights = [weight(key[i], response[j], least) for i, j in pairs]
    assert all(weights)
    totals = (
        sum(weight(*pair, least) for pair in zip(choice, response, strict=True))
        for choice in permutations([*key, *[()] * len(response)], len(response))
    )
    assert sum(weights) == max(totals)


def test_ties_go_to_the_earliest_in_text_order(tmp_path: Path) -> None:
    response: Side = [(6, 7), (5, 8), (2, 3)]
    assert pairs_of(tmp_path, [(5, 6), (1, 2)], response, "overlap:0.1") == {(0, 1), (1, 2)}
    assert pairs_of(tmp_path, [(0, 1), (1, 2)], [(1,)], "overlap:0.5") == {(0, 0)}


def test_a_mention_that_has_an_equal_one_is_not_aligned_again(tmp_path: Path) -> None:
    assert pairs_of(tmp_path, [(0, 1)], [(1,), (0, 1)], "overlap:0.5") == {(0, 1)}


@pytest.mark.parametrize(
    "rule", ["heads", "overlap", "overlap:0", "overlap:1.5", "overlap:-1", "overlap:0.5.5"]
)
def test_an_unknown_rule_is_refused(cdec: Run, files: Call, rule: str) -> None:
    ran = cdec(*files(FIVE, FIVE, "--match", rule))
    assert (ran.exit, ran.error) == (2, "name-unknown")


@pytest.mark.parametrize("rule", ["head", "partial"])
def test_a_key_without_heads_has_no_match_by_head(cdec: Run, files: Call, rule: str) -> None:
    ran = cdec(*files(FIVE, FIVE.replace("(1)", "(9)"), "--match", rule))
    assert (ran.exit, ran.error) == (1, "annotation-missing")


# The first word is the root, the others depend on the word before them.
TREE = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = s\n# text = {}\n{}\n\n"


def conllu(*mentions: tuple[int, int, int]) -> str:
    """One sentence of eight words with mentions (first word, last word, head in the mention)."""
    cells = [""] * 9
    for number, (start, end, head) in enumerate(mentions):
        opening = f"(e{number}-event-{head}-x"
        if start == end:
            cells[start] += f"{opening})"
        else:
            cells[start] += opening
            cells[end] = f"e{number})" + cells[end]
    misc = [f"Entity={cell}" if cell else "_" for cell in cells]
    rows = [
        f"{at}\tw{at}\t_\tX\t_\t_\t{at - 1}\t{'dep' if at > 1 else 'root'}\t_\t{misc[at]}"
        for at in range(1, 9)
    ]
    return TREE.format(" ".join(f"w{at}" for at in range(1, 9)), "\n".join(rows))


@pytest.mark.parametrize("case", GIVEN["heads"])
def test_match_by_head_and_inside(score: Match, case: str) -> None:
    """A second mention is common, so that something is."""
    key, response, head, partial = GIVEN["heads"][case]
    files = conllu(key, (8, 8, 1)), conllu(response, (8, 8, 1))
    assert score(*files, "--match", "head").common == 1 + head
    assert score(*files, "--match", "partial").common == 1 + partial
    assert score(*files).common == 1 + (key == response)
    # The same in a second document, whose tokens are counted anew.
    both = [(conllu((1, 3, 2), (5, 6, 1)) + file.replace("= d", "= e")) for file in files]
    assert score(*both, "--match", "head").common == 3 + head
    assert score(*both, "--match", "partial").common == 3 + partial


def test_a_head_rule_aligns_one_to_one_with_the_greatest_share(score: Match) -> None:
    key, response = conllu((1, 4, 2), (8, 8, 1)), conllu((2, 2, 1), (1, 3, 2), (8, 8, 1))
    found = score(key, response, "--match", "head")
    assert found.numbers == (2, 3, 2)


def test_the_rule_is_in_the_signature(score: Match) -> None:
    signature = score(FIVE, FIVE.replace("(1)", "(9)"), "--match", "overlap:0.5").signature
    assert signature["match"] == "overlap:0.5"
    assert "match" not in score(FIVE, FIVE.replace("(1)", "(9)")).signature


@pytest.mark.parametrize(
    ("rule", "common"), [("exact", 1), ("head", 2), ("partial", 2), ("overlap:0.5", 3)]
)
def test_a_rule_on_a_corpus(evaluate: Match, rule: str, common: int) -> None:
    """The head of "set free" is "set"."""
    response = spans([("1_2ecb", 1, 1, 1), ("1_1ecb", 8, 8, 1), ("2_1ecb", 7, 7, 2)])
    assert evaluate(response, "--match", rule).common == common
