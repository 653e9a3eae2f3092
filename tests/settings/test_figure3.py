"""Figure 3 of Upadhyay et al. (2016) in its smallest form: the reason for PURE-CDEC.

One event with two mentions in each of two documents. System 1 links within documents only;
System 2 makes two links across documents, System 3 one.
"""

from __future__ import annotations

import pytest

from cdec.metrics import ALL
from cdec.metrics.scores import score
from cdec.settings import SETTINGS, build
from tests.tiny_corpora import tiny

DOCUMENTS, KEY = [0, 0, 1, 1], [0, 0, 0, 0]
SYSTEMS = {1: [0, 0, 1, 1], 2: [0, 1, 0, 1], 3: [0, 1, 0, 2]}


def f1(setting: str) -> dict[int, dict[str, float]]:
    """System → metric → F1 under the setting."""
    scores = {}
    for system, response in SYSTEMS.items():
        corpus = tiny(DOCUMENTS, KEY, response)
        values = score(build(SETTINGS[setting], corpus.table, *corpus.sides)).values
        scores[system] = {metric: value.f1 for metric, value in values.items()}
    return scores


def test_simple_scores_links_within_and_across_documents_equally() -> None:
    scores = f1("simple")
    assert scores[1] == scores[2]


@pytest.mark.parametrize("metric", ALL)
def test_simple_puts_system_3_last(metric: str) -> None:
    scores = f1("simple")
    if metric == "blanc_noncoref":  # one event: the key has no such link
        assert scores[1][metric] == scores[3][metric] == 0
    elif metric == "ceafm":  # the best chain has two of four mentions either way
        assert scores[1][metric] == scores[3][metric] == 1 / 2
    else:
        assert scores[3][metric] < scores[1][metric]


def test_pure_does_not_reward_links_within_documents() -> None:
    assert [f1("pure")[1][m] for m in ("muc", "blanc_coref", "blanc", "lea")] == [0, 0, 0, 0]


@pytest.mark.parametrize("metric", ["muc", "blanc_coref", "blanc", "conll", "avg4"])
def test_pure_puts_system_3_before_system_2_before_system_1(metric: str) -> None:
    scores = f1("pure")
    assert scores[3][metric] > scores[2][metric] > scores[1][metric]


def test_pure_in_numbers() -> None:
    scores = f1("pure")
    # System 2 has two chains with a mention in each document, the key has one: one is spurious.
    assert scores[2] == pytest.approx(dict.fromkeys(ALL, 2 / 3) | {"blanc_noncoref": 0})
    assert scores[3]["muc"] == scores[3]["blanc"] == 1
    # System 3 adds two spurious singletons. For B³, CEAF_m and LEA they cost as much as the
    # spurious chain of System 2; for CEAF_e, which counts chains, they cost more.
    assert scores[3]["b3"] == scores[3]["ceafm"] == scores[3]["lea"] == pytest.approx(2 / 3)
    assert scores[3]["ceafe"] == pytest.approx(1 / 2)
    assert scores[3]["conll"] == pytest.approx((1 + 2 / 3 + 1 / 2) / 3)
    assert scores[3]["avg4"] == pytest.approx((1 + 2 / 3 + 1 / 2 + 1) / 4)
