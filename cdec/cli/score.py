"""``cdec eval``, ``cdec score``, ``cdec compare`` and ``cdec check``.

Where one number goes from here: CONTRIBUTING.md, "To follow one number".
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cdec.cli import options as o
from cdec.cli.command import argument, command, listed, option, require
from cdec.errors import ScoringError, UsageError, counted

app = typer.Typer()
_OF_TOPICS = ("topic", "subtopic")


@command(app, "eval")
def evaluate(
    answers: o.Answers = None,
    setting: o.Settings = ["all"],
    system: o.Texts = option(
        "--system SYSTEM", f"A baseline: {listed(o.BASELINES)}. Or module:Class.", default=None
    ),
    metric: o.Metrics = None,
    by: o.ByUnit = None,
    scorer: o.Scorer = "cdec",
    key_patch: o.KeyPatch = None,
    *,
    intervals: o.Intervals,
    parameters: o.Parameters,
    source: o.PartOf,
    files: o.Files,
    work: o.Work,
    out: o.Report,
    **more: Any,
) -> None:
    """Score responses and baselines against the key of a corpus.

    \b
    # Your system, all six settings, with confidence intervals
    cdec eval mine.conll --ci
    # The baselines of the paper, under the strictest setting
    cdec eval --setting pure
    # The numbers that papers print for ECB+
    cdec eval mine.conll --literature
    """
    from cdec import api
    from cdec.baselines import DEFAULT
    from cdec.evaluation.response import Response

    policy, plan = files.policy(nlp=parameters.nlp), intervals.wanted()
    verbs = [room.verb(source) for room in more.values() if any(vars(room).values())]
    answers = answers or []
    named = system or (parameters.configured(answers) if parameters.config else [])
    named = [*named, *answers] or ([] if verbs else [*DEFAULT])
    part, given = source.responses(named, parameters, key_patch, policy.columns)
    responses = [one for one in given if not isinstance(one, Response)]  # baselines first
    responses += [one for one in given if isinstance(one, Response)]
    if responses and all(isinstance(one, Response) for one in responses):
        _refuse_pipeline(files)
    for verb in verbs:
        return out.show(verb(part, responses, policy=policy).page)
    how: Any = {"setting": setting, "metrics": metric, "scorer": scorer, "policy": policy}
    return out.show(api.evaluate(part, responses, ci=plan or False, by=by, **how).page)


def _refuse_pipeline(files: o.Files) -> None:
    """Raise UsageError for --nlp if only files are scored and no rule needs their heads."""
    from cdec.matching.policy import BY_HEAD

    if files.alignment not in BY_HEAD:
        require("a baseline, or --match head or partial", "nlp", hint="drop --nlp")


@command(app, "score")
def score(
    key: Annotated[o.Place, argument("KEY", "Key file: the correct chains.")] = None,
    response: Annotated[o.Text, argument("[NAME=]RESPONSE", "File of a system's chains.")] = None,
    scope: o.Text = option(
        "--scope document|corpus",
        "Where chain labels hold. document: a chain ends with its document, and counts are summed "
        "over documents, as in the CoNLL reference scorer. corpus: a chain can cross documents.",
        default=None,
    ),
    setting: o.Texts = option("--setting -s SETTING", "Instead of a scope.", default=None),
    topics: o.Topics = None,
    metric: o.Metrics = None,
    by: o.ByUnit = None,
    singletons: str = option(
        "--singletons keep|drop", "drop: each side drops its own first.", default="keep", rare=True
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
    # CorefUD as scored by CRAC since 2024; a shared task of several data sets
    cdec score key.conllu mine=response.conllu --preset crac24
    cdec score --preset conll12 --pair a=key.conll:mine.conll --pair b=other.conll:b.conll
    """
    from cdec import api

    policy, plan = files.policy(singletons=singletons), intervals.wanted()
    for room in more.values():
        if any(vars(room).values()):
            policy, metric = room.choices(policy, metric)
            scope = scope or (None if setting else room.scope)
            if page := room.page(scope, metric, policy):
                return out.show(page)
    if key is None or response is None:
        raise UsageError("argument-missing", "missing KEY or RESPONSE", hint="name two files")
    how: Any = {"setting": setting, "metrics": metric, "scorer": scorer, "policy": policy}
    if not (setting or plan or by in _OF_TOPICS):
        require("--setting, --ci or --by topic", "topics")
    how |= {"scope": scope, "topics": topics}
    return out.show(api.score(key, response, ci=plan or False, by=by, **how).page)


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
    file, a baseline or a published system. Choose setting and metric before you see results: each
    further one increases p (Holm).

    \b
    # Two baselines, one metric
    cdec compare lemma lemma-wd --setting pure --metric conll
    # Two response files, the second under another name
    cdec compare mine.conll theirs=other.jsonl --setting pure
    """
    from cdec import api
    from cdec.evaluation.response import Response

    policy = files.policy()
    part, responses = source.responses(answers or [], parameters, key_patch, policy.columns)
    if not by and responses and all(isinstance(one, Response) for one in responses):
        _refuse_pipeline(files)
    how: Any = {"setting": setting, "by": by, "nlp": parameters.nlp, "plan": draws.plan()}
    how |= {"policy": policy, "train": lambda: source.training(part)[0]}
    return out.show(api.compare(part, responses, metrics=metric, **how).page)


@command(app, "check")
def check(
    results: Annotated[list[Path], argument("RESULT…", "Files of `cdec eval --format json`.")],
    min: Annotated[
        list[str],
        option(
            "--min [SETTING/]METRIC=VALUE",
            "The least F1, from 0 to 1, of every system; without a setting: under each.",
        ),
    ],
    *,
    out: o.Messages,
) -> None:
    """Fail unless saved results reach thresholds.

    Also fail unless they have a signature; their warnings are shown.

    \b
    # Two thresholds
    cdec check scores.json --min pure/conll=.1 --min ycf/lea=.1
    """
    from cdec.evaluation.saved import failures, load_results

    loaded = [load_results(path) for path in dict.fromkeys(results)]
    saved = [result for each in loaded for result in each]
    for each in loaded:
        out.notify(notice for notice in each.notices if notice.warning)
    failed = list(failures(saved, min))
    for failure in failed:
        typer.echo(failure)
    if failed:
        message, hint = f"{counted(len(failed), 'check')} failed", "see the lines above"
        raise ScoringError("check-failed", message, hint=hint)
    out.say(f"{counted(len(saved), 'result')} checked")
    typer.echo("passed")
