"""Intervals and paired tests against slow twins: every copy, every exchange, written out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm, t

import cdec as package
from cdec import CdecError, Plan
from tests.cases import refused
from tests.program import Run
from tests.twins import (
    LENIENT,
    SIX,
    Chains,
    Side,
    Tiny,
    chains_of,
    labels,
    tiny,
    twin_counts,
    twin_setting,
    twin_values,
)

SHOWN = ["muc", "b3", "ceafe", "blanc", "conll"]
COUNTED = [*SHOWN[:3], "blanc_coref", "blanc_noncoref"]
PLAN = Plan(resamples=50, exchanges=1000, seed=3)
Documents = list[tuple[Chains, Chains]]


def f1(documents: Documents) -> np.ndarray:
    """F1 of each metric by the slow twins."""
    values = twin_values(twin_counts(documents, COUNTED))
    return np.array([float(values[name][-1]) for name in SHOWN])


def evaluate(case: Tiny, **options: Any) -> Any:
    given = {"metrics": SHOWN, "policy": LENIENT, "ci": PLAN, **options}
    return package.evaluate(case.corpus, case.response, **given).to_frame()


def ends(frame: Any, value: str = "f1") -> tuple[list[float], list[float]]:
    """The lower and the upper end of each interval."""
    low, high = (frame[f"{value}_{end}"].astype(float).tolist() for end in ("low", "high"))
    return low, high


@st.composite
def cases(draw: st.DrawFn, homes: Sequence[int], lowest: int = -1) -> Tiny:
    """Any response to any key of mentions in these documents."""
    size = len(homes)
    key = draw(labels(size, 0).map(lambda some: [n % 4 for n in some]))
    response = draw(labels(size, lowest).map(lambda some: [min(n, 4) for n in some]))
    return tiny(homes, key, response)


# --- intervals ------------------------------------------------------------------------------------


def resamples(units: int, plan: Plan = PLAN) -> np.ndarray:
    """How often each unit is drawn in each resample."""
    rng = np.random.default_rng(plan.seed)
    return rng.multinomial(units, np.full(units, 1 / units), size=plan.resamples)


def percentiles(replicates: np.ndarray, units: int) -> np.ndarray:
    """Hesterberg (2015), section 4.1: percentiles widened for few units."""
    tail = np.sqrt(units / (units - 1)) * t.ppf(0.025, units - 1)
    return np.asarray(np.quantile(replicates, norm.cdf([tail, -tail]), axis=0))


def materialised(case: Tiny, weights: Mapping[str, int], across: bool) -> Documents:
    """A resample with every copy of every mention.

    A chain whose drawn mentions are in several topics is one chain over all copies; any other is
    copied with its topic.
    """
    copies = [(p, n) for p in case.places for n in range(weights[p.topic])]

    def side(chains: Side) -> Side:
        homes: dict[str, set[str]] = {}
        for place, _ in copies:
            if place.mention in chains:
                homes.setdefault(chains[place.mention], set()).add(place.topic)
        found = {}
        for place, copy in copies:
            if place.mention in chains:
                label = chains[place.mention]
                own = "" if across and len(homes[label]) > 1 else f"{copy} {place.topic}"
                found[place.mention, copy] = f"{label} {own}"
        return found

    sides = side(case.key), side(case.response)
    if across:
        return [(chains_of(sides[0]), chains_of(sides[1]))]
    where = {(p.mention, n): f"{p.topic} {n}" for p, n in copies}
    return [
        (chains_of(sides[0], where, home), chains_of(sides[1], where, home))
        for home in dict.fromkeys(where.values())
    ]


def replicates(case: Tiny, setting: str, plan: Plan = PLAN) -> np.ndarray:
    """F1 of each resample of topics, shifted to the score where a chain may span topics."""
    topics = list(dict.fromkeys(place.topic for place in case.places))
    across = setting == "simple"
    scores = {
        tuple(drawn): f1(materialised(case, dict(zip(topics, drawn, strict=True)), across))
        for drawn in {tuple(row) for row in resamples(len(topics), plan).tolist()}
    }
    each = np.array([scores[tuple(row)] for row in resamples(len(topics), plan).tolist()])
    spans = across and len(topics) > 1
    return (
        centred(each, f1(materialised(case, dict.fromkeys(topics, 1), across))) if spans else each
    )


def centred(each: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Replicates shifted on the scale of log-odds, so that their mean is the score."""
    with np.errstate(divide="ignore"):
        odds = logit(each)

    def off(shift: float, column: int) -> float:
        return float(expit(odds[:, column] + shift).mean() - score[column])

    shifts = []
    for column in range(each.shape[1]):
        low, high = off(-80, column), off(80, column)
        reached = low < 0 < high
        shifts.append(
            brentq(off, -80, 80, (column,), xtol=1e-13) if reached else 80 * np.sign(-low - high)
        )
    return np.asarray(expit(odds + np.array(shifts)))


