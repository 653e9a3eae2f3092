"""A corpus by its path: a saved one opens everywhere, files of no format name the formats."""

from __future__ import annotations

import json
from pathlib import Path

from cdec import build_corpus, load_corpus
from tests.cli.conftest import Run, cdec
from tests.corpus.articles import TEXTS, characters, folder, rows
from tests.refusals import refused

__all__ = ["cdec", "folder"]  # fixtures


def test_files_that_no_format_recognises_name_the_formats_and_the_guide(
    folder: Path, cdec: Run
) -> None:
    ran = cdec("eval", "--corpus", folder)
    assert ran.error == "corpus-empty"
    for named in (
        "ECB+",
        "CoNLL",
        "cdec JSON Lines",
        "your-own-articles.md",
        "your-own-articles.md",
    ):
        assert named in ran.err


def test_a_saved_corpus_opens_everywhere(tmp_path: Path, cdec: Run) -> None:
    given = [{**row, "topic": row["doc"]} for row in rows(characters)]
    corpus = build_corpus(given, TEXTS, name="mine")
    path = tmp_path / "mine.jsonl"
    corpus.save(path)
    again = load_corpus(str(path))
    assert again.digest == corpus.digest
    assert again.mentions.equals(corpus.mentions)
    assert cdec("eval", "--system", "lemma", "--corpus", path, "-q").code == 0
    with refused("output-ending", place="mine.csv"):
        corpus.save(tmp_path / "mine.csv")


def test_a_saved_corpus_opens_in_the_review_page(tmp_path: Path, cdec: Run) -> None:
    path, cases, page = (tmp_path / name for name in ("s.jsonl", "cases.jsonl", "review.html"))
    load_corpus("sample").save(path)
    only = ("--detector", "companions", "--top", "2")
    ran = cdec("audit", "run", *only, "--corpus", path, "-o", cases, "-q")
    assert ran.code == 0, ran.err
    ran = cdec("audit", "review", cases, "--corpus", path, "-o", page, "-q")
    assert ran.code == 0, ran.err
    first = json.loads(cases.read_text("utf-8").splitlines()[1])
    assert first["case"] in page.read_text("utf-8")
