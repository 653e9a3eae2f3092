"""The interface of Hugging Face evaluate: the numbers of cdec, by its own class where it is."""

import sys

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
    with refused("labels-misaligned", value):
        compute(predictions=predictions, references=REFERENCES)


def test_without_evaluate_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evaluate", None)
    with refused("evaluate-missing"):
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