TWO_TOPICS = [0, 0, 1, 2, 2, 4, 4, 4, 5, 5]


@given(cases(TWO_TOPICS))
@settings(max_examples=10)
def test_intervals_of_separate_topics_are_those_of_every_copy(case: Tiny) -> None:
    low, high = percentiles(replicates(case, "bh"), 2)
    frame = evaluate(case, setting="bh")
    assert frame["f1"].tolist() == pytest.approx(f1(materialised(case, {"t0": 1, "t1": 1}, False)))
    assert np.array(ends(frame)) == pytest.approx(np.array([low, high]))


@given(cases(TWO_TOPICS))
@settings(max_examples=10)
def test_intervals_of_chains_across_topics_are_those_of_every_copy(case: Tiny) -> None:
    """Of the metrics whose resamples can be shifted to the score: others are at 0 or 1."""
    each = replicates(case, "simple")
    frame = evaluate(case, setting="simple")
    score = frame["f1"].to_numpy(float)
    moved = np.isclose(each.mean(axis=0), score, atol=1e-9)
    low, high = percentiles(each, 2)
    found = np.array(ends(frame))
    assert found[:, moved] == pytest.approx(np.array([low, high])[:, moved], abs=1e-7)


def many(seed: int = 0, topics: int = 12, quality: float = 0.6) -> tuple[list[Any], Any, Side]:
    """Documents, records and a response of a corpus of many topics."""
    rng = np.random.default_rng(seed)
    documents, records, response = [], [], {}
    words = ["quake", "fire", "storm", "trial"]
    for topic in range(topics):
        size = int(rng.integers(4, 10))
        said = rng.choice(words, size).tolist()
        documents.append({"id": f"d{topic}", "topic": f"t{topic}", "sentences": [said]})
        for n, event in enumerate(rng.integers(0, 3, size).tolist()):
            span = (f"d{topic}", n, n)
            records.append({"doc": f"d{topic}", "start": n, "end": n, "chain": f"{topic}.{event}"})
            right = rng.random() < quality
            other = rng.integers(3)
            response[span] = f"{topic}.{event}" if right else f"{topic}.x{other}"
    return documents, records, response


@pytest.fixture(scope="module")
def corpus() -> package.Corpus:
    documents, records, _ = many()
    return package.build_corpus(records, documents)


RESPONSE, OTHER = many()[2], many(quality=0.9)[2]


def test_seed_and_number_of_resamples_decide_an_interval(corpus: package.Corpus) -> None:
    def low(plan: Plan) -> list[float]:
        return ends(package.evaluate(corpus, RESPONSE, setting="bh", ci=plan).to_frame())[0]

    with pytest.raises(CdecError):
        low(100)  # type: ignore[arg-type]
    assert low(Plan(resamples=100)) == low(Plan(resamples=100, seed=0))
    assert low(Plan(resamples=100)) != low(Plan(resamples=100, seed=1))
    assert low(Plan(resamples=100)) != low(Plan(resamples=101))
    assert (
        low(Plan())
        == low(Plan(resamples=1000))
        == ends(package.evaluate(corpus, RESPONSE, setting="bh", ci=True).to_frame())[0]
    )


@pytest.mark.parametrize("setting", ["bh", "pure"])
def test_an_interval_contains_its_score_and_has_precision_and_recall(
    corpus: package.Corpus, setting: str
) -> None:
    results = package.evaluate(corpus, RESPONSE, setting=setting, metrics="all", ci=PLAN)
    frame: Any = results.to_frame().set_index("metric")
    for value in ("precision", "recall", "f1"):
        known = frame.dropna(subset=[value])
        low, high = known[f"{value}_low"].astype(float), known[f"{value}_high"].astype(float)
        assert ((low >= 0) & (low <= known[value]) & (known[value] <= high) & (high <= 1)).all()
    for name in ("b3", "conll", "lea", "avg4"):
        assert 0 < frame.loc[name, "f1_low"] < frame.loc[name, "f1_high"] < 1


