"""The text on hidden links: its numbers add up for every response."""

from __future__ import annotations

from hypothesis import given

from cdec.clustering import Clustering
from cdec.evaluation import SystemRun
from cdec.render.page import Text
from cdec.reproduction import hidden_blocks, hidden_data, seen_links
from cdec.reproduction.page.hidden import _numbers
from cdec.settings import BH, IS, SIMPLE_CDEC, ST, YCF
from tests import strategies  # noqa: F401  its profile: no deadline on a busy machine
from tests.tiny_corpora import Tiny, tiny, tiny_corpora


def answer_of(corpus: Tiny) -> SystemRun:
    """The corpus as a run whose response has the same mentions as the key."""
    response = {mention: corpus.response.get(mention, mention) for mention in corpus.key}
    return SystemRun(
        "mine", corpus.table, Clustering.from_labels(corpus.key), Clustering.from_labels(response)
    )


@given(tiny_corpora())
def test_hidden_and_evaluated_links_are_all_links(corpus: Tiny) -> None:
    answer = answer_of(corpus)
    counts = _numbers(answer)
    wrong = counts["wrong"]
    assert seen_links(answer, SIMPLE_CDEC).wrong == wrong
    assert seen_links(answer, BH).wrong == wrong - counts["across"]
    assert seen_links(answer, ST).wrong == wrong - counts["outside"] == wrong - counts["st_hidden"]
    assert seen_links(answer, IS).wrong == wrong - counts["at_singletons"]
    assert seen_links(answer, YCF).wrong == counts["ycf_wrong"]
    assert counts["ycf_wrong"] + counts["outside"] + counts["near"] == wrong


@given(tiny_corpora())
def test_all_placeholders_are_filled(corpus: Tiny) -> None:
    blocks = hidden_blocks([answer_of(corpus)], "mine")
    text = " ".join(block.text for block in blocks if isinstance(block, Text))
    assert "{" not in text
    assert "mine" in text


def test_the_text_has_the_numbers() -> None:
    """Two topics, one mention per document; the response has all four mentions in one chain."""
    corpus = tiny([0, 1, 4, 5], [0, 0, 1, 2], [0, 0, 0, 0])
    blocks = hidden_blocks([answer_of(corpus)], "mine")
    text = [block.text for block in blocks if isinstance(block, Text)]
    assert "mine makes 6 links between the 4 event mentions; 5 of these" in text[0]
    assert "4 wrong links of mine are ignored, 80.0 % of all" in text[2]
    assert "0 wrong and 1 right links remain: 100.0 %" in text[5]


def test_data_hold_both_tables_of_each_answer() -> None:
    data = hidden_data([answer_of(tiny([0, 1], [0, 0], [0, 0]))])
    assert len(data) == 4 + 6
    assert data["place"].notna().sum() == 4
    assert data["setting"].notna().sum() == 6
