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
    from cdec.evaluation.saved import is_saved, load_results

    plan = draws.plan()
    if answers and is_saved(Path(answers[0])):
        from cdec.statistics.page import comparison_page
        from cdec.statistics.saved import compare_saved

        refuse("result files", "by")
        results = [result for name in answers for result in load_results(name)]
        if {result.by for result in results} == {"subtopic"}:
            plan = replace(plan, unit="subtopic")
        return out.show(comparison_page(compare_saved(results, plan)))
    part, responses = source.responses(answers or [], parameters, key_patch)
    how: Any = {"setting": setting, "by": by, "nlp": parameters.nlp}
    how |= {"policy": cdec.FilePolicy(**vars(files)), "train": lambda: source.training(part)[0]}
    return out.show(cdec.compare(part, responses, metrics=metric, plan=plan, **how).page)
