"""Scored pairs: chains as scipy makes them, coverage and thresholds by hand, wrong lists."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, logit

import cdec as library
from tests.cases import cases, refused
from tests.program import Run

pytestmark = pytest.mark.filterwarnings("ignore::cdec.errors.CdecWarning")
CASES = cases("pairs_cases")
Scores = Mapping[tuple[str, str], float]
SIX = list(combinations(range(6), 2))
# Document, token, chain; d and e are of topic 1, f is of topic 2.
KEY = [
    ("d", 0, "a"), ("d", 1, "a"), ("e", 0, "a"), ("e", 1, "b"), ("d", 2, "b"), ("f", 0, "b"),
    ("f", 1, "c"), ("e", 2, "c"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def made(key: list[tuple[str, int, str]]) -> library.Corpus:
    """Return a corpus of three documents; the pair of a document and a token is a mention."""
    documents = [
        {"id": doc, "sentences": [["w"] * 9], "topic": topic, "subtopic": topic}
        for doc, topic in (("d", "1"), ("e", "1"), ("f", "2"))
    ]
    records = [{"doc": doc, "start": at, "end": at, "chain": chain} for doc, at, chain in key]
    return library.build_corpus(records, documents)


def of(labels: Any) -> library.Corpus:
    """Return a corpus of mentions d/0-0, d/1-1, … whose chains are these."""
    return made([("d", at, str(label)) for at, label in enumerate(labels)])


def name(at: int) -> str:
    return f"d/{at}-{at}"


def named(scores: Mapping[tuple[int, int], float]) -> dict[tuple[str, str], float]:
    return {(name(a), name(b)): score for (a, b), score in scores.items()}


def f1(corpus: library.Corpus, scores: Scores, how: str = "") -> float:
    """Return B³ of the chains of these pairs: 1 only if they are those of the corpus."""
    rows = [(a, b, repr(float(score))) for (a, b), score in scores.items()]
    pd.DataFrame(rows, columns=["a", "b", "score"]).to_csv("x.csv", index=False)
    found = library.evaluate(corpus, f"pairs:x.csv{how}", setting="simple", metrics="b3")
    return float(found["b3"].f1)


def measures(corpus: library.Corpus, pairs: Any, **more: Any) -> dict[str, float]:
    """Return the quality of the scores."""
    table = library.score_pairs(corpus, pairs, **more).to_frame()
    quality = table[(table["section"] == "quality") & (table["measure"] != "reliability")]
    return dict(zip(quality["measure"], quality["value"], strict=True))


# ---- chains ----


@settings(max_examples=12)
@given(st.dictionaries(st.sampled_from(SIX), st.integers(0, 10)).filter(bool))
def test_closure_is_the_components_of_the_linked_pairs(tenths: dict[tuple[int, int], int]) -> None:
    linked = [pair for pair, score in tenths.items() if score >= 5]
    row, column = [a for a, _ in linked], [b for _, b in linked]
    graph = coo_array((np.ones(len(linked)), (row, column)), (6, 6))
    corpus = of(connected_components(graph)[1])
    assert f1(corpus, named({pair: score / 10 for pair, score in tenths.items()})) == 1


@pytest.mark.parametrize("method", ["average", "complete"])
@settings(max_examples=12)
@given(seed=st.integers(0, 2**32 - 1), threshold=st.floats(0.05, 0.95))
def test_agglomeration_is_that_of_scipy(
    method: Literal["average", "complete"], seed: int, threshold: float
) -> None:
    scores = np.random.default_rng(seed).uniform(0, 1, len(SIX))
    tree = linkage(1 - scores, method)
    corpus = of(fcluster(tree, 1 - threshold, "distance"))
    every = named(dict(zip(SIX, scores, strict=True)))
    assert f1(corpus, every, f"@{threshold}/{method}") == 1
    # Log-odds of the same pairs are the same probabilities, and their threshold is one of log-odds.
    odds = {pair: float(logit(score)) for pair, score in every.items()}
    if not all(0 <= score <= 1 for score in odds.values()):
        assert f1(corpus, odds, f"@{logit(threshold)}/{method}") == 1


def test_a_pair_that_is_not_listed_has_no_probability() -> None:
    scores = named({(0, 1): 0.9, (1, 2): 0.8})
    assert f1(of([0, 0, 0]), scores) == 1
    for threshold, labels in ((0.4, [0, 0, 0]), (0.41, [0, 0, 1])):
        assert f1(of(labels), scores, f"@{threshold}/average") == 1
    assert f1(of([0, 0, 1]), scores, "@0.1/complete") == 1


def test_scores_outside_0_to_1_are_log_odds_linked_at_0() -> None:
    scores = named({(0, 1): 1.5, (1, 2): 0.0, (2, 3): -0.25, (3, 4): 0.4})
    assert f1(of([0, 0, 0, 1, 1]), scores) == 1
    assert f1(of([0, 0, 1, 2, 2]), scores, "@0.4") == 1
    errors = expit(list(scores.values())) - [1, 0, 0, 1]
    brier = measures(of([0, 0, 1, 2, 2]), scores)["Brier score"]
    assert brier == pytest.approx((errors**2).mean())
    for last, warned in ((-9, False), (9, True)):  # none is below 0: per cent?
        table = named({(0, 1): 90, (1, 2): 80, (2, 3): last})
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            f1(of([0, 0, 0, 1]), table)
        assert any("reading-assumed" in str(one.message) for one in said) == warned


def test_the_score_of_a_pair_in_both_directions_is_the_mean() -> None:
    corpus, other = of([0, 0, 1]), {(1, 2): 0.1}
    one, both = named({(0, 1): 0.5} | other), named({(0, 1): 0.75, (1, 0): 0.25} | other)
    assert measures(corpus, both) == measures(corpus, one)
    assert [f1(corpus, both, f"@{at}") == 1 for at in (0.5, 0.51)] == [True, False]
    # Log-odds are those of the table: the mean of these is inside [0, 1].
    assert f1(of([0, 0]), named({(0, 1): -0.5, (1, 0): 1.0})) == 1


def test_answers_of_a_language_model_in_lines_arrays_and_fences() -> None:
    rows = [
        {"a": name(a), "b": name(b), "answer": answer}
        for (a, b), answer in {(0, 1): "Yes.", (1, 2): "no", (2, 3): "yes "}.items()
    ]
    numbers = named({(0, 1): 1, (1, 2): 0, (2, 3): 1})
    expected = measures(of([0, 0, 1, 2]), numbers)
    array, lines = json.dumps(rows, indent=1), "\n".join(map(json.dumps, rows))
    fenced = f"Here are they:\n```json\n{array}\n```\nDone."
    parts = [f"```\n{json.dumps(part)}\n```\n" for part in (rows[:1], rows[1:])]
    in_object = json.dumps({"pairs": rows})
    several = f"Topic 1:\n{parts[0]}\nTopic 2:\n{parts[1]}"
    thought = f"<think>d/0?</think>\n{in_object}"
    cut = f'```json\n{array[:-2]}, {{"a": "d/0-0", "b": "d/'
    for text in (array, lines, in_object, fenced, several, thought, cut):
        Path("x.json").write_text(text)
        assert measures(of([0, 0, 1, 2]), "x.json", lenient=True) == expected
    with refused("file-invalid", "x.json:17"):
        library.score_pairs(of([0, 0, 1, 2]), "x.json")


@pytest.mark.parametrize(("answer", "meaning"), CASES["prose"].items())
def test_an_answer_in_prose_is_read_by_one_rule(answer: str, meaning: str) -> None:
    corpus = of([0, 0, 1])
    said, unread = {"yes": (1, 0.0), "no": (0, 0.0), "none": (None, 0.3333)}[meaning]
    plain = {(name(0), name(1)): "yes", (name(1), name(2)): "no", (name(0), name(2)): said}
    prose = {**plain, (name(0), name(2)): answer}
    signature = library.score_pairs(corpus, prose, lenient=True).page.foot[0]
    assert f"reading:answers=prose,unread={unread}" in signature
    assert measures(corpus, prose, lenient=True) == measures(corpus, plain)
    with refused("file-invalid"):
        library.score_pairs(corpus, prose)


def test_mentions_outside_the_part_join_mentions_inside(cdec: Run) -> None:
    inside = library.load_corpus("sample", "test").selected.index
    outside = library.load_corpus("sample", "dev").selected.index[0]
    values = []
    for joined in ([(inside[0], outside), (outside, inside[-1])], [(inside[0], inside[-1])]):
        rows = [*joined, (inside[1], inside[2])]
        table = pd.DataFrame(rows, columns=["a", "b"]).assign(score=0.9)
        table.to_csv("mixed.csv", index=False)
        ran = cdec("eval pairs:mixed.csv --split test -s simple --metric b3 -f json")
        values.append(ran.json["rows"][0]["f1"])
    assert values[0] == values[1]
    whole = cdec("pairs mixed.csv --split dev")
    assert (whole.exit, whole.error) == (1, "mention-unknown")


# ---- the list ----


def coverage(pairs: list[list[str]]) -> dict[str, list[float]]:
    """Return setting → gold and listed links, chains of two or more, joined, and complete ones."""
    table = library.score_pairs(
        made(KEY), pd.DataFrame(pairs, columns=["a", "b"]), setting=["simple", "pure", "ycf"]
    ).to_frame()
    rows = table[(table["section"] == "list") & table["setting"].notna()].set_index("setting")
    columns = ["gold", "listed", "chains", "whole", "complete"]
    return {str(at): row.tolist() for at, row in rows[columns].iterrows()}


@pytest.mark.parametrize("case", CASES["coverage"])
def test_links_and_chains_in_the_list(case: str) -> None:
    listed = dict(CASES["coverage"][case])
    assert coverage(listed.pop("pairs")) == listed


def test_a_pair_without_a_score_is_listed_and_never_links() -> None:
    corpus, scores = of([0, 0, 1]), named({(0, 1): 0.5, (1, 2): float("nan")})
    with pytest.warns(library.CdecWarning, match="pairs-left-out"):
        table = library.score_pairs(corpus, scores).to_frame()
    assert table["unscored"].max() == 1
    assert f1(corpus, scores, "@0") == 1


@pytest.mark.parametrize("text", ["a,b,score\n", '{"pairs": []}', "[]", "a,b\n,\n"])
def test_a_list_without_pairs_is_refused(cdec: Run, text: str) -> None:
    Path("x.json").write_text(text)
    ran = cdec("pairs x.json --split test")
    assert (ran.exit, ran.error) == (1, "file-invalid")
    assert "no pairs" in ran.said


def test_answers_are_not_called_confident_and_no_link_is_no_threshold() -> None:
    corpus, yes = of([0, 1, 2, 2]), named({(0, 1): 1.0, (2, 3): 0.0})
    page = library.score_pairs(corpus, yes)
    assert not any("confident" in text for text in page.page.intro)
    assert any(
        "confident" in text for text in library.score_pairs(corpus, named({(0, 1): 0.9})).page.intro
    )
    odds = library.score_pairs(of([0, 1, 2]), named({(0, 1): 85.0, (1, 2): 85.0}))
    for text in (*odds.page.intro, *odds.to_frame()["response"].dropna()):
        assert "inf" not in text


def test_pairs_of_another_part_name_it(cdec: Run) -> None:
    ids = library.load_corpus("sample", "dev").selected.index
    Path("x.csv").write_text(f"a,b,score\n{ids[0]},{ids[1]},0.5\n")
    ran = cdec("pairs x.csv --split test")
    assert (ran.exit, ran.error) == (1, "mention-unknown")
    assert "sample/dev" in ran.said


@pytest.mark.parametrize("row", ["d/0-0,d/0-0,.5\n", "d/0-0,d/1-1,\n"])
def test_a_list_without_a_scored_pair_has_a_page(row: str) -> None:
    Path("x.csv").write_text(f"a,b,score\n{row}")
    table = library.score_pairs(of([0, 0, 1]), "x.csv", setting=["simple", "pure"]).to_frame()
    assert table["pairs"].max() == row.count("d/1-1")
    assert set(table["section"]) == {"list", "chains-simple", "chains-pure"}


@pytest.mark.parametrize("case", CASES["wrong"])
def test_a_wrong_list_is_refused(case: str) -> None:
    wrong = CASES["wrong"][case]
    columns = ["a", "b", "score"][: len(wrong["rows"][0])]
    table = pd.DataFrame(wrong["rows"], columns=columns, dtype=object)
    with refused(wrong["code"]):
        library.score_pairs(of([0, 0, 1]), table, **wrong.get("choices", {}))


def test_only_scored_pairs_are_a_response(cdec: Run) -> None:
    Path("list.csv").write_text("a,b\n4_1ecb/1,4_1ecb/2\n")
    assert cdec("pairs list.csv").exit == 0
    codes = CASES["no_response"]
    assert {file: cdec("eval", f"pairs:{file}").error for file in codes} == codes


# ---- tune ----


def files(cdec: Run) -> None:
    """Write scores of sac, in steps of a tenth, for dev and test."""
    for part in ("dev", "test"):
        call = ("predict", "--system", "sac", "--split", part, "--pairs-out", f"{part}.csv")
        assert cdec(*call).exit == 0
        pd.read_csv(f"{part}.csv").round(1).to_csv(f"{part}.csv", index=False)


def test_tune_chooses_the_best_threshold_on_the_other_part(cdec: Run) -> None:
    files(cdec)
    dev = library.load_corpus("sample", "dev")

    def value(how: str) -> float:
        found = library.evaluate(dev, f"pairs:dev.csv@{how}", setting="pure", metrics="conll")
        return float(found["conll"].f1)

    closed = {at / 10: value(f"{at / 10}/closure") for at in range(11)}
    best = max(closed, key=lambda at: (closed[at], at))
    tuned = "pairs test.csv --split test --tune dev.csv -f json"
    (signature,) = cdec(f"{tuned} --cluster closure").json["signatures"]
    assert (signature["threshold"], signature["clustering"]) == (best, "closure")
    # Of all clusterings: no worse than any threshold of any of them.
    (signature,) = cdec(tuned).json["signatures"]
    chosen = value(f"{signature['threshold']!r}/{signature['clustering']}")
    others = [value(f"{at / 10}/{how}") for at in range(1, 10) for how in ("average", "complete")]
    assert chosen >= max(*closed.values(), *others) - 1e-12


def test_what_cannot_be_tuned_on(cdec: Run) -> None:
    files(cdec)
    pd.read_csv("dev.csv").assign(score=lambda table: table["score"] * 9).to_csv("odds.csv")
    pd.read_csv("dev.csv")[["a", "b"]].to_csv("list.csv", index=False)
    codes = CASES["not_tuned_on"]
    assert {each: cdec(each).error for each in codes} == codes


@pytest.mark.parametrize("cluster", ["closure", "average"])
def test_scores_of_zero_only_have_a_page(cluster: str) -> None:
    scores = named({(0, 1): 0.0, (1, 2): 0.0})
    assert "F1" in library.score_pairs(of([0, 0, 1]), scores, cluster=cluster).to_html()
