"""Links, edits, strata and agreement against the enumeration of all pairs and chains."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from cdec.arrays import Ints
from cdec.diagnosis import (
    ALL,
    KINDS,
    OUTCOMES,
    JointMentions,
    Mentions,
    agreement,
    edit_table,
    lemma_table,
    link_table,
    mention_table,
    singleton_table,
    size_table,
    topic_table,
)
from cdec.metrics import measure
from cdec.metrics.contingency import Contingency
from tests.diagnosis.made_up import cells, counted, linked, made_up


@given(made_up())
def test_links_of_every_kind_equal_an_enumeration(mentions: Mentions) -> None:
    table = link_table(mentions)
    key, response = mentions.key, mentions.response
    expected = {
        "right": lambda i, j: linked(key, i, j) and linked(response, i, j),
        "missed": lambda i, j: linked(key, i, j) and not linked(response, i, j),
        "wrong": lambda i, j: linked(response, i, j) and not linked(key, i, j),
    }
    assert list(zip(table["kind"], table["lemma"], strict=True)) == list(cells())
    for name, wanted in expected.items():
        assert table[name].tolist() == counted(mentions, wanted), name


@given(made_up())
def test_links_of_all_kinds_are_the_counts_of_blanc(mentions: Mentions) -> None:
    counts = measure(Contingency.from_labels(mentions.key, mentions.response))["blanc_coref"]
    total = link_table(mentions).iloc[-1]
    assert (total["kind"], total["lemma"]) == (ALL, ALL)
    assert total["right"] == counts.p_num == counts.r_num
    assert total["right"] + total["wrong"] == counts.p_den
    assert total["right"] + total["missed"] == counts.r_den
    undefined = (not counts.p_den, not counts.r_den, not counts.p_den and not counts.r_den)
    scores = (counts.precision, counts.recall, counts.f1)
    for name, score, missing in zip(("precision", "recall", "f1"), scores, undefined, strict=True):
        assert total[name] == pytest.approx(np.nan if missing else score, nan_ok=True)


def test_a_score_without_links_is_undefined() -> None:
    nothing = np.zeros(1, dtype=np.int64)
    one = Mentions(pd.Index(["m"], dtype=object), *[nothing] * 6)
    assert link_table(one)[["precision", "recall", "f1"]].isna().all(axis=None)
    assert size_table(one)["share"].isna().all()
    assert singleton_table(one)["f1"].tolist() == [1.0]
    pair = Mentions(pd.Index(["m", "n"], dtype=object), *[np.repeat(nothing, 2)] * 6)
    assert singleton_table(pair)[["precision", "recall", "f1"]].isna().all(axis=None)


@given(made_up(twinless=False))
def test_edits_are_the_wrong_and_missing_links_of_muc(mentions: Mentions) -> None:
    muc = measure(Contingency.from_labels(mentions.key, mentions.response))["muc"]
    table = edit_table(mentions).set_index(["edit", "kind"])["edits"]
    assert table["split", ALL] == muc.p_den - muc.p_num
    assert table["join", ALL] == muc.r_den - muc.r_num
    assert mention_table(mentions)["edits"].tolist() == [0, 0]


def naive_edits(whole: Ints, part: Ints, mentions: Mentions) -> list[int]:
    """Return the edits by kind: merge the parts that share a place, level by level."""
    both = mentions.both
    totals = np.zeros(len(KINDS), dtype=int)
    for chain in set(whole[both]):
        rows = np.flatnonzero(both & (whole == chain))
        groups = [{int(p)} for p in set(part[rows])]
        sizes = [len(groups)]
        for place in (mentions.doc, mentions.subtopic, mentions.topic, np.zeros_like(whole)):
            for value in set(place[rows]):
                meeting = set(part[rows][place[rows] == value].tolist())
                joined = [group for group in groups if group & meeting]
                groups = [group for group in groups if not group & meeting]
                groups.append(set().union(*joined))
            sizes.append(len(groups))
        totals += [before - after for before, after in pairwise(sizes)]
    return totals.tolist()


@given(made_up())
def test_edits_of_every_kind_equal_a_merge_of_the_parts(mentions: Mentions) -> None:
    table = edit_table(mentions).set_index(["edit", "kind"])["edits"]
    sides = {
        "split": (mentions.response, mentions.key),
        "join": (mentions.key, mentions.response),
    }
    for edit, (whole, part) in sides.items():
        assert [table[edit, k] for k in KINDS] == naive_edits(whole, part, mentions), edit


@given(made_up())
def test_sizes_and_singletons_equal_an_enumeration(mentions: Mentions) -> None:
    sides = {}
    for name in ("key", "response"):
        chains = getattr(mentions, name)
        sides[name] = [
            frozenset(np.flatnonzero(chains == c).tolist()) for c in set(chains.tolist()) - {-1}
        ]
    table = size_table(mentions)
    for name, other in (("key", "response"), ("response", "key")):
        rows = table[table["side"] == name]
        assert rows["chains"].sum() == len(sides[name])
        assert rows["mentions"].sum() == sum(map(len, sides[name]))
        assert rows["exact"].sum() == len(set(sides[name]) & set(sides[other]))
        assert rows["links"].sum() == sum(len(c) * (len(c) - 1) // 2 for c in sides[name])
        two = rows[rows["size"] == "2"].iloc[0]
        assert two["chains"] == sum(len(c) == 2 for c in sides[name])
        assert two["right"] == sum(
            any(chain <= theirs for theirs in sides[other])
            for chain in sides[name]
            if len(chain) == 2
        )
    single = singleton_table(mentions).iloc[0]
    alone = {name: {c for c in chains if len(c) == 1} for name, chains in sides.items()}
    assert (single["key"], single["predicted"]) == (len(alone["key"]), len(alone["response"]))
    assert single["right"] == len(alone["key"] & alone["response"])


@given(made_up())
def test_topics_add_up_to_the_links_inside_and_across(mentions: Mentions) -> None:
    names = pd.Series([f"t{t}" for t in mentions.topic], index=mentions.index, dtype=object)
    topics = topic_table(mentions, names)
    links = link_table(mentions)
    total = links[links["lemma"] == ALL].set_index("kind")
    for name in ("right", "missed", "wrong"):
        counts = total[name].to_dict()
        assert topics[name].sum() == counts[ALL] - counts["corpus"]
        assert topics[f"{name}_across"].sum() == 2 * counts["corpus"]


@given(made_up())
def test_ambiguous_lemmas_count_the_links_between_two_of_their_mentions(mentions: Mentions) -> None:
    lemmas = pd.Series([f"l{n}" for n in mentions.lemma], index=mentions.index, dtype=object)
    table = lemma_table(mentions, lemmas).set_index("lemma")
    for number in set(mentions.lemma.tolist()):
        here = mentions.lemma == number
        chains = set(mentions.key[here & (mentions.key >= 0)].tolist())
        assert (f"l{number}" in table.index) == (len(chains) > 1)
        if len(chains) > 1:
            row = table.loc[f"l{number}"]
            at = np.flatnonzero(here).tolist()
            pairs = [(i, j) for n, i in enumerate(at) for j in at[n + 1 :]]
            assert row["wrong"] == sum(
                linked(mentions.response, i, j) and not linked(mentions.key, i, j) for i, j in pairs
            )
            assert row["mentions"] == (here & (mentions.key >= 0)).sum()


@given(made_up(), made_up())
def test_agreement_equals_an_enumeration(mentions: Mentions, other: Mentions) -> None:
    size = len(mentions)
    second = np.resize(other.response, size) if len(other) else np.full(size, -1)
    together = JointMentions(mentions, mentions.response, second)
    table = agreement(together)

    def outcome(i: int, j: int) -> str | None:
        in_key, a, b = (linked(c, i, j) for c in (mentions.key, mentions.response, second))
        names = {
            (True, True, True): "both_right",
            (True, True, False): "a_right",
            (True, False, True): "b_right",
            (True, False, False): "both_missed",
            (False, True, True): "both_wrong",
            (False, True, False): "a_wrong",
            (False, False, True): "b_wrong",
        }
        return names.get((in_key, a, b))

    for name in OUTCOMES:
        expected = counted(mentions, lambda i, j: outcome(i, j) == name)  # noqa: B023  used now
        assert table[name].tolist() == expected
