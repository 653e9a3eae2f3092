"""Marks of a table of systems: who is better than all others, and who differs from a reference.

The tests are those of ``compare`` with all pairs of systems, under all settings of the table, by
its metric.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from cdec.evaluation.experiment import Experiment
from cdec.evaluation.results import DETAILS, Results
from cdec.evaluation.view import ALPHA, CASE, headline
from cdec.settings import label_of
from cdec.statistics.compare import compare
from cdec.statistics.draws import Plan
from cdec.statistics.exchange import holm
from cdec.statistics.intervals import signed_with
from cdec.statistics.page import test_methods

_SIGNED = ("unit", "seed", "exchanges", "test", "test_stemmer")


def with_tests(
    results: Results,
    experiment: Experiment,
    plan: Plan,
    reference: str,
) -> Results:
    """Return the results with the columns ``p_others`` and ``p_against`` of the shown metric.

    ``p_others``, of the system with the highest F1 under a setting: the largest p (Holm, over all
    pairs) of its differences from the others. ``p_against``: p (Holm, over these tests) of the
    difference from the reference. Raises as ``compare``.
    """
    metric, _ = headline(results.frame)
    tested = replace(experiment, call_metrics=(metric,), metrics=(metric,))
    comparison = compare(tested, plan, all_pairs=True)
    table = comparison.table
    is_beside = (table[["a", "b"]] == reference).any(axis=1)
    table.loc[is_beside, "p_against"] = holm(table.loc[is_beside, "p"].tolist())
    turned = table.rename(columns={"a": "b", "b": "a"})
    turned["difference"] *= -1
    sides = pd.concat([table, turned]).rename(columns={"a": "system"})
    of_system = sides.groupby(CASE)
    is_ahead = of_system["difference"].min() > 0
    p_against = sides[sides["b"] == reference].set_index(CASE)["p_against"]
    p_others = of_system["p_holm"].max().where(is_ahead)
    marks = pd.DataFrame({"p_others": p_others, "p_against": p_against}).reset_index()
    marks[[*DETAILS]] = ""
    best = marks[marks["p_others"] <= ALPHA]
    winners = [
        f"{system} under {label_of(setting)}"
        for system, setting in zip(best["system"], best["setting"], strict=True)
    ]
    fields = comparison.signatures[0].fields
    added = {name: fields[name] for name in _SIGNED if name in fields}
    added["against"] = reference
    return replace(
        signed_with(results, added),
        rows=results.rows.merge(marks.astype(object), "left", [*CASE, *DETAILS]),
        notices=(*results.notices, comparison.power),
        tests=(
            f"Bold: better than every other system; †: different from {reference} "
            f"(p (Holm) ≤ {ALPHA:g})",
            f"better than every other system: {', '.join(winners) or 'none'}",
            f"p: {'; for several runs '.join(test_methods(table, plan))}; p (Holm): corrected for "
            f"the {len(table)} tests of all pairs (bold), the {is_beside.sum()} of {reference} (†)",
        ),
    )
