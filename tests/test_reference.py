"""Every metric and setting against a reference: other scorers, the papers, slow twins."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from cdec import CdecError, FilePolicy
from cdec.settings import Setting
from tests.cases import cases
from tests.program import Run
from tests.twins import (
    COUNTS,
    EVERY,
    LENIENT,
    METRICS,
    SIX,
    Side,
    Tiny,
    chains_of,
    choices,
    counts,
    rows_of,
    score,
    side_of,
    tiny,
    tiny_corpora,
    twin_counts,
    twin_setting,
    twin_values,
    two_sides,
)

CASES = cases("reference_cases")
DATA = Path(__file__).with_name("data")
Row = dict[str, Any]


def table(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="") as lines:
        return list(csv.DictReader(lines))


# --- the CoNLL reference scorer -------------------------------------------------------------------

# Its 36 test cases (A-1 to N-6), then our own: brackets, sides without chains or links, several
# documents, repeated mentions. Counts are those that its version 8.01 prints for each metric.
SCORER = [json.loads(line) for line in (DATA / "reference-scorer.jsonl").read_text().splitlines()]


def conll(documents: dict[str, dict[str, str]], side: str) -> Iterator[str]:
    for name, sides in documents.items():
        # The scorer skips a document that only the response has; cdec counts its mentions.
        if side in sides and "key" in sides:
            cells = enumerate(sides[side].split())
            rows = [f"{name}\t0\t{number}\tword\t{cell}" for number, cell in cells]
            yield "\n".join([f"#begin document ({name}); part 000", *rows, "", "#end document\n"])


@pytest.fixture
def files(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, Path]:
    """Key and response of a case as files."""
    sides = tmp_path / "key.conll", tmp_path / "response.conll"
    for path in sides:
        path.write_text("".join(conll(request.param["documents"], path.stem)))
    return sides


def test_all_36_cases_of_the_reference_scorer_are_here() -> None:
    assert sum(row["id"][0].isupper() for row in SCORER) == 36


@pytest.mark.parametrize(
    ("case", "files"), [(row, row) for row in SCORER], ids=lambda row: row["id"], indirect=["files"]
)
def test_counts_are_those_of_the_reference_scorer(case: Row, files: tuple[Path, Path]) -> None:
    results = score(*files, scope="document", metrics=[*case["counts"], "blanc"])
    found = counts(results)
    assert found.keys() == case["counts"].keys()
    for name, expected in case["counts"].items():
        assert found[name] == pytest.approx(expected, rel=1e-13), name
    halves = {name: tuple(map(Fraction, four)) for name, four in case["counts"].items()}
    blanc = twin_values({**dict.fromkeys(METRICS, halves["muc"]), **halves})["blanc"]
    assert results["blanc"] == pytest.approx(tuple(map(float, blanc)))


@pytest.mark.parametrize(
    ("case", "files"),
    [(row, row) for row in SCORER if row["id"][0].isupper()],
    ids=lambda row: row["id"],
    indirect=["files"],
)
def test_other_words_change_no_count(case: Row, files: tuple[Path, Path]) -> None:
    """Fewer than half of the words of each document, as in 11 of the cases as they are."""
    lines = files[1].read_text().split("\n")
    begins = [at for at, line in enumerate(lines) if line.startswith("#begin")]
    for first, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        tokens = [at for at in range(first, end) if "\tword\t" in lines[at]]
        for at in tokens[: (len(tokens) - 1) // 2]:
            lines[at] = lines[at].replace("word", "other")
    files[1].write_text("\n".join(lines))
    found = counts(score(*files, scope="document", metrics=list(case["counts"])))
    for name, expected in case["counts"].items():
        assert found[name] == pytest.approx(expected, rel=1e-13), name


# --- worked examples of papers --------------------------------------------------------------------


def letters(chains: str) -> Side:
    """``"ab c"`` is {a, b} {c}."""
    return {mention: chain for chain in chains.split() for mention in chain}


@pytest.mark.parametrize(
    "row", table("worked-examples.csv"), ids=lambda r: f"{r['paper']} {r['metric']}"
)
def test_worked_example_of_a_paper(row: dict[str, str]) -> None:
    value = score(letters(row["key"]), letters(row["response"]))[row["metric"]]
    expected = Fraction(row["precision"]), Fraction(row["recall"])
    assert value[:2] == pytest.approx(tuple(map(float, expected)), rel=1e-15)


@pytest.mark.parametrize(("response", "printed"), CASES["luo 2005"].items())
def test_f1_in_table_1_of_luo_2005(response: str, printed: list[float]) -> None:
    results = score(letters("12345 67 89ABC"), letters(response))
    assert [round(results[m].f1, 3) for m in ("muc", "b3", "ceafm", "ceafe")] == printed


def test_means_in_the_example_of_pradhan_2014() -> None:
    results = score(letters("abc defg"), letters("ab cd fghi"))
    f1 = [Fraction(2, 5), Fraction(5, 11), Fraction(13, 25)]
    blanc = (Fraction(4, 17) + Fraction(1, 2)) / 2
    assert results["conll"] == (None, None, pytest.approx(float(sum(f1) / 3), rel=1e-15))
    assert results["avg4"].f1 == pytest.approx(float((sum(f1) + blanc) / 4), rel=1e-15)
    assert counts(results)["blanc_noncoref"] == (8, 20, 8, 12)


# Figure 3 of Upadhyay et al. (2016): one event with two mentions in each of two documents. System 1
# links within documents; system 2 makes two links across them, system 3 one.
FIGURE_3 = {1: [0, 0, 1, 1], 2: [0, 1, 0, 1], 3: [0, 1, 0, 2]}


@cache
def figure_3(setting: str) -> dict[int, dict[Any, float]]:
    results = {}
    for system, labels in FIGURE_3.items():
        case = tiny([0, 0, 1, 1], [0] * 4, labels)
        results[system] = rows_of(evaluate(case, [setting]))["f1"].to_dict()
    return results


def evaluate(case: Tiny, setting: Any) -> Any:
    import cdec

    metrics = [*METRICS, "blanc", "conll", "avg4"]
    return cdec.evaluate(
        case.corpus, case.response, setting=setting, metrics=metrics, policy=LENIENT
    )


def test_simple_cdec_cannot_tell_links_across_documents_from_links_within() -> None:
    scores = figure_3("simple")
    assert scores[1] == scores[2]
    assert all(scores[3][m] < scores[1][m] for m in ("muc", "b3", "ceafe", "blanc", "lea"))


def test_pure_cdec_rewards_the_right_link_across_documents() -> None:
    scores = figure_3("pure")
    assert [scores[1][m] for m in ("muc", "blanc_coref", "blanc", "lea")] == [0, 0, 0, 0]
    assert {round(scores[2][m], 12) for m in METRICS} == {round(2 / 3, 12), 0}
    names = ("muc", "b3", "ceafe", "ceafm", "lea", "blanc", "conll", "avg4")
    third = 1, 2 / 3, 1 / 2, 2 / 3, 2 / 3, 1, (13 / 6) / 3, (19 / 6) / 4
    assert [scores[3][name] for name in names] == pytest.approx(third)


# --- corefud-scorer -------------------------------------------------------------------------------

# Our metric → its name in the file of expected counts.
THEIRS = {
    "muc": "muc", "b3": "bcub", "ceafm": "ceafm", "ceafe": "ceafe", "lea": "lea", "mor": "mor",
    "zeros": "zero", "blanc_coref": "coref_links", "blanc_noncoref": "noncoref_links",
}  # fmt: skip
# For files of thousands of mentions, an option set for each rule instead of all twelve.
OF_LONG_FILES = {
    ("exact", True, "linear"), ("partial", False, "linear"), ("head", False, "dependent"),
}  # fmt: skip


def corefud_counts(files: list[Path], metrics: list[str], **policy: Any) -> dict[str, Any]:
    rule = FilePolicy(allow_empty=True, **policy)
    return counts(score(*files, scope="document", metrics=metrics, policy=rule))


def test_counts_are_those_of_the_corefud_specification(corefud: Path) -> None:
    rows = json.loads((corefud / "expected" / "expected.json").read_text())["rows"]
    chosen = 0
    for row in rows:
        rule = row["match"], row["keep_singletons"], row["zero_match_method"]
        if not row["key"].startswith("made/") and rule not in OF_LONG_FILES:
            continue
        chosen += 1
        found = corefud_counts(
            [corefud / row["key"], corefud / row["response"]],
            list(THEIRS),
            alignment=rule[0],
            singletons="keep" if rule[1] else "drop",
            zeros=rule[2],
        )
        for name, theirs in THEIRS.items():
            r_num, r_den, p_num, p_den = row["specification"][theirs]
            expected = (p_num, p_den, r_num, r_den)
            assert found[name] == pytest.approx(expected, abs=1e-9), (name, row["response"], rule)
    assert (len(rows), chosen) == (120, 75)


@pytest.mark.parametrize(
    "row",
    table("corefud-cases.csv"),
    ids=lambda r: f"{Path(r['files']).name}-{r['number']}-{r['metric']}-{r['match']}",
)
def test_worked_case_of_corefud_scorer(row: dict[str, str], corefud: Path) -> None:
    stem = corefud / "corefud-scorer-tests" / row["files"]
    files = [Path(f"{stem}.key"), Path(f"{stem}-{row['number']}.response")]
    found = corefud_counts(files, [row["metric"]], alignment=row["match"], zeros=row["zeros"])
    expected = [float(Fraction(row[part])) for part in COUNTS]
    assert found[row["metric"]] == pytest.approx(expected)


@pytest.mark.parametrize("row", CASES["gum"])
def test_two_annotations_of_gum(row: list[Any], corefud: Path) -> None:
    alignment, singletons, conll = row
    files = corefud / "gum-test" / "key.conllu", corefud / "gum-test" / "response-ontogum.conllu"
    policy = FilePolicy(alignment=alignment, singletons=singletons)
    results = score(*files, scope="document", metrics="conll", policy=policy)
    assert round(100 * results["conll"].f1, 2) == conll


@pytest.mark.parametrize(("preset", "conll"), CASES["presets on gum"].items())
def test_presets_are_the_choices_of_the_shared_tasks(
    cdec: Run, preset: str, conll: float, corefud: Path
) -> None:
    files = corefud / "gum-test" / "key.conllu", corefud / "gum-test" / "response-ontogum.conllu"
    page = cdec("score", *files, "--preset", preset, "--format", "json").json
    rows = {row["metric"]: row for row in page["rows"]}
    assert round(100 * rows["conll"]["f1"], 2) == conll
    assert {"muc", "b3", "ceafe", "blanc", "lea", "mor", "zeros"} <= rows.keys()


def test_mentions_that_are_heads_only(corefud: Path) -> None:
    files = corefud / "gum-test" / "key.conllu", corefud / "gum-test" / "response-heads.conllu"
    policy = FilePolicy(alignment="head", singletons="drop")
    results = score(*files, scope="document", metrics="conll", policy=policy)
    assert round(100 * results["conll"].f1, 3) == 98.757


def test_a_key_with_ten_empty_nodes_in_a_row_is_perfect_against_itself(corefud: Path) -> None:
    ten = corefud / "made" / "ten.key.conllu"
    assert corefud_counts([ten, ten], ["muc"]) == {"muc": (2, 2, 2, 2)}


@pytest.mark.parametrize(
    ("change", "place"), [("shorter", "shorter:10"), ("another word", "another word:9")]
)
def test_a_response_of_another_text_is_refused(
    change: str, place: str, corefud: Path, tmp_path: Path
) -> None:
    key = corefud / "made" / "shift.key.conllu"
    lines = key.read_text().strip().splitlines()
    text = "\n".join(lines[:-1] if change == "shorter" else lines) + "\n"
    (tmp_path / change).write_text(text.replace("\tw4\t", "\tv4\t") if "a" in change else text)
    with pytest.raises(CdecError) as caught:
        score(key, tmp_path / change)
    assert (caught.value.code, str(caught.value.place)[-len(place) :]) == ("text-mismatch", place)


# --- presets: each follows its scorer -------------------------------------------------------------


def conllu(chains: str) -> str:
    """A document of four words in CoNLL-U; ``"01 2"`` is {w0, w1}, {w2}."""
    entities = {int(word): name for name, chain in enumerate(chains.split()) for word in chain}
    rows = []
    for word in range(4):
        entity = f"Entity=(e{entities[word]}-x-1-)" if word in entities else "_"
        head = 0 if word == 0 else 1
        rows.append(f"{word + 1}\tw{word}\t_\t_\t_\t_\t{head}\t_\t_\t{entity}\n")
    heading = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = s\n"
    return f"{heading}{''.join(rows)}\n"


@pytest.mark.parametrize(
    ("sides", "more", "printed"),
    [
        # Printed by corefud-scorer (commit 4fd7b0e), and by the reference scorer v8.01.
        (("01", "01 23"), (), (33.33, 66.67)),
        (("0 1 2", "01 2"), ("--singletons", "keep"), (40.0, 80.0)),
    ],
)
def test_blanc_of_a_preset_is_that_of_its_scorer(
    cdec: Run, tmp_path: Path, sides: tuple[str, str], more: Any, printed: tuple[float, float]
) -> None:
    files = tmp_path / "key.conllu", tmp_path / "response.conllu"
    for path, chains in zip(files, sides, strict=True):
        path.write_text(conllu(chains))
    call = ("score", *files, "-f", "json", "--scope", "document")
    for preset in ("crac22", "crac24", "crac26"):
        page = cdec(*call, "--preset", preset, *more).json
        (blanc,) = (row for row in page["rows"] if row["metric"] == "blanc")
        assert round(100 * blanc["f1"], 2) == printed[0]
        assert page["signatures"][0]["blanc"] == "both"
    for options in ((), ("--preset", "conll12")):
        page = cdec(*call, *options, "--metric", "blanc").json
        assert round(100 * page["rows"][0]["f1"], 2) == printed[1]
        assert "blanc" not in page["signatures"][0]


@given(two_sides(most=6, documents=3).filter(any), st.sampled_from(["key", "both"]))
@settings(max_examples=300)
def test_blanc_is_its_twin_by_both_rules(sides: tuple[Side, Side], rule: str) -> None:
    homes: dict[str, list[Side]] = defaultdict(lambda: [{}, {}])
    for number, side in enumerate(sides):
        for mention, label in side.items():
            homes[mention.split("/")[0]][number][mention] = label
    expected = twin_counts((chains_of(k), chains_of(r)) for k, r in homes.values())
    policy = FilePolicy(allow_empty=True, blanc=rule)
    results = score(*sides, scope="document", policy=policy)
    values = twin_values(expected, rule)
    for name in ("blanc", "avg4"):
        known = tuple(part for part in results[name] if part is not None)
        assert known == pytest.approx(tuple(map(float, values[name])), rel=1e-14), name


def test_conll12_runs_over_the_documents_of_the_key(cdec: Run, tmp_path: Path) -> None:
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    rows = "".join(f"d\t0\t{word}\tw\t(1)\n" for word in range(2))
    block = "#begin document ({}); part 000\n" + rows + "\n#end document\n"
    key.write_text(block.format("d"))
    response.write_text(block.format("d") + block.format("e"))
    call = ("score", key, response, "--scope", "document", "-f", "json", "--metric", "muc")
    for options, f1, field in [
        ((), 66.67, None),
        (("--preset", "conll12"), 100.0, "drop"),
        (("--preset", "conll12", "--unknown", "twinless"), 66.67, None),
    ]:
        page = cdec(*call, *options).json
        assert round(100 * page["rows"][0]["f1"], 2) == f1
        assert page["signatures"][0].get("unknown") in {field, "twinless"}
        assert "unknown-document" in {notice["code"] for notice in page["notices"]}


# --- slow twins -----------------------------------------------------------------------------------


def assert_exact(found: dict[str, tuple[float, ...]], expected: dict[str, Any], about: Any) -> None:
    """Counts are fractions rounded once; LEA adds a whole number to one."""
    for name in METRICS:
        nearest = tuple(map(float, expected[name]))
        assert found[name] == (pytest.approx(nearest, rel=4e-16) if name == "lea" else nearest), (
            name,
            about,
        )


@given(two_sides(most=14))
@settings(max_examples=150)
def test_metrics_are_their_slow_twins(sides: tuple[Side, Side]) -> None:
    results = score(*sides)
    expected = twin_counts([tuple(map(chains_of, sides))])  # type: ignore[list-item]
    assert_exact(counts(results), expected, sides)
    assert counts(results)["mentions"] == tuple(map(float, expected["mentions"]))
    for name, value in twin_values(expected).items():
        known = tuple(part for part in results[name] if part is not None)
        assert known == pytest.approx(tuple(map(float, value)), rel=1e-14), name


@given(two_sides(most=30, documents=4).filter(any))
@settings(max_examples=50)
def test_counts_of_documents_are_summed(sides: tuple[Side, Side]) -> None:
    homes: dict[str, list[Side]] = defaultdict(lambda: [{}, {}])
    for number, side in enumerate(sides):
        for mention, label in side.items():
            homes[mention.split("/")[0]][number][mention] = label
    expected = twin_counts((chains_of(k), chains_of(r)) for k, r in homes.values())
    assert_exact(counts(score(*sides, scope="document")), expected, sides)


@given(two_sides(most=14, lowest=0))
@settings(max_examples=40)
def test_on_gold_mentions_blanc_is_that_of_recasens_and_hovy(sides: tuple[Side, Side]) -> None:
    """The four kinds of pairs: both sides link, neither does, only one of them does."""
    key, response = sides
    names = list(key)
    pairs = [(a, b) for n, a in enumerate(names) for b in names[:n]]
    kinds = [(key[a] == key[b], response[a] == response[b]) for a, b in pairs]
    right, other, wrong, missed = (
        kinds.count(kind) for kind in ((True, True), (False, False), (False, True), (True, False))
    )
    found = counts(score(*sides))
    assert [found["blanc_coref"], found["blanc_noncoref"]] == [
        (right, right + wrong, right, right + missed),
        (other, other + missed, other, other + wrong),
    ]


@given(tiny_corpora())
@settings(max_examples=20)
def test_settings_are_their_slow_twins(case: Tiny) -> None:
    frame = evaluate(case, [choices(*one) for one in EVERY]).to_frame()
    assert frame["setting"].nunique() == len(EVERY)
    for one, (_, rows) in zip(EVERY, frame.groupby("setting", sort=False), strict=True):
        documents = twin_setting(case.places, (case.key, case.response), *one)
        found = {row["metric"]: tuple(row[part] for part in COUNTS) for _, row in rows.iterrows()}
        assert_exact(found, twin_counts(documents), one)


@pytest.mark.parametrize("name", SIX)
def test_a_setting_of_the_paper_is_its_choices(name: str) -> None:
    case = tiny([0, 0, 1, 2, 2, 4, 4, 5], [0, 0, 0, 0, 1, 2, 2, 3], [0, 1, 0, 0, -1, 0, 2, 2])
    documents = twin_setting(case.places, (case.key, case.response), *SIX[name])
    assert_exact(counts(evaluate(case, [name])), twin_counts(documents), name)
    mine: Any = ("mine", "Mine", *SIX[name])
    by_choices = evaluate(case, [Setting(*mine)])
    assert counts(by_choices) == counts(evaluate(case, [name]))


# --- large alignments -----------------------------------------------------------------------------


def dense(key: list[int], response: list[int], similarity: str) -> float:
    """The best alignment of a dense matrix."""
    table = np.zeros((max(key) + 1, max(response) + 1))
    np.add.at(table, (key, response), 1)
    if similarity == "ceafe":
        table = 2 * table / np.maximum(table.sum(1)[:, None] + table.sum(0), 1)
    return float(table[linear_sum_assignment(table, maximize=True)].sum())


def aligned(key: Any, response: Any) -> dict[str, tuple[float, ...]]:
    names = [f"m{number}" for number in range(len(key))]
    sides = side_of(key, names), side_of(response, names)
    return counts(score(*sides, metrics=["ceafm", "ceafe"]))


@pytest.mark.parametrize("seed", range(24))
def test_alignments_are_those_of_a_dense_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 900))
    key = rng.integers(0, rng.integers(1, size), size)
    moved = np.where(rng.random(size) < rng.random(), rng.permutation(key), key)
    response = moved if seed % 2 else rng.integers(0, rng.integers(1, size), size)
    found = aligned(key, response)
    for name in ("ceafm", "ceafe"):
        best = dense(key.tolist(), response.tolist(), name)
        assert found[name][0] == found[name][2] == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_rings_of_chains_are_aligned_best(seed: int) -> None:
    """Each chain shares mentions with two others: no chain has one partner only."""
    rng = np.random.default_rng(seed)
    sizes = np.cumsum([0, *rng.integers(2, 9, 6)])
    key, response = [], []
    for start, stop in pairwise(sizes.tolist()):
        for number in range(start, stop):
            for other in (number, start + (number + 1 - start) % (stop - start)):
                times = int(rng.integers(1, 4))
                key += [number] * times
                response += [other] * times
    found = aligned(key, response)
    for name in ("ceafm", "ceafe"):
        assert found[name][0] == pytest.approx(dense(key, response, name), rel=1e-12)


PAIRS = 20_000


@pytest.mark.parametrize(
    ("shift", "size", "ceafm", "ceafe"),
    [
        ("path", 2, PAIRS, 4 / 3 + (PAIRS - 2) / 2),
        ("path", 3, 2 * PAIRS, 4 / 5 + (PAIRS - 1) * 2 / 3),
        ("cycle", 2, PAIRS, PAIRS / 2),
        ("cycle", 3, 2 * PAIRS, PAIRS * 2 / 3),
    ],
)
def test_a_path_of_20000_chains_is_aligned_without_drift(
    shift: str, size: int, ceafm: float, ceafe: float
) -> None:
    """Chains of a size against the same chains shifted by one mention."""
    numbers = np.arange(size * PAIRS)
    moved = (numbers + 1) % (len(numbers) if shift == "cycle" else len(numbers) + 1)
    found = aligned(numbers // size, moved // size)
    assert found["ceafm"][0] == ceafm
    assert found["ceafe"][0] == pytest.approx(ceafe, rel=1e-13)


@pytest.mark.parametrize("arms", [1, 2, 3, 8, 40])
def test_a_star_of_paths_is_aligned_best(arms: int) -> None:
    """Paths of different lengths from one chain: chains with one partner occur at every depth."""
    cells = []
    for arm in range(1, arms + 1):
        base = 100 * arm
        cells += [(0, base), *((base + (s - 1) // 2, base + s // 2) for s in range(1, arm))]
    weights = [1 + number % 5 for number in range(len(cells))]
    key, response = (np.unique(side, return_inverse=True)[1] for side in zip(*cells, strict=True))
    found = aligned(np.repeat(key, weights), np.repeat(response, weights))
    best = dense(np.repeat(key, weights).tolist(), np.repeat(response, weights).tolist(), "ceafm")
    assert found["ceafm"][0] == best


def test_sums_of_fractions_are_rounded_once() -> None:
    """B³ of chains of 250 different sizes: the harmonic number, correct in the last digit."""
    sizes = range(1, 251)
    key = {f"{size}/{n}": size for size in sizes for n in range(size)}
    response = {f"{size}/0": size for size in sizes}
    exact = float(sum((Fraction(1, size) for size in sizes), Fraction(0)))
    assert counts(score(key, response, metrics="b3"))["b3"][2] == exact
