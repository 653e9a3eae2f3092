"""The same data through every door is the same number."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cdec as package
from cdec import Clustering, Results
from cdec.errors import CdecError
from cdec.formats import from_corpus, write
from tests.cases import refused
from tests.program import Run
from tests.tiny_files import brackets, given, records

Place = tuple[str, int, int]
Chains = dict[Place, str]
SIX = ("bh", "st", "is", "ycf", "simple", "pure")
TOPICS = {"d1": ("1", "a"), "d2": ("1", "b"), "e1": ("2", "a"), "f1": ("2", "b")}
LENGTH = 10

# Not in text order: the first mention of a chain in a document is not the first that is given.
KEY: Chains = {
    ("d1", 7, 8): "a", ("d1", 2, 4): "a", ("d2", 0, 0): "a", ("e1", 5, 5): "b", ("d2", 3, 3): "b",
    ("e1", 1, 1): "c", ("e1", 2, 2): "c", ("d1", 2, 2): "d",
}  # fmt: skip
WHOLE: Chains = {
    ("d1", 2, 4): "x", ("d2", 0, 0): "x", ("d1", 7, 8): "y", ("d2", 3, 3): "y", ("e1", 5, 5): "y",
    ("e1", 2, 2): "z", ("e1", 1, 1): "z", ("d1", 2, 2): "y",
}  # fmt: skip
CASES: dict[str, Chains] = {
    "whole": WHOLE,
    "missing": {
        place: c for place, c in WHOLE.items() if place not in (("d1", 2, 4), ("e1", 1, 1))
    },
    "twinless": {("d1", 0, 0): "x", **WHOLE, ("d2", 6, 6): "new"},
    "twinless in a document without mentions": {**WHOLE, ("f1", 1, 1): "x", ("f1", 0, 0): "x"},
    "both": {("d1", 0, 0): "x", ("d1", 7, 8): "x", ("f1", 0, 0): "x", ("e1", 2, 2): "w"},
}


def b_cubed(key: Chains, response: Chains, *, reduced: bool) -> tuple[float, float]:
    """Recall and precision by their definition, for all documents together."""
    if reduced:
        key, response = first_mentions(key), first_mentions(response)
    return _share(key, response), _share(response, key)


def first_mentions(chains: Chains) -> Chains:
    first: dict[tuple[str, str], Place] = {}
    for place in sorted(chains):
        first.setdefault((place[0], chains[place]), place)
    return {place: chains[place] for place in first.values()}


def _share(side: Chains, other: Chains) -> float:
    shares = []
    for mention in side:
        chain = {m for m in side if side[m] == side[mention]}
        there = {m for m in other if mention in other and other[m] == other[mention]}
        shares.append(len(chain & there) / len(chain))
    return sum(shares) / len(shares)


def named(place: Place) -> str:
    doc, start, end = place
    return f"{doc}/{start}-{end}"


def spans(chains: Chains) -> list[dict[str, Any]]:
    return [{"doc": d, "start": s, "end": e, "chain": c} for (d, s, e), c in chains.items()]


def ids(chains: Chains) -> list[dict[str, Any]]:
    return [{"mention": named(place), "chain": chain} for place, chain in chains.items()]


def table(rows: list[dict[str, Any]], separator: str) -> str:
    cells = [list(rows[0]), *(list(row.values()) for row in rows)]
    return "".join(separator.join(map(str, row)) + "\n" for row in cells)


def conll(chains: Chains, documents: Iterable[str]) -> str:
    words = [f"w{token}" for token in range(LENGTH)]
    rows = ((doc, start, end, chain) for (doc, start, end), chain in chains.items())
    return brackets(rows, {doc: [words] for doc in documents})


def clusters(chains: Chains) -> str:
    labels = dict.fromkeys(chains.values())
    return json.dumps([[list(p) for p, c in chains.items() if c == label] for label in labels])


FILES: dict[str, tuple[str, Callable[[Chains], str]]] = {
    "CoNLL": ("conll", lambda chains: conll(chains, TOPICS)),
    "CoNLL without empty documents": (
        "conll",
        lambda chains: conll(chains, sorted({doc for doc, _, _ in chains})),
    ),
    "JSONL": ("jsonl", lambda chains: records(*spans(chains))),
    "JSONL, ids": ("jsonl", lambda chains: records(*ids(chains))),
    "CSV": ("csv", lambda chains: table(spans(chains), ",")),
    "CSV, ids": ("csv", lambda chains: table(ids(chains), ",")),
    "TSV": ("tsv", lambda chains: table(spans(chains), "\t")),
    "JSON": ("json", clusters),
}


def members(chains: Chains) -> dict[str, list[Place]]:
    """Chain → mentions."""
    return {
        label: [place for place, chain in chains.items() if chain == label]
        for label in dict.fromkeys(chains.values())
    }


def member_ids(chains: Chains) -> dict[str, list[str]]:
    return {label: [*map(named, places)] for label, places in members(chains).items()}


VALUES: dict[str, Callable[[Chains], Any]] = {
    "dict": dict,
    "dict, backwards": lambda chains: dict(reversed(chains.items())),
    "dict, names": lambda chains: {named(place): chain for place, chain in chains.items()},
    "Series": lambda chains: pd.Series(
        [*chains.values()], pd.Index(list(chains), tupleize_cols=False), dtype=object
    ),
    "Series, three levels": lambda chains: pd.Series(
        [*chains.values()], pd.MultiIndex.from_tuples(list(chains)), dtype=object
    ),
    "Clustering": lambda chains: Clustering.from_labels({named(p): c for p, c in chains.items()}),
    "Clustering of places": lambda chains: Clustering.from_labels(pd.Series(chains)),
}
CONTAINERS: dict[str, Callable[[Chains], Any]] = {
    "dict of chains": members,
    "dict of chains, ids": member_ids,
    "dict of chains, lists as in JSON": lambda chains: {
        label: [list(place) for place in places] for label, places in members(chains).items()
    },
    "dict of sets": lambda chains: {label: set(all_) for label, all_ in members(chains).items()},
    "dict of tuples": lambda chains: {
        label: tuple(ids) for label, ids in member_ids(chains).items()
    },
    "groups of a Series": lambda chains: pd.Series(
        {named(place): chain for place, chain in chains.items()}
    ).pipe(lambda labels: labels.groupby(labels).groups),
    "Series of chains": lambda chains: pd.Series(members(chains)),
    "list of chains": lambda chains: [*members(chains).values()],
    "list of chains, ids": lambda chains: [*member_ids(chains).values()],
    "tuple of sets": lambda chains: tuple(set(ids) for ids in member_ids(chains).values()),
    "set of frozensets": lambda chains: {frozenset(all_) for all_ in members(chains).values()},
}


def digits(rows: list[dict[Any, Any]]) -> dict[tuple[str, str], tuple[float, ...]]:
    """(setting, metric) → recall, precision, F1; none is NaN."""
    columns = ("recall", "precision", "f1")
    return {
        (row["setting"], row["metric"]): tuple(-1 if pd.isna(row[c]) else row[c] for c in columns)
        for row in rows
    }


def of_results(results: Results) -> dict[tuple[str, str], tuple[float, ...]]:
    return digits(results.to_frame().to_dict("records"))


@pytest.fixture
def topics(tmp_path: Path) -> Path:
    rows = ["document,topic,subtopic", *(f"{doc},{a},{b}" for doc, (a, b) in TOPICS.items())]
    return given(tmp_path, "topics.csv", "\n".join(rows))


def written(folder: Path, name: str, door: str, chains: Chains) -> Path:
    ending, text = FILES[door]
    return given(folder, f"{name}.{ending}", text(chains))


@pytest.mark.filterwarnings("ignore::cdec.errors.CdecWarning")
@pytest.mark.parametrize("case", CASES)
def test_score_gives_equal_digits(case: str, tmp_path: Path, topics: Path, cdec: Run) -> None:
    def by_value(door: str) -> Results:
        key, response = VALUES[door](KEY), VALUES[door](CASES[case])
        return package.score(key, response, setting=SIX, topics=TOPICS, metrics="all")

    expected = of_results(by_value("dict"))
    assert {setting for setting, _ in expected} == set(SIX)
    for setting in ("simple", "pure"):
        counted = b_cubed(KEY, CASES[case], reduced=setting == "pure")
        assert expected[setting, "b3"][:2] == pytest.approx(counted)
    for door in VALUES:
        assert of_results(by_value(door)) == expected, door
    for door in FILES:
        files = [written(tmp_path, n, door, c) for n, c in (("k", KEY), ("r", CASES[case]))]
        ran = package.score(*files, setting=SIX, topics=topics, metrics="all")
        assert of_results(ran) == expected, door
    mixed = [
        written(tmp_path, *side) for side in (("k", "CSV", KEY), ("r", "JSONL, ids", CASES[case]))
    ]
    for pair in (files, mixed):
        call = ["score", *pair, "--setting", "all", "--topics", topics, "--metric", "all"]
        assert digits(cdec(*call, "--format", "json").json["rows"]) == expected


@pytest.mark.filterwarnings("ignore::cdec.errors.CdecWarning")
@pytest.mark.parametrize("scope", ["document", "corpus"])
@pytest.mark.parametrize("case", CASES)
def test_a_scope_gives_equal_digits(case: str, scope: str, tmp_path: Path) -> None:
    sides = (("k", KEY), ("r", CASES[case]))
    of = [[make(chains) for _, chains in sides] for make in VALUES.values()]
    of += [
        [written(tmp_path, f"{n}{k}", door, c) for n, c in sides] for k, door in enumerate(FILES)
    ]
    first, *others = [of_results(package.score(*pair, scope=scope, metrics="all")) for pair in of]
    assert others == [first] * len(others)


def test_the_first_mention_is_the_first_in_the_text() -> None:
    """Positions order the mentions, not the order in which key and response name them."""
    key = {"d1/5-5": "a", "d2/0-0": "a"}
    response = {"d1/2-2": "x", "d1/5-5": "x", "d2/0-0": "x"}
    value = package.score(key, response, setting="pure")["b3"]
    assert (value.recall, value.precision) == (0.25, 0.25)
    of_places = {("d", 4, 4): "a", ("d", 0, 0): "a", ("d", 9, 9): "b"}
    joined = {("d", 0, 0): "x", ("d", 4, 4): "x", ("d", 9, 9): "x"}
    value = package.score(of_places, joined, setting="pure")["b3"]
    assert (value.recall, value.precision) == (0.5, 1)


@pytest.mark.parametrize(
    "mentions", [("d/m1", "d/m2"), ("m1", "m2"), ("d/3-1", "d/m"), ("d/٥-٥", "d/٦-٦")]
)
def test_a_reduction_needs_positions(mentions: tuple[str, str], tmp_path: Path, cdec: Run) -> None:
    one, two = mentions
    chains = {one: "a", two: "a"}
    with refused("annotation-missing"):
        package.score(chains, chains, setting="pure")
    assert package.score(chains, chains, setting="simple")["b3"].f1 == 1
    rows = ({"mention": mention, "chain": chain} for mention, chain in chains.items())
    file = given(tmp_path, "ids.jsonl", records(*rows))
    ran = cdec("score", file, file, "--setting", "pure")
    assert (ran.exit, ran.error) == (2, "annotation-missing")
    assert cdec("score", file, file, "--setting", "simple").exit == 0


def labels_at_every_door(label: Any, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each door, and how it takes a response with this label: refused, or notices."""
    chains: dict[Place, Any] = {("d", 0, 0): label, ("d", 1, 1): "1", ("d", 2, 2): "2"}
    key = dict.fromkeys(chains, "k")
    paths = {
        "JSONL": (folder / "r.jsonl", records(*spans(chains))),
        "CSV": (folder / "r.csv", table(spans(chains), ",")),
    }
    doors: dict[str, Callable[[], Results]] = {
        name: lambda make=make: package.score(make(key), make(chains))  # type: ignore[misc]
        for name, make in VALUES.items()
    }
    keys = written(folder, "k", "JSONL", key)
    for name, (path, text) in paths.items():
        if name == "JSONL" or isinstance(label, str):  # a CSV file has texts only
            path.write_text(text, "utf-8")
            doors[name] = lambda path=path: package.score(keys, path)  # type: ignore[misc]
    for name, scored in doors.items():
        try:
            yield name, ",".join(sorted({notice.code for notice in scored().notices}))
        except CdecError:
            yield name, "refused"


