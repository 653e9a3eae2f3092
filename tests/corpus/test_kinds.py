"""Kinds of mention, variants of a key, missing levels: what is selected, scored and refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from cdec import evaluate, load_corpus
from cdec.corpus import Corpus, Document, Layout, Row, Source, Variants, assemble, kinds
from cdec.corpus.blind import blind
from cdec.evaluation import MentionPairs, PairTable
from cdec.formats import from_corpus, write
from cdec.settings.catalog import as_settings
from tests.cli.conftest import Run, cdec
from tests.refusals import refused

__all__ = ["cdec"]  # a fixture
VARIANTS: Variants = {
    "left-out": {"no-event": "drop"},
    "singletons": {"no-event": "single"},
    "one-chain": {"no-event": "keep"},
}
SOURCE = Source(Path("here"), {"x": b""}, None, Layout("x", "X", ("*",), ""))


@pytest.fixture
def corpus() -> Corpus:
    """Two events in a chain, three mentions of no event, an entity; no level but the topic."""
    document = Document("d", "t", "", (("Fire", "broke", "out"), ("It", "burned", "there")))
    rows = [
        Row.from_tokens(document, "1", [0], "F"),
        Row.from_tokens(document, "2", [1, 2], "F"),
        *(Row.from_tokens(document, str(n), [n], "0", state="no-event") for n in (3, 4, 5)),
        Row.from_tokens(document, "9", [5], "E", kind="entity", note="a place"),
    ]
    made = assemble(SOURCE, "made", [(document, rows)])
    return replace(made, variants=VARIANTS, variant="left-out", levels={"topic": "topic"})


@pytest.mark.parametrize(
    ("variant", "sizes"), [("left-out", [2]), ("singletons", [2, 1, 1, 1]), ("one-chain", [3, 2])]
)
def test_a_variant_reads_the_key_in_its_way(corpus: Corpus, variant: str, sizes: list[int]) -> None:
    read = corpus.select(variant=variant)
    assert read.gold.labels.value_counts().tolist() == sizes
    assert read.about["key_variant"] == variant
    with refused("name-unknown", "unknown key variant", "'half'"):
        corpus.select(variant="half")


def test_the_selected_kind_is_the_key(corpus: Corpus) -> None:
    assert corpus.kinds == ("event", "entity")
    assert corpus.select("entity").gold.labels.to_dict() == {"d/9": "E"}
    assert len(corpus.select("all").selected) == 3
    assert corpus.select("entity").about["kind"] == "entity"
    assert "kind" not in corpus.about
    assert kinds(corpus)["entity mentions"] == 1
    with refused("name-unknown", "unknown mention kind", "'verb'"):
        corpus.select("verb")


def test_a_corpus_without_events_selects_its_entities() -> None:
    document = Document("d", "t", "s", (("Berlin",),))
    made = assemble(
        SOURCE, "made", [(document, [Row.from_tokens(document, "1", [0], "B", kind="entity")])]
    )
    assert (made.kind, len(made.selected)) == ("entity", 1)


def test_attributes_are_columns_and_kinds_are_checked(corpus: Corpus) -> None:
    assert corpus.mentions["note"].dropna().to_dict() == {"d/9": "a place"}
    assert corpus.mentions["tag"].tolist() == [""] * 6
    with refused("corpus-record-invalid", "'verb'"):
        Row.from_tokens(corpus.documents["d"], "1", [0], "F", kind="verb")


def test_a_system_sees_the_selected_mentions_without_their_kind(corpus: Corpus) -> None:
    hidden = blind(corpus.select("all")).corpus
    assert len(hidden.selected) == len(hidden.mentions) == 3
    assert not {"kind", "state", "note"} & set(hidden.mentions)


def test_a_setting_needs_its_level(corpus: Corpus) -> None:
    assert [s.name for s in as_settings("all", corpus)] == ["bh", "is", "simple", "pure"]
    with refused("level-missing", "subtopic", place="made"):
        as_settings("ycf", corpus)
    with refused("level-missing", "subtopic", place="made"):
        evaluate(corpus, corpus.gold, setting="scope=subtopic")


def test_mentions_that_the_variant_leaves_out_are_not_scored(
    corpus: Corpus, tmp_path: Path
) -> None:
    whole = corpus.select(variant="one-chain")
    file = tmp_path / "response.jsonl"
    write(from_corpus(whole, whole.gold), file, "jsonl")
    results = evaluate(corpus, file, setting="simple", metrics="b3")
    assert results["b3"].f1 == 1
    assert next((n.code, n.count) for n in results.notices) == ("mention-left-out", 3)
    first, second, *_ = corpus.selected.index
    left_out = whole.selected.index.difference(corpus.selected.index)
    rows = [(first, second, 0.9), *((first, name, 0.8) for name in left_out)]
    table = PairTable("made", pd.DataFrame(rows, columns=["a", "b", "score"]))
    pairs = MentionPairs.of_table(table, corpus)
    assert [(n.code, n.count) for n in pairs.notices] == [
        ("mention-left-out", 3),
        ("pairs-left-out", 3),
    ]
    assert (pairs.first.tolist(), pairs.second.tolist()) == ([0], [1])


def test_a_response_of_another_kind_is_refused(tmp_path: Path, cdec: Run) -> None:
    corpus = load_corpus("sample", "test", mentions="all")
    file = tmp_path / "all.conll"
    write(from_corpus(corpus, corpus.gold), file, "conll")
    call = ("eval", "--corpus", "sample", "-r", file, "-s", "pure", "-q")
    ran = cdec(*call)
    assert (ran.code, ran.error) == (1, "mention-kind-mismatch")
    assert cdec(*call, "--mentions", "all", "--by", "kind").code == 0


@pytest.mark.parametrize("kind", ["entity", "all"])
def test_the_hint_names_the_kind_of_the_response(kind: str, tmp_path: Path, cdec: Run) -> None:
    corpus = load_corpus("sample", "test", mentions=kind)
    file = tmp_path / "mine.jsonl"
    write(from_corpus(corpus, corpus.gold), file, "jsonl")
    with refused("mention-kind-mismatch", f"use mentions={kind}"):
        evaluate(load_corpus("sample", "test"), file)
    ran = cdec("eval", "--corpus", "sample", "-r", file, "-q")
    assert f"use mentions={kind}," in ran.err


def test_kinds_are_shown_apart(cdec: Run) -> None:
    ran = cdec(
        *[
            "eval",
            "--corpus",
            "sample",
            "--mentions",
            "all",
            "--by",
            "kind",
            "--system",
            "lemma",
            "-s",
            "pure",
            "-f",
            "csv",
            "-q",
        ]
    )
    units = {line.split(",")[0] for line in ran.out.splitlines()[1:]}
    assert units == {"event", "entity", "macro", "micro"}
