"""A mention that a file has more than once: which occurrence counts, at every door."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from itertools import permutations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given as examples
from hypothesis import settings
from hypothesis import strategies as st

import cdec as package
from tests.cases import cases, fractions
from tests.program import Run
from tests.tiny_files import answer, brackets, conll, corpus, given, records

Row = tuple[int, str]  # a token of document d, and its chain
KEY: list[Row] = [(0, "a"), (1, "a"), (2, "b")]
LINES: list[Row] = [(2, "y"), (0, "x"), (1, "x"), (1, "y")]
# Two mentions of the key in two chains each; the response agrees with the chains that open first.
TWICE: list[Row] = [(0, "a"), (1, "b"), (1, "a"), (2, "b"), (2, "c"), (3, "c")]
FIRST: list[Row] = [(0, "a"), (1, "a"), (2, "b"), (3, "c")]


def jsonl(rows: Iterable[Row]) -> str:
    return records(*({"doc": "d", "start": at, "end": at, "chain": chain} for at, chain in rows))


def csv(rows: Iterable[Row]) -> str:
    return "doc,start,end,chain\n" + "".join(f"d,{at},{at},{chain}\n" for at, chain in rows)


def chains_of(rows: Iterable[Row]) -> dict[str, list[int]]:
    chains: dict[str, list[int]] = {}
    for at, chain in rows:
        chains.setdefault(chain, []).append(at)
    return chains


def json_of(rows: Iterable[Row]) -> str:
    chains = {name: [["d", at, at] for at in own] for name, own in chains_of(rows).items()}
    return json.dumps(chains)


def documents(rows: Iterable[Row]) -> str:
    words = [["a", "b", "c", "d", "e", "f"]]
    clusters = [[[at, at] for at in own] for own in chains_of(rows).values()]
    return json.dumps({"doc_key": "d", "sentences": words, "clusters": clusters}) + "\n"


def conll_of(rows: Iterable[Row]) -> str:
    """The rows in text order, as brackets demand; labels are numbers."""
    numbered = [("d", at, at, "abcxyz".index(chain)) for at, chain in sorted(rows)]
    return brackets(numbered, {"d": [["a", "b", "c", "d", "e", "f"]]})


FORMATS: dict[str, Callable[[Iterable[Row]], str]] = {
    "jsonl": jsonl, "csv": csv, "json": json_of, "documents": documents, "conll": conll_of,
}  # fmt: skip


def b3(cdec: Run, folder: Path, key: str, response: str, *more: object) -> Any:
    files = given(folder, "key", key), given(folder, "response", response)
    return answer(cdec, "score", *files, "--scope", "document", *more, metric="b3")


# ---- a response ----


@pytest.mark.parametrize("name", FORMATS)
def test_the_chain_that_opens_first_counts_whatever_the_order_of_lines(
    cdec: Run, tmp_path: Path, name: str
) -> None:
    orders = [*permutations(LINES)] if name in ("jsonl", "csv") else [LINES, LINES[::-1]]
    for lines in orders:
        found = b3(cdec, tmp_path, jsonl(KEY), FORMATS[name](lines))
        assert found.counts["b3"] == (3, 3, 3, 3)
        assert found.said["mention-duplicate"] == 1
        assert found.signature["repeated"] == "first"


def test_the_notice_names_the_occurrence_that_is_left_out(cdec: Run, tmp_path: Path) -> None:
    """The first line has token 1 in the chain that opens second."""
    found = b3(cdec, tmp_path, jsonl(KEY), jsonl([(1, "y"), (2, "y"), (0, "x"), (1, "x")]))
    (case,) = found.notices["mention-duplicate"]["examples"]
    assert case.startswith("d/1-1 at ")
    assert case.endswith("response:1")


def test_frames_have_the_same_rule(tmp_path: Path) -> None:
    key = given(tmp_path, "key.jsonl", jsonl(KEY))
    for lines in (LINES, LINES[::-1]):
        table = [("d", at, at, chain) for at, chain in lines]
        frame: Any = pd.DataFrame(table, columns=["doc", "start", "end", "chain"])
        with pytest.warns(package.CdecWarning, match="mention-duplicate"):
            found = package.score(key, frame, scope="document", metrics="b3")
        assert found.to_frame()["f1"].tolist() == [1]


def test_evaluate_has_the_same_rule(cdec: Run, tmp_path: Path) -> None:
    path = given(tmp_path, "made.jsonl", corpus())
    rows = [("11", "x"), ("13", "y"), ("13", "x")]
    every = set()
    for lines in permutations(rows):
        text = "mention,chain\n" + "".join(f"1_1ecb/{id_},{chain}\n" for id_, chain in lines)
        call = "eval", given(tmp_path, "mine.csv", text), "--corpus", path, "--split", "all"
        found = answer(cdec, *call, "--setting", "simple", metric="muc")
        every.add((found.counts["muc"], found.said["mention-duplicate"]))
    assert every == {((0, 1, 0, 2), 1)}


LABELS = st.sampled_from("xyz")
PLACES = st.tuples(st.sampled_from("de"), st.integers(0, 3), st.integers(0, 1))


@examples(st.lists(st.tuples(PLACES, LABELS), min_size=1, max_size=9), st.randoms())
@settings(max_examples=25, deadline=None)
def test_any_order_of_lines_and_any_names_of_chains_have_one_score(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], chance: Any
) -> None:
    folder = tmp_path_factory.mktemp("order")
    places = [(doc, at, at + more) for doc in "de" for at in range(4) for more in (0, 1)]
    key = records(*({"doc": d, "start": a, "end": b, "chain": (a + b) % 3} for d, a, b in places))
    names = dict(zip("xyz", chance.sample("xyz", 3), strict=True))
    others = [(place, names[chain]) for place, chain in rows]
    chance.shuffle(others)
    scores = []
    for lines in (rows, others):
        table = [(d, a, a + more, chain) for (d, a, more), chain in lines]
        frame: Any = pd.DataFrame(table, columns=["doc", "start", "end", "chain"])
        for scope in ("document", "corpus"):
            with warnings.catch_warnings(action="ignore"):
                found = package.score(given(folder, "k.jsonl", key), frame, scope=scope)
            scores.append(found.to_frame().drop(columns="setting"))
    assert scores[0].equals(scores[2])
    assert scores[1].equals(scores[3])


def test_of_chains_that_are_equal_in_all_documents_one_counts_in_all(tmp_path: Path) -> None:
    key = records(*({"doc": doc, "start": 0, "end": 0, "chain": "k"} for doc in "de"))
    path = given(tmp_path, "k.jsonl", key)
    for labels in ("yzyz", "yzzy"):
        frame = pd.DataFrame({"doc": [*"ddee"], "start": 0, "end": 0, "chain": [*labels]})
        with warnings.catch_warnings(action="ignore"):
            muc = package.score(path, frame, metrics="muc", scope="corpus")["muc"]
        assert (muc.precision, muc.recall) == (1, 1), labels


# ---- a key ----


@pytest.mark.parametrize("name", FORMATS)
def test_a_key_mention_in_two_chains_is_in_the_one_that_opens_first(
    cdec: Run, tmp_path: Path, name: str
) -> None:
    for lines in (TWICE, TWICE[::-1]):
        found = b3(cdec, tmp_path, FORMATS[name](lines), jsonl(FIRST))
        assert found.counts["b3"] == (4, 4, 4, 4)
        assert found.said["mention-duplicate"] == 2
        assert "mention-duplicate" in found.warnings
        assert found.signature["repeated"] == "first"


@pytest.mark.parametrize("name", FORMATS)
def test_a_key_mention_twice_in_a_chain_counts_once(cdec: Run, tmp_path: Path, name: str) -> None:
    found = b3(cdec, tmp_path, FORMATS[name]([*KEY, (0, "a")]), jsonl(KEY))
    assert found.counts["b3"] == (3, 3, 3, 3)
    assert found.said["mention-duplicate"] == 1
    assert "mention-duplicate" not in found.warnings


def test_a_key_mention_in_three_chains_with_a_gap_or_an_id(cdec: Run, tmp_path: Path) -> None:
    gap = [{"doc": "d", "tokens": [2, 4], "chain": chain} for chain in "cba"]
    one = {"doc": "d", "tokens": [0], "chain": "a"}
    response = records(one, gap[2])
    found = b3(cdec, tmp_path, records(*gap, one), response)
    assert (found.counts["b3"], found.said["mention-duplicate"]) == ((2, 2, 2, 2), 2)
    ids = "mention,chain\nd/7,a\nd/7,b\nd/5,a\n"
    found = b3(cdec, tmp_path, ids, "mention,chain\nd/7,1\nd/5,1\n")
    assert (found.counts["b3"], found.said["mention-duplicate"]) == ((2, 2, 2, 2), 1)


def test_a_mention_in_two_entities_of_a_conllu_key(cdec: Run, tmp_path: Path) -> None:
    def conllu(first: str, second: str, third: str) -> str:
        cells = [f"Entity={cell}" if cell else "_" for cell in (first, second, third)]
        lines = [
            f"{at}\t{'abc'[at - 1]}\t_\t_\t_\t_\t{at - 1}\t{'dep' if at > 1 else 'root'}\t_\t{cell}"
            for at, cell in enumerate(cells, start=1)
        ]
        head = ["# newdoc id = d", "# global.Entity = eid-etype-head-other", "# sent_id = 1"]
        return "\n".join([*head, *lines, "", ""])

    key = conllu("(e1--1)", "(e1--1)(e2--1)", "(e2--1)")
    found = b3(cdec, tmp_path, key, conllu("(e1--1)", "(e1--1)", "(e3--1)"))
    assert (found.counts["b3"], found.key) == ((3, 3, 3, 3), 3)
    assert "mention-duplicate" in found.warnings


def test_a_corpus_keeps_both_mentions_and_says_so(cdec: Run, tmp_path: Path) -> None:
    key = given(tmp_path, "key.conll", conll_of(TWICE))
    response = given(tmp_path, "mine.conll", conll_of(FIRST))
    found = answer(cdec, "eval", response, "--corpus", key, "--setting", "simple")
    assert (found.key, found.common, found.said["mention-duplicate"]) == (6, 4, 2)
    assert "mention-duplicate" in found.warnings


# ---- a key under conll12: what version 8.01 of the CoNLL reference scorer prints ----

PRINTED = cases("repeats_cases")


@pytest.mark.parametrize("case", PRINTED)
def test_a_key_mention_in_several_chains_counts_as_in_the_reference_scorer(
    cdec: Run, tmp_path: Path, case: str
) -> None:
    counts = fractions(PRINTED[case]["counts"])
    files = [
        given(tmp_path, f"{side}.conll", conll(("d", PRINTED[case][side].split())))
        for side in ("key", "response")
    ]
    metrics = [part for name in counts for part in ("--metric", name)]
    ran = cdec("score", *files, "--preset", "conll12", *metrics, "-f", "json", "--verbose")
    for row in ran.json["rows"]:
        found = [row[name] for name in ("p_num", "p_den", "r_num", "r_den")]
        assert found == pytest.approx(counts[row["metric"]]), row["metric"]
    assert ran.json["signatures"][0]["repeated"] == "conll"
    assert "warning[mention-duplicate]" in ran.err
    first = cdec("score", *files, "--preset", "conll12", "--repeats", "first", "-f", "json")
    assert first.json["signatures"][0]["repeated"] == "first"


def test_what_the_reference_counts_do_not_have_is_refused(cdec: Run, tmp_path: Path) -> None:
    key = given(tmp_path, "key.conll", conll(("d", ["(1)|(2)", "(1)", "(2)"])))
    call = ("score", key, key, "--preset", "conll12")
    assert cdec(*call, "--ci").error == "option-conflict"
    assert cdec(*call, "--scorer", "neleval", "--metric", "muc").error == "option-conflict"
    assert cdec(*call, "--by", "chain").exit == 0