@pytest.mark.filterwarnings("ignore::cdec.errors.CdecWarning")
@pytest.mark.parametrize(
    ("label", "code"),
    [(True, "refused"), ("1\u200b", "label-ambiguous"), ("\u2060", ""), ("1_0", ""), ("1e0", "")],
)
def test_odd_labels_are_alike_at_every_door(label: Any, code: str, tmp_path: Path) -> None:
    assert set(dict(labels_at_every_door(label, tmp_path)).values()) == {code}


@pytest.mark.parametrize(
    "offset", ["1_0", "1e0", "٥", "５", "1" * 5000, "-1", "", True, 1.5, 10**400]
)
def test_odd_offsets_are_refused_at_every_door(offset: Any, tmp_path: Path) -> None:
    key = given(tmp_path, "key.jsonl", records(*spans({("d", 0, 0): "a"})))
    record = {"doc": "d", "start": offset, "end": offset, "chain": "a"}
    frame = pd.DataFrame([record], dtype=object)
    for name, text in (("r.csv", table([record], ",")), ("r.jsonl", records(record))):
        if name == "r.csv" or abs(offset if isinstance(offset, int) else 0) < 10**9:
            (tmp_path / name).write_text(text, "utf-8")
            with pytest.raises(CdecError):
                package.score(key, tmp_path / name)
    corpus = package.load_corpus("sample", "test")
    doc = next(iter(corpus.documents))
    for response in (frame.assign(doc=doc), {(doc, offset, offset): "a"}):
        with pytest.raises(CdecError):
            package.evaluate(corpus, response)
    with pytest.raises(CdecError):
        package.score({("d", 0, 0): "a"}, {("d", offset, offset): "a"})


