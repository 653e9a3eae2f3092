"""The metrics that are means of others, written out."""

from __future__ import annotations

from collections.abc import Mapping

from cdec.explanation.notation import decimal
from cdec.metrics import ALL, DERIVED, Counts, derive
from cdec.metrics.means import CONLL_METRICS

# What each mean is taken over; `needs` of the metrics names the counts behind these.
OPERANDS: dict[str, tuple[str, ...]] = {
    "blanc": ("blanc_coref", "blanc_noncoref"),
    "conll": CONLL_METRICS,
    "avg4": (*CONLL_METRICS, "blanc"),
}
_SIGNS = {"precision": "P", "recall": "R", "f1": "F"}


def mean_of(metric: str, counts: Mapping[str, Counts]) -> tuple[str, ...]:
    """Return the lines that make the mean ``metric`` of its operands; none for a counted metric.

    ``counts`` are those of the metrics that it needs.
    """
    if metric not in DERIVED:
        return ()
    inner = [line for part in OPERANDS[metric] for line in mean_of(part, counts)]
    used, dropped = _halves(counts) if metric == "blanc" else (OPERANDS[metric], ())
    values = derive({name: counts[name] for name in DERIVED[metric].needs})
    fields = _SIGNS if metric == "blanc" else {"f1": "F"}
    remarks = [f"{_label(part)} is dropped: the key has no such link" for part in dropped]
    return (*inner, *remarks, *(_line(metric, used, values, field) for field in fields))


def _halves(counts: Mapping[str, Counts]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the halves of BLANC that count, and those that are dropped."""
    kept = tuple(half for half in OPERANDS["blanc"] if counts[half].r_den)
    return kept, tuple(half for half in OPERANDS["blanc"] if half not in kept)


def _line(metric: str, used: tuple[str, ...], values: Mapping[str, object], field: str) -> str:
    sign = _SIGNS[field]
    result = decimal(getattr(values[metric], field))
    head = f"{_label(metric)} {sign}"
    if not used:
        return f"{head} = {result}: nothing is left to take the mean of"
    names = " + ".join(f"{sign}({_label(name)})" for name in used)
    terms = " + ".join(decimal(getattr(values[name], field)) for name in used)
    if len(used) == 1:
        return f"{head} = {names} = {result}"
    return f"{head} = ({names}) / {len(used)} = ({terms}) / {len(used)} = {result}"


def _label(metric: str) -> str:
    return ALL[metric].label.removesuffix(" F")
