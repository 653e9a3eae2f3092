"""``cdec diagnose``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.groups import grouped
from cdec.cli.options import (
    FileOptions,
    PartOptions,
    SystemOptions,
    answers_argument,
    setting_option,
)
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions

DiagnosedSettingOption = Annotated[
    list[str],
    setting_option("By default simple, which keeps every mention and every link to diagnose."),
]
TopOption = Annotated[int, typer.Option("--top", help="How many of the worst chains of each side.")]


@grouped
def diagnose(
    answers: Annotated[
        list[str],
        answers_argument("Baselines, by id, and response files, `NAME=FILE` or FILE."),
    ],
    *,
    setting: DiagnosedSettingOption = ["simple"],
    top: TopOption = 5,
    systems: SystemOptions,
    corpus: PartOptions,
    files: FileOptions,
    output: OutputOptions,
) -> None:
    """Say where a system errs: links by kind, edits, chain sizes, lemmas, the worst chains.

    Of two systems or more, each two neighbours are also set side by side.

    \b
    # One baseline on the terminal
    cdec diagnose lemma
    # Two systems and how they differ, as a page
    cdec diagnose mine.conll theirs=other.jsonl -f html -o diagnosis.html
    """
    from cdec.diagnosis.view import diagnosis_page

    run = Run(corpus, output, systems, files)
    experiment = run.experiment(run.responses(answers), setting)
    output.show(diagnosis_page(experiment, run.part, run.lemmas(), systems.nlp, top))
