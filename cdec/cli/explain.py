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
from cdec.cli.groups import grouped
from cdec.cli.options import (
    FileOptions,
    NlpOption,
    PartOptions,
    SystemOptions,
    given,
    scope_option,
    setting_option,
    system_option,
)
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions
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
            "--chain", "-c", metavar="LABEL", help="The chain to explain, of key or response."
        ),
    ] = None
    document: Annotated[
        str | None,
        typer.Option(
            "--document",
            "-d",
            metavar="NAME",
            help="Every chain with a mention in this document or meta-document. With --chain: "
            "the chain of that label there.",
        ),
    ] = None
    side: Annotated[
        str | None,
        typer.Option(
            "--side",
            metavar="key|response",
            autocompletion=SIDES.complete,
            help="Chains of this side only: key for recall, response for precision.",
        ),
    ] = None


@dataclass(frozen=True)
class KeyOptions:
    """Key and response as `cdec score` takes them."""

    key: Annotated[
        Path | None,
        typer.Argument(
            metavar="[KEY]",
            help="A key file; without it the corpus is the key.",
            show_default=False,
        ),
    ] = None
    response: Annotated[
        str | None,
        typer.Argument(metavar="RESPONSE", help="The system's file.", show_default=False),
    ] = None
    scope: Annotated[str, scope_option("With KEY and RESPONSE, as in `cdec score`.")] = "document"


@dataclass(frozen=True)
class AnswerOptions:
    """A response beside the gold chains of a corpus, as `cdec eval` takes it."""

    setting: Annotated[
        str,
        setting_option(
            "With the corpus, one at a time: by default the strictest, of the fewest links.", False
        ),
    ] = "pure"
    system: Annotated[
        str | None, system_option("With the corpus: a baseline, by id", many=False)
    ] = None
    answer: Annotated[
        str | None,
        typer.Option(
            "--response", "-r", metavar="[NAME=]FILE", help="With the corpus: a response file."
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
            autocompletion=METRICS.complete,
            help=f"{listed(SINGLE_METRIC_IDS)}; or a mean of these: {', '.join(MEAN_METRIC_IDS)}.",
            show_default=False,
        ),
    ],
    pair: KeyOptions,
    chains: ChainOptions,
    answer: AnswerOptions,
    corpus: PartOptions,
    files: FileOptions,
    output: OutputOptions,
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
    from cdec.explanation import explain as explained
    from cdec.explanation.view import explanation_page

    _refuse(ctx, _WITH_CORPUS if pair.key else _WITH_FILES, pair.key)
    if pair.key:
        experiment = _of_files(pair.key, pair, metric, files, output)
    else:
        run = Run(corpus, output, SystemOptions(answer.nlp), files)
        experiment = _of_corpus(run, answer, metric)
    (result,), (only,) = experiment.results(), experiment.runs
    found = explained(only, result.setting, metric, **vars(chains))
    output.show(explanation_page(found, result.signature))


def _refuse(ctx: typer.Context, names: tuple[str, ...], key: Path | None) -> None:
    """Raise UsageError for an option that the other way to call the command has."""
    for option in given(ctx, names):
        raise UsageError(
            f"{option} goes with {'a corpus' if key else 'KEY and RESPONSE'}",
            hint="leave it out, or KEY and RESPONSE" if key else "use --setting",
        )


def _of_corpus(run: Run, options: AnswerOptions, metric: str) -> Experiment:
    """Return the response beside the gold chains, as `cdec eval` takes them."""
    from cdec.settings import find_settings

    response = _one_response(run, options)
    settings = find_settings([options.setting])
    if len(settings) != 1:
        raise UsageError("one setting at a time", hint="as in --setting pure")
    return run.experiment([response], settings, [metric])


def _one_response(run: Run, options: AnswerOptions) -> str | System:
    """Return the response file or the baseline, whichever is given."""
    if (options.answer is None) == (options.system is None):
        raise UsageError(
            "two responses to explain" if options.answer else "no response to explain",
            hint="give --system NAME, --response FILE, or KEY and RESPONSE",
        )
    return options.answer or run.make([options.system or ""])[0]


def _of_files(
    key: Path, pair: KeyOptions, metric: str, files: FileOptions, output: OutputOptions
) -> Experiment:
    """Return key and response as `cdec score` takes them, with the words of the key's text."""
    from dataclasses import replace

    from cdec.evaluation.experiment import prepare_pair
    from cdec.explanation import with_texts
    from cdec.formats import read

    if pair.response is None:
        raise UsageError(f"no RESPONSE to the key '{key}'")
    policy = files.policy()
    experiment = prepare_pair(
        key, pair.response, scope=pair.scope, metrics=[metric], scorer="cdec", policy=policy
    )
    output.tell(experiment.notices)
    (run,) = experiment.runs
    worded = replace(run, mentions=with_texts(run.mentions, read(key)))
    return replace(experiment, runs=(worded,))
