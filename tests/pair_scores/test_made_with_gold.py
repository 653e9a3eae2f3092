"""The lemma heuristic, rebuilt, and what it says about how a list was made."""

from __future__ import annotations

from bisect import bisect_right
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdec import Plan, load_corpus, score_pairs
from cdec.arrays import Bools
from cdec.corpus import Corpus, part_of
from cdec.diagnosis import ORACLE, YES
from cdec.evaluation import MentionPairs
from cdec.language import heads
from cdec.pair_scores.heuristic import TopicPairs, pairs_in_topics
from cdec.pair_scores.made_with_gold import evidence, gold_section, rebuilt_table, unexplained
from cdec.pairs.words import roots
from cdec.settings import find_setting

SIMPLE = find_setting("simple")
POINTS, NO_SIGN = "This points to gold chains", "No sign of gold chains"


@pytest.fixture(scope="module")
def sample() -> Corpus:
    return load_corpus("sample", "test")


@pytest.fixture(scope="module")
def train() -> Corpus:
    return load_corpus("sample", "train")


@pytest.fixture(scope="module")
def every(sample: Corpus, train: Corpus) -> TopicPairs:
    return TopicPairs.of(sample, train)


def listed(corpus: Corpus, every: TopicPairs, kept: Bools) -> MentionPairs:
    return MentionPairs("made", corpus, every.first[kept], every.second[kept])


def gold(corpus: Corpus, every: TopicPairs) -> Bools:
    return listed(corpus, every, np.ones(len(every), bool)).gold


def said(pairs: MentionPairs, train: Corpus) -> list[str]:
    lines: list[str] = gold_section(pairs, train, SIMPLE)[0].data["evidence"].dropna().tolist()
    return lines


def test_the_pairs_are_those_of_a_loop(sample: Corpus, train: Corpus, every: TopicPairs) -> None:
    def lemmas(corpus: Corpus) -> dict[str, str]:
        table = heads(corpus).loc[corpus.selected.index, "lemma"]
        return dict(zip(table.index, roots(table), strict=True))

    def coreferent(corpus: Corpus) -> set[frozenset[str]]:
        own, chains = lemmas(corpus), corpus.gold.labels
        groups = pd.Series(chains.index, chains.index).groupby(chains.to_numpy())
        links = (pair for _, ids in groups for pair in combinations(ids, 2))
        return {frozenset({own[a], own[b]}) for a, b in links}

    table, own = sample.selected, lemmas(sample)
    in_train, in_key = coreferent(train), coreferent(sample)

    def sentence(mention: str) -> set[str]:
        document = sample.documents[table["doc"][mention]]
        number = bisect_right(document.sentence_starts, table["start"][mention]) - 1
        return {word.lower() for word in document.sentences[number]}

    words = {mention: sentence(mention) for mention in table.index}
    text = table["text"].str.lower()
    rng = np.random.default_rng(0)
    for at in rng.choice(len(every), 2000, replace=False):
        a, b = table.index[every.first[at]], table.index[every.second[at]]
        pair = frozenset({own[a], own[b]})
        same = own[a] in text[b] or own[b] in text[a] or own[a] == own[b]
        near = len(words[a] & words[b]) / len(words[a] | words[b])
        levels = [table[level][a] != table[level][b] for level in ("subtopic", "doc")]
        assert table["topic"][a] == table["topic"][b]
        assert (every.text[at], every.near[at], every.place[at]) == (same, near > 0.05, sum(levels))
        if len(pair) == 2:
            assert (every.train[at], every.key[at]) == (pair in in_train, pair in in_key)
    distinct = set(zip(every.first, every.second, strict=True))
    assert len(every) == pairs_in_topics(sample) == len(distinct)


def test_the_heuristic_is_found_again(sample: Corpus, every: TopicPairs) -> None:
    own = listed(sample, every, (every.text | every.train) & every.near)
    table = rebuilt_table(own, every, SIMPLE).set_index("pairs_of")
    with_train = table.loc["lemma heuristic, lemma pairs of train"]
    assert list(with_train[["jaccard", "in_list"]]) == [1, 1]
    with_key = table.loc["lemma heuristic, lemma pairs of the evaluated key"]
    assert with_key["share"] > table.loc["this list", "share"]
    alone = table.loc["lemma heuristic, text alone"]
    assert alone["jaccard"] == alone["pairs"] / len(own)


@pytest.mark.parametrize("seed", range(3))
def test_lists_of_which_it_is_known_how_they_were_made(
    seed: int, sample: Corpus, train: Corpus, every: TopicPairs
) -> None:
    right, rng = gold(sample, every), np.random.default_rng(seed)
    without = (every.text | every.train) & every.near
    anything = rng.random(len(every)) < 0.03
    for name, kept, start in (
        ("lemma pairs of the key", (every.text | every.key) & every.near, POINTS),
        ("gold links and pairs at random", right | anything, POINTS),
        ("lemma pairs of train", without, NO_SIGN),
        ("pairs at random", anything, NO_SIGN),
        ("all pairs", np.ones(len(every), bool), NO_SIGN),
        ("all pairs inside sub-topics", every.place < 2, NO_SIGN),
        ("all pairs of two documents", every.place == 1, NO_SIGN),
        ("no pairs", anything & False, "No statement"),
        ("99 gold links", right & (np.cumsum(right) < 100), "No statement"),
    ):
        lines = said(listed(sample, every, kept), train)
        assert lines[0].startswith(start), name
        assert (POINTS in "".join(lines)) == (start == POINTS), name