def test_whole_floats_are_offsets_at_every_door(tmp_path: Path) -> None:
    """As pandas writes them in a column with a missing value."""
    tokens = dict.fromkeys(("start", "end"), None) | {"doc": "d", "tokens": [7.0], "chain": "b"}
    place = {"start": 5.0, "end": 6.0, "doc": "d", "tokens": None, "chain": "a"}
    frame = pd.DataFrame([place, tokens])
    frame.assign(tokens=["", "7.0"]).to_csv(tmp_path / "r.csv", index=False)
    assert "5.0,6.0" in (tmp_path / "r.csv").read_text("utf-8")
    (tmp_path / "r.jsonl").write_text(records(place, tokens), "utf-8")
    (tmp_path / "r.json").write_text(json.dumps({"a": [["d", 5.0, 6.0]], "b": [["d", 7.0, 7]]}))
    document = {"doc_key": "d", "clusters": {"a": [[5.0, 6.0]], "b": [[7.0, 7]]}}
    (tmp_path / "d.json").write_text(json.dumps(document))
    key = {("d", 5, 6): "a", ("d", 7, 7): "b"}
    doors: list[Any] = [
        frame,
        {("d", 5.0, 6.0): "a", ("d", 7.0, 7): "b"},
        *map(str, tmp_path.iterdir()),
    ]
    for response in doors:
        counted = package.score(key, response, scope="corpus")["b3"]
        assert (counted.precision, counted.recall) == (1, 1), response


