"""``cdec compare`` and ``cdec diagnose``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

import cdec
from cdec.cli import options as o
from cdec.cli.command import command, option, refuse

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


@command(app, "diagnose")
def diagnose(
    answers: o.Answers = None,
    setting: o.Settings = ["simple"],
    top: int = option("--top N", "Number of worst chains of key and response.", default=5),
    by: o.Stratum = None,
    details: bool = option("--all", "Also show edits, sizes, lemmas, examples.", default=False),
    key_patch: o.KeyPatch = None,
    *,
    parameters: o.Parameters,
    source: o.PartOf,
    files: o.Files,
    work: o.Work,
    out: o.Report,
) -> None:
    """Show the errors of a system.

    That is: links by kind and the worst chains; of several systems also the links that only one
    has. Edits, chain sizes, lemmas and examples: with --all, or in a file.

    \b
    # One baseline, on the terminal
    cdec diagnose lemma
    # Two systems, and their links by what train has, as a page
    cdec diagnose mine.conll lemma --by seen-lemma -o diagnosis.html
    """
    part, responses = source.responses(answers or [], parameters, key_patch)
    found = cdec.diagnose(
        part,
        responses,
        setting=setting,
        top=top,
        policy=files.policy(),
        by=by,
        train=lambda: source.training(part)[0],
        nlp=parameters.nlp,
    )
    return out.show(found.page.unfolded() if details else found.page)
