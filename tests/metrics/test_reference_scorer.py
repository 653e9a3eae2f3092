"""Equality with the CoNLL reference scorer v8.01, on random cases and on its edge cases.

The scorer is not part of this project (its licence and Perl are its own). Name its ``scorer.pl`` in
CDEC_REFERENCE_SCORER to run these tests; with CDEC_REQUIRE_REFERENCE_SCORER=1 its absence fails.
"""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from cdec.metrics import Counts, Value, derive, measure
from cdec.metrics.contingency import Contingency

NAMES = {"muc": "muc", "bcub": "b3", "ceafm": "ceafm", "ceafe": "ceafe"}
BLANC_LINES = ("blanc_coref", "blanc_noncoref", "blanc")
LINE = re.compile(
    r"Recall: \((\S+) / (\S+)\) (\S+)%\s+Precision: \((\S+) / (\S+)\) (\S+)%\s+F1: (\S+)%"
)
Document = tuple[list[int], list[int]]


@pytest.fixture(scope="module")
def scorer() -> Path:
    path = Path(os.environ.get("CDEC_REFERENCE_SCORER", ""))
    if path.is_file():
        return path
    message = "CDEC_REFERENCE_SCORER does not name the scorer.pl of the CoNLL reference scorer"
    if os.environ.get("CDEC_REQUIRE_REFERENCE_SCORER") == "1":
        pytest.fail(message)
    pytest.skip(message)


@dataclass
class Printed:
    """One line of the scorer: the counts, and percentages truncated after two digits."""

    counts: Counts
    percent: tuple[float, ...]

    @classmethod
    def parse(cls, line: str) -> "Printed":
        numbers = map(float, LINE.findall(line)[0])
        r_num, r_den, recall, p_num, p_den, precision, f1 = numbers
        return cls(Counts(p_num, p_den, r_num, r_den), (precision, recall, f1))


def write(path: Path, sides: list[list[int]]) -> None:
    """Write a file with one document per label list and one token per mention."""
    lines = []
    for number, labels in enumerate(sides):
        lines.append(f"#begin document (d{number}); part 000")
        for token, label in enumerate(labels):
            chain = "-" if label < 0 else f"({label})"
            lines.append(f"d{number}\t0\t{token}\tword\t{chain}")
        lines += ["", "#end document"]
    path.write_text("\n".join(lines) + "\n")


def run(scorer: Path, folder: Path, documents: list[Document]) -> dict[str, Printed]:
    """Return the output of the scorer for each metric, over all documents."""
    key, response = folder / "key.conll", folder / "response.conll"
    write(key, [key for key, _ in documents])
    write(response, [response for _, response in documents])
    done = subprocess.run(
        ["perl", scorer, "all", key, response, "none"], capture_output=True, text=True, check=True
    )
    printed: dict[str, Printed] = {}
    for section in done.stdout.split("METRIC ")[1:]:
        metric, *lines = section.splitlines()
        # the first line of a section is the identification of mentions
        scores = [Printed.parse(line) for line in lines if "Recall:" in line][1:]
        metric = metric.rstrip(":")
        names = BLANC_LINES if metric == "blanc" else (NAMES[metric],)
        printed.update(zip(names, scores, strict=True))
    return printed


def assert_equal(scorer: Path, folder: Path, documents: list[Document]) -> None:
    sides = zip(*documents, strict=True)
    key, response = ([label for labels in side for label in labels] for side in sides)
    meta = [number for number, (labels, _) in enumerate(documents) for _ in labels]
    counts = measure(Contingency.from_labels(key, response, meta))
    values = derive(counts)
    printed = run(scorer, folder, documents)
    assert printed.keys() == {*NAMES.values(), *BLANC_LINES}
    for name, line in printed.items():
        assert_cut_off(values[name], line.percent)
        own = counts.get(name) or as_counts(values[name])
        for field in Counts.__slots__:
            assert getattr(own, field) == pytest.approx(
                getattr(line.counts, field), rel=1e-13, abs=1e-13
            ), (name, field)


def as_counts(value: Value) -> Counts:
    """The value as the scorer prints one without counts: out of 1."""
    assert value.precision is not None
    assert value.recall is not None
    return Counts(value.precision, 1, value.recall, 1)


def assert_cut_off(value: Value, printed: tuple[float, ...]) -> None:
    """The scorer truncates percentages after two digits, so that 80 can appear as 79.99."""
    for exact, percent in zip(value, printed, strict=True):
        assert exact is not None
        assert -1e-9 <= 100 * exact - percent <= 0.01 + 1e-9


def random_document(rng: np.random.Generator, longest: int) -> Document:
    size = int(rng.integers(0, longest + 1))
    sides = rng.integers(-rng.integers(0, 2), 1 + rng.integers(1, longest, (2, 1)), (2, size))
    key, response = sides.tolist()
    kinds = {
        1: (key, [-1] * size),
        2: ([-1] * size, response),
        3: (list(range(size)), response),
        4: (key, list(range(size))),
        5: (list(range(size)), list(range(size))),
        6: ([0] * size, response),
        7: (key, [0] * size),
        8: (key, key),
        9: ([i % 2 - 1 for i in range(size)], [-(i % 2) for i in range(size)]),
    }
    return kinds.get(int(rng.integers(0, 18)), (key, response))


@pytest.mark.parametrize("seed", range(250))
def test_one_small_document(scorer: Path, tmp_path: Path, seed: int) -> None:
    assert_equal(scorer, tmp_path, [random_document(np.random.default_rng(seed), 12)])


@pytest.mark.parametrize("seed", range(100))
def test_several_documents_pooled(scorer: Path, tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    documents = [random_document(rng, 10) for _ in range(int(rng.integers(2, 6)))]
    assert_equal(scorer, tmp_path, documents)


@pytest.mark.parametrize("seed", range(20))
def test_longer_documents(scorer: Path, tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(2000 + seed)
    assert_equal(scorer, tmp_path, [random_document(rng, 40) for _ in range(2)])


EDGE_CASES = {
    "empty response": ([0, 0, 1], [-1, -1, -1]),
    "empty key": ([-1, -1, -1], [0, 0, 1]),
    "both empty": ([-1, -1], [-1, -1]),
    "no common mention": ([0, 0, -1, -1], [-1, -1, 0, 0]),
    "one mention": ([0], [0]),
    "singletons on both sides": ([0, 1, 2], [0, 1, 2]),
    "singletons in the key": ([0, 1, 2], [0, 0, 1]),
    "singletons in the response": ([0, 0, 1], [0, 1, 2]),
    "one chain on both sides": ([0, 0, 0], [0, 0, 0]),
    "one chain in the key": ([0, 0, 0], [0, 0, 1]),
    "one chain in the response": ([0, 0, 1], [0, 0, 0]),
    "one chain against singletons": ([0, 0, 0], [0, 1, 2]),
    "singletons against one chain": ([0, 1, 2], [0, 0, 0]),
    "singletons, other mentions": ([0, 1, 2, -1], [-1, 0, 1, 2]),
    "one chain, other mentions": ([0, 0, 0, -1], [-1, 0, 0, 0]),
}


@pytest.mark.parametrize("name", EDGE_CASES)
def test_edge_case(scorer: Path, tmp_path: Path, name: str) -> None:
    assert_equal(scorer, tmp_path, [EDGE_CASES[name]])


def test_edge_cases_pooled(scorer: Path, tmp_path: Path) -> None:
    """A half without links in one document has the links of the other documents."""
    assert_equal(scorer, tmp_path, list(EDGE_CASES.values()))