@pytest.mark.parametrize("offset", ["1" * 5000, "٤", "1_0"])
def test_odd_offsets_of_characters_are_refused(offset: str, tmp_path: Path, cdec: Run) -> None:
    (tmp_path / "a.txt").write_text("Nine people died.", "utf-8")
    (tmp_path / "a.ann").write_text(f"T1\tevent 0 {offset}\tNine\n", "utf-8")
    (tmp_path / "m.csv").write_text(f"doc,from_char,to_char,chain\na,0,{offset},x\n", "utf-8")
    for mentions in (tmp_path, tmp_path / "m.csv"):
        ran = cdec("corpus", "add", tmp_path, "--mentions", mentions, "--name", "odd")
        assert (ran.exit, ran.error != "internal-error") == (1, True), ran.err


def test_a_huge_correction_in_a_file_of_answers_is_refused(tmp_path: Path, cdec: Run) -> None:
    cases, answers = tmp_path / "cases.jsonl", tmp_path / "answers.csv"
    call = ["audit", "run", "--corpus", "sample", "--detector", "companions", "-o", cases]
    assert cdec(*call).exit == 0
    id_ = next(case["case"] for case in map(json.loads, cases.read_text("utf-8").splitlines()[1:]))
    answers.write_text(f"case,verdict,correction,reason\n{id_},error,{'1' * 5000},\n", "utf-8")
    ran = cdec("audit", "apply", answers, "--list", cases, "-o", tmp_path / "r.json")
    assert (ran.exit, ran.error) == (1, "file-invalid"), ran.err


