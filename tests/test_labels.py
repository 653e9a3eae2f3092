"""One rule on labels at nine doors: dict, Series, frame, Clustering, array, four file formats."""

import csv
import io
import json
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import cdec
from cdec.clustering import Clustering
from cdec.corpus import Corpus
from cdec.errors import CdecError, CdecWarning
from cdec.evaluation import SystemRun, run_on
from cdec.formats import Annotation, from_frame, mention_table
from cdec.labels import Noise, chains_of, label_text
from cdec.matching import FilePolicy
from cdec.metrics import b3
from cdec.metrics.labels import label_codes
from tests.refusals import refused

PLACES = [("a", 0), ("a", 1), ("b", 0), ("b", 2), ("b", 4)]
IDS = [f"{doc}/{start}" for doc, start in PLACES]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    mentions = [
        {"id": str(start), "doc": doc, "tokens": [start], "chain": "x"} for doc, start in PLACES
    ]
    return cdec.build_corpus(mentions, {"a": [["w"] * 5], "b": [["w"] * 5]}, name="made")


def frame(labels: list[Any]) -> pd.DataFrame:
    columns = {"doc": [d for d, _ in PLACES], "start": [s for _, s in PLACES]}
    table = pd.DataFrame({**columns, "end": columns["start"]})
    return table.assign(chain=pd.Series(labels, dtype=object))


