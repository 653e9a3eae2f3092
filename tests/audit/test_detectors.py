"""The detectors of two events, copies that differ, and function words, on small made cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from cdec.audit.detect.copies import copies_differ
from cdec.audit.detect.evidence import inside_chains
from cdec.audit.detect.two_events import two_events
from cdec.corpus.model import Corpus, Document

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


def test_a_chain_is_divided_by_sub_topic(sample: Corpus) -> None:
    mentions = [((6,), "EVENT", "x")]
    corpus = made(sample, dict.fromkeys(("d1", "d2", "d3"), mentions))
    chain = np.zeros(3, dtype=np.int64)
    inside = inside_chains(chain)
    (row,) = two_events(corpus, chain, inside, {"svm": np.zeros(3)}).to_dict("records")
    assert (row["part"], row["rest"]) == ((2,), (0, 1))
    assert row["subtopics"]
    assert not row["years"]
    assert row["between"] == row["within"] == 0.5


def test_without_sub_topics_improbable_links_divide_a_chain(sample: Corpus) -> None:
    names = ("d1", "d2", "d1b", "d2b")
    corpus = made(sample, {name: [((6,), "EVENT", "x")] for name in names})
    chain = np.zeros(4, dtype=np.int64)
    left, right = inside_chains(chain)
    # Mentions 0 and 1 are probably linked, as are 2 and 3.
    margins = np.where((left // 2) == (right // 2), 2.0, -2.0)
    (row,) = two_events(corpus, chain, (left, right), {"svm": margins}).to_dict("records")
    assert {row["part"], row["rest"]} == {(0, 1), (2, 3)}
    assert row["between"] < 0.05
    assert row["within"] > 0.95
