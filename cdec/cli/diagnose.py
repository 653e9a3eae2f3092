"""``cdec diagnose``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.corpus_options import ScoredOptions
from cdec.cli.groups import grouped
from cdec.cli.options import FileOptions, SystemOptions, answers_argument, setting_option
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions

DiagnosedSettingOption = Annotated[
    list[str],
    setting_option("By default simple, which keeps all mentions and links."),
]
TopOption = Annotated[
    int,
    typer.Option(
        "--top", min=0, metavar="N", help="Number of worst chains to show, of key and of response."
    ),
]


@grouped
def diagnose(
    answers: Annotated[
        list[str],
        answers_argument("Baselines, by id, and response files, as [NAME=]FILE."),
    ],
    *,
    setting: DiagnosedSettingOption = ["simple"],
    top: TopOption = 5,
    systems: SystemOptions,
    corpus: ScoredOptions,
    files: FileOptions,
    output: OutputOptions,
) -> None:
    """Show the errors of a system: links by kind, edits, chain sizes, lemmas, worst chains.

    With several systems, each is also compared with the next one.

    \b
    # One baseline, on the terminal
    cdec diagnose lemma
    # Two systems and their differences, as an HTML page
    cdec diagnose mine.conll theirs=other.jsonl -f html -o diagnosis.html
    """
    from cdec.diagnosis.view import diagnosis_page

    run = Run(corpus, output, systems, files)
    experiment = run.experiment(run.responses(answers), setting)
    output.show(diagnosis_page(experiment, run.part, run.lemmas(), systems.nlp, top))
