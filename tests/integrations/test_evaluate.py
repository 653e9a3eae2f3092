"""The interface of Hugging Face evaluate: the numbers of cdec, by its own class where it is."""

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cdec.integrations.evaluate import compute, metric
from cdec.metrics import score_labels
from tests.refusals import refused

REFERENCES = [[1, 1, 2], [1, 1], [3]]
PREDICTIONS = [[7, 7, 7], [7, 8], [7]]


def test_an_example_is_a_meta_document() -> None:
    scores = compute(predictions=PREDICTIONS, references=REFERENCES)
    flat = [[x for example in side for x in example] for side in (REFERENCES, PREDICTIONS)]
    expected = score_labels(flat[0], flat[1], meta=[0, 0, 0, 1, 1, 2])
    assert scores["conll_f1"] == expected["conll"].f1
    assert scores["lea_recall"] == expected["lea"].recall
    assert "conll_precision" not in scores
    assert compute(predictions=[], references=[], metrics=["muc"])["muc_f1"] == 0.0


@pytest.mark.parametrize(
    ("predictions", "value"),
    [([[1, 1, 2], [1]], "2 predictions"), ([[1], [1, 1], [3]], "example 0: 3 references")],
)
def test_sides_of_other_lengths_are_refused(predictions: list[list[int]], value: str) -> None:
    with refused("argument-type", value):
        compute(predictions=predictions, references=REFERENCES)


@pytest.mark.parametrize(
    "flat",
    [
        *(["0", "0", "1"], [0, 0, 1], (0, 0, 1), np.array([0, 0, 1]), pd.Series([0, 0, 1])),
        *(None, "001", 1, {"a": [0], "b": [0, 1]}, [[0, 0], None], [[0, 0], {0: 1}]),
    ],
)
def test_sides_that_are_not_sequences_of_sequences_are_refused(flat: Any) -> None:
    for sides in ((flat, flat), (flat, REFERENCES), (REFERENCES, flat)):
        with refused("argument-type") as caught:
            compute(predictions=sides[0], references=sides[1], metrics=["conll"])
        assert caught.value.hint
        assert str(caught.value.place).startswith(("predictions", "references"))


def test_an_example_may_be_any_array() -> None:
    expected = compute(predictions=PREDICTIONS, references=REFERENCES)
    kinds: tuple[Any, ...] = (np.array, pd.Series, tuple)
    for kind in kinds:
        sides = [[kind(labels) for labels in side] for side in (PREDICTIONS, REFERENCES)]
        assert compute(predictions=sides[0], references=sides[1]) == expected
    rows: Any = np.eye(2)
    assert compute(predictions=rows, references=rows, metrics="b3")["b3_f1"] == 1.0


def test_one_metric_is_named_without_a_list() -> None:
    scores = compute(predictions=PREDICTIONS, references=REFERENCES, metrics="b3")
    assert set(scores) == {"b3_precision", "b3_recall", "b3_f1"}


@pytest.mark.parametrize("noise", ["x", True])
def test_noise_is_refused_or_has_one_of_two_meanings(noise: Any) -> None:
    sides: dict[str, Any] = {"predictions": [[0, -1.0, -1.0, None]], "references": [[1, 2, 3, 4]]}
    with refused("label-ambiguous", "2 mentions"):
        compute(**sides)
    recall = compute(**sides, metrics="b3", noise="singleton")["b3_recall"]
    assert recall == pytest.approx(3 / 4)
    code = "argument-type" if noise is True else "name-unknown"
    with refused(code):
        compute(**sides, noise=noise)


def test_without_evaluate_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evaluate", None)
    with refused("package-missing"):
        metric()


@pytest.mark.filterwarnings("default")  # those of evaluate and datasets themselves
def test_the_metric_of_evaluate_adds_batches_and_combines() -> None:
    evaluate = pytest.importorskip("evaluate")
    conll = metric(["conll", "b3"])
    for batch in zip(PREDICTIONS, REFERENCES, strict=True):
        conll.add(prediction=batch[0], reference=batch[1])
    expected = compute(predictions=PREDICTIONS, references=REFERENCES, metrics=["conll", "b3"])
    assert conll.compute() == expected
    both = evaluate.combine([metric(["muc"]), metric(["lea"])])
    assert {"muc_f1", "lea_f1"} <= both.compute(
        predictions=PREDICTIONS, references=REFERENCES
    ).keys()
