"""``cdec explain``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import (
    MEAN_METRIC_IDS,
    METRICS,
    SIDES,
    SINGLE_METRIC_IDS,
    listed,
)
from cdec.cli.corpus_options import ScoredOptions
from cdec.cli.groups import grouped
from cdec.cli.options import (
    NlpOption,
    SystemOptions,
    options_in_call,
    scope_option,
    setting_option,
    system_option,
)
from cdec.cli.responses import FileOptions
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions
from cdec.cli.workers import WorkOptions
from cdec.errors import UsageError

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment
    from cdec.system import System

_WITH_CORPUS = ("setting", "system", "answer", "split", "corpus", "nlp")
_WITH_FILES = ("scope",)


@dataclass(frozen=True)
class ChainOptions:
    """Which chains to explain."""

    chain: Annotated[
        str | None,
        typer.Option(
            "--chain",
            "-c",
            metavar="LABEL",
            help="Explain the chain with this label, of key or response.",
        ),
    ] = None
    document: Annotated[
        str | None,
        typer.Option(
            "--document",
            "-d",
            metavar="NAME",
            help="Explain the chains with a mention in this document or meta-document. With "
            "--chain: the chain with that label in it.",
        ),
    ] = None
    side: Annotated[
        str | None,
        typer.Option(
            "--side",
            metavar="key|response",
            autocompletion=SIDES.complete,
            help="Explain only chains of this side: key (recall) or response (precision).",
        ),
    ] = None


@dataclass(frozen=True)
class KeyOptions:
    """A key file and a response file, as for `cdec score`."""

    key: Annotated[
        Path | None,
        typer.Argument(
            metavar="[KEY]",
            help="Key file. Without it, the gold chains of the corpus are the key.",
            show_default=False,
        ),
    ] = None
    response: Annotated[
        str | None,
        typer.Argument(metavar="RESPONSE", help="Response file.", show_default=False),
    ] = None
    scope: Annotated[str, scope_option("With KEY and RESPONSE, as in `cdec score`.")] = "document"


@dataclass(frozen=True)
class AnswerOptions:
    """A response to score against the gold chains of a corpus, as for `cdec eval`."""

    setting: Annotated[
        str,
        setting_option(
            "Only without KEY. By default the strictest: it evaluates the fewest links.", False
        ),
    ] = "pure"
    system: Annotated[str | None, system_option("Only without KEY: a baseline", many=False)] = None
    answer: Annotated[
        str | None,
        typer.Option(
            "--response", "-r", metavar="[NAME=]FILE", help="Only without KEY: a response file."
        ),
    ] = None
    nlp: NlpOption = "hanta"


@grouped
def explain(
    ctx: typer.Context,
    *,
    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            "-m",
            metavar="METRIC",
            autocompletion=METRICS.complete,
            help=f"{listed(SINGLE_METRIC_IDS)}; or a mean of these: {', '.join(MEAN_METRIC_IDS)}.",
            show_default=False,
        ),
    ],
    pair: KeyOptions,
    chains: ChainOptions,
    answer: AnswerOptions,
    corpus: ScoredOptions,
    files: FileOptions,
    work: WorkOptions,
    output: OutputOptions,
) -> None:
    """Show how a metric scores a chain or a document, step by step.

    Each key chain K adds to the numerator and denominator of recall, each
    response chain R to those of precision. Their sums over all chains are the
    counts behind `cdec score` and `cdec eval`.

    \b
    # How MUC counts key chain 2 of a document, as in cdec score
    cdec explain key.conll response.conll -m muc --chain 2 --document 4_1ecb
    # How each chain of a document counts in B³
    cdec explain --system lemma --setting simple -m b3 --document 4_1ecb
    """
    from cdec.explanation import explain as explained
    from cdec.explanation.view import explanation_page

    _reject(ctx, _WITH_CORPUS if pair.key else _WITH_FILES, pair.key)
    if pair.key:
        experiment = _of_files(pair.key, pair, metric, files, output)
    else:
        run = Run(corpus, output, SystemOptions(answer.nlp), files)
        experiment = _of_corpus(run, answer, metric)
    (only,) = experiment.runs
    explanation = explained(only, experiment.settings[0], metric, **vars(chains))
    output.show(explanation_page(explanation, experiment.results().signature))


def _reject(ctx: typer.Context, names: tuple[str, ...], key: Path | None) -> None:
    """Raise UsageError for an option of a corpus given with KEY, and the reverse."""
    for option in options_in_call(ctx, names):
        if key:
            message, hint = f"{option} cannot be combined with KEY", f"drop {option}, or KEY"
            raise UsageError("option-conflict", message, hint=hint)
        message, hint = f"{option} requires KEY and RESPONSE", "use --setting with a corpus"
        raise UsageError("option-requires", message, hint=hint)


def _of_corpus(run: Run, options: AnswerOptions, metric: str) -> Experiment:
    """Return the experiment of one response against the gold chains."""
    from cdec.settings import find_setting

    response = _one_response(run, options)
    return run.experiment([response], [find_setting(options.setting)], [metric])


def _one_response(run: Run, options: AnswerOptions) -> str | System:
    """Return the response file or the baseline. Raises UsageError unless exactly one is named."""
    if options.answer and options.system:
        message = "--response cannot be combined with --system"
        raise UsageError("option-conflict", message, hint="drop one of them")
    if not (options.answer or options.system):
        hint = "add --system NAME, --response FILE, or KEY and RESPONSE"
        raise UsageError("argument-missing", "no response to explain", hint=hint)
    return options.answer or run.on_mentions(run.make([options.system or ""]))[0]


def _of_files(
    key: Path, pair: KeyOptions, metric: str, files: FileOptions, output: OutputOptions
) -> Experiment:
    """Return the experiment of two files, with the words of the key file."""
    from dataclasses import replace

    from cdec.evaluation.pair import prepare_pair
    from cdec.explanation import with_texts
    from cdec.formats import read

    if pair.response is None:
        hint = "add the response file"
        raise UsageError("argument-missing", "missing RESPONSE", place=key, hint=hint)
    policy = files.policy()
    experiment = prepare_pair(
        key, pair.response, scope=pair.scope, metrics=[metric], scorer="cdec", policy=policy
    )
    output.notify(experiment.notices)
    (run,) = experiment.runs
    with_words = replace(run, mentions=with_texts(run.mentions, read(key, unlabelled=True)))
    return replace(experiment, runs=(with_words,))
