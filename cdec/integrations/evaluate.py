"""Coreference metrics as Hugging Face ``evaluate`` calls them.

An example is one meta-document (a topic, a document): the chain labels of its mentions. Labels in
two examples are two chains; counts are summed over all examples before they are divided.
``compute`` needs no other library; ``metric`` needs the package ``evaluate``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

import pandas as pd

from cdec.errors import ScoringError, UsageError
from cdec.labels import Noise, noise_word
from cdec.metrics.arguments import is_array, label_series
from cdec.metrics.labels import score_labels
from cdec.metrics.registry import ALL, ordered

Examples = Sequence[Sequence[Hashable]]


def compute(
    *,
    predictions: Examples,
    references: Examples,
    metrics: str | Iterable[str] | None = None,
    noise: Noise | None = None,
) -> dict[str, float]:
    """Return ``{metric}_{precision|recall|f1}`` → value in [0, 1].

    ``predictions`` and ``references`` have one sequence of labels per example, of equal lengths.
    A flat list of labels is refused: put it in a list if it is one example. ``metrics`` is an id or
    several (default: all of cdec); ``noise`` is the meaning of the label −1, see
    ``cdec.metrics.score_labels``. Raises UsageError for sides that are not sequences of sequences,
    and as ``cdec.metrics.score_labels`` does.

    >>> scores = compute(predictions=[[0, 0], [0, 1]], references=[[5, 5], [5, 5]], metrics=["b3"])
    >>> scores["b3_precision"], scores["b3_recall"]
    (1.0, 0.75)
    """
    left, right = _examples(references, "references"), _examples(predictions, "predictions")
    sizes, others = ([len(labels) for labels in side] for side in (left, right))
    if sizes != others:
        raise _misaligned(sizes, others)
    key, response = (list(chain.from_iterable(side)) for side in (left, right))
    meta = [number for number, size in enumerate(sizes) for _ in range(size)]
    scores = score_labels(key, response, metrics, meta=pd.Series(meta, dtype="int64"), noise=noise)
    return {
        f"{name}_{field}": number
        for name, value in scores.values.items()
        for field, number in value._asdict().items()
        if number is not None
    }


def _examples(side: Any, name: str) -> list[pd.Series[Any]]:
    """Return the labels of each example; ``name``: of the side."""
    _check_sequence(side, name)
    examples = list(side)
    for number, example in enumerate(examples):
        _check_sequence(example, f"{name}[{number}]")
    return [label_series(example) for example in examples]


def _check_sequence(value: object, place: str) -> None:
    if not is_array(value):
        message = f"expected a sequence, got {type(value).__name__}"
        hint = "give one sequence of labels per example; [labels] is one example"
        raise UsageError("argument-type", message, place=place, hint=hint)


def _misaligned(references: list[int], predictions: list[int]) -> ScoringError:
    """Return the error of examples of these lengths."""
    message = f"{len(references)} references, {len(predictions)} predictions"
    if len(references) == len(predictions):
        pairs = enumerate(zip(references, predictions, strict=True))
        number, (left, right) = next((n, pair) for n, pair in pairs if pair[0] != pair[1])
        message = f"example {number}: {left} references, {right} predictions"
    return ScoringError("argument-type", message, hint="give one label for each mention")


def metric(
    metrics: str | Iterable[str] | None = None, *, noise: Noise | None = None, **values: Any
) -> Any:
    """Return an ``evaluate.Metric``, for ``add_batch``, ``evaluate.combine`` and the like.

    Labels must be integers. ``metrics`` and ``noise`` as in ``compute``; ``values`` go to
    ``evaluate.Metric``. Raises UsageError if evaluate is not installed or an argument has another
    type, UnknownNameError for an unknown metric or ``noise``.
    """
    try:
        import datasets  # noqa: PLC0415  # optional, and slow
        import evaluate  # noqa: PLC0415
    except ImportError as error:
        message, hint = "the package evaluate is not installed", "pip install evaluate"
        raise UsageError("package-missing", message, hint=hint) from error
    names = ordered(metrics)
    noise_word(noise)
    labels = datasets.Sequence(datasets.Value("int64"))

    class Coreference(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
        """Coreference metrics of cdec."""

        def _info(self) -> Any:
            return evaluate.MetricInfo(
                description="Metrics of coreference resolution, computed by cdec.",
                citation="; ".join(dict.fromkeys(ALL[n].citation for n in names if n in ALL)),
                inputs_description=compute.__doc__ or "",
                features=datasets.Features({"predictions": labels, "references": labels}),
            )

        def _compute(self, predictions: Examples, references: Examples) -> dict[str, float]:
            return compute(
                predictions=predictions, references=references, metrics=names, noise=noise
            )

    return Coreference(**values)
