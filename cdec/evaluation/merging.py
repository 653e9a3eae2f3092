"""Results of the same task, saved or computed at different times, as one."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from cdec.errors import ScoringError
from cdec.evaluation.results import Results
from cdec.evaluation.saved import check_same_task

_MAY_DIFFER = ("setting", "metrics")


def together(first: Results, second: Results) -> Results:
    """Return the results of both, ordered by setting, then as given.

    Raises ScoringError unless corpus, part, key, scope and scorer are the same, no system has two
    results under one setting, and both have the same kind of intervals, or neither has any.
    """
    check_same_task(
        (f"result {number}", {k: v for k, v in r.signature.fields.items() if k not in _MAY_DIFFER})
        for number, r in enumerate([*first, *second], start=1)
    )
    pairs = [(result.setting.name, result.system) for result in (*first, *second)]
    for setting, system in pairs:
        if pairs.count((setting, system)) > 1:
            message = f"both have a result of '{system}' under '{setting}'"
            raise ScoringError("result-duplicate", message, hint="give one of them another name")
    if (first.intervals is None) != (second.intervals is None):
        message = "only one of the results has confidence intervals"
        raise ScoringError("intervals-mixed", message, hint="compute both with ci=True, or neither")
    if first.intervals and second.intervals and first.intervals.how != second.intervals.how:
        message = "the confidence intervals were computed in different ways"
        hint = "compute both with the same ci=Plan(…)"
        raise ScoringError("intervals-mixed", message, hint=hint)
    order = list(dict.fromkeys(setting for setting, _ in pairs))
    merged = sorted((*first, *second), key=lambda result: order.index(result.setting.name))
    intervals = first.intervals
    if intervals and second.intervals:
        frame = pd.concat([intervals.frame, second.intervals.frame], ignore_index=True)
        frame = frame.sort_values("setting", key=lambda s: s.map(order.index), kind="stable")
        intervals = replace(intervals, frame=frame.reset_index(drop=True))
    notices = tuple(dict.fromkeys((*first.notices, *second.notices)))
    return Results(tuple(merged), notices, intervals)
