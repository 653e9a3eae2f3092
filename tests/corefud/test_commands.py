"""Alignment by heads in commands: ``cdec explain`` on CoNLL-U, ``cdec eval`` on a corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cdec as library
from cdec.language import heads
from tests.cli.conftest import Run
from tests.corefud.test_reader import HEAD, sentence

KEY = HEAD + sentence("(e1--2-", "e1)", "", "(e1--1-)(e2--1-", "e2)")
RESPONSE = HEAD + sentence("", "(x--1-)", "", "(x--1-)", "(y--1-)")


def test_explain_shows_the_span_of_the_response_where_it_differs(tmp_path: Path, cdec: Run) -> None:
    files = tmp_path / "key.conllu", tmp_path / "mine.conllu"
    for file, text in zip(files, (KEY, RESPONSE), strict=True):
        file.write_text(text)
    options = ("-m", "b3", "--chain", "e1", "--side", "key", "--scope", "document")
    shown = cdec("explain", *files, *options, "--match", "head")
    assert shown.code == 0, shown.err
    # Mention 1-2 has the head 2, which is the response's span; 4 has the same span in both.
    rows = [line.split() for line in shown.out.splitlines()]
    assert "Response span" in shown.out
    assert ["key", "e1", "d/1:1-2", "d/1:2", "a"] in [row[:5] for row in rows]
    assert ["key", "e1", "d/1:4", "a", "x"] in [row[:5] for row in rows]
    assert "Response span" not in cdec("explain", *files, *options, "--match", "exact").out


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gold mentions of the sample, each cut to its head."""
    corpus = library.load_corpus("sample", "test")
    table = corpus.selected.assign(head=heads(corpus)["head"].reindex(corpus.selected.index))
    table = table.drop_duplicates(["doc", "head"])
    path = tmp_path_factory.mktemp("cut") / "cut.jsonl"
    rows = table[["doc", "head", "chain"]].itertuples(index=False)
    lines = [{"doc": d, "start": int(h), "end": int(h), "chain": c} for d, h, c in rows]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("rule", ["head", "partial"])
def test_eval_aligns_heads_with_their_mentions(rule: str, cut: Path, cdec: Run) -> None:
    options = ("-s", "simple", "--metric", "mentions", "--metric", "muc", "--format", "json")
    call = ("eval", "--corpus", "sample", "--response", cut, *options)
    exact, ran = cdec(*call), cdec(*call, "--match", rule)
    assert ran.code == 0, ran.err
    page, before = json.loads(ran.out), json.loads(exact.out)
    found, missed = (
        {row["metric"]: row for row in rows} for rows in (page["rows"], before["rows"])
    )
    assert (
        found["mentions"]["p_num"]
        == found["mentions"]["p_den"]
        == len(cut.read_text().split("\n")) - 1
    )
    assert missed["mentions"]["p_num"] < found["mentions"]["p_num"]
    assert found["muc"]["precision"] == 1
    assert f"match:{rule}|" in page["signature"] and "heads:hanta" in page["signature"]