def test_intervals_of_two_sides_need_topics(corpus: package.Corpus) -> None:
    key = {f"d{n}/{m}": "ab"[m % 2] for n in range(4) for m in range(3)}
    response = dict.fromkeys(key, "a")
    topics = {f"d{n}": f"t{n}" for n in range(4)}
    frame = package.score(key, response, setting="bh", topics=topics, ci=PLAN).to_frame()
    assert (frame["f1_low"] <= frame["f1_high"]).all()
    with refused("annotation-missing"):
        package.score(key, response, scope="corpus", ci=PLAN)


# --- paired tests ---------------------------------------------------------------------------------

Systems = tuple[Side, Side]


def names_of_best_partners(places: Iterable[Any], systems: Systems) -> Systems | None:
    """Both responses, with one name for two chains of the best alignment; None for a tie."""
    ours, theirs = systems
    left, right = (list(dict.fromkeys(side.values())) for side in systems)
    overlap = {
        (a, b): sum(ours.get(p.mention) == a and theirs.get(p.mention) == b for p in places)
        for a in left
        for b in right
    }
    pairs = [pair for pair, shared in overlap.items() if shared]
    best = [
        (sum(overlap[pair] for pair in chosen), frozenset(chosen))
        for size in range(min(len(left), len(right)) + 1)
        for chosen in combinations(pairs, size)
        if len({a for a, _ in chosen}) == len({b for _, b in chosen}) == size
    ]
    most = max(total for total, _ in best)
    found = [chosen for total, chosen in best if total == most]
    if len(found) > 1:
        return None
    partner = {b: a for a, b in found[0]}
    return ours, {m: partner.get(label, f"other {label}") for m, label in theirs.items()}


class Exchanges:
    """All exchanges of two responses: group by group of the mentions, under one setting."""

    def __init__(self, case: Tiny, systems: Systems, setting: str) -> None:
        self.case, self.setting = case, setting
        self.systems = systems
        self.differ = [
            p for p in case.places if systems[0].get(p.mention) != systems[1].get(p.mention)
        ]

    def gap(self, moved: Callable[[Any], bool]) -> np.ndarray:
        """The absolute difference in F1 of both responses after an exchange."""
        sides: Systems = ({}, {})
        for place in self.case.places:
            for number in (0, 1):
                source = self.systems[number ^ moved(place)]
                if place.mention in source:
                    sides[number][place.mention] = source[place.mention]
        documents = [
            twin_setting(self.case.places, (self.case.key, side), *SIX[self.setting])
            for side in sides
        ]
        return np.asarray(np.abs(f1(documents[0]) - f1(documents[1])))

    def all_gaps(self, group: Callable[[Any], Hashable], among: Iterable[Any]) -> np.ndarray:
        groups = list(dict.fromkeys(map(group, among)))
        gaps = []
        for chosen in product((False, True), repeat=max(len(groups) - 1, 0)):
            # An exchange and its complement are the same.
            taken = {g for g, is_taken in zip(groups[1:], chosen, strict=True) if is_taken}
            gaps.append(self.gap(lambda place, taken=taken: group(place) in taken))  # type: ignore[misc]
        return np.array(gaps)


def share(gaps: np.ndarray) -> np.ndarray:
    """p: the share of exchanges with at least the observed difference."""
    return np.asarray((gaps >= gaps[0] - 1e-12).mean(axis=0))


def effective(groups: Sequence[Hashable]) -> float:
    sizes = np.array([groups.count(one) for one in dict.fromkeys(groups)])
    return float(sizes.sum() ** 2 / (sizes**2).sum()) if groups else 1.0


