"""``cdec compare``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

import cdec
from cdec.cli import options as o
from cdec.cli.command import command, refuse

app = typer.Typer()


@command(app, "compare")
def compare(
    answers: o.Answers = None,
    setting: o.Settings = ["pure"],
    metric: o.Metrics = None,
    by: o.Stratum = None,
    key_patch: o.KeyPatch = None,
    *,
    parameters: o.Parameters,
    source: o.PartOf,
    files: o.Files,
    draws: o.Draws,
    work: o.Work,
    out: o.Report,
) -> None:
    """Test whether A is better than B.

    The result is the difference, an interval and a paired test. Each of A, B, … is a response
    file, a baseline or a published system; or all are result files of `cdec eval --by topic -f
    json`. Choose setting and metric before you see results: each further one increases p (Holm).

    \b
    # Two baselines, one metric
    cdec compare lemma lemma-wd --setting pure --metric conll
    # Two response files, the second under another name
    cdec compare mine.conll theirs=other.jsonl --setting pure
    """
    from cdec.evaluation.saved import is_saved

    plan = draws.plan()
    if answers and is_saved(Path(answers[0])):
        refuse("result files", "by")
        return out.show(_of_saved(answers, plan))
    part, responses = source.responses(answers or [], parameters, key_patch)
    found = cdec.compare(
        part,
        responses,
        setting=setting,
        metrics=metric,
        plan=plan,
        policy=files.policy(),
        by=by,
        train=lambda: source.training(part)[0],
        nlp=parameters.nlp,
    )
    return out.show(found.page)


def _of_saved(answers: list[str], plan: Any) -> Any:
    """Return the page of the comparison of result files."""
    from cdec.evaluation.saved import load_results
    from cdec.statistics.page import comparison_page
    from cdec.statistics.saved import compare_saved

    results = [result for name in answers for result in load_results(name)]
    if {result.by for result in results} == {"subtopic"}:
        plan = replace(plan, unit="subtopic")
    return comparison_page(compare_saved(results, plan))
