from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdec.api import evaluate
from cdec.baselines import blocks as blocks_module
from cdec.baselines import run, system
from cdec.baselines.blocks import Blocks
from cdec.baselines.lemma import Lemma
from cdec.baselines.lemma_delta import LemmaDelta
from cdec.clustering import Clustering
from cdec.configs import read_table
from cdec.corpus import Corpus, load_split, read, sample_path, select
from cdec.corpus.blind import blind
from cdec.language.similarity import DocumentPairs
from cdec.language.vectors import vectors
from cdec.system import Tuned
from tests.baselines.disguise import disguise
from tests.language.tiny import corpus
from tests.refusals import refused

# The first document is similar to the second, the second to the third. The fourth has one word,
# which all have.
TEXTS = {
    "1_1ecb": ["riot riot police ended", "police ended"],
    "1_2ecb": ["riot police quake aceh ended"],
    "2_1ecb": ["quake quake aceh aceh ended", "sumatra"],
    "2_2ecb": ["ended ,", "ended"],
}
ENDED = [("1_1ecb", (3,), "a"), ("1_1ecb", (5,), "a"), ("1_2ecb", (4,), "a"), ("2_1ecb", (4,), "b")]
MENTIONS = [*ENDED, ("2_2ecb", (0,), "c"), ("2_2ecb", (2,), "c")]


def chains(clustering: Clustering) -> list[list[str]]:
    return sorted(sorted(chain) for chain in clustering.chains().values())


def similarities(corpus_: Corpus) -> dict[tuple[str, str], float]:
    rows = vectors(list(corpus_.documents.values()), LemmaDelta().tfidf)
    table = (rows @ rows.T).toarray()
    ids = list(corpus_.documents)
    return {(a, b): table[i, j] for i, a in enumerate(ids) for j, b in enumerate(ids)}


@pytest.fixture(scope="module", params=["sample", "ecbplus"])
def real(request: pytest.FixtureRequest) -> Corpus:
    if request.param == "sample":
        return read(sample_path())
    return select(request.getfixturevalue("whole_ecbplus"), "dev", load_split("ycf"))


def test_links_are_followed_from_document_to_document() -> None:
    tiny = corpus(TEXTS, MENTIONS)
    cosine = similarities(tiny)
    low = min(cosine["1_1ecb", "1_2ecb"], cosine["1_2ecb", "2_1ecb"])
    assert cosine["1_1ecb", "2_1ecb"] < low  # only the middle document connects the two
    assert chains(run(LemmaDelta(delta=low), tiny)) == [
        ["1_1ecb/11", "1_1ecb/12", "1_2ecb/11", "2_1ecb/11"],
        ["2_2ecb/11", "2_2ecb/12"],
    ]


def test_the_middle_must_have_the_lemma() -> None:
    cosine = similarities(corpus(TEXTS, MENTIONS))
    low = min(cosine["1_1ecb", "1_2ecb"], cosine["1_2ecb", "2_1ecb"])
    without = [mention for mention in ENDED if mention[0] != "1_2ecb"]
    assert chains(run(LemmaDelta(delta=low), corpus(TEXTS, without))) == [
        ["1_1ecb/11", "1_1ecb/12"],
        ["2_1ecb/11"],
    ]


def test_mentions_of_one_document_are_linked_even_without_text() -> None:
    """A document without text is linked to no other document."""
    assert chains(run(LemmaDelta(delta=1), corpus(TEXTS, MENTIONS))) == [
        ["1_1ecb/11", "1_1ecb/12"],
        ["1_2ecb/11"],
        ["2_1ecb/11"],
        ["2_2ecb/11", "2_2ecb/12"],
    ]
    bare = {id_: ["the ended"] for id_ in TEXTS}
    mentions = [(id_, (1,), "a") for id_ in bare]
    empty = LemmaDelta(tfidf=replace(LemmaDelta().tfidf, min_df=5))
    assert chains(run(empty, corpus(bare, mentions))) == [[f"{id_}/11"] for id_ in sorted(bare)]


def test_zero_is_lemma(real: Corpus) -> None:
    assert chains(run(LemmaDelta(delta=0), real)) == chains(run(Lemma(), real))
    whole = evaluate(real, [LemmaDelta(delta=0), Lemma()], setting="all").to_frame()
    ours, theirs = (part.drop(columns="system") for _, part in whole.groupby("system", sort=False))
    pd.testing.assert_frame_equal(ours.reset_index(drop=True), theirs.reset_index(drop=True))


