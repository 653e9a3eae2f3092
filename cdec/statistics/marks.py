"""Marks of a table of systems: who is better than all others, and who differs from a reference.

The tests are those of ``compare`` with all pairs of systems, under all settings of the table, by
its metric.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from cdec.arrays import AnySeries
from cdec.errors import counted
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.results import DETAILS, Results
from cdec.evaluation.view import ALPHA, headline
from cdec.settings import label_of
from cdec.signature import Signature
from cdec.statistics.compare import compare
from cdec.statistics.draws import Plan
from cdec.statistics.exchange import holm
from cdec.statistics.page import test_methods

_CASE = ["setting", "system"]
_SIGNED = ("unit", "seed", "exchanges", "test", "test_stemmer")


def with_tests(
    results: Results,
    experiment: Experiment,
    plan: Plan,
    against: str | None = None,
) -> Results:
    """Return the results with the columns ``p_others`` and ``p_against`` of the shown metric.

    ``p_others``, of the system with the highest F1 under a setting: the largest p (Holm, over all
    pairs) of its differences from the others. ``p_against``: p (Holm, over these tests) of the
    difference from the reference, by default the first system. Raises as ``compare``.
    """
    metric, _ = headline(results.frame)
    reference = against or next(iter(experiment.systems))
    tested = replace(experiment, call_metrics=(metric,), metrics=(metric,))
    comparison = compare(tested, plan, all_pairs=True)
    table = comparison.table
    is_beside = (table["a"] == reference) | (table["b"] == reference)
    corrected = holm(table.loc[is_beside, "p"].tolist())
    table["p_against"] = pd.Series(corrected, table.index[is_beside])
    better = table["difference"] > 0
    worse = table["difference"] < 0
    sides = pd.concat([
        table.assign(system=table["a"], other=table["b"], ahead=better),
        table.assign(system=table["b"], other=table["a"], ahead=worse),
    ])  # fmt: skip
    of_system = sides.groupby(_CASE)
    p_others = of_system["p_holm"].max().where(of_system["ahead"].all())
    p_against = sides[sides["other"] == reference].set_index(_CASE)["p_against"]
    marks = pd.DataFrame({"p_others": p_others, "p_against": p_against}).reset_index()
    marks = marks.assign(metric=metric, **dict.fromkeys(DETAILS, ""))
    fields = comparison.signatures[0].fields
    added = {name: fields[name] for name in _SIGNED if name in fields}
    added["against"] = reference
    signature_of = {
        case: Signature({**signature.fields, **added}, signature.parts)
        for case, signature in results.signature_of.items()
    }
    return replace(
        results,
        rows=results.rows.merge(
            marks.astype(object), on=[*_CASE, *DETAILS, "metric"], how="left"
        ),
        signature_of=signature_of,
        notices=(*results.notices, comparison.power),
        tests=_legend(table, p_others, len(corrected), reference, plan),
    )


def _legend(
    table: pd.DataFrame,
    p_others: AnySeries,
    tests: int,
    reference: str,
    plan: Plan,
) -> tuple[str, ...]:
    """Return the legend for the caption, who is better, and how it was tested."""
    winners: dict[str, list[str]] = {}
    best = p_others[p_others <= ALPHA].reset_index()
    for setting, system in best[_CASE].to_numpy():
        winners.setdefault(system, []).append(label_of(setting))
    verdicts = [
        f"{system} under {', '.join(labels)}" for system, labels in winners.items()
    ]
    return (
        f"Bold: better than every other system; †: different from {reference} "
        f"(p (Holm) ≤ {ALPHA:g})",
        f"better than every other system: {'; '.join(verdicts) or 'none'}",
        f"p: {'; for several runs '.join(test_methods(table, plan))}; p (Holm): corrected for "
        f"{counted(len(table), 'test')} of all pairs (bold), for {tests} with {reference} (†)",
    )
