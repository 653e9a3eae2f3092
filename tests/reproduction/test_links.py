"""Links by place and by setting, against a list of all pairs; bounds of PWN."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import assume, given

from cdec.evaluation import SystemRun
from cdec.metrics.scores import score
from cdec.reproduction import PLACES, links_by_place, seen_links
from cdec.settings import PURE_CDEC, SETTINGS
from tests import strategies  # noqa: F401  its profile: no deadline on a busy machine
from tests.reproduction.pwn_bounds import possible_pwn
from tests.tiny_corpora import Tiny, tiny_corpora

NAMES = {"document": "doc", "subtopic": "subtopic", "topic": "topic"}


def answer_of(tiny: Tiny) -> SystemRun:
    """The corpus as a run."""
    return SystemRun("tiny", tiny.table, *tiny.sides)


def place_of(one: dict[str, str], other: dict[str, str]) -> str:
    """The nearest place that contains both mentions."""
    places = (place for place, name in NAMES.items() if one[name] == other[name])
    return next(places, "corpus")


def together(side: dict[str, str], one: str, other: str) -> bool:
    """Whether the side links the two mentions."""
    return one in side and other in side and side[one] == side[other]


@given(tiny_corpora())
def test_links_by_place_are_the_pairs(tiny: Tiny) -> None:
    expected = dict.fromkeys(((p, k) for p in PLACES for k in ("made", "right", "missed")), 0)
    for one, other in combinations(tiny.mentions, 2):
        made = together(tiny.response, one["id"], other["id"])
        gold = together(tiny.key, one["id"], other["id"])
        place = place_of(one, other)
        expected[place, "made"] += made
        expected[place, "right"] += made and gold
        expected[place, "missed"] += gold and not made
    table = links_by_place(answer_of(tiny)).set_index("place")
    assert {(p, k): table.loc[p, k] for p, k in expected} == expected
    assert (table["wrong"] == table["made"] - table["right"]).all()


@given(tiny_corpora())
def test_wrong_links_to_singletons_are_those_that_touch_one(tiny: Tiny) -> None:
    sizes = {m: list(tiny.key.values()).count(chain) for m, chain in tiny.key.items()}
    expected = dict.fromkeys(PLACES, 0)
    for one, other in combinations(tiny.mentions, 2):
        ends = (one["id"], other["id"])
        wrong = together(tiny.response, *ends) and not together(tiny.key, *ends)
        # A mention that is not in the key cannot be in a right link.
        expected[place_of(one, other)] += wrong and any(sizes.get(end, 1) == 1 for end in ends)
    table = links_by_place(answer_of(tiny)).set_index("place")
    assert table["wrong_to_singletons"].to_dict() == expected


@pytest.mark.parametrize("name", SETTINGS)
@given(tiny_corpora())
def test_seen_links_are_the_pairs_inside_meta_documents(name: str, tiny: Tiny) -> None:
    answer = answer_of(tiny)
    made = right = missed = 0
    for meta in answer.meta_documents(SETTINGS[name]):
        key, response = (
            {str(mention): str(chain) for mention, chain in side.labels.items()}
            for side in (meta.key, meta.response)
        )
        for pair in combinations(sorted({*key, *response}), 2):
            linked, gold = together(response, *pair), together(key, *pair)
            made += linked
            right += linked and gold
            missed += gold and not linked
    seen = seen_links(answer, SETTINGS[name])
    assert (seen.made, seen.right, seen.missed) == (made, right, missed)
    assert seen.wrong == made - right


@given(tiny_corpora())
def test_no_response_leaves_the_range_of_pwn(tiny: Tiny) -> None:
    same = Tiny(tiny.mentions, tiny.key, {m: tiny.response.get(m, m) for m in tiny.key})
    answer = answer_of(same)
    for setting in SETTINGS.values():
        scores = score(answer.meta_documents(setting), ["blanc_coref", "blanc_noncoref"])
        pw = scores["blanc_coref"].f1
        # PURE-CDEC keeps different mentions on each side; without right links there is no range.
        if setting != PURE_CDEC and pw > 0 and scores.counts["blanc_noncoref"].r_den > 0:
            least, most = possible_pwn(answer, setting, pw)
            assert least - 1e-9 <= scores["blanc_noncoref"].f1 <= most + 1e-9


@given(tiny_corpora())
def test_a_perfect_response_is_at_the_upper_end(tiny: Tiny) -> None:
    same = Tiny(tiny.mentions, tiny.key, tiny.key)
    answer = answer_of(same)
    values = score(answer.meta_documents(SETTINGS["simple"]), ["blanc_coref", "blanc_noncoref"])
    assume(values["blanc_coref"].f1 == values["blanc_noncoref"].f1 == 1)
    assert possible_pwn(answer, SETTINGS["simple"], 1) == (1, 1)
