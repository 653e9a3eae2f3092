"""Table 1, counted by hand on the small corpus and by brute force on the sample."""

from __future__ import annotations

from collections import defaultdict

import pytest

from cdec import build_corpus
from cdec.corpus import (
    Corpus,
    Source,
    annotation,
    build,
    kinds,
    legend,
    load_split,
    open_source,
    sample_path,
    select,
    size,
    statistics_page,
)
from cdec.corpus.split_file import TOTAL
from cdec.corpus.statistics import COLUMNS, statistics


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return build(open_source(sample_path()), "sample")


def test_the_small_corpus_counted_by_hand(small: Source) -> None:
    corpus = build(small)
    # Each of the two documents: events 11 and 14 in one instance across documents, 12 alone.
    assert annotation(corpus) == {
        **{"docs": 2, "topics": 1, "sub-topics": 2, "ev. mentions": 6},
        **{"singleton": 2, "WD": 0, "CD": 4, "WD chains": 2, "CD chains": 1},
    }
    assert size(corpus) == {
        "singletons": 2,
        "mentions in within-document clusters": 0,
        "within-document clusters": 0,
        "mentions in cross-document clusters": 4,
        "cross-document clusters": 1,
        "clusters across sub-topics": 1,
    }


def test_sizes_by_brute_force(sample: Corpus) -> None:
    clusters = defaultdict(list)
    for _, row in sample.selected.iterrows():
        clusters[row["chain"]].append(row)
    within = [c for c in clusters.values() if len(c) > 1 and len({m["doc"] for m in c}) == 1]
    across = [c for c in clusters.values() if len({m["doc"] for m in c}) > 1]
    assert size(sample) == {
        "singletons": sum(len(c) == 1 for c in clusters.values()),
        "mentions in within-document clusters": sum(map(len, within)),
        "within-document clusters": len(within),
        "mentions in cross-document clusters": sum(map(len, across)),
        "cross-document clusters": len(across),
        "clusters across sub-topics": sum(
            len({m["subtopic"] for m in c}) > 1 for c in clusters.values()
        ),
    }


def test_both_views_count_every_event_mention(sample: Corpus) -> None:
    tags, sizes = annotation(sample), size(sample)
    assert tags["singleton"] + tags["WD"] + tags["CD"] == tags["ev. mentions"]
    assert (
        tags["ev. mentions"]
        == len(sample.selected)
        == (
            sizes["singletons"]
            + sizes["mentions in within-document clusters"]
            + sizes["mentions in cross-document clusters"]
        )
    )


def test_the_table_is_tidy_with_the_whole_as_total(sample: Corpus) -> None:
    split = load_split("sample")
    parts = {part: select(sample, part, split) for part in split.parts}
    table = statistics(parts)
    assert tuple(table.columns) == COLUMNS
    assert list(dict.fromkeys(table["part"])) == ["train", "dev", "test", TOTAL]
    assert not table.duplicated(["view", "row", "part"]).any()
    whole = {"annotation": annotation(sample), "size": size(sample), "kind": kinds(sample)}
    page = statistics_page(table, sample, "sample")
    assert page.table is not None
    assert page.table.below[0] == legend("event")
    totals = table[table["part"] == TOTAL]
    assert len(totals) == sum(map(len, whole.values()))
    for view, row, count in zip(totals["view"], totals["row"], totals["count"], strict=True):
        assert whole[view][row] == count, row


def test_a_chain_in_two_parts_counts_once_in_the_total() -> None:
    mentions = [{"doc": doc, "tokens": [0], "chain": "7"} for doc in ("a", "b")]
    documents = {"a": [["fire"]], "b": [["blaze"]]}
    corpus = build_corpus(mentions, documents, name="x", levels={"topic": "story"})
    table = statistics({doc: corpus.subset([doc], doc) for doc in documents})
    rows = table.set_index(["view", "row", "part"])["count"].sort_index()
    assert rows["content", "chains"].to_dict() == {"a": 1, "b": 1, TOTAL: 1}
    assert rows["kind", "event singletons"].to_dict() == {"a": 1, "b": 1, TOTAL: 0}
    assert rows["size", "cross-document clusters"].to_dict() == {"a": 0, "b": 0, TOTAL: 1}
    assert rows["content", "stories"].to_dict() == {"a": 1, "b": 1, TOTAL: 1}


@pytest.mark.parametrize(("kind", "row"), [("event", "ev. mentions"), ("entity", "mentions")])
def test_only_event_mentions_are_those_of_the_paper(
    whole_ecbplus: Corpus, kind: str, row: str
) -> None:
    corpus = whole_ecbplus.select(kind)
    table = statistics({"test": select(corpus, "test", load_split("ycf"))})
    page = statistics_page(table, corpus, "ycf")
    assert row in set(table["row"])
    assert ("printed" in page.data) == (kind == "event")