def two_way(case: Tiny, systems: Systems, setting: str) -> tuple[np.ndarray, ...]:
    """p by topic, p by word, and the p of both (Cameron, Gelbach and Miller 2011)."""
    word = {p.mention: w for p, w in zip(case.places, case.words, strict=True)}
    exchanges = Exchanges(case, systems, setting)
    kinds: list[Callable[[Any], Hashable]] = [
        lambda place: place.topic,
        lambda place: word[place.mention],
        lambda place: (place.topic, word[place.mention]),
    ]
    p, variances = [], []
    for number, kind in enumerate(kinds):
        among = case.places if number == 0 else exchanges.differ
        gaps = exchanges.all_gaps(kind, among)
        p.append(share(gaps))
        size = effective([kind(place) for place in exchanges.differ])
        variances.append(np.maximum((gaps**2).mean(axis=0) - gaps[0] ** 2 / size, 0))
    larger, unit, by_word, cell = np.maximum(p[0], p[1]), *variances
    most = np.maximum(unit, by_word)
    ratio = np.divide(unit + by_word - cell, most, out=np.ones_like(most), where=most > 0)
    corrected = 2 * norm.cdf(norm.ppf(larger / 2) / np.sqrt(np.maximum(ratio, 1)))
    return p[0], p[1], np.maximum(larger, corrected)


WORDS = "quake fire quake fire quake quake fire storm fire storm"


@st.composite
def compared(draw: st.DrawFn) -> tuple[Tiny, Systems]:
    """A key and two systems, on mentions with a few words."""
    key = [n % 3 for n in draw(labels(10, 0))]
    first, second = ([min(n, 3) for n in draw(labels(10))] for _ in range(2))
    case = tiny(TWO_TOPICS, key, first, WORDS)
    return case, (case.response, tiny(TWO_TOPICS, key, second, WORDS).response)


def compare(case: Tiny, systems: Any, **options: Any) -> Any:
    given = {"setting": "bh", "metrics": SHOWN, "plan": PLAN, "policy": LENIENT, **options}
    return package.compare(case.corpus, systems, **given).to_frame()


@pytest.mark.parametrize("setting", ["bh", "simple"])
@given(both=compared())
@settings(max_examples=10)
def test_p_is_that_of_all_exchanges_written_out(setting: str, both: tuple[Tiny, Systems]) -> None:
    case, (one, other) = both
    topics = {p.mention: p.topic if setting == "bh" else "" for p in case.places}
    cut = [{m: f"{topics[m]} {label}" for m, label in side.items()} for side in (one, other)]
    named = names_of_best_partners(case.places, (cut[0], cut[1]))
    assume(named is not None)
    assert named is not None
    by_topic, by_word, p = two_way(case, named, setting)
    frame = compare(case, {"a": one, "b": other}, setting=setting)
    assert frame["exact"].all()
    assert frame["p_unit"].tolist() == pytest.approx(by_topic)
    assert frame["p_word"].tolist() == pytest.approx(by_word)
    assert frame["p"].tolist() == pytest.approx(p)


@given(compared())
@settings(max_examples=8)
def test_the_interval_of_a_difference_is_that_of_the_same_resamples(
    both: tuple[Tiny, Systems],
) -> None:
    case, (one, other) = both
    first, second = (replicates(case._replace(response=side), "bh") for side in (one, other))
    low, high = percentiles(first - second, 2)
    frame = compare(case, {"a": one, "b": other})
    assert frame["difference"].tolist() == pytest.approx((frame["f1_a"] - frame["f1_b"]).tolist())
    assert frame["low"].tolist() == pytest.approx(low, abs=1e-12)
    assert frame["high"].tolist() == pytest.approx(high, abs=1e-12)


def test_one_word_in_many_topics_is_one_decision() -> None:
    """A system that links "quake" everywhere decided once; the test by topic sees 12 decisions."""
    homes = [number for number in range(6) for _ in range(4)]
    topics = {f"d{n}": f"t{n}" for n in range(6)}
    documents = [
        {"id": doc, "topic": topic, "sentences": [["quake"] * 24]} for doc, topic in topics.items()
    ]
    spans = [(f"d{home}", n, n) for n, home in enumerate(homes)]
    records = [
        {"doc": d, "start": a, "end": b, "chain": f"{d}.{n % 4 == 0}"}
        for n, (d, a, b) in enumerate(spans)
    ]
    case = package.build_corpus(records, documents)
    systems: Any = {
        "linked": dict.fromkeys(spans, "one"),
        "split": {span: f"x{n}" for n, span in enumerate(spans)},
    }
    (row,) = (
        package.compare(case, systems, setting="bh", metrics="b3", plan=PLAN)
        .to_frame()
        .to_dict("records")
    )
    assert (row["words"], row["shared"], row["p_word"]) == (1, 1.0, 1.0)
    assert row["p_unit"] == 2 / 2**6
    assert row["p"] == row["least_p"] == 1.0


