"""``cdec diagnose``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.answers import AnswersArgument, SettingOption, responses_of
from cdec.cli.inputs import read_corpus
from cdec.cli.learning import JobsOption, ModelOption
from cdec.cli.options import (
    AllowEmptyOption,
    ConfigOption,
    CorpusOption,
    FormatOption,
    NlpOption,
    OutputOption,
    QuietOption,
    RepeatedOption,
    SplitOption,
    VerboseOption,
)
from cdec.cli.output import emit, show_notices
from cdec.cli.progress import bar_unless

TopOption = Annotated[int, typer.Option("--top", help="How many of the worst chains of each side.")]


def diagnose(
    answers: AnswersArgument,
    setting: SettingOption = ["simple"],
    top: TopOption = 5,
    split: SplitOption = "test",
    corpus: CorpusOption = None,
    nlp: NlpOption = "hanta",
    config: ConfigOption = None,
    model: ModelOption = None,
    jobs: JobsOption = 1,
    repeated: RepeatedOption = "first",
    allow_empty: AllowEmptyOption = False,
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Say where a system errs: links by kind, edits, chain sizes, lemmas, the worst chains.

    Of two systems or more, each two neighbours are also set side by side.

    \b
    # One baseline on the terminal
    cdec diagnose lemma
    # Two systems and how they differ, as a page
    cdec diagnose mine.conll theirs=other.jsonl -f html -o diagnosis.html
    """
    from cdec.diagnosis.diagnosis import lemmas_of
    from cdec.diagnosis.view import diagnosis_page
    from cdec.evaluation.experiment import prepare
    from cdec.evaluation.response import FilePolicy

    part = read_corpus(corpus, split, quiet)
    experiment = prepare(
        part,
        responses_of(answers, part, corpus, split, nlp, quiet, config, model, jobs),
        setting=setting,
        metrics=None,
        scorer="cdec",
        policy=FilePolicy(repeated, allow_empty),
    )
    show_notices(experiment.notices, quiet, verbose)
    lemmas = lemmas_of(part, nlp, bar_unless(quiet))
    emit(diagnosis_page(experiment, part, lemmas, nlp, top), format, output)
