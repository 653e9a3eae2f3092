"""``cdec eval``, ``cdec score``, ``cdec compare`` and ``cdec check``.

Where one number goes from here: CONTRIBUTING.md, "To follow one number".
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdec.catalogue import entries
from cdec.cli import options as o
from cdec.cli.command import argument, command, listed, option, refuse, require
from cdec.errors import ScoringError, UsageError, counted, shown_by

if TYPE_CHECKING:
    from cdec.evaluation.response import Response

app = typer.Typer()
_OF_TOPICS = ("topic", "subtopic")


@command(app, "eval")
def evaluate(
    answers: o.Answers = None,
    setting: o.Settings = ["all"],
    system: o.Texts = option(
        "--system SYSTEM",
        f"A baseline: {listed(entries('system'))}. Or module:Class.",
        default=None,
    ),
    metric: o.Metrics = None,
    by: o.ByUnit = None,
    layout: o.Text = option(
        "--layout systems|metrics",
        "systems: a row for each system, a column for each setting, one metric. metrics: a row for "
        "each system under a setting, all metrics. Default: systems for several systems and "
        "several settings, unless several metrics are named.",
        default=None,
    ),
    against: o.Text = option(
        "--against NAME",
        "Test differences, and mark those from this system by †. Bold is who is better than each "
        "other; --ci does so with the first system.",
        default=None,
    ),
    scorer: o.Scorer = "cdec",
    key_patch: o.KeyPatch = None,
    *,
    intervals: o.Intervals,
    parameters: o.Parameters,
    source: o.PartOf,
    files: o.Files,
    work: o.Work,
    out: o.Figured,
    **more: Any,
) -> None:
    """Score responses and baselines against the key of a corpus.

    \b
    # Your system, all six settings, with confidence intervals
    cdec eval mine.conll --ci
    # A table for a paper: intervals, bold and † by a paired test
    cdec eval mine.conll lemma lemma-wd --ci -f latex
    # The baselines of the paper, under the strictest setting
    cdec eval --setting pure
    # The numbers that papers print for ECB+
    cdec eval mine.conll --literature
    """
    from cdec import api
    from cdec.baselines import DEFAULT

    if by:
        refuse("--by", "figures")
    policy = files.policy()
    plan = intervals.wanted()
    verb = None
    for room in more.values():  # options of rooms: one of them can take over the call
        if any(vars(room).values()):
            verb = room.verb(source)
    names = system or []
    if parameters.config and not names:
        names = parameters.configured(answers or [])
    names = [*names, *(answers or [])]
    if not names and verb is None:
        names = [*DEFAULT]
    part, responses = source.responses(names, parameters, key_patch, policy)
    if parameters.nlp is not None:
        _refuse_pipeline(responses, files)
    if verb is not None:
        return out.show(verb(part, responses, policy=policy, nlp=parameters.nlp).page)
    scored_on = partial(
        api.evaluate,
        response=responses,
        setting=setting,
        metrics=metric,
        scorer=scorer,
        policy=policy,
        ci=plan or False,
        by=by,
        layout=layout,
        against=against,
        nlp=parameters.nlp,
    )
    results = scored_on(part)
    if key_patch and not (layout or against or by):
        with shown_by(list):  # the notices are those of the part with the patch
            before = scored_on(source.load(source.split))
        results = results.with_before(before)
    return out.show(results.page)


def _refuse_pipeline(responses: Sequence[Response], files: o.Files) -> None:
    """Raise UsageError for --nlp if only files are scored and no rule needs their heads."""
    from cdec.matching.policy import BY_HEAD

    are_files = all(response.system is None for response in responses)
    if responses and are_files and files.alignment not in BY_HEAD:
        require("a baseline, or --match head or partial", "nlp", hint="drop --nlp")


@command(app, "score")
def score(
    key: Annotated[o.Place, argument("KEY", "Key file: the correct chains.")] = None,
    response: Annotated[
        o.Text, argument("[NAME=]RESPONSE", "File of a system's chains.")
    ] = None,
    scope: o.Text = option(
        "--scope document|corpus",
        "Where chain labels hold. document: a chain ends with its document, and counts are summed "
        "over documents, as in the CoNLL reference scorer. corpus: a chain can cross documents.",
        default=None,
    ),
    setting: o.Texts = option(
        "--setting -s SETTING", "Instead of a scope.", default=None
    ),
    topics: o.Topics = None,
    metric: o.Metrics = None,
    by: o.ByUnit = None,
    singletons: str = option(
        "--singletons keep|drop",
        "drop: each side drops its own first.",
        default="keep",
        rare=True,
    ),
    scorer: o.Scorer = "cdec",
    *,
    intervals: o.Intervals,
    files: o.Files,
    work: o.Work,
    out: o.Report,
    **more: Any,
) -> None:
    """Score a response file against a key file; no corpus is needed.

    The format of both follows from their content (docs/formats.md).

    \b
    # Within documents, as the reference scorer does; across documents
    cdec score key.conll response.conll --scope document
    cdec score key.conll mine=response.jsonl --scope corpus
    # Folders: files with the same name, whatever their endings; an unanswered one is missing
    cdec score key/ mine=answers/ --scope document --by file
    # Two annotators, of whom none is the key
    cdec score one.conll two.conll --agreement --scope document
    # CorefUD as scored by CRAC since 2024; a shared task of several data sets
    cdec score key.conllu mine=response.conllu --preset crac24
    cdec score --preset conll12 --pair a=key.conll:mine.conll --pair b=other.conll:b.conll
    """
    from cdec import api

    policy = files.policy(singletons=singletons)
    plan = intervals.wanted()
    for room in more.values():
        if any(vars(room).values()):
            policy, metric = room.choices(policy, metric)
            if not setting:
                scope = scope or room.scope
            page = room.page(
                scope,
                metric,
                policy,
                key=key,
                response=response,
                plan=plan,
            )
            if page is not None:
                return out.show(page)
    if key is None or response is None:
        raise UsageError(
            "argument-missing", "missing KEY or RESPONSE", hint="name two files"
        )
    if topics is not None and not (setting or plan or by in _OF_TOPICS):
        require("--setting, --ci or --by topic", "topics")
    results = api.score(
        key,
        response,
        scope=scope,
        setting=setting,
        topics=topics,
        metrics=metric,
        scorer=scorer,
        policy=policy,
        ci=plan or False,
        by=by,
    )
    return out.show(results.page)


@command(app, "compare")
def compare(
    answers: o.Answers = None,
    setting: o.Settings = ["pure"],
    metric: o.Metrics = ["conll"],
    against: o.Text = option(
        "--against NAME",
        "The system to compare with each other; by default the first.",
        default=None,
    ),
    all_pairs: bool = option(
        "--all-pairs", "Compare each system with each.", default=False
    ),
    by: o.Stratum = None,
    key_patch: o.KeyPatch = None,
    *,
    parameters: o.Parameters,
    source: o.PartOf,
    files: o.Files,
    draws: o.Draws,
    work: o.Work,
    out: o.Figured,
) -> None:
    """Test whether A is better than B, and than each further system.

    The result is the difference, an interval and a paired test. Each of A, B, … is a response
    file, a baseline or a published system. Choose systems, setting and metric before you see
    results: each further one increases p (Holm).

    \b
    # Two baselines, one metric
    cdec compare lemma lemma-wd --setting pure --metric conll
    # Two response files, the second under another name
    cdec compare mine.conll theirs=other.jsonl --setting pure
    # A baseline against each other system
    cdec compare mine.conll lemma lemma-wd --against lemma
    """
    from cdec import api

    policy = files.policy()
    part, responses = source.responses(
        answers or [],
        parameters,
        key_patch,
        policy,
    )
    if parameters.nlp is not None and not by:
        _refuse_pipeline(responses, files)
    comparison = api.compare(
        part,
        responses,
        setting=setting,
        metrics=metric,
        plan=draws.plan(),
        against=against,
        all_pairs=all_pairs,
        policy=policy,
        by=by,
        train=lambda: source.training(part)[0],
        nlp=parameters.nlp,
    )
    return out.show(comparison.page)


@command(app, "check")
def check(
    results: Annotated[
        list[Path], argument("RESULT…", "Files of `cdec eval --format json`.")
    ],
    min: Annotated[
        list[str],
        option(
            "--min [SETTING/]METRIC=VALUE",
            "The least F1 of every system, as .674 or 67.4; without a setting: under each.",
        ),
    ],
    *,
    out: o.Report,
) -> None:
    """Fail unless saved results reach thresholds, and show the values.

    Also fail unless they have a signature; their warnings are shown. Where GitHub Actions gives
    GITHUB_STEP_SUMMARY, the table is added to the summary of the job.

    \b
    # Two thresholds
    cdec check scores.json --min pure/conll=10 --min ycf/lea=.1
    """
    from cdec.evaluation.results import Results
    from cdec.evaluation.saved import FAILED, checked, checked_page, load_results
    from cdec.render import render

    saved = list[Results]()
    for path in dict.fromkeys(results):
        of_file = load_results(path)
        out.notify(notice for notice in of_file.notices if notice.warning)
        saved += of_file
    table = checked(saved, min)
    page = checked_page(table)
    out.show(page)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(render(page, "markdown"))
    failed = int((table["verdict"] == FAILED).sum())
    if failed:
        raise ScoringError(
            "check-failed",
            f"{counted(failed, 'check')} failed",
            hint="see the table above the error",
        )