def test_pair_scores_too_large_to_add_are_refused() -> None:
    corpus = package.load_corpus("sample", "test")
    one, two = corpus.selected.index[:2]
    with refused("file-invalid"):
        package.score_pairs(corpus, {(one, two): 1e308, (two, one): 1e308})
    with refused("option-conflict"):
        package.score_pairs(corpus, {(one, two): 0.5}, tune=(corpus, {}), threshold=0.5)


# Responses to the sample: the chains of a baseline, changed as the case says.
CHANGES: dict[str, Callable[[pd.Series[Any], pd.DataFrame], Chains]] = {}


def change(name: str) -> Callable[[Callable[..., Chains]], Callable[..., Chains]]:
    def kept(function: Callable[..., Chains]) -> Callable[..., Chains]:
        CHANGES[name] = function
        return function

    return kept


def places(mentions: pd.DataFrame, labels: pd.Series[Any]) -> Chains:
    table = mentions.loc[labels.index, ["doc", "start", "end"]]
    rows = table.itertuples(index=False, name=None)
    return {(str(d), int(s), int(e)): str(c) for (d, s, e), c in zip(rows, labels, strict=True)}


@change("whole")
def _whole(labels: pd.Series[Any], mentions: pd.DataFrame) -> Chains:
    return places(mentions, labels)


@change("missing")
def _missing(labels: pd.Series[Any], mentions: pd.DataFrame) -> Chains:
    return places(mentions, labels.iloc[::2])


@change("twinless")
def _twinless(labels: pd.Series[Any], mentions: pd.DataFrame) -> Chains:
    chains = places(mentions, labels)
    more = {(doc, 1, 2): "0" for doc in mentions["doc"].unique()}
    return {**more, **chains}


# Keys of these documents: how Python and the command line name each. Responses to a key that leaves
# out mentions (a key patch, a part of listed mentions) have all mentions.
PART = {"choice": "sample", "split": "test"}
KEYS: dict[str, dict[str, Any]] = {"the whole key": PART}