def test_zero_is_lemma_where_there_is_no_text() -> None:
    tiny = corpus(TEXTS, MENTIONS)
    assert chains(run(LemmaDelta(delta=0), tiny)) == chains(run(Lemma(), tiny))


def test_a_higher_threshold_splits_and_never_joins(real: Corpus) -> None:
    hidden = blind(real).corpus
    answers = list(LemmaDelta().curve(hidden, [0, 0.1, 0.2, 0.3, 0.5, 0.8, 1]))
    for coarse, fine in pairwise(answers):
        assert coarse.labels.groupby(fine.labels).nunique().max() == 1
    assert len({answer.labels.nunique() for answer in answers}) > 3


def test_a_curve_is_what_each_system_predicts(real: Corpus) -> None:
    hidden = blind(real).corpus
    deltas = [0.4, 0, 0.25]
    for delta, answer in zip(deltas, LemmaDelta().curve(hidden, deltas), strict=True):
        alone = LemmaDelta(delta=delta).predict(hidden)
        pd.testing.assert_series_equal(answer.labels, alone.labels)


def test_the_links_themselves(real: Corpus) -> None:
    """The definition, pair by pair: components of equal head lemma and similar documents."""
    hidden = blind(real).corpus
    cosine = similarities(hidden)
    lemmas, docs = LemmaDelta().lemmas(hidden), hidden.mentions["doc"]
    names = dict(zip(hidden.mentions.index, zip(lemmas, docs, strict=True), strict=True))
    expected = components(
        list(names),
        (
            (a, b)
            for a, (lemma, doc) in names.items()
            for b, (other, place) in names.items()
            if lemma == other and (doc == place or cosine[doc, place] >= 0.3)
        ),
    )
    assert chains(LemmaDelta(delta=0.3).predict(hidden)) == expected


