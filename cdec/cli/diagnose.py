"""``cdec diagnose``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.corpus_options import ScoredOptions
from cdec.cli.groups import grouped
from cdec.cli.options import KeyPatchOption, SystemOptions, answers_argument, setting_option
from cdec.cli.responses import FileOptions
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions
from cdec.cli.workers import WorkOptions

if TYPE_CHECKING:
    from cdec.diagnosis.candidates import Candidates

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
    within: Annotated[
        str | None,
        typer.Option(
            "--within",
            metavar="PAIRS|RESPONSE",
            help="Also show the bounds of any system that decides on these candidates only: a "
            "file of mention pairs (columns a and b), a response file or a baseline.",
        ),
    ] = None,
    key_patch: KeyPatchOption = None,
    systems: SystemOptions,
    corpus: ScoredOptions,
    files: FileOptions,
    work: WorkOptions,
    output: OutputOptions,
) -> None:
    """Show the errors of a system: links by kind, edits, chain sizes, lemmas, worst chains.

    With several systems, each is also compared with the next one.

    \b
    # One baseline, on the terminal
    cdec diagnose lemma
    # What could be scored by decisions on a list of mention pairs
    cdec diagnose mine.conll --within pairs.csv
    # Two systems and their differences, as an HTML page
    cdec diagnose mine.conll theirs=other.jsonl -f html -o diagnosis.html
    """
    from cdec.diagnosis.view import diagnosis_page

    run = Run(corpus, output, systems, files, key_patch)
    experiment = run.experiment(run.responses(answers), setting)
    candidates = _candidates(run, within) if within else None
    lemmas = run.lemmas()
    page = diagnosis_page(experiment, run.part, lemmas, systems.nlp, top, candidates=candidates)
    output.show(page)


def _candidates(run: Run, within: str) -> Candidates:
    """Return the candidates of --within: pairs in a file, or the links of a response."""
    from cdec.baselines import is_system_name
    from cdec.diagnosis.candidates import Candidates, read_pairs
    from cdec.evaluation.response import run_on

    if not is_system_name(within) and Path(within).is_file():
        pairs = read_pairs(within, run.part)
        if pairs is not None:
            run.screen.notify(pairs.notices)
            return pairs
    (response,) = run.responses([within])
    return Candidates.from_run(run_on(run.part, response, run.files.policy()))
