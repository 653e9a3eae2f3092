"""The plain words on what settings hide: their numbers add up, whatever the response."""

from __future__ import annotations

from hypothesis import given

from cdec.clustering import Clustering
from cdec.evaluation.response import SystemRun
from cdec.render.page import Text
from cdec.reproduction.links import seen_links
from cdec.reproduction.page.hidden import _numbers, hidden_blocks, hidden_data
from cdec.settings import BH, IS, SIMPLE_CDEC, ST, YCF
from tests import strategies  # noqa: F401  its profile: no deadline on a busy machine
from tests.tiny_corpora import Tiny, tiny, tiny_corpora


def answer_of(corpus: Tiny) -> SystemRun:
    """The corpus as an answer that gives each mention of the key a chain, and no other."""
    response = {mention: corpus.response.get(mention, mention) for mention in corpus.key}
    return SystemRun(
        "mine", corpus.table, Clustering.from_labels(corpus.key), Clustering.from_labels(response)
    )


@given(tiny_corpora())
def test_what_is_hidden_and_what_is_seen_is_all_there_is(corpus: Tiny) -> None:
    answer = answer_of(corpus)
    told = _numbers(answer)
    wrong = told["wrong"]
    assert seen_links(answer, SIMPLE_CDEC).wrong == wrong
    assert seen_links(answer, BH).wrong == wrong - told["across"]
    assert seen_links(answer, ST).wrong == wrong - told["outside"] == wrong - told["st_hidden"]
    assert seen_links(answer, IS).wrong == wrong - told["at_singletons"]
    assert seen_links(answer, YCF).wrong == told["ycf_wrong"]
    assert told["ycf_wrong"] + told["outside"] + told["near"] == wrong


@given(tiny_corpora())
def test_words_are_filled_for_every_response(corpus: Tiny) -> None:
    blocks = hidden_blocks([answer_of(corpus)], "mine")
    text = " ".join(block.text for block in blocks if isinstance(block, Text))
    assert "{" not in text
    assert "mine" in text


def test_the_words_say_the_numbers() -> None:
    """Two topics, one mention a document; the response puts all four mentions together."""
    corpus = tiny([0, 1, 4, 5], [0, 0, 1, 2], [0, 0, 0, 0])
    blocks = hidden_blocks([answer_of(corpus)], "mine")
    text = [block.text for block in blocks if isinstance(block, Text)]
    assert "Of the 4 event mentions, mine links 6 pairs, and 5 of these" in text[0]
    assert "4 wrong links of mine go unpunished, 80.0 % of all" in text[2]
    assert "0 wrong links are left beside 1 right ones, so that 100.0 %" in text[5]


def test_data_hold_both_tables_of_each_answer() -> None:
    data = hidden_data([answer_of(tiny([0, 1], [0, 0], [0, 0]))])
    assert len(data) == 4 + 6
    assert data["place"].notna().sum() == 4
    assert data["setting"].notna().sum() == 6
