"""Laws that hold for every key and response, on random clusterings."""

from __future__ import annotations

import json
import random
from itertools import combinations
from math import comb
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cdec
from cdec.errors import CdecError
from tests.program import Run
from tests.twins import (
    COUNTS,
    LENIENT,
    METRICS,
    Side,
    Tiny,
    chains_of,
    choices,
    counts,
    rows_of,
    score,
    side_of,
    tiny_corpora,
    two_sides,
)

MEANS = ("conll", "avg4")
CHANCE = st.randoms(use_true_random=False)
SOME = [
    *("bh", "st", "is", "ycf", "simple", "pure"),
    *(choices("document", "own", True), choices("topic", "key", True)),
]


def disguised(side: Side, chance: random.Random) -> Side:
    """The same chains under other labels, in another order."""
    names = dict(zip(sorted(set(side.values())), chance.sample(range(1000), 60), strict=False))
    mentions = list(side)
    chance.shuffle(mentions)
    return {mention: f"label {names[side[mention]]}" for mention in mentions}


# --- labels and order -----------------------------------------------------------------------------


@given(two_sides(most=40), CHANCE)
@settings(max_examples=40)
def test_labels_and_order_change_no_digit(sides: tuple[Side, Side], chance: random.Random) -> None:
    key, response = sides
    turned = score(disguised(key, chance), disguised(response, chance))
    assert rows_of(turned).equals(rows_of(score(key, response)))


def evaluate(case: Tiny, response: Any, setting: Any) -> Any:
    return cdec.evaluate(
        case.corpus, response, setting=setting, metrics=[*METRICS, "blanc", *MEANS], policy=LENIENT
    )


@given(tiny_corpora(), CHANCE)
@settings(max_examples=12)
def test_a_setting_knows_neither_labels_nor_the_order_of_a_response(
    case: Tiny, chance: random.Random
) -> None:
    """The first mention of a document is that of the text, not of the file."""
    before = evaluate(case, case.response, SOME)
    other = case._replace(key=disguised(case.key, chance))
    after = evaluate(other, disguised(case.response, chance), SOME)
    assert after.to_frame().equals(before.to_frame())


# --- values ---------------------------------------------------------------------------------------


@given(two_sides())
@settings(max_examples=40)
def test_values_are_shares_and_f1_is_between_precision_and_recall(
    sides: tuple[Side, Side],
) -> None:
    results = score(*sides)
    for name, value in results.values.items():
        assert all(0 <= number <= 1 for number in value if number is not None), name
        if name not in (*MEANS, "blanc"):
            low, high = sorted(part for part in value[:2] if part is not None)
            assert low - 1e-12 <= value.f1 <= high + 1e-12, name


@given(two_sides(lowest=0))
@settings(max_examples=40)
def test_a_perfect_response_is_1_where_a_metric_is_defined(sides: tuple[Side, Side]) -> None:
    key = sides[0]
    results = score(key, key)
    defined = {name: four[1] > 0 for name, four in counts(results).items()}
    defined["blanc"] = len(key) > 1
    for name, is_defined in defined.items():
        assert results[name] == (is_defined,) * 3, name
    assert defined["b3"] == (len(key) > 0)
    assert defined["muc"] == any(len(chain) > 1 for chain in chains_of(key))


@given(tiny_corpora(lowest=0))
@settings(max_examples=10)
def test_the_key_is_its_own_perfect_response_under_each_setting(case: Tiny) -> None:
    frame = evaluate(case, case.key, SOME).to_frame().dropna(subset=["p_den"])
    assert (frame["p_num"] == frame["p_den"]).all()
    assert (frame["r_num"] == frame["r_den"]).all()
    assert (frame["p_den"] == frame["r_den"]).all()


@given(two_sides())
@settings(max_examples=40)
def test_swapping_the_sides_swaps_precision_and_recall(sides: tuple[Side, Side]) -> None:
    there, back = counts(score(*sides)), counts(score(*sides[::-1]))
    assert there == {name: (*four[2:], *four[:2]) for name, four in back.items()}


@pytest.mark.parametrize("ignored", ["no", "own"])
@given(case=tiny_corpora(lowest=0))
@settings(max_examples=6)
def test_swapping_the_sides_under_settings_that_treat_them_alike(ignored: str, case: Tiny) -> None:
    chosen = [choices(scope, ignored, True) for scope in ("document", "topic", "corpus")]
    there = evaluate(case, case.response, chosen).to_frame()
    back = evaluate(case._replace(key=case.response), case.key, chosen).to_frame()
    assert there[COUNTS[:2]].equals(back[COUNTS[2:]].set_axis(COUNTS[:2], axis=1))
    assert there[COUNTS[2:]].equals(back[COUNTS[:2]].set_axis(COUNTS[2:], axis=1))