def test_random_exchanges_include_the_observed_one() -> None:
    """With more topics than can be tried: p is (b + 1) / (m + 1)."""
    documents, records, weak = many(seed=1, topics=24, quality=0.2)
    strong = many(seed=1, topics=24, quality=0.98)[2]
    big = package.build_corpus(records, documents)
    plan = Plan(resamples=20, exchanges=99)
    frame = package.compare(big, {"a": strong, "b": weak}, setting="bh", metrics="b3", plan=plan)
    row: Any = frame.to_frame().iloc[0]
    assert (row["exact"], row["exchanges"], row["units"]) == (False, 99, 24)
    assert row["p_unit"] == pytest.approx(1 / 100)


def holm(p: Sequence[float]) -> list[float]:
    """Holm (1979): the smallest p times n, the next times n − 1, made monotonic."""
    order = sorted(range(len(p)), key=p.__getitem__)
    found, least = [0.0] * len(p), 0.0
    for step, number in enumerate(order):
        least = max(least, min(1.0, p[number] * (len(p) - step)))
        found[number] = least
    return found


def test_p_is_corrected_for_all_rows_of_the_table(corpus: package.Corpus) -> None:
    systems = {"a": RESPONSE, "b": OTHER, "key": corpus.gold}
    frame = package.compare(
        corpus,
        systems,
        setting=["bh", "simple"],
        metrics=["b3", "lea"],
        plan=Plan(resamples=20, exchanges=60),
        all_pairs=True,
    ).to_frame()
    pairs = [("a", "b"), ("a", "key"), ("b", "key")]
    assert list(zip(frame["a"], frame["b"], strict=True)) == [
        pair for _ in range(2) for pair in pairs for _ in range(2)
    ]
    assert frame["p_holm"].tolist() == pytest.approx(holm(frame["p"].tolist()))
    assert frame["p"].nunique() > 2
    assert (frame["p"] >= frame[["p_unit", "p_word"]].max(axis=1)).all()


@pytest.mark.parametrize(("against", "others"), [(None, ["b", "key"]), ("b", ["a", "key"])])
def test_a_reference_is_compared_with_each_other(
    corpus: package.Corpus, against: str | None, others: list[str]
) -> None:
    systems: Any = {"a": RESPONSE, "b": OTHER, "key": corpus.gold}
    frame = package.compare(corpus, systems, plan=PLAN, against=against).to_frame()
    assert frame["a"].tolist() == [against or "a"] * 2
    assert frame["b"].tolist() == others
    assert frame["metric"].tolist() == ["conll"] * 2
    assert frame["p_holm"].tolist() == pytest.approx(holm(frame["p"].tolist()))


@pytest.mark.parametrize(
    "options", [{"against": "c"}, {"against": "a", "all_pairs": True}], ids=str
)
def test_wrong_references_are_refused(corpus: package.Corpus, options: Any) -> None:
    with refused("option-conflict" if "all_pairs" in options else "name-unknown"):
        package.compare(corpus, {"a": RESPONSE, "b": OTHER}, **options)


@pytest.mark.parametrize(("unit", "tests"), [("topic", 0), ("subtopic", 1)])
def test_a_notice_says_how_many_tests_cannot_reach_05(unit: str, tests: int) -> None:
    """With 3 topics none can, with 6 sub-topics (2/64) one test, but not two."""
    sample = package.load_corpus("sample", "test")
    plan = Plan(unit=unit, resamples=20)
    for metrics in (["b3"], ["b3", "lea"]):
        found = package.compare(sample, ["lemma", "lemma-wd"], metrics=metrics, plan=plan)
        cannot = sum(p > 0.05 for p in holm(found.to_frame()["least_p"].tolist()))
        assert cannot == (0 if len(metrics) <= tests else len(metrics))
        assert [n.count for n in found.notices if n.code == "result-limited"] == [cannot]


# --- several runs ---------------------------------------------------------------------------------

RUNS = [many(quality=q)[2] for q in (0.5, 0.6, 0.7)]