def test_the_measures_are_those_of_a_count(sample: Corpus, every: TopicPairs) -> None:
    kept = np.random.default_rng(4).random(len(every)) < 0.3
    kept |= every.key & (every.place == 0)
    table, counts = unexplained(listed(sample, every, kept), every, Plan(resamples=20))
    right, apart = gold(sample, every), ~(every.text | every.train)
    values = table.set_index("measure")["value"]
    assert values["key_lemmas"] == every.key[kept & apart].mean()
    assert values["key_lemmas_all"] == every.key[apart].mean()
    assert values["links"] == kept[apart & right].mean()
    assert values["explained_links"] == kept[~apart & right].mean()
    weights = [(every.place[apart & right] == place).mean() for place in range(3)]
    others = [kept[apart & ~right & (every.place == place)].mean() for place in range(3)]
    assert values["others"] == pytest.approx(np.dot(weights, others))
    assert values["preference"] == values["links"] - values["others"]
    assert counts == {
        "links": (apart & right).sum(),
        "others": (apart & ~right).sum(),
        "listed": (apart & kept).sum(),
    }
    assert (table["low"] <= table["value"]).all()
    assert (table["value"] <= table["high"]).all()


def test_nothing_is_said_without_intervals_or_on_few_links(
    sample: Corpus, every: TopicPairs
) -> None:
    pairs = listed(sample, every, gold(sample, every))
    table, counts = unexplained(pairs, every, Plan())
    bare, _ = unexplained(pairs, every, None)
    for size, measured, numbers, start in (
        (len(pairs), table, counts, POINTS),
        (len(pairs), bare, counts, "No statement"),
        (len(pairs), table, counts | {"links": 99}, "No statement"),
        (99, table, counts, "No statement"),
    ):
        assert next(evidence(size, measured, numbers)).startswith(start)


def test_why_a_list_is_not_examined(
    sample: Corpus, train: Corpus, every: TopicPairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = listed(sample, every, gold(sample, every))
    monkeypatch.setattr("cdec.pair_scores.made_with_gold.MOST", 10)
    for known, why in ((None, "no part train"), (sample, "documents of train"), (train, "25,042")):
        section, about = gold_section(pairs, known, SIMPLE)
        (block,) = section.blocks
        assert why in str(block)
        assert (about, len(section.data)) == ({}, 0)


def test_python_compares_with_the_part_that_it_is_given(sample: Corpus, train: Corpus) -> None:
    a, b = sample.selected.index[:2]
    bare, compared = (score_pairs(sample, {(a, b): 1.0}, train=part) for part in (None, train))
    assert "Not examined: the chains of no part train are known." in str(bare)
    assert "|train:sample-train|" in compared.page.intro[0]
    assert "evidence" in compared.to_frame()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("ecb.lh", (44.6, 59.3, 74.1, 89.3)),
        ("ecb.knn", (36.1, 83.5, 27.1, 97.4)),
        ("ecb_meta_single.lh", (11.5, 9.9, 49.8, 67.4)),
        ("ecb_meta_multi.lh", (4.5, 1.6, 54.0, 54.8)),
        ("ecb_meta_multi.knn", (24.7, 47.3, 26.9, 90.5)),
    ],
)
def test_the_figures_of_published_lists(
    name: str, figures: tuple[float, ...], published_pairs: Path, whole_ecbplus: Corpus
) -> None:
    """Link and chain recall, both decisions. None of them was made with gold chains."""
    test, train = (part_of(whole_ecbplus, f"cybulska/{part}") for part in ("test", "train"))
    shown = score_pairs(test, str(published_pairs / f"{name}.test.csv"), train=train).to_frame()
    covered = shown[shown["section"] == "list"].iloc[0]
    conll = shown.dropna(subset="conll").set_index("response")["conll"]
    values = (covered["share"], covered["chain_share"], conll[YES], conll[ORACLE])
    assert tuple(round(100 * value, 1) for value in values) == figures
    assert not shown["evidence"].dropna().str.startswith(POINTS).any()


@pytest.mark.slow
def test_lists_rebuilt_on_ecbplus(whole_ecbplus: Corpus) -> None:
    dev, train = (part_of(whole_ecbplus, f"cybulska/{part}") for part in ("dev", "train"))
    every = TopicPairs.of(dev, train)
    right = gold(dev, every)
    tenth = right & (np.random.default_rng(0).random(len(every)) < 0.1)
    without = (every.text | every.train) & every.near
    for kept, points in (
        (without, False),
        (without | tenth, True),
        ((every.text | every.key) & every.near, True),
        (every.place < 2, False),
    ):
        lines = said(listed(dev, every, kept), train)
        assert lines[0].startswith(POINTS) == points