# --- parts ----------------------------------------------------------------------------------------


def together(first: Side, second: Side) -> Side:
    """Two topics as one document, without a chain in common."""
    return {f"a{m}": f"a{c}" for m, c in first.items()} | {
        f"b{m}": f"b{c}" for m, c in second.items()
    }


def close(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, four in expected.items():
        assert found[name] == pytest.approx(four, rel=1e-14), name


@given(two_sides(), two_sides())
@settings(max_examples=30)
def test_counts_of_independent_topics_add(one: tuple[Side, Side], two: tuple[Side, Side]) -> None:
    """All but non-coreference links, of which there are new ones between the topics."""
    parts = [counts(score(*sides)) for sides in (one, two)]
    whole = counts(score(*(together(*both) for both in zip(one, two, strict=True))))
    expected = {n: [sum(four) for four in zip(*(p[n] for p in parts), strict=True)] for n in whole}
    (k1, r1), (k2, r2) = one, two
    common = len(k1.keys() & r1.keys()) * len(k2.keys() & r2.keys())
    across = (common, len(r1) * len(r2), common, len(k1) * len(k2))
    links = expected["blanc_noncoref"]
    expected["blanc_noncoref"] = [a + b for a, b in zip(links, across, strict=True)]
    close(whole, expected)


def units(cdec: Run, *arguments: str) -> tuple[dict[Any, Any], list[str]]:
    """(Unit, metric) → row of a breakdown, and the names of the units."""
    call = ("eval", "--corpus", "sample", "--metric", "all", "--format", "json", *arguments)
    rows = {(row.get("unit"), row["metric"]): row for row in cdec(*call).json["rows"]}
    names = [name for name in dict.fromkeys(unit for unit, _ in rows) if name]
    return rows, [name for name in names if name not in ("micro", "macro")]


@pytest.mark.parametrize(
    ("setting", "by"),
    [("bh", "topic"), ("st", "subtopic"), (choices("document", "no", False), "document")],
)
def test_rows_of_units_add_up_and_their_mean_is_the_macro_average(
    cdec: Run, setting: str, by: str
) -> None:
    rows, names = units(cdec, "lemma", "-s", setting, "--by", by)
    for metric in METRICS:
        parts = [rows[name, metric] for name in names]
        for part in COUNTS:
            assert sum(row[part] for row in parts) == pytest.approx(rows["micro", metric][part])
        for value, whole in (("precision", "p_den"), ("recall", "r_den")):
            defined = [row[value] for row in parts if row[whole]]
            assert all(row[value] is None for row in parts if not row[whole])
            mean = sum(defined) / len(defined)
            assert rows["macro", metric][value] == pytest.approx(mean)


@given(two_sides(documents=3).filter(all), st.sampled_from(["corpus", "document"]))
@settings(max_examples=40)
def test_rows_of_chains_add_up(sides: tuple[Side, Side], scope: str) -> None:
    """A key chain has what it adds to recall, a response chain what it adds to precision."""
    results = score(*sides, scope=scope, by="chain")
    frame, whole = results.units[results.units["unit"] != "micro"], counts(results)
    added = frame.groupby("metric", sort=False)[COUNTS].sum()
    for metric in METRICS:
        assert list(added.loc[metric]) == pytest.approx(whole[metric], rel=1e-9, abs=1e-9)
    for value, part, total in (("recall", "r_num", "r_den"), ("precision", "p_num", "p_den")):
        known = frame.dropna(subset=value)
        assert known[value].tolist() == pytest.approx((known[part] / known[total]).tolist())
    assert {*frame["unit"].str.split().str[0]} <= {"key", "response"}
    assert frame["unit"].nunique() == sum(
        len({(name[:2] if scope == "document" else "", chain) for name, chain in side.items()})
        for side in sides
    )


@pytest.mark.parametrize("by", ["topic", "document"])
def test_a_derived_value_of_a_unit_is_that_of_its_parts(cdec: Run, by: str) -> None:
    """CoNLL is the mean of three F1; BLANC that of its halves, without one that the key lacks."""
    setting = choices("document", "no", False) if by == "document" else "bh"
    rows, names = units(cdec, "lemma", "-s", setting, "--by", by)
    for name in names:
        three = [rows[name, metric]["f1"] for metric in ("muc", "b3", "ceafe")]
        mean = None if None in three else pytest.approx(sum(three) / 3)
        assert rows[name, "conll"]["f1"] == mean
        halves = [rows[name, f"blanc_{half}"] for half in ("coref", "noncoref")]
        kept = [half["f1"] for half in halves if half["r_den"]]
        if kept:
            mean = pytest.approx(sum(one or 0 for one in kept) / len(kept))
            assert rows[name, "blanc"]["f1"] == mean


def test_a_unit_without_links_is_undefined_and_left_out_of_the_mean(
    cdec: Run, tmp_path: Path
) -> None:
    """One link; two singletons, whose pair is no coreference link; one mention without a pair."""
    cells = {"d0": "(0) (0)", "d1": "(1) (2)", "d2": "(3)", "d3": "(4) (5)"}
    for side in ("key", "response"):
        cells["d3"] = "(4) (4)" if side == "response" else cells["d3"]
        texts = [
            "\n".join(f"{at}\tw{at}\t{cell}" for at, cell in enumerate(text.split()))
            for text in cells.values()
        ]
        parts = zip(cells, texts, strict=True)
        file = "".join(f"#begin document ({d});\n{text}\n#end document\n" for d, text in parts)
        (tmp_path / side).write_text(file)
    call = ("score", tmp_path / "key", tmp_path / "response", "--metric", "all", "-f", "json")
    rows = cdec(*call, "--by", "document", "--scope", "document").json["rows"]
    f1 = {(row["unit"], row["metric"]): row["f1"] for row in rows}
    shown = {name: [f1[d, name] for d in (*cells, "macro")] for name in ("muc", "blanc", "conll")}
    assert shown["muc"] == [1, None, None, 0, 0.5]
    assert shown["blanc"][:4] == [1, 1, None, 0]
    assert shown["conll"][1:3] == [None, None]
    (blanc,) = (r for r in rows if (r["unit"], r["metric"]) == ("d3", "blanc"))
    assert (blanc["precision"], blanc["recall"]) == (None, 0)  # of the half with links of the key


# --- twinless and missing mentions ----------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(3, 6), st.integers(0, 3)), max_size=9), st.data())
@settings(max_examples=40)
def test_twinless_mentions_that_occur_again_are_counted_by_name_in_blanc(
    again: list[tuple[int, int]], data: st.DataObject
) -> None:
    """The key has the mentions 0, 1 and 2; a link between two names counts once in each half."""
    chains = data.draw(st.lists(st.integers(0, 3), min_size=3, max_size=3))
    rows = [*enumerate(chains), *again]
    with TemporaryDirectory() as folder:
        key, response = Path(folder, "key.csv"), Path(folder, "response.csv")
        for path, side in ((key, [(0, 0), (1, 0), (2, 1)]), (response, rows)):
            lines = ["doc,start,end,chain", *(f"d,{at},{at},c{chain}" for at, chain in side)]
            path.write_text("\n".join(lines) + "\n")
        found = counts(score(key, response, scope="document"))
    coref, noncoref = (
        {frozenset((a, b)) for (a, c), (b, d) in combinations(rows, 2) if (c == d) == same}
        for same in (True, False)
    )
    assert found["blanc_coref"][1] == len(coref)
    assert found["blanc_noncoref"][1] == len(noncoref)
    links = {frozenset(pair) for pair in ((0, 1), (0, 2), (1, 2))}
    assert found["blanc_noncoref"][0] == len(noncoref & (links - {frozenset((0, 1))}))
    assert found["b3"][1] == len(rows)


@given(two_sides())
@settings(max_examples=30)
def test_a_twinless_singleton_counts_in_the_denominators_of_precision(
    sides: tuple[Side, Side],
) -> None:
    """Pradhan et al. (2014), section 3: it is no link, a chain of one mention and its pairs."""
    key, response = sides
    before = counts(score(key, response))
    after = counts(score(key, {**response, "new": "alone"}))
    added = {"b3": 1, "ceafm": 1, "ceafe": 1, "lea": 1, "blanc_noncoref": len(response)}
    for name in METRICS:
        p_num, p_den, *recall = before[name]
        assert after[name] == (p_num, p_den + added.get(name, 0), *recall), name


@given(two_sides().filter(lambda sides: bool(sides[1])), CHANCE)
@settings(max_examples=30)
def test_a_twinless_mention_in_a_chain_is_a_wrong_link(
    sides: tuple[Side, Side], chance: random.Random
) -> None:
    key, response = sides
    label = chance.choice(sorted(set(response.values())))
    size = list(response.values()).count(label)
    before = counts(score(key, response))
    after = counts(score(key, {**response, "new": label}))
    added = {"muc": 1, "b3": 1, "ceafm": 1, "ceafe": 0, "lea": 1, "blanc_coref": size}
    added["blanc_noncoref"] = len(response) - size
    for name in METRICS:
        assert after[name][1] - before[name][1] == added[name], name
        assert after[name][3] == before[name][3], name
        if name in ("muc", "b3", "ceafm", "blanc_coref", "blanc_noncoref"):
            assert after[name][2] == before[name][2], name
        else:
            assert after[name][2] <= before[name][2] + 1e-12, name


@given(two_sides().filter(lambda sides: bool(sides[1])), CHANCE)
@settings(max_examples=30)
def test_a_missing_mention_stays_in_the_denominators_of_recall(
    sides: tuple[Side, Side], chance: random.Random
) -> None:
    key, response = sides
    gone = chance.choice(sorted(response))
    before = counts(score(key, response))
    after = counts(score(key, {m: c for m, c in response.items() if m != gone}))
    for name in METRICS:
        assert after[name][3] == before[name][3], name
        if name not in ("ceafe", "lea"):
            assert after[name][2] <= before[name][2], name


@given(two_sides())
@settings(max_examples=30)
def test_ceaf_is_at_least_the_largest_overlap_and_at_most_all_common_mentions(
    sides: tuple[Side, Side],
) -> None:
    found = counts(score(*sides))
    key, response = map(chains_of, sides)
    shared = [len(k & r) for k in key for r in response]
    assert max(shared, default=0) <= found["ceafm"][0] <= sum(shared)
    assert found["ceafe"][0] <= min(len(key), len(response))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_the_numbers_of_links_of_one_chain_and_of_singletons(size: int) -> None:
    names = [f"m{n}" for n in range(size)]
    one, alone = side_of([0] * size, names), side_of(range(size), names)
    found = counts(score(one, alone))
    expected: dict[str, tuple[float, ...]] = {
        "blanc_coref": (0, 0, 0, comb(size, 2)),
        "blanc_noncoref": (0, comb(size, 2), 0, 0),
        "muc": (0, 0, 0, size - 1),
        "b3": (size, size, 1, size),
        "ceafm": (1, size, 1, size),
        "ceafe": (2 / (size + 1), size, 2 / (size + 1), 1),
        "lea": (1, 1, 1, 1) if size == 1 else (0, size, 0, size),
    }
    assert found | expected == found


# --- intervals and comparisons --------------------------------------------------------------------

PLAN = cdec.Plan(resamples=40, exchanges=40)


@given(tiny_corpora(most=12, lowest=0))
@settings(max_examples=6)
def test_a_perfect_response_has_intervals_of_one_point(case: Tiny) -> None:
    if len({place.topic for place in case.places}) < 2:
        return
    results = cdec.evaluate(
        case.corpus, case.key, setting=["bh", "simple"], metrics=["b3", "ceafe"], ci=PLAN
    )
    frame = results.to_frame()
    assert (frame[["f1", "f1_low", "f1_high"]] == 1).all(axis=None)


@given(tiny_corpora(most=12, lowest=0))
@settings(max_examples=6)
def test_a_comparison_turned_round_has_the_same_p(case: Tiny) -> None:
    if len({place.topic for place in case.places}) < 2:
        return
    systems = {"a": case.response, "b": case.key}
    turned = {"b": case.key, "a": case.response}
    frames = [
        cdec.compare(case.corpus, both, setting=["bh", "pure"], metrics="all", plan=PLAN).to_frame()
        for both in (systems, turned)
    ]
    one, two = frames
    assert one["p"].tolist() == pytest.approx(two["p"].tolist())
    assert one["difference"].tolist() == pytest.approx((-two["difference"]).tolist())
    assert one["low"].tolist() == pytest.approx((-two["high"]).tolist())
    same = {"a": case.response, "c": case.response}
    equal = cdec.compare(case.corpus, same, setting="pure", metrics="all", plan=PLAN).to_frame()
    assert (equal[["p", "p_holm"]] == 1).all(axis=None)
    assert (equal[["difference", "low", "high"]] == 0).all(axis=None)


# --- claims of a corrected key --------------------------------------------------------------------

MENTIONS = [f"{doc}/{number}" for doc in "abcd" for number in range(3)]


@st.composite
def keys_and_claims(draw: st.DrawFn) -> tuple[list[int], list[dict[str, str]]]:
    """The chain of each mention, and at most one claim for each of some mentions."""
    chains = draw(st.lists(st.integers(0, 6), min_size=len(MENTIONS), max_size=len(MENTIONS)))
    to = st.sampled_from([*MENTIONS, *MENTIONS, "new:one", "new:two", ""])
    claimed = draw(st.dictionaries(st.sampled_from(MENTIONS), to, min_size=1, max_size=6))
    return chains, [{"mention": mention, "to": target} for mention, target in claimed.items()]


def corrected(chains: list[int], claims: list[dict[str, str]]) -> str | dict[str, str]:
    """Return the chain of each mention under a patch, by its first mention; or the error code."""
    rows = [
        {"id": id_, "doc": id_[0], "tokens": [int(id_[2:])], "chain": f"{chain}c"}
        for id_, chain in zip(MENTIONS, chains, strict=True)
    ]
    with TemporaryDirectory() as folder:
        path, patch = Path(folder, "corpus.jsonl"), Path(folder, "patch.json")
        corpus = cdec.build_corpus(rows, {doc: [["x", "y", "z"]] for doc in "abcd"}, name="made")
        corpus.save(path)
        read = cdec.load_corpus(str(path))
        about = {"corpus": read.name, "digest": read.digest}
        content = {"format": "cdec-key-patch/1", "about": about, "claims": claims}
        patch.write_text(json.dumps(content), "utf-8")
        try:
            key = cdec.load_corpus(str(path), key_patch=str(patch)).mentions["chain"]
        except CdecError as error:
            return error.code
    first = {label: str(id_) for id_, label in reversed([*key.items()])}
    return {str(id_): first[label] for id_, label in key.items()}


@given(keys_and_claims(), CHANCE)
def test_the_order_of_claims_means_nothing_and_twice_is_once(
    given_: tuple[list[int], list[dict[str, str]]], rng: random.Random
) -> None:
    chains, claims = given_
    once = corrected(chains, claims)
    other = [*claims, *claims]
    rng.shuffle(other)
    assert corrected(chains, other) == once


@given(keys_and_claims(), st.data())
def test_a_chain_has_any_of_its_mentions_as_a_name(
    given_: tuple[list[int], list[dict[str, str]]], data: st.DataObject
) -> None:
    """Also a mention that another claim takes out of the chain."""
    chains, claims = given_
    chain = dict(zip(MENTIONS, chains, strict=True))
    renamed = [
        {**claim, "to": data.draw(st.sampled_from([m for m in MENTIONS if chain[m] == chain[to]]))}
        if (to := claim["to"]) in chain
        else claim
        for claim in claims
    ]
    assert corrected(chains, renamed) == corrected(chains, claims)


@given(keys_and_claims())
def test_claims_do_what_they_say(given_: tuple[list[int], list[dict[str, str]]]) -> None:
    chains, claims = given_
    made = corrected(chains, claims)
    if isinstance(made, str):
        assert made == "patch-contradictory"
        return
    chain = dict(zip(MENTIONS, chains, strict=True))
    named = {claim["mention"]: claim["to"] for claim in claims}
    assert set(made) == {mention for mention in MENTIONS if named.get(mention) != ""}
    for one, two in combinations([m for m in MENTIONS if m in made], 2):
        ends = [named.get(m, m) for m in (one, two)]
        if ends[0] == ends[1] or (
            all(e in chain for e in ends) and chain[ends[0]] == chain[ends[1]]
        ):
            assert made[one] == made[two]
        if any(end.startswith("new:") for end in ends) and ends[0] != ends[1]:
            assert made[one] != made[two]


@given(keys_and_claims(), st.data())
def test_two_targets_of_one_mention_are_refused(
    given_: tuple[list[int], list[dict[str, str]]], data: st.DataObject
) -> None:
    chains, claims = given_
    one = data.draw(st.sampled_from(claims))
    other = {**one, "to": "new:third" if one["to"] == "" else ""}
    assert corrected(chains, [*claims, other]) == "patch-contradictory"