def json_value(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def json_text(labels: list[Any]) -> str:
    return json.dumps(dict(zip(IDS, map(json_value, labels), strict=True)))


def json_lines(labels: list[Any]) -> str:
    values = zip(PLACES, map(json_value, labels), strict=True)
    rows = [{"doc": d, "start": s, "end": s, "chain": label} for (d, s), label in values]
    return "".join(json.dumps(row) + "\n" for row in rows)


def csv_text(labels: list[Any]) -> str:
    text = io.StringIO()
    frame(labels).to_csv(text, index=False, quoting=csv.QUOTE_MINIMAL)
    return text.getvalue()


def conll_text(labels: list[Any]) -> str:
    given = dict(zip(PLACES, labels, strict=True))
    lines = []
    for doc in ("a", "b"):
        cells = [given.get((doc, number), "-") for number in range(5)]
        rows = [f"w\t{cell if cell == '-' else f'({cell})'}" for cell in cells]
        lines += [f"#begin document ({doc});", *rows, "#end document"]
    return "\n".join(lines) + "\n"


VALUES: dict[str, Callable[[list[Any]], Any]] = {
    "dict": lambda labels: dict(zip(IDS, labels, strict=True)),
    "series": lambda labels: pd.Series(labels, index=IDS),
    "frame": frame,
    "clustering": lambda labels: Clustering(pd.Series(labels, index=IDS, dtype=object)),
}
FILES: dict[str, Callable[[list[Any]], str]] = {
    "json": json_text,
    "jsonl": json_lines,
    "csv": csv_text,
    "conll": conll_text,
}
DOORS = [*VALUES, "array", *FILES]
# Eight forms of the labels 1, 1, 2, 2, 3.
FORMS: dict[str, list[Any]] = {
    "int": [1, 1, 2, 2, 3],
    "text": ["1", "1", "2", "2", "3"],
    "numpy": [np.int64(1), np.int64(1), np.int64(2), np.int64(2), np.int64(3)],
    "float": [1.0, 1.0, 2.0, 2.0, 3.0],
    "numpy float": [np.float64(1), np.float64(1), np.float64(2), np.float64(2), np.float64(3)],
    "decimals": ["1.0", "1.0", "2.0", "2.0", "3.0"],
    "int and text": [1, "1", "2", 2, 3],
    "numpy and text": [np.int64(1), "1", 2, np.int32(2), "3"],
}
# The labels of two mentions of no chain.
NO_CHAIN = [(-1, -1), ("-1", -1), (-1.0, -1.0), ("nan", "nan"), ("None", "None"), ("", "")]


class Doors:
    """Labels of the five mentions, given through each door."""

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        self.corpus, self.folder = corpus, folder

    def run(self, door: str, labels: list[Any], noise: Noise | None = None) -> SystemRun:
        given: Any = self.folder / f"mine.{door}"
        if door in VALUES:
            given = VALUES[door](labels)
        else:
            given.write_text(FILES[door](labels))
        return run_on(self.corpus, given, FilePolicy(noise=noise))

    def response(self, door: str, labels: list[Any], noise: Noise | None = None) -> Clustering:
        if door != "array":
            return self.run(door, labels, noise).response
        codes = label_codes([1] * 5, labels, None, noise)[1]
        return Clustering(pd.Series(codes, index=IDS)[codes >= 0])


@pytest.fixture
def doors(corpus: Corpus, tmp_path: Path) -> Doors:
    return Doors(corpus, tmp_path)


@pytest.mark.parametrize("form", FORMS)
def test_equal_labels_are_one_chain_at_every_door(doors: Doors, form: str) -> None:
    made = {door: doors.response(door, FORMS[form]).digest for door in DOORS}
    expected = Clustering.from_labels(dict(zip(IDS, "AABBC", strict=True)))
    assert set(made.values()) == {expected.digest}, made


@pytest.mark.parametrize("noise", ["singletons", "absent"])
@pytest.mark.parametrize("pair", NO_CHAIN, ids=repr)
def test_a_label_of_no_chain_has_one_meaning_at_every_door(
    doors: Doors, pair: tuple[Any, Any], noise: Noise
) -> None:
    labels = [*pair, 2, 2, 3]
    for door in able(DOORS, pair):
        with pytest.raises(CdecError):
            doors.response(door, labels)
        texts = "A1BBC" if noise == "singletons" else "  BBC"
        chains = {m: text for m, text in zip(IDS, texts, strict=True) if text.strip()}
        made = doors.response(door, labels, noise)
        assert made == Clustering.from_labels(chains), door


def able(names: list[str], pair: tuple[Any, Any]) -> list[str]:
    """Return the doors that can hold these labels: brackets hold no blank."""
    return [name for name in names if name != "conll" or all(str(label) for label in pair)]


@pytest.mark.parametrize("door", [*VALUES, "json", "jsonl", "csv"])
def test_a_missing_label_is_no_chain(doors: Doors, door: str) -> None:
    labels = [None, 1, 1, 2, 2]
    if door == "clustering":
        with refused("label-ambiguous"):
            doors.response(door, labels)
        return
    with refused("label-ambiguous" if door in ("dict", "series") else "field-invalid"):
        doors.response(door, labels)
    assert len(doors.response(door, labels, "absent")) == 4
    assert doors.response(door, labels, "singletons").labels.nunique() == 3


@pytest.mark.parametrize("door", DOORS)
def test_one_mention_may_have_such_a_name(doors: Doors, door: str) -> None:
    labels = ["none", 1, 1, 2, 2]
    if door == "array":  # a clusterer gives numbers, of which −1 has one meaning only
        with refused("label-ambiguous"):
            doors.response(door, labels)
        return
    assert len(doors.response(door, labels)) == 5


@pytest.mark.parametrize("door", DOORS)
def test_an_integer_and_the_same_number_with_decimals_are_refused(doors: Doors, door: str) -> None:
    with refused("label-ambiguous", "'1'", "'1.0'"):
        doors.response(door, ["1.0", "1", "2", "2", "x"])


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("other", ["caf\u0065\u0301", "caf\u00e9 "])
def test_labels_that_look_alike_have_a_notice(doors: Doors, door: str, other: str) -> None:
    labels = ["caf\u00e9", other, "x", "x", "y"]
    if door == "conll" and other.endswith(" "):
        return
    if door == "array":
        with pytest.warns(CdecWarning, match="labels-alike"):
            doors.response(door, labels)
        return
    run = doors.run(door, labels)
    assert [n.code for n in run.notices if n.code == "labels-alike"] == ["labels-alike"]
    assert run.response.labels.nunique() == 4


def test_one_digest_in_every_container(doors: Doors) -> None:
    runs = [doors.run(door, [1, 1, 2, 2, 3]) for door in VALUES]
    indexed = frame([1, 1, 2, 2, 3]).set_axis(list("vwxyz"))
    named = pd.DataFrame({"mention": IDS, "chain": [7, 7, 8, 8, 9]})
    placed = {
        (doc, start, start): label for (doc, start), label in zip(PLACES, "AABBC", strict=True)
    }
    runs += [run_on(doors.corpus, value) for value in (indexed, named, placed)]
    starts = [start for _, start in PLACES]
    table = mention_table(["a", "a", "b", "b", "b"], starts, starts, list("AABBC"))
    runs.append(run_on(doors.corpus, Annotation("mine", "python", table, {"a": None, "b": None})))
    assert len({run.about["response_digest"] for run in runs}) == 1
    assert not any("repeated" in run.about for run in runs)


def test_the_signature_has_what_was_chosen(corpus: Corpus, tmp_path: Path) -> None:
    doors, labels = Doors(corpus, tmp_path), [-1, -1, 2, 2, 3]
    assert "noise" not in doors.run("csv", [1, 1, 2, 2, 3]).about
    for door in (*VALUES, *FILES):
        assert doors.run(door, labels, "absent").about["noise"] == "absent"
    twice = frame([1, 1, 2, 2, 3])
    assert run_on(corpus, pd.concat([twice, twice])).about["repeated"] == "first"


class Clusterer:
    """A system whose clusterer found noise."""

    name = "clusterer"
    parameters: Mapping[str, Any] = MappingProxyType({})

    def predict(self, corpus: Corpus) -> Clustering:
        ids = corpus.selected.index
        return Clustering(pd.Series([-1, -1, *range(len(ids) - 2)], index=ids))


def test_verbs_have_noise() -> None:
    corpus = cdec.load_corpus("sample", "test")
    labels = dict(zip(IDS, [-1, -1, 2, 2, 3], strict=True))
    for response in (Clusterer().predict(corpus), Clusterer()):
        with refused("label-ambiguous"):
            cdec.evaluate(corpus, response)
        results = cdec.evaluate(corpus, response, metrics="b3", noise="singleton")
        assert results.signature.fields["noise"] == "singletons"
        assert {n.code for n in results.notices} == {"missing-label"}
    found = cdec.diagnose(corpus, Clusterer(), noise="absent").value
    assert len(found.runs[0].response) == len(corpus.selected) - 2
    with refused("label-ambiguous"):
        cdec.score(labels, labels)
    assert len(cdec.score(labels, labels, noise="absent", metrics="b3").to_frame()) == 1
    with refused("name-unknown", "unknown noise treatment"):
        cdec.score(labels, labels, noise="drop")  # type: ignore[arg-type]


def test_a_missing_label_of_an_array_is_absent_with_one_warning() -> None:
    for labels in ([1, None], [1.0, np.nan], np.ma.array([1, 2], mask=[False, True])):
        with pytest.warns(CdecWarning, match="label-absent") as caught:
            assert b3([1, 1], labels, value="recall") == 0.25
        assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert b3([1, 1], ["x", "x"]) == 1.0


def test_masked_values_of_a_dict_are_missing() -> None:
    masked = dict(zip("ab", np.ma.array([1, 2], mask=[False, True]), strict=True))
    with refused("label-ambiguous", "'b'"):
        Clustering.from_labels(masked)
    assert len(Clustering.from_labels(masked, noise="absent")) == 1


@pytest.mark.parametrize(
    ("label", "text"),
    [(True, "1"), (np.inf, "inf"), (0.5, "0.5"), (1 + 0j, "(1+0j)"), (("a", 1), "('a', 1)")],
)
def test_the_text_of_other_labels(label: Any, text: str) -> None:
    assert label_text(label) == text


def test_singletons_of_noise_have_labels_of_their_own() -> None:
    labels = pd.Series(["noise:1", "'noise:1", "-1", "-1"])
    chains = chains_of(labels, noise="singletons")
    assert len({chains.texts[code] for code in chains.codes}) == 4


def test_a_frame_without_a_label_names_the_row() -> None:
    with refused("field-invalid", place="frame, row 1"):
        from_frame(frame(["x", None, "x", "x", "x"]))
