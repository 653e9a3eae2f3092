"""Spans from scores of tokens: inside sentences, disjoint, and every token in its span."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from cdec.detection import MERGES, Agreement, Cut, TokenScores, agreement, spans

SCORES = st.floats(0, 1)


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, TokenScores]:
    """Return the tokens of a few documents with arbitrary scores."""
    sizes = draw(st.lists(st.lists(st.integers(0, 4), max_size=4), max_size=3))
    rows = [
        (f"d{number}", sentence, place)
        for number, lengths in enumerate(sizes)
        for sentence, length in enumerate(lengths)
        for place in range(length)
    ]
    table = pd.DataFrame(rows, columns=["doc", "sentence", "place"])
    table["token"] = table.groupby("doc").cumcount()
    columns = (draw(st.lists(SCORES, min_size=len(rows), max_size=len(rows))) for _ in range(2))
    return table, TokenScores(*(np.array(column, dtype=np.float64) for column in columns))


@given(tables(), st.builds(Cut, SCORES, st.sampled_from(MERGES)))
def test_spans_are_inside_sentences_and_disjoint(
    case: tuple[pd.DataFrame, TokenScores], cut: Cut
) -> None:
    table, scores = case
    found = spans(table, scores, cut)
    assert not found.duplicated().any()
    sentence = table.set_index(["doc", "token"])["sentence"]
    covered = []
    for doc, start, end in found.itertuples(index=False, name=None):
        assert start <= end
        assert sentence[doc, start] == sentence[doc, end]
        covered += [(doc, token) for token in range(start, end + 1)]
    inside = table[scores.inside >= cut.threshold]
    assert covered == list(zip(inside["doc"], inside["token"], strict=True))
    if cut.merge == "never":
        assert (found["start"] == found["end"]).all()


def test_adjacent_tokens_are_merged_as_the_cut_says() -> None:
    table = pd.DataFrame({"doc": "d", "place": [0, 1, 2, 0], "token": [0, 1, 2, 3]})
    scores = TokenScores(np.ones(4), np.array([0.9, 0.9, 0.2, 0.9]))
    found = {
        merge: list(
            spans(table, scores, Cut(0.5, merge))[["start", "end"]].itertuples(
                index=False, name=None
            )
        )
        for merge in MERGES
    }
    assert found == {
        "never": [(0, 0), (1, 1), (2, 2), (3, 3)],
        "always": [(0, 2), (3, 3)],
        "scored": [(0, 1), (2, 2), (3, 3)],
    }


def test_agreement_counts_equal_spans() -> None:
    gold = pd.DataFrame({"doc": ["d", "d", "e"], "start": [0, 2, 0], "end": [0, 3, 0]})
    found = pd.DataFrame({"doc": ["d", "d"], "start": [0, 2], "end": [0, 2]})
    assert agreement(gold, found) == Agreement(1 / 2, 1 / 3, 2 / 5)
    assert agreement(gold, found[:0]) == Agreement(0.0, 0.0, 0.0)
