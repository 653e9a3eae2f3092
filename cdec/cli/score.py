"""``cdec score``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.groups import grouped
from cdec.cli.options import ScoreOptions, options_in_call, scope_option, setting_option
from cdec.cli.resampling import CiOption, IntervalOptions
from cdec.cli.responses import FileOptions
from cdec.cli.targets import OutputOptions
from cdec.cli.task_options import DatasetOptions, TaskOptions
from cdec.cli.workers import WorkOptions
from cdec.errors import UsageError

if TYPE_CHECKING:
    from cdec.evaluation.experiment import Experiment
    from cdec.matching.policy import FilePolicy
    from cdec.render import Page
    from cdec.statistics.draws import Plan


@grouped
def score(
    ctx: typer.Context,
    key: Annotated[
        Path | None,
        typer.Argument(metavar="KEY", help="Key file: the correct chains.", show_default=False),
    ] = None,
    response: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME=]RESPONSE",
            help="Response file: the chains of a system.",
            show_default=False,
        ),
    ] = None,
    *,
    scope: Annotated[
        str | None,
        scope_option(
            "Scope of chain labels. document: a chain ends with its document, and counts are "
            "summed over documents, as in the CoNLL reference scorer. corpus: a chain can cross "
            "documents, and the whole file is one meta-document. Needed if a label occurs in "
            "several documents.",
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        setting_option("Instead of a scope.", own="as scope=topic,ignore_singletons=yes"),
    ] = None,
    topics: Annotated[
        Path | None,
        typer.Option(
            "--topics",
            metavar="FILE",
            help="Topics of documents, for settings, --by and --ci: lines document,topic or "
            "document,topic,sub-topic (CSV or TSV).",
        ),
    ] = None,
    ci: CiOption = False,
    intervals: IntervalOptions,
    counts: ScoreOptions,
    task: TaskOptions,
    datasets: DatasetOptions,
    files: FileOptions,
    work: WorkOptions,
    output: OutputOptions,
) -> None:
    """Score a response file against a key file; no corpus is needed.

    File formats are recognised by content: CoNLL-2012 and variants, CoNLL-U (CorefUD),
    JSON Lines, CSV, TSV, JSON.

    \b
    # Within documents, as the reference scorer does
    cdec score key.conll response.conll --scope document
    # Across documents, with a name for the response
    cdec score key.conll mine=response.jsonl --scope corpus --format json
    # CorefUD, as scored by CRAC since 2024
    cdec score key.conllu mine=response.conllu --preset crac24
    # Systems ranked over data sets, as in a shared task
    cdec score --preset conll12 --macro --pair a=key.conll:mine.conll
    """
    policy, metrics = task.policy(ctx, files), task.metrics(counts)
    if datasets.pair:
        _check_datasets(ctx, key)
        _show_datasets(datasets, scope or "document", metrics, policy, output)
        return
    if key is None or response is None:
        message = "missing KEY and RESPONSE" if key is None else "missing RESPONSE"
        raise UsageError("argument-missing", message, hint="name two files, or use --pair")
    _check_single(datasets)
    intervals.check(ctx, ci, counts.by)
    homes = Homes(scope, setting, topics, task.groups)
    experiment = _of_files(key, response, homes, metrics, policy, counts)
    output.notify(experiment.notices)
    output.show(_page(experiment, counts.by, intervals.plan() if ci else None))


@dataclass(frozen=True)
class Homes:
    """The meta-documents of two files: a scope or settings, topics and groups of documents."""

    scope: str | None
    setting: list[str] | None
    topics: Path | None
    groups: Path | None


def _page(experiment: Experiment, unit: str | None, plan: Plan | None) -> Page:
    if plan is None:
        return experiment.results(unit).page
    from cdec.statistics.view import with_intervals

    return with_intervals(experiment, plan).page


def _of_files(
    key: Path,
    response: str,
    homes: Homes,
    metrics: list[str] | None,
    policy: FilePolicy,
    counts: ScoreOptions,
) -> Experiment:
    """Return the experiment of two files, with the key corrected by a patch, if any."""
    from cdec.evaluation.pair import prepare_pair
    from cdec.evaluation.units import read_groups, read_topics

    experiment = prepare_pair(
        key,
        response,
        scope=homes.scope,
        metrics=metrics,
        scorer=counts.scorer,
        policy=policy,
        groups=read_groups(homes.groups) if homes.groups else None,
        setting=homes.setting,
        topics=read_topics(homes.topics) if homes.topics else None,
    )
    return _corrected(experiment, counts.key_patch)


def _check_datasets(ctx: typer.Context, key: Path | None) -> None:
    """Raise UsageError for options of two files together with --pair."""
    named = options_in_call(ctx, ("by", "scorer", "key_patch", "groups"))
    if key is not None or named:
        what = named[0] if named else "KEY"
        message = f"--pair cannot be combined with {what}"
        raise UsageError("option-conflict", message, hint=f"drop {what}, or --pair")


def _check_single(datasets: DatasetOptions) -> None:
    for given, option in ((datasets.macro, "--macro"), (datasets.variants, "--variants")):
        if given:
            message = f"{option} has no effect without --pair"
            raise UsageError("option-requires", message, hint="add --pair DATASET=KEY:RESPONSE")


def _show_datasets(
    datasets: DatasetOptions,
    scope: str,
    metrics: list[str] | None,
    policy: FilePolicy,
    output: OutputOptions,
) -> None:
    from cdec.evaluation.datasets import Pair, score_pairs, variants_of
    from cdec.evaluation.datasets_view import datasets_page

    pairs = [Pair.parse(text) for text in datasets.pair or []]
    scored = score_pairs(pairs, scope=scope, metrics=metrics, policy=policy)
    output.notify(scored.notices)
    variants = variants_of(pairs, scope, policy) if datasets.variants else None
    output.show(datasets_page(scored, variants, averaged=datasets.macro or datasets.variants))


def _corrected(experiment: Experiment, patch: Path | None) -> Experiment:
    """Return the experiment, with the key corrected by the patch, if any."""
    if patch is None:
        return experiment
    from cdec.audit.patches.model import read_patch
    from cdec.audit.patches.rescore import patched

    return patched(experiment, read_patch(patch))
