"""Declarations of response files: reading them, and what contradicts them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import cdec
from cdec.corpus import Corpus
from cdec.evaluation import Results, run_on
from cdec.evaluation import declared as shown
from cdec.formats import from_corpus, write
from cdec.formats.declaration import RunDeclaration
from tests.formats.made import parse, written
from tests.refusals import refused

DECLARED = {"uses": {"mentions": "gold", "topics": "none"}, "trained_on": "mine", "seed": 3}
VALUES = {"mentions": "gold", "topics": "none", "trained_on": "mine", "seed": 3}


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return cdec.load_corpus("sample", "test")


def head(format_: str, declared: object = DECLARED) -> str:
    if format_ == "jsonl":
        return json.dumps({"cdec": declared}) + "\n"
    return f"# cdec: {json.dumps(declared)}\n"


@pytest.mark.parametrize("format_", ["conll", "jsonl", "csv", "tsv"])
def test_each_format(format_: str, sample: Corpus) -> None:
    text = written(from_corpus(sample, sample.gold), format_)
    plain, declared = parse(text), parse(head(format_) + text)
    assert declared.declared == VALUES
    assert plain.declared == {}
    assert declared.format == format_
    assert len(declared) == len(plain)
    assert (declared.mentions["line"] == plain.mentions["line"] + 1).all()
    assert declared.digest != plain.digest


@pytest.mark.parametrize("start", ["\ufeff", "\n \n", "\r\n"])
def test_blank_lines_and_a_byte_order_mark(start: str) -> None:
    text = start + head("csv") + "doc,start,end,chain\nd,0,0,1\n"
    assert parse(text).declared == VALUES


@pytest.mark.parametrize(
    "declared",
    [
        {"use": {}}, {"uses": {"mentions": "silver"}}, {"uses": {"words": "gold"}}, [],
        {"seed": "1"}, {"trained_on": ""}, {"tuned_on": 3}, {"trained_on": "x" * 201},
        {"cost": 1}, {"currency": "USD"}, {"cost": -1, "currency": "USD"},
        {"cost": 1, "currency": "usd"}, {"date": "2999-01-01"}, {"date": "31.5.2024"},
        {"date": "2024-02-30"}, {"saw_test": True}, {"saw_test": "maybe"}, {"calls": -1},
        {"calls": 1.5}, {"tokens": 2, "tokens_in": 1}, {"prompt_digest": "abc"},
        {"temperature": -0.1}, {"model": " "}, {"seconds": "3"}, {"calls": 10**16},
        {"model": "two\nlines"}, {"trained_on": "a\tb"}, {"infrastructure": "x\x00"},
    ],
)  # fmt: skip
def test_invalid_declarations(declared: object) -> None:
    with refused("declaration-invalid", place="file:1"):
        parse(head("csv", declared) + "doc,start,end,chain\nd,0,0,1\n")


def test_what_a_run_took() -> None:
    run = {
        "model": "gpt-4-0613", "prompt_digest": "a" * 64, "temperature": 0.0, "date": "2024-05-31",
        "calls": 12, "tokens_in": 900, "tokens_out": 24, "seconds": 7.5, "cost": 0.3,
        "currency": "USD", "saw_test": "unknown",
    }  # fmt: skip
    text = head("csv", {**run, "seed": None, "uses": {}}) + "doc,start,end,chain\nd,0,0,1\n"
    assert parse(text).declared == run


def test_what_a_file_does_not_declare_the_leaderboard_may(sample: Corpus, tmp_path: Path) -> None:
    """Field by field; tokens of one kind hide those of the other."""
    board = RunDeclaration(model="gpt", cost=2, currency="EUR", tokens=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shown, "published", lambda signed: [board])
        for own, expected in (
            ({"seed": 1}, {"model": "gpt", "cost": 2, "currency": "EUR", "tokens": 5}),
            (
                {"cost": 1, "currency": "USD", "tokens_in": 4},
                {"model": "gpt", "cost": 1, "currency": "USD", "tokens_in": 4},
            ),
        ):
            path = tmp_path / "mine.jsonl"
            path.write_text(head("jsonl", own) + written(from_corpus(sample, sample.gold), "jsonl"))
            results = cdec.evaluate(sample, path, metrics="muc")
            assert shown.declared_runs([results]) == {"mine": expected}


def test_a_declaration_that_is_not_json() -> None:
    with refused("declaration-invalid", place="file:1"):
        parse("# cdec: {seed: 1}\ndoc,start,end,chain\nd,0,0,1\n")


def test_signature_json_and_table(sample: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(head("jsonl") + written(from_corpus(sample, sample.gold), "jsonl"))
    results = cdec.evaluate(sample, [path, cdec.predict(sample)], metrics="b3")
    assert isinstance(results, Results)
    assert results.signatures[0].fields["declared"] == VALUES
    assert "Declared" in repr(results)
    assert "mentions=gold" in repr(results)


def declared_run(sample: Corpus, folder: Path, labels: Mapping[Any, str], **uses: str) -> None:
    path = folder / "mine.jsonl"
    lines = [json.dumps({"mention": m, "chain": c}) for m, c in labels.items()]
    path.write_text(head("jsonl", {"uses": uses}) + "\n".join(lines))
    run_on(sample, path)


def test_contradictions(sample: Corpus, tmp_path: Path) -> None:
    gold = sample.gold.labels.to_dict()
    declared_run(sample, tmp_path, gold, mentions="gold", topics="gold", singletons="gold")
    one = dict.fromkeys(gold, "one chain")
    for name in ("topics", "singletons"):
        with refused("declaration-invalid", name):
            declared_run(sample, tmp_path, one, **{name: "gold"})
        declared_run(sample, tmp_path, one, **{name: "predicted"})


def test_gold_mentions_and_others_found(sample: Corpus, tmp_path: Path) -> None:
    doc = next(iter(sample.documents))
    path = tmp_path / "mine.conll"
    write(from_corpus(sample, sample.gold).numbered(), path, "conll")
    twinless = f'\n{{"doc": "{doc}", "start": 0, "end": 3, "chain": "x"}}\n'
    text = head("jsonl") + written(from_corpus(sample, sample.gold), "jsonl").rstrip() + twinless
    path = tmp_path / "mine.jsonl"
    path.write_text(text)
    with refused("declaration-invalid", "mentions", place="mine.jsonl"):
        run_on(sample, path)
