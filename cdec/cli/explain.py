"""``cdec explain``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.inputs import make_systems, read_corpus
from cdec.cli.options import (
    AllowEmptyOption,
    CorpusOption,
    FormatOption,
    NlpOption,
    OutputOption,
    QuietOption,
    RepeatedOption,
    SplitOption,
    VerboseOption,
    given,
)
from cdec.cli.output import emit, show_notices
from cdec.errors import UsageError

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus
    from cdec.evaluation.experiment import Experiment
    from cdec.evaluation.response import FilePolicy
    from cdec.system import System

_WITH_CORPUS = ("setting", "system", "answer", "split", "corpus", "nlp")
_WITH_FILES = ("scope",)


def explain(
    ctx: typer.Context,
    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            "-m",
            help="muc, b3, ceafm, ceafe, blanc_coref, blanc_noncoref or lea; or a mean of these: "
            "blanc, conll, avg4.",
            show_default=False,
        ),
    ],
    key: Annotated[
        Path | None,
        typer.Argument(
            metavar="[KEY]",
            help="A key file; without it the corpus is the key.",
            show_default=False,
        ),
    ] = None,
    response: Annotated[
        str | None,
        typer.Argument(metavar="RESPONSE", help="The system's file.", show_default=False),
    ] = None,
    chain: Annotated[
        str | None,
        typer.Option(
            "--chain", "-c", metavar="LABEL", help="The chain to explain, of key or response."
        ),
    ] = None,
    document: Annotated[
        str | None,
        typer.Option(
            "--document",
            "-d",
            metavar="NAME",
            help="Every chain with a mention in this document or meta-document. With --chain: "
            "the chain of that label there.",
        ),
    ] = None,
    side: Annotated[
        str | None,
        typer.Option(
            "--side",
            metavar="key|response",
            help="Chains of this side only: key for recall, response for precision.",
        ),
    ] = None,
    scope: Annotated[
        str,
        typer.Option(
            "--scope",
            metavar="document|corpus",
            help="With KEY and RESPONSE, as in `cdec score`.",
        ),
    ] = "document",
    setting: Annotated[
        str, typer.Option("--setting", "-s", help="With the corpus, as in `cdec eval`.")
    ] = "pure",
    system: Annotated[
        str | None, typer.Option("--system", help="With the corpus: a baseline, by id.")
    ] = None,
    answer: Annotated[
        str | None,
        typer.Option(
            "--response", "-r", metavar="[NAME=]FILE", help="With the corpus: a response file."
        ),
    ] = None,
    split: SplitOption = "test",
    corpus: CorpusOption = None,
    nlp: NlpOption = "hanta",
    repeated: RepeatedOption = "first",
    allow_empty: AllowEmptyOption = False,
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> None:
    """Write out a score for one chain or document, so that you can follow it by hand.

    A key chain K brings a numerator and a denominator to recall, a response chain R to precision.
    Their sums over all chains are the counts behind `cdec score` and `cdec eval`.

    \b
    # How MUC counts key chain 2 of a document, as in cdec score
    cdec explain key.conll response.conll -m muc --chain 2 --document 4_1ecb
    # What each chain with a mention in a document brings to B³
    cdec explain --system lemma --setting simple -m b3 --document 4_1ecb
    """
    from cdec.evaluation.response import FilePolicy
    from cdec.explanation import explain as explained
    from cdec.explanation.view import explanation_page

    policy = FilePolicy(repeated, allow_empty)
    _refuse(ctx, _WITH_CORPUS if key else _WITH_FILES, key)
    if key:
        experiment = _of_files(key, response, scope, metric, policy)
    else:
        one = _one_response(answer, system, nlp, quiet)
        part = read_corpus(corpus, split, quiet)
        experiment = _of_corpus(part, one, setting, metric, policy)
    show_notices(experiment.notices, quiet, verbose)
    (result,), (only,) = experiment.results(), experiment.runs
    found = explained(only, result.setting, metric, chain=chain, document=document, side=side)
    emit(explanation_page(found, result.signature), format, output)


def _refuse(ctx: typer.Context, names: tuple[str, ...], key: Path | None) -> None:
    """Raise UsageError for an option that the other way to call the command has."""
    for option in given(ctx, names):
        raise UsageError(
            f"{option} goes with {'a corpus' if key else 'KEY and RESPONSE'}",
            cure="leave it out, or KEY and RESPONSE" if key else "use --setting",
        )


def _one_response(answer: str | None, system: str | None, nlp: str, quiet: bool) -> str | System:
    """Return the response file or the baseline, whichever is given."""
    if (answer is None) == (system is None):
        raise UsageError(
            "two responses to explain" if answer else "no response to explain",
            cure="give --system NAME, --response FILE, or KEY and RESPONSE",
        )
    return answer or make_systems([system or ""], nlp, quiet)[0]


def _of_corpus(
    part: Corpus, response: str | System, setting: str, metric: str, policy: FilePolicy
) -> Experiment:
    """Return the response beside the gold chains, as `cdec eval` takes them."""
    from cdec.evaluation.experiment import prepare
    from cdec.settings import find_settings

    settings = find_settings([setting])
    if len(settings) != 1:
        raise UsageError("one setting at a time", cure="as in --setting pure")
    return prepare(part, response, setting=settings, metrics=[metric], scorer="cdec", policy=policy)


def _of_files(
    key: Path, response: str | None, scope: str, metric: str, policy: FilePolicy
) -> Experiment:
    """Return key and response as `cdec score` takes them, with the words of the key's text."""
    from dataclasses import replace

    from cdec.evaluation.experiment import prepare_pair
    from cdec.explanation import with_texts
    from cdec.formats import read

    if response is None:
        raise UsageError(f"no RESPONSE to the key '{key}'")
    experiment = prepare_pair(
        key, response, scope=scope, metrics=[metric], scorer="cdec", policy=policy
    )
    (run,) = experiment.runs
    worded = replace(run, mentions=with_texts(run.mentions, read(key)))
    return replace(experiment, runs=(worded,))
