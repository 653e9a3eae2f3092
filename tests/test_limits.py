"""Limits of packed files, and of files that repeat one thing; none needs a large file here."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdec import score
from tests import tiny_files as tiny
from tests.cases import refused
from tests.program import Run
from tests.tiny_files import given

VARIABLE = "CDEC_UNPACKED_MIB"
TOPIC = "ECB+/1/{}.xml"


def rows(number: int) -> str:
    """Mentions with random positions: text that gzip packs as it packs other text."""
    starts = np.random.default_rng(7).permutation(10**6)[:number].tolist()
    form = '{{"doc": "d", "start": {0}, "end": {0}, "chain": "x"}}\n'
    return "".join(map(form.format, starts))


def corpus_of(lines: str) -> str:
    head = {"record": "corpus", "format": "cdec-corpus/1", "name": "made"}
    words = lines.split()
    text = {"record": "document", "id": "a", "topic": "1", "sentences": [words]}
    mention = {"record": "mention", "id": "1", "doc": "a", "tokens": [0], "chain": "x"}
    return "".join(f"{json.dumps(record)}\n" for record in (head, text, mention))


@pytest.fixture
def packed_files(tmp_path: Path) -> dict[str, tuple[object, ...]]:
    """Kind of file → the call that reads one of over a MiB when it is unpacked."""
    text = rows(25_000)
    assert len(text) > 1.2 * 2**20
    key = given(tmp_path, "key.jsonl.gz", gzip.compress(text.encode()))
    corpus = given(tmp_path, "corpus.jsonl.gz", gzip.compress(corpus_of(text).encode()))
    document = tiny.ECBPLUS + f"<!-- {text.replace('-', '')} -->"
    xml = given(tmp_path, "any.zip", tiny.packed({TOPIC.format("1_1ecb"): document}))
    export = ("corpus", "stats", "--corpus")
    return {
        "response": ("score", key, key, "--scope", "document"),
        "corpus": (*export, corpus),
        "zip": (*export, xml),
    }


@pytest.mark.parametrize("kind", ["response", "corpus", "zip"])
def test_one_budget_holds_for_every_packed_file(
    kind: str,
    packed_files: dict[str, tuple[object, ...]],
    cdec: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call = packed_files[kind]
    monkeypatch.setenv(VARIABLE, "1")
    ran = cdec(*call)
    assert (ran.exit, ran.error) == (1, "file-too-large")
    monkeypatch.setenv(VARIABLE, "64")
    assert cdec(*call).error != "file-too-large"
    for wrong in ("0", "-1", "much", "1e3"):
        monkeypatch.setenv(VARIABLE, wrong)
        ran = cdec(*call)
        assert (ran.exit, ran.error) == (2, "argument-invalid")


def test_the_packed_files_of_one_corpus_share_a_budget(
    cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filler = rows(12_000).replace("-", "")
    for number in (1, 2):
        document = f"{tiny.ECBPLUS}<!-- {filler} -->".replace("1_1ecb", f"1_{number}ecb")
        names: dict[str, str | bytes]
        names = {TOPIC.format(f"1_{n}ecb"): document for n in range(1, number + 1)}
        archive = given(tmp_path, f"{number}.zip", tiny.packed(names))
        monkeypatch.setenv(VARIABLE, "1")
        refused = cdec("corpus", "stats", "--corpus", archive).error == "file-too-large"
        assert refused == (number == 2)


def test_a_file_that_unpacks_to_200_times_its_size_is_refused(cdec: Run, tmp_path: Path) -> None:
    blank = b"\n" * 2**20
    for size, code in ((15, ""), (17, "file-too-large")):  # in MiB: a small file is harmless
        content = tiny.conll(("d", ["(1)", "(1)"])).encode() + blank * size
        key = given(tmp_path, "key.conll.gz", gzip.compress(content))
        assert key.stat().st_size < 2**16
        assert cdec("score", key, key, "--scope", "document").error == code


def test_a_mention_can_be_repeated_without_end() -> None:
    """Time is in proportion to the number of repeats: 60,000 took minutes when it was square."""
    key = pd.DataFrame({"doc": "d", "start": [0, 1], "end": [0, 1], "chain": "x"})
    one = pd.DataFrame({"doc": "d", "start": [5], "end": [5], "chain": "x"})
    response = pd.concat([key, *[one] * 60_000], ignore_index=True)
    begun = time.process_time()
    results = score(key, response, scope="document", metrics=["b3"])
    assert time.process_time() - begun < 10
    assert results.to_frame()["p_den"].tolist() == [60_002]


def test_the_budget_is_read_in_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    key = given(tmp_path, "key.jsonl.gz", gzip.compress(rows(25_000).encode()))
    monkeypatch.setenv(VARIABLE, "1")
    with refused("file-too-large"):
        score(key, key, scope="document")
