"""``cdec eval``, ``cdec score`` and ``cdec check``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import cdec
from cdec.cli import options as o
from cdec.cli.command import argument, command, given, option, refuse, require
from cdec.errors import ScoringError, UsageError, counted
from cdec.rooms import added, imported

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus

app = typer.Typer()
PRESETS = tuple(added("preset"))
_PAPERS = added("scores of papers").get("literature")


@command(app, "eval")
def evaluate(
    answers: o.Answers = None,
    setting: o.Settings = ["all"],
    system: o.Systems = None,
    metric: o.Metrics = None,
    by: o.ByAny = None,
    literature: Annotated[
        bool,
        option(
            "--literature",
            None,
            "The scores that papers on ECB+ publish. That is: cybulska/test, topic and corpus "
            "level, with and without own singletons, detection of mentions, and the published "
            "tables that each number can be compared with.",
        ),
    ] = False,
    scorer: o.Scorer = "cdec",
    key_patch: o.KeyPatch = None,
    *,
    intervals: o.Intervals,
    parameters: o.Parameters,
    source: o.Source,
    files: o.Files,
    work: o.Work,
    out: o.Report,
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
    from cdec.api import by_stratum
    from cdec.baselines import DEFAULT, names_system

    policy = files.policy(nlp=parameters.nlp)
    if literature and _PAPERS:
        fixed = ("setting", "mentions", "metric", "by", "scorer", "ci", "key_patch")
        papers = imported(_PAPERS)
        split = papers.preset().split
        refuse("--literature", *(fixed if source.split == split else ("split", *fixed)))
        source.split = split
    plan = intervals.wanted(by)
    named = answers or []
    configured = [one.system for one in parameters.configured()]
    default = [] if literature or named else DEFAULT
    systems = [*(system or configured or default), *filter(names_system, named)]
    part, opened = source.placed([name for name in named if name not in systems], key_patch)
    responses = [*parameters.ready(systems, source, part), *opened.values()]
    if literature and _PAPERS:
        return out.show(cdec.literature(part, responses, policy=policy).page)
    if by in o.STRATA:
        refuse(f"--by {by}", "metric", "scorer")
        found = by_stratum(
            part,
            responses,
            by,
            setting=setting,
            policy=policy,
            train=lambda: source.training(part)[0],
            nlp=parameters.nlp,
        )
        return out.show(found.page)
    results = cdec.evaluate(
        part,
        responses,
        setting=setting,
        metrics=metric,
        scorer=scorer,
        policy=policy,
        ci=plan or False,
        by=by,
    )
    if len(opened) > 1:
        _refuse_key(part, *next(iter(opened.items())), results)
    return out.show(results.page)


def _refuse_key(part: Corpus, file: str, response: Any, results: Any) -> None:
    """Raise UsageError if the first of several files is the key, as in the call of a scorer."""
    own = results.frame[results.frame["system"] == response.name]
    if len(own) and (own["f1"] == 1).all():
        from cdec.evaluation.aligned import run_on

        run = run_on(part, response)
        if run.key == run.response:
            message = "its chains are those of the key, which this command takes from the corpus"
            hint = "for a key file and a response file: cdec score KEY RESPONSE"
            raise UsageError("input-mismatch", message, place=file, hint=hint)


@command(app, "score")
def score(
    key: Annotated[Path | None, argument("KEY", "Key file: the correct chains.")] = None,
    response: Annotated[
        str | None, argument("[NAME=]RESPONSE", "Response file: the chains of a system.")
    ] = None,
    scope: o.Scope = None,
    setting: o.OwnSettings = None,
    topics: o.Topics = None,
    metric: o.Metrics = None,
    by: o.ByUnit = None,
    preset: Annotated[
        str | None,
        option(
            "--preset",
            "NAME",
            "The choices of a shared task: crac22, crac24, crac25, crac26 or conll12. They are "
            "--match, --singletons, --zeros and the metrics. "
            "Options in the call override it.",
            known="cdec.cli.score:PRESETS",
            kind="preset",
        ),
    ] = None,
    pair: Annotated[
        list[str] | None,
        option(
            "--pair",
            "SET=KEY:FILE",
            "A data set with its key and a response, as SET=KEY:[SYSTEM=]FILE (repeatable).",
        ),
    ] = None,
    macro: Annotated[
        bool,
        option(
            "--macro",
            None,
            "Rank systems by the mean over the data sets; one without a response counts 0.",
        ),
    ] = False,
    singletons: Annotated[
        str,
        option(
            "--singletons",
            "keep|drop",
            "drop: each side drops its own singletons before mentions are aligned.",
            rare=True,
        ),
    ] = "keep",
    zeros: Annotated[
        str,
        option(
            "--zeros",
            "linear|dependent",
            "How zeros (mentions headed by an empty node) of two CoNLL-U files are aligned: "
            "by their place among the words, or first by their parents and relations.",
            rare=True,
        ),
    ] = "linear",
    heads: Annotated[
        str,
        option(
            "--heads",
            "file|tree",
            "Heads of the mentions of CoNLL-U files: as the file gives them, or from the "
            "dependency tree.",
            rare=True,
        ),
    ] = "file",
    upos: Annotated[
        str,
        option(
            "--upos",
            "TAG",
            "Score only entities with a mention whose head has this universal tag, as VERB "
            "(CoNLL-U).",
            rare=True,
        ),
    ] = "",
    scorer: o.Scorer = "cdec",
    key_patch: o.KeyPatch = None,
    *,
    intervals: o.Intervals,
    files: o.Files,
    work: o.Work,
    out: o.Report,
) -> None:
    """Score a response file against a key file; no corpus is needed.

    The format of both follows from their content (docs/formats.md).

    \b
    # Within documents, as the reference scorer does; across documents
    cdec score key.conll response.conll --scope document
    cdec score key.conll mine=response.jsonl --scope corpus
    # CorefUD as scored by CRAC since 2024; a shared task of several data sets
    cdec score key.conllu mine=response.conllu --preset crac24
    cdec score --preset conll12 --macro --pair a=key.conll:mine.conll
    """
    policy = files.policy(singletons=singletons, zeros=zeros, heads=heads, upos=upos)
    metrics = metric
    if preset:
        chosen = imported(added("preset")[preset])
        own = {"alignment": "match"}
        unset = {name: v for name, v in chosen.policy.items() if not given(own.get(name, name))}
        policy, metrics = replace(policy, **unset), metric or list(chosen.metrics)
    if pair:
        refuse("--pair", "key", "by", "scorer", "key_patch")
        about: Any = {"scope": scope or "document", "metrics": metrics, "policy": policy}
        score_datasets = imported(added("scorer of pairs")["data sets"]).score_datasets
        page, notices = score_datasets(pair, macro=macro, **about)
        out.notify(notices)
        return out.show(page)
    if key is None or response is None:
        message = "missing KEY and RESPONSE" if key is None else "missing RESPONSE"
        raise UsageError("argument-missing", message, hint="name two files, or use --pair")
    require("--pair", "macro", hint="add --pair DATASET=KEY:RESPONSE")
    plan = intervals.wanted(by)
    results = cdec.score(
        key,
        response,
        scope=scope,
        setting=setting,
        topics=topics,
        metrics=metrics,
        scorer=scorer,
        policy=policy,
        ci=plan or False,
        by=by,
        key_patch=key_patch,
    )
    return out.show(results.page)


@command(app, "check")
def check(
    results: Annotated[
        list[Path], argument("RESULT…", "Result files of `cdec eval --format json`.")
    ],
    min: Annotated[
        list[str] | None,
        option(
            "--min",
            "[SETTING/]METRIC=VALUE",
            "The least F1, from 0 to 1, of every system (repeatable). Without a setting: "
            "under each.",
        ),
    ] = None,
    signature: Annotated[
        str | None,
        option(
            "--signature",
            "LINE",
            "The signature, or some of its fields, that every result must have.",
        ),
    ] = None,
    *,
    out: o.Messages,
) -> None:
    """Fail unless saved results reach thresholds.

    Also fail unless they have a signature; their warnings are shown.

    \b
    # Two thresholds
    cdec check scores.json --min pure/conll=.1 --min ycf/lea=.1
    # The fields of a signature
    cdec check scores.json --signature "mentions:gold|scorer:cdec@2"
    """
    from cdec.evaluation.saved import Threshold, failures, load_results

    if not min and not signature:
        message, hint = "there is nothing to check", "add --min or --signature"
        raise UsageError("option-conflict", message, hint=hint)
    loaded = [load_results(path) for path in dict.fromkeys(results)]
    saved = [result for each in loaded for result in each]
    for each in loaded:
        out.notify(notice for notice in each.notices if notice.warning)
    failed = list(failures(saved, [Threshold.parse(text) for text in min or []], signature))
    for failure in failed:
        typer.echo(failure)
    if failed:
        message, hint = f"{counted(len(failed), 'check')} failed", "see the lines above"
        raise ScoringError("check-failed", message, hint=hint)
    out.say(f"{counted(len(saved), 'result')} checked")
    typer.echo("passed")
