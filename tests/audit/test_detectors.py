"""The detectors of two events, copies that differ, and function words, on small made cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdec.auditing import (
    AuditConfig,
    ShortList,
    Target,
    contradictions,
    copies_differ,
    divisions,
    duplicates,
    inside_chains,
    no_events,
    of_copies,
    one_chain,
    read_shortlist,
    to_jsonl,
    two_chains,
)
from cdec.auditing.pool import pool
from cdec.corpus import ENTITY, EVENT, Corpus, Document
from cdec.matching import runs
from tests.refusals import refused

WORDS = ("The", "police", "said", "the", "big", "storm", "hit", "town", ".")


def made(
    sample: Corpus, mentions: Mapping[str, Sequence[tuple[tuple[int, ...], str, str]]]
) -> Corpus:
    """Return a corpus of copies of one sentence: document → (tokens, tag, chain) of mentions."""
    documents = {
        doc: Document(doc, "1", "1a" if doc < "d3" else "1b", (WORDS,)) for doc in mentions
    }
    model: dict[Any, Any] = sample.selected.iloc[0].to_dict()
    rows: dict[str, dict[Any, Any]] = {}
    for doc, listed in mentions.items():
        for number, (tokens, tag, chain) in enumerate(listed):
            text = " ".join(WORDS[token] for token in tokens)
            rows[f"{doc}/{number}"] = {
                **model,
                **{"doc": doc, "topic": "1", "subtopic": documents[doc].subtopic, "sentence": 0},
                **{"start": tokens[0], "end": tokens[-1], "tokens": tokens, "text": text},
                **{"tag": tag, "chain": chain, "descriptor": ""},
            }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(sample.mentions.columns))
    return replace(sample, documents=documents, mentions=table)


def test_copies_with_another_span_tag_or_without_the_mention(sample: Corpus) -> None:
    corpus = made(
        sample,
        {
            "d1": [((2,), "REPORT", "a"), ((4, 5), "EVENT", "b"), ((6,), "EVENT", "c")],
            "d2": [((2,), "REPORT", "d"), ((5,), "EVENT", "e")],
            "d3": [((2,), "STATE", "f"), ((4, 5), "EVENT", "g"), ((6,), "EVENT", "h")],
        },
    )
    table = copies_differ(corpus).set_index("difference")
    assert sorted(table.index) == ["missing", "span", "tag"]
    assert table.loc["missing", "places"] == ("d2/6",)
    assert table.loc["missing", "mentions"] == ("d1/2", "d3/2")
    assert table.loc["span", "spans"] == {"d2/1": "4-5"}
    assert table.loc["tag", "tags"] == {"d3/0": "REPORT"}
    assert (table["votes"] == 2).all()
    assert (table["against"] == 1).all()


@pytest.mark.parametrize("copies", [2, 3])
def test_without_a_majority_no_correction_of_copies_is_suggested(
    sample: Corpus, copies: int
) -> None:
    """Two copies differ in everything; a third copy like the first is a majority."""
    one = [((2,), "REPORT", "a"), ((4, 5), "EVENT", "b"), ((6,), "EVENT", "c")]
    other = [((2,), "STATE", "d"), ((5,), "EVENT", "e")]
    corpus = made(sample, {"d1": one, "d2": other, "d3": one} if copies == 3 else
                  {"d1": one, "d2": other})  # fmt: skip
    rows = corpus.selected
    spans = {str(id_): runs(tokens) for id_, tokens in rows["tokens"].items()}
    tags = {str(id_): str(tag) for id_, tag in rows["tag"].items()}
    table = copies_differ(corpus)
    assert set(table["difference"]) == {"missing", "span", "tag"}
    for record in table.to_dict("records"):
        fixes = of_copies(record, spans, tags)
        assert {fix.tied for fix in fixes} == {copies == 2}


def _targets(*sizes: int) -> list[Target]:
    return [Target(f"of {at}", f"chain {at}", size) for at, size in enumerate(sizes)]


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(("fits", "sizes", "first"), [((0, 0), (3, 2), 1), ((0, 4), (2, 2), 0),
                                                      ((0, 4), (3, 3), 0)])  # fmt: skip
def test_of_two_chains_the_mention_that_moves_first_does_not_depend_on_their_order(
    fits: tuple[int, int], sizes: tuple[int, int], first: int, swapped: bool
) -> None:
    """The mention moves to the chain that both mentions fit better; of equal fits the smaller."""
    order = [1, 0] if swapped else [0, 1]
    ids, targets = ["a", "b"], _targets(*sizes)
    one, *_ = two_chains(
        (ids[order[0]], ids[order[1]]),
        [targets[at] for at in order],
        (fits[order[0]], fits[order[1]]),
        0.0,
    )
    assert (one.fix, one.tied) == ("move", fits == (0, 0))
    assert one.operation.move == (ids[first],)
    assert one.text == f"move {'AB'[order.index(first)]} to {targets[1 - first].text}"


def test_a_third_chain_that_both_mentions_fit_is_the_first_correction() -> None:
    third = 9.0, Target("c", "t1_third", 4)
    for fixes in (
        two_chains(("a", "b"), _targets(5, 5), (2.0, 3.0), 0.1, third),
        one_chain(("a", "b"), _targets(1, 1), 4.0, third),
    ):
        assert fixes[0].text == "move A and B to t1_third (4 mentions)"
        assert fixes[0].operation.merge == ("a", "b", "c")
        assert not fixes[0].tied


def test_two_chains_that_are_alike_are_merged() -> None:
    first, *_ = two_chains(("a", "b"), _targets(2, 2), (3.0, 3.0), 2.0)
    assert (first.fix, first.tied) == ("merge", False)


def test_a_chain_is_divided_by_sub_topic(sample: Corpus) -> None:
    mentions = [((6,), "EVENT", "x")]
    corpus = made(sample, dict.fromkeys(("d1", "d2", "d3"), mentions))
    chain = np.zeros(3, dtype=np.int64)
    inside = inside_chains(chain)
    (one,) = divisions(corpus, np.arange(3), chain, inside, np.zeros(3))
    assert (one.part, one.rest) == ((2,), (0, 1))
    assert one.subtopics
    assert not one.years
    assert one.between == one.within == 0.5


def test_without_sub_topics_improbable_links_divide_a_chain(sample: Corpus) -> None:
    names = ("d1", "d2", "d1b", "d2b")
    corpus = made(sample, {name: [((6,), "EVENT", "x")] for name in names})
    chain = np.zeros(4, dtype=np.int64)
    left, right = inside_chains(chain)
    # Mentions 0 and 1 are probably linked, as are 2 and 3.
    margin = np.where((left // 2) == (right // 2), 2.0, -2.0)
    (one,) = divisions(corpus, np.arange(4), chain, (left, right), margin)
    assert {one.part, one.rest} == {(0, 1), (2, 3)}
    assert one.between < 0.05
    assert one.within > 0.95


def test_equal_words_in_a_sentence_divide_a_chain(sample: Corpus) -> None:
    """Mentions 0 and 1 of one sentence have one root, as in "murder, attempted murder"."""
    twice = [((2,), "EVENT", "x"), ((6,), "EVENT", "x")]
    corpus = made(sample, {"d1": twice, "d2": twice[1:]})
    chain, roots = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64)
    left, right = inside_chains(chain)
    margin = np.where((left == 1) & (right == 2), 2.0, 0.0)
    (one,) = divisions(corpus, roots, chain, (left, right), margin)
    assert one.repeated
    assert (one.part, one.rest) == ((0,), (1, 2))
    assert (one.left, one.right) == (0, 1)
    (one,) = divisions(corpus, np.arange(3), chain, (left, right), margin)
    assert not one.repeated


def test_contradictions_are_few_and_name_who_contradicts(real: Corpus) -> None:
    table = contradictions(real)
    assert len(table) == 10
    others = (real.mentions["kind"] == "event")[[id_ for ids in table["others"] for id_ in ids]]
    assert not others.any()


def test_mentions_at_the_same_place_of_identical_sentences(real: Corpus) -> None:
    table = duplicates(real, 1.0)
    chain, sizes = real.selected["chain"], real.selected["chain"].value_counts()
    ends = [chain.iloc[table[side]].to_numpy() for side in ("left", "right")]
    apart = ends[0] != ends[1]
    assert (len(table), int(apart.sum())) == (954, 475)
    clusters = sum((sizes[end[apart]].to_numpy() > 1).astype(int) for end in ends)
    assert [int((clusters == n).sum()) for n in (0, 1, 2)] == [398, 51, 26]


def test_a_possessive_may_be_an_entity_but_is_no_event(sample: Corpus, cached: None) -> None:
    """The same function words, once as event and once as entity mentions."""
    words = sample.mentions["text"].str.lower().isin({"its", "his", "their"})
    assert words.any()
    for kind in (EVENT, ENTITY):
        mentions = sample.mentions[words].assign(kind=kind)
        corpus = replace(sample, mentions=mentions, kind=kind)
        assert len(no_events(corpus, "hanta")) == (len(mentions) if kind == EVENT else 0)


def test_similar_vectors_make_candidates_of_mentions_without_a_common_word(
    sample: Corpus, cached: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With equal vectors every pair of similar documents is a candidate; with none, no more."""
    plain = len(pool(sample, AuditConfig()).pairs)
    sizes = []
    for row in ([1.0, 0.0], [0.0, 0.0]):
        vectors = {"mention": np.tile(np.array(row, np.float32), (len(sample.selected), 1))}
        monkeypatch.setattr("cdec.auditing.pool.embed", lambda *_, v=vectors: v)
        sizes.append(len(pool(sample, AuditConfig(embedding=0.6)).pairs))
    assert sizes[0] > 2 * plain
    assert sizes[1] == plain


def test_the_signature_has_the_embedding_only_if_it_is_used() -> None:
    assert "embedding" not in AuditConfig().about
    assert AuditConfig(embedding=0.6).about["embedding"] == 0.6
    with refused("parameter-invalid", "embedding is 2"):
        AuditConfig(embedding=2)


def test_a_list_that_is_read_has_the_signature_of_the_one_written(
    sample: Corpus, sample_cases: ShortList, tmp_path: Path
) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(to_jsonl(sample_cases, sample)), "utf-8")
    again = read_shortlist(file)
    assert again == sample_cases
    assert isinstance(again.about["detectors"], list)


def test_no_event_names_the_side_that_it_removes(sample_cases: ShortList) -> None:
    shown = []
    for case in sample_cases.cases:
        if case.kind == "missing-singleton-cluster" and len(case.sides) == 2:
            (at,) = (i for i, side in enumerate(case.sides) if not side.members)
            (fix,) = (fix for fix in case.fixes if fix.fix == "remove")
            assert fix.operation.remove == case.sides[at].mentions
            assert fix.text == f"{'AB'[at]} is not an event"
            shown.append(at)
    assert set(shown) == {0, 1}