@pytest.mark.filterwarnings("ignore::cdec.errors.CdecWarning")
@pytest.mark.parametrize("which", KEYS)
@pytest.mark.parametrize("case", CHANGES)
def test_evaluate_gives_equal_digits(case: str, which: str, tmp_path: Path, cdec: Run) -> None:
    corpus, scored = package.load_corpus(**PART), package.load_corpus(**KEYS[which])
    selected = corpus.selected
    # A mention with a gap has no span of its own.
    whole = selected.index[selected["tokens"].map(len) == selected["end"] - selected["start"] + 1]
    labels = package.predict(corpus, "lemma").labels.loc[whole]
    chains = CHANGES[case](labels, selected)
    responses: dict[str, Any] = {name: make(chains) for name, make in VALUES.items()}
    responses["DataFrame"] = pd.DataFrame(spans(chains))
    for door, (ending, text) in FILES.items():
        if ending != "conll":
            path = tmp_path / f"{len(responses)}.{ending}"
            path.write_text(text(chains), "utf-8")
            responses[door] = path
    if case != "twinless":
        known = {
            p: id_
            for id_, p in zip(selected.index, places(selected, corpus.gold.labels), strict=True)
        }
        by_id = Clustering.from_labels({known[place]: c for place, c in chains.items()})
        responses["ids"] = by_id
        responses["dict of ids"] = by_id.labels.to_dict()
        for ending in ("conll", "jsonl"):
            responses[f"{ending} of cdec"] = path = tmp_path / f"own.{ending}"
            write(from_corpus(corpus, by_id), path, ending)
    found = {
        door: of_results(package.evaluate(scored, response, setting=SIX))
        for door, response in responses.items()
    }
    first = found["dict"]
    assert [door for door, rows in found.items() if rows != first] == []
    options = [
        f"--{n.replace('choice', 'corpus').replace('_', '-')}={v}" for n, v in KEYS[which].items()
    ]
    call = ["eval", responses["JSONL"], *options, "--setting", "all"]
    assert digits(cdec(*call, "--format", "json").json["rows"]) == first


@pytest.mark.parametrize("key_form", ["dict", "Clustering", *CONTAINERS])
def test_key_and_response_in_any_mixture(key_form: str, tmp_path: Path) -> None:
    forms = VALUES | CONTAINERS
    key = forms[key_form](KEY)
    expected = of_results(package.score(dict(KEY), dict(WHOLE), scope="corpus"))
    responses = [make(WHOLE) for make in forms.values()]
    responses += [pd.DataFrame(spans(WHOLE)), written(tmp_path, "r", "JSONL", WHOLE)]
    for response in responses:
        assert of_results(package.score(key, response, scope="corpus")) == expected


SMALL_KEY = {("d", 0, 0): "a", ("d", 1, 1): "a", ("d", 2, 2): "b"}
REPEATED = {"x": [("d", 0, 0), ("d", 1, 1)], "y": [("d", 1, 1), ("d", 2, 2)]}


def test_a_mention_in_two_chains_counts_as_in_a_file(tmp_path: Path) -> None:
    rows = [
        {"doc": doc, "start": start, "end": end, "chain": label}
        for label, places in REPEATED.items()
        for doc, start, end in places
    ]
    file = given(tmp_path, "r.jsonl", records(*rows))
    with pytest.warns(package.CdecWarning):
        expected = package.score(SMALL_KEY, file)
    assert expected["b3"] == (1, 1, 1)
    for response in (REPEATED, [*REPEATED.values()]):
        with pytest.warns(package.CdecWarning):
            found = package.score(SMALL_KEY, response)
        assert of_results(found) == of_results(expected)
        assert {notice.code for notice in found.notices} == {"mention-duplicate"}


@pytest.fixture
def of_sample() -> tuple[package.Corpus, dict[Any, Any]]:
    """The test part of the sample, and mention → chain of a baseline."""
    corpus = package.load_corpus("sample", "test")
    return corpus, package.predict(corpus, "lemma").labels.to_dict()