def test_means_over_runs_are_compared_by_students_t(corpus: package.Corpus) -> None:
    """V of topics, and what the runs as a whole add to it; Satterthwaite's degrees of freedom."""
    plan = Plan(resamples=200)
    documents, records, _ = many()
    every = [*RUNS, OTHER]
    homes = {(r["doc"], r["start"], r["end"]): r["doc"] for r in records}
    key: Side = {m: f"{r['chain']}" for m, r in zip(homes, records, strict=True)}
    weights = resamples(12, plan)
    each = []
    for run in every:
        units = np.array(
            [
                [
                    float(x)
                    for x in twin_counts(
                        [(chains_of(key, homes, d["id"]), chains_of(run, homes, d["id"]))], ["b3"]
                    )["b3"]
                ]
                for d in documents
            ]
        )
        drawn = np.vstack([units.sum(axis=0), weights @ units])
        p, r = drawn[:, 0] / drawn[:, 1], drawn[:, 2] / drawn[:, 3]
        each.append(2 * p * r / (p + r))
    scores, draws = np.array(each)[:, 0], np.array(each)[:, 1:]
    frame = package.compare(
        corpus, {"mine": RUNS, "other": OTHER}, setting="bh", metrics="b3", plan=plan
    ).to_frame()
    row: Any = frame.iloc[0]
    mine = scores[:3]
    assert (row["test"], row["f1_a"]) == ("runs", pytest.approx(mine.mean()))
    assert (row["f1_a_sd"], row["f1_b"]) == (pytest.approx(mine.std(ddof=1)), scores[3])
    topics = (draws[:3].mean(axis=0) - draws[3]).var() * 12 / 11
    interaction = (draws[:3] - draws[:3].mean(axis=0)).var(axis=1).mean() / 2
    added = max(mine.var(ddof=1) / 3 - interaction, 0)
    freedom = (topics + added) ** 2 / (topics**2 / 11 + added**2 / 2)
    gap = abs(mine.mean() - scores[3])
    assert row["p"] == pytest.approx(2 * t.sf(gap / np.sqrt(topics + added), freedom))


def test_intervals_of_means_over_runs(corpus: package.Corpus) -> None:
    results = package.evaluate(corpus, {"mine": RUNS}, setting="bh", metrics="b3", ci=PLAN)
    row: Any = results.to_frame().iloc[0]
    single = [package.evaluate(corpus, one, setting="bh", metrics="b3")["b3"].f1 for one in RUNS]
    assert row["f1"] == pytest.approx(np.mean(single))
    assert row["f1_sd"] == pytest.approx(np.std(single, ddof=1))
    assert row["f1_low"] < row["f1"] < row["f1_high"]
    alike = package.evaluate(corpus, {"mine": [RUNS[0]] * 3}, setting="bh", metrics="b3", ci=PLAN)
    alone = package.evaluate(corpus, {"mine": RUNS[0]}, setting="bh", metrics="b3", ci=PLAN)
    assert ends(alike.to_frame()) == ends(alone.to_frame())


# --- commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["eval lemma --ci", "compare lemma lemma-wd"])
def test_any_number_of_workers_gives_the_same_numbers(cdec: Run, verb: str) -> None:
    call = f"{verb} --corpus sample -s simple --metric ceafe --resamples 30 -f json"
    assert cdec(f"{call} --jobs 1").json["rows"] == cdec(f"{call} --jobs 2").json["rows"]


@pytest.mark.parametrize("options", ["--resamples 0", "--seed -1", "--scorer neleval"])
def test_wrong_plans_are_refused(cdec: Run, options: str) -> None:
    call = "eval lemma --corpus sample -s bh --metric b3 --ci"
    assert cdec(f"{call} {options}").error == "argument-invalid"


@pytest.mark.parametrize(
    "wrong",
    [{"resamples": 0}, {"exchanges": 2_000_000}, {"seed": -1}, {"seed": 2**53}, {"resamples": 1.5}],
    ids=str,
)
def test_numbers_of_a_plan_out_of_range(wrong: dict[str, Any]) -> None:
    with refused("argument-invalid"):
        Plan(**wrong)


@pytest.mark.parametrize(
    ("code", "systems"),
    [
        ("argument-missing", ["lemma"]),
        ("argument-missing", {"mine": ["lemma", "lemma-wd"]}),
        ("name-duplicate", ["lemma", "lemma"]),
    ],
)
def test_a_comparison_needs_two_systems(code: str, systems: Any) -> None:
    with refused(code):
        package.compare(package.load_corpus("sample", "test"), systems, metrics="b3", plan=PLAN)


def test_resampling_needs_two_units() -> None:
    case = tiny([0, 0, 0], [0, 0, 1], [0, 1, 1])
    with refused("part-too-small"):
        evaluate(case, setting="bh")
