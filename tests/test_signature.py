"""One signature, one result: two inputs never share a signature, in whatever container they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cdec as package
from cdec import Clustering, FilePolicy
from cdec.formats import Annotation, mention_table
from tests.cases import cases
from tests.program import Run

Rows = list[tuple[str, int, int, str]]
KEY: Rows = [("d", 0, 0, "x"), ("d", 1, 1, "x"), ("d", 2, 2, "y")]
ONE: Rows = [("d", 0, 0, "1"), ("d", 1, 1, "2"), ("d", 2, 2, "2")]
OTHER: Rows = [("d", 0, 0, "1"), ("d", 1, 1, "1"), ("d", 2, 2, "1")]


def frame(rows: Rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["doc", "start", "end", "chain"])


def by_name(rows: Rows) -> dict[str, str]:
    return {f"{doc}/{start}-{end}": chain for doc, start, end, chain in rows}


def annotation(rows: Rows) -> Annotation:
    docs, starts, ends, chains = zip(*rows, strict=True)
    return Annotation("made", "jsonl", mention_table(docs, starts, ends, chains), {"d": None})


CONTAINERS: dict[str, Callable[[Rows], Any]] = {
    "frame": frame,
    "dict": by_name,
    "series": lambda rows: pd.Series(by_name(rows)),
    "clustering": lambda rows: Clustering.from_labels(by_name(rows)),
    "annotation": annotation,
}


def digests(key: Any, response: Any, **options: Any) -> tuple[str, str]:
    results = package.score(key, response, scope="document", **options)
    fields = results.signatures[0].fields
    return fields["key_digest"], fields["response_digest"]


@pytest.mark.parametrize("container", CONTAINERS)
def test_two_inputs_never_share_a_signature(container: str) -> None:
    make = CONTAINERS[container]
    key, one = digests(make(KEY), make(ONE))
    assert len(key) == len(one) == 64
    assert digests(make(KEY), make(OTHER))[1] not in {"", one}
    assert digests(make(OTHER), make(ONE))[0] not in {"", key}


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_order_of_rows_means_nothing_to_a_digest(container: str) -> None:
    make = CONTAINERS[container]
    mixed = [ONE[2], ONE[0], ONE[1]]
    assert digests(make(KEY[::-1]), make(mixed)) == digests(make(KEY), make(ONE))
    assert digests(make(KEY), make(ONE)) == digests(by_name(KEY), by_name(ONE))


def test_what_a_frame_says_beside_its_tokens_is_in_its_digest() -> None:
    plain = frame(ONE)
    more = [
        plain.assign(mention=["a", "b", "c"]),
        plain.assign(mention=["a", "c", "b"]),
        plain.assign(sentence=[0, 1, 1], start=0, end=[0, 0, 1]),
        plain.assign(sentence=[0, 0, 1], start=[0, 1, 0], end=[0, 1, 0]),
    ]
    found = {digests(frame(KEY), response)[1] for response in [plain, *more]}
    assert len(found) == 5
    # Two mentions without a chain are no chain of two.
    policy = FilePolicy(noise="singletons")
    noise = digests(frame(KEY), plain.assign(chain=["1", "-1", "-1"]), policy=policy)[1]
    assert noise != digests(frame(KEY), plain, policy=policy)[1]


def test_frames_are_signed_beside_a_corpus() -> None:
    corpus = package.load_corpus("sample", "test")
    events = corpus.selected[["doc", "start", "end"]].assign(chain="x")
    found = set()
    for labels in ("x", [str(number) for number in range(len(events))]):
        response = events.assign(chain=labels)
        for rows in (response, response.iloc[::-1]):
            results = package.evaluate(corpus, rows, setting="simple", metrics="muc")
            found.add(results.signatures[0].fields["response_digest"])
    assert len(found) == 2
    assert "" not in found


# ---- labels that look like other labels ----

LABELS = cases("odd_labels")


@pytest.mark.parametrize("case", LABELS)
@pytest.mark.parametrize("side", ["key", "response"])
def test_labels_that_are_odd_numbers_are_noticed(side: str, case: str) -> None:
    labels, odd = LABELS[case]["labels"], LABELS[case]["odd"]
    made = {f"d/{at}-{at}": label for at, label in enumerate(labels)}
    sides = (made, by_name(ONE)) if side == "key" else (by_name(KEY), made)
    results = package.score(*sides, scope="document")
    found = [one for one in results.notices if one.code == "label-ambiguous"]
    assert [list(one.examples) for one in found] == ([odd] if odd else [])
    assert all(one.warning for one in found)


# ---- digests on pages ----


def test_a_signature_has_short_digests(cdec: Run, tmp_path: Path) -> None:
    response = tmp_path / "r.jsonl"
    corpus = ("--corpus", "sample", "--split", "test")
    assert cdec("predict", "--system", "lemma", *corpus, "-o", response).exit == 0
    for verb in ("eval", "diagnose"):
        shown = cdec(verb, response, *corpus, "-s", "simple", "-f", "json").json
        lines = re.findall("[0-9a-f]{13,}", shown["signature"])
        assert not lines
        assert re.findall("response_digest[:=][0-9a-f]{12}", shown["signature"])


def test_a_digest_is_shown_once(cdec: Run, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("Ana spread fire.")
    mentions = tmp_path / "m.csv"
    mentions.write_text("doc,from_char,to_char,chain\na,0,3,x\na,4,10,y\n")
    ran = cdec("corpus", "add", tmp_path / "texts", "--mentions", mentions, "--name", "mine")
    digests = re.findall("[0-9a-f]{64}", ran.out)
    assert len(digests) == len(set(digests)) == 1