@pytest.mark.filterwarnings("ignore::cdec.errors.CdecWarning")
def test_one_response_is_told_from_several(of_sample: Any, tmp_path: Path) -> None:
    corpus, labels = of_sample
    by_chain = Clustering.from_labels(labels).chains()
    chains = [*by_chain.values()]
    path = given(
        tmp_path,
        "mine.jsonl",
        records(*({"mention": id_, "chain": c} for id_, c in labels.items())),
    )
    one = ["response"]
    several: list[tuple[Any, list[str]]] = [
        (labels, one),
        (by_chain, one),
        (chains, one),
        (tuple(map(set, chains)), one),
        (["lemma", by_chain], ["lemma", "response"]),
        (["lemma", chains], ["lemma", "response"]),
        (["lemma", str(path)], ["lemma", "mine"]),
        ([path, Clustering.from_labels(labels)], ["mine", "response"]),
        ({"a": labels, "b": by_chain, "c": chains, "d": "lemma"}, ["a", "b", "c", "d"]),
        ({"a": [str(path), "lemma"]}, ["a"]),
        ({"a": [labels, by_chain]}, ["a"]),
        ({0: chains[0], **dict(enumerate(chains[1:], start=1))}, one),
    ]
    for responses, names in several:
        frame = package.evaluate(corpus, responses, setting="pure", metrics="b3").to_frame()
        scores = frame[frame["run"] == ""] if "run" in frame else frame
        assert [*scores["system"]] == names
        assert len({*scores["f1"]}) == 1


@pytest.mark.parametrize(
    "responses",
    [
        {"a": ["lemma"], "b": ["4_1ecb/1"]},
        {"a": ["runs/a.conll", "4_1ecb/1"]},
        [["a.conll", "b.conll"]],
        ["lemma", ["4_1ecb/1", "4_1ecb/2"]],
        [("4_1ecb", 0, 0), ("4_1ecb", 1, 1)],
        {"fire": ("4_1ecb", 0, 0)},
        {"fire": ["4_1ecb/1"], "4_1ecb/2": "fire"},
        {"fire": [None]},
        {True: ["4_1ecb/1"]},
        [[["4_1ecb/1", {"4_1ecb/2"}]]],
    ],
)
def test_what_can_be_both_is_refused(responses: Any, of_sample: Any) -> None:
    with refused("argument-invalid") as caught:
        package.evaluate(of_sample[0], responses)
    assert caught.value.hint


@pytest.mark.filterwarnings("ignore::cdec.errors.CdecWarning")
def test_verbs_take_the_choices_of_a_policy(of_sample: Any) -> None:
    corpus, labels = of_sample
    mine = {id_: -1 if at % 5 == 0 else label for at, (id_, label) in enumerate(labels.items())}
    policy = package.FilePolicy(noise="absent", missing="drop")
    plan = package.Plan(resamples=10, exchanges=10)
    calls: list[Callable[..., Any]] = [
        lambda **choices: package.evaluate(corpus, mine, **choices),
        lambda **choices: package.score(labels, mine, scope="corpus", **choices),
        lambda **choices: package.compare(corpus, [mine, "lemma"], plan=plan, **choices),
        lambda **choices: package.diagnose(corpus, mine, **choices),
    ]
    for call in calls:
        by_policy = call(policy=policy).to_frame()
        for choices in (
            {"noise": "absent", "missing": "drop"},
            {"policy": package.FilePolicy(noise="singletons", missing="drop"), "noise": "absent"},
        ):
            pd.testing.assert_frame_equal(call(**choices).to_frame(), by_policy)
        for wrong in ({"noize": "absent"}, {"noise": "gone"}, {"labels": "topic"}):
            with pytest.raises(CdecError) as caught:
                call(**wrong)
            assert (caught.value.code, caught.value.exit_code) == ("name-unknown", 2)


def test_an_empty_response_is_refused_at_its_place(cdec: Run) -> None:
    ran = cdec("score", "/dev/null", "/dev/null", "--scope", "corpus")
    assert (ran.exit, ran.error) == (1, "file-empty")
    assert ran.said.startswith("/dev/null")