def components(items: list[Any], links: Iterator[tuple[Any, Any]]) -> list[list[Any]]:
    """Connected components, the slow way: every link renames one side."""
    name = {item: item for item in items}
    for a, b in links:
        if name[a] != name[b]:
            old, new = name[a], name[b]
            name = {item: new if label == old else label for item, label in name.items()}
    groups: dict[Any, list[Any]] = {}
    for item, label in name.items():
        groups.setdefault(label, []).append(item)
    return sorted(sorted(group) for group in groups.values())


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Mentions as (lemma, document), and pairs of documents."""
    size = 5
    mentions = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, size - 1)), max_size=20))
    pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
    return mentions, draw(st.lists(st.sampled_from(pairs), unique=True))


@given(graphs())
def test_blocks_against_slow_components(
    graph: tuple[list[tuple[int, int]], list[tuple[int, int]]],
) -> None:
    mentions, pairs = graph
    lemma = pd.Series([f"l{a}" for a, _ in mentions], dtype=object)
    document = pd.Series([f"d{b}" for _, b in mentions], dtype=object)
    blocks = Blocks.from_mentions(lemma, document, [f"d{n}" for n in range(5)])
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    one_each = [DocumentPairs(row[:1], row[1:], np.ones(1)) for row in ends]
    together = [DocumentPairs(ends[:, 0], ends[:, 1], np.ones(len(ends)))]
    linked = (
        (i, j)
        for i, (a, b) in enumerate(mentions)
        for j, (c, d) in enumerate(mentions)
        if a == c and (b == d or (min(b, d), max(b, d)) in pairs)
    )
    expected = components(list(range(len(mentions))), linked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks_module, "_LINKS", 2)
        patch.setattr(blocks_module, "_PAIRS", 2)
        for chunks in (one_each, together):
            labels = blocks.labels(blocks.by_links(chunks))
            groups = labels.groupby(labels).groups.values()
            assert sorted(sorted(map(int, group)) for group in groups) == expected
            assert all(
                label.split("/")[0] == word for label, word in zip(labels, lemma, strict=True)
            )


def test_labels_count_inside_a_lemma() -> None:
    blocks = Blocks.from_mentions(
        pd.Series(["b", "a", "b", "a"]), pd.Series(["x", "x", "y", "y"]), ["x", "y"]
    )
    assert blocks.labels(np.array([7, 3, 9, 3])).tolist() == ["b/0", "a/0", "b/1", "a/0"]


def test_other_names_and_another_order_change_nothing(real: Corpus) -> None:
    other, renamed = disguise(real, seed=11)
    here, there = run(LemmaDelta(), real).labels, run(LemmaDelta(), other).labels
    assert there.loc[[renamed[str(id_)] for id_ in here.index]].tolist() == here.tolist()


def test_a_mention_without_a_word_matches_nothing() -> None:
    blank = corpus(
        {"1_1ecb": ["A  attack"], "1_2ecb": ["A  attack"]},
        [("1_1ecb", (1,), "a"), ("1_2ecb", (1,), "a")],
    )
    assert blank.mentions["text"].tolist() == ["", ""]
    assert chains(run(LemmaDelta(), blank)) == [["1_1ecb/11"], ["1_2ecb/11"]]


def test_no_mentions_no_chains() -> None:
    empty = corpus(TEXTS, [])
    assert len(LemmaDelta().predict(empty)) == 0
    assert len(LemmaDelta(delta=0).predict(empty)) == 0


def test_a_part_without_documents_is_refused(real: Corpus) -> None:
    with refused("part-too-small", place="(none)"):
        run(LemmaDelta(), real.subset([], "none"))


@pytest.mark.parametrize("delta", [-0.01, 1.01, nan, "0.3", None, True])
def test_an_invalid_threshold(delta: Any) -> None:
    with refused("parameter-invalid", repr(delta), place="lemma-delta"):
        LemmaDelta(delta=delta)
    with refused("parameter-invalid", repr(delta), place="lemma-delta"):
        list(LemmaDelta().curve(corpus(TEXTS, MENTIONS), [0.3, delta]))


def test_the_signature_holds_every_choice() -> None:
    shown = LemmaDelta(delta=0.25).parameters
    assert shown["nlp"] == Lemma().parameters["nlp"]
    assert shown["delta"] == 0.25
    assert shown["tfidf"] == {
        "lowercase": True,
        "stop_words": True,
        "words_only": True,
        "sublinear_tf": False,
        "min_df": 1,
    }
    assert set(shown) == {"nlp", "delta", "tfidf"}


def test_the_signature_names_the_tuning_data() -> None:
    dev = Tuned("ecb+", "ycf-dev", ("23",))
    assert LemmaDelta(tuned=dev).parameters["tuned_on"] == "ycf-dev"
    assert "tuned-on-test" not in LemmaDelta(tuned=dev).parameters
    marked = replace(dev, on_test=True)
    assert LemmaDelta(tuned=marked).parameters["tuned-on-test"] is True
    tiny = corpus(TEXTS, MENTIONS)
    results = evaluate(tiny, LemmaDelta(tuned=marked), setting="simple")
    assert "|tuned_on:ycf-dev|tuned-on-test:true|" in str(results.signature)


def test_a_score_on_the_tuning_data_is_marked(real: Corpus) -> None:
    topics = tuple({document.topic for document in real.documents.values()})
    inside = Tuned(real.name, "my-dev", topics[:1])
    assert inside.scoring(real).on_test
    assert not Tuned(real.name, "my-dev", ("99",)).scoring(real).on_test
    assert not Tuned("another corpus", "my-dev", topics).scoring(real).on_test
    assert not Tuned(real.name, real.part, topics).scoring(real).on_test  # dev on dev: both show


def test_the_papers_threshold_is_the_default() -> None:
    assert system("lemma-delta") == LemmaDelta(delta=0.3)


def test_the_printed_row(whole_ecbplus: Corpus) -> None:
    """Upadhyay et al. (2016), Table 3, SIMPLE-CDEC: every F within two points."""
    test = select(whole_ecbplus, "test", load_split("ycf"))
    ours = evaluate(test, LemmaDelta(), setting="simple", metrics="all")
    (printed,) = (
        row
        for row in read_table("tables/table3.csv")
        if (row["setting"], row["system"]) == ("SIMPLE-CDEC", "Lemma-δ")
    )
    columns = {
        "muc": "muc_f",
        "b3": "b3_f",
        "ceafe": "ceafe_f",
        "blanc": "blanc_f",
        "conll": "conll_avg",
        "avg4": "avg4",
    }
    for metric, column in columns.items():
        assert 100 * (ours[metric].f1 or 0) == pytest.approx(float(printed[column]), abs=2), metric
