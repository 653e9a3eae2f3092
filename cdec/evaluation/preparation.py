"""What is to be scored: answers to a task under settings, and what was irregular in the files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from cdec.corpus.model import Corpus
from cdec.errors import UnknownNameError, UsageError
from cdec.evaluation.experiment import Experiment, Task
from cdec.evaluation.response import (
    Chains,
    FilePolicy,
    Response,
    chains_run,
    check_distinct,
    file_run,
    run_on,
)
from cdec.metrics.scores import check_names
from cdec.notices import Notice
from cdec.settings import Scope, Setting, find_settings

Settings: TypeAlias = "str | Setting | Sequence[str | Setting]"
_WITHOUT_CORPUS: dict[str, Scope] = {"document": "document", "corpus": "corpus"}


def prepare(
    corpus: Corpus,
    response: Response | list[Response],
    *,
    setting: Settings,
    metrics: str | Iterable[str] | None,
    scorer: str,
    policy: FilePolicy,
) -> tuple[Experiment, tuple[Notice, ...]]:
    """Return what ``api.evaluate`` scores, and what was irregular in the files."""
    check_corpus(corpus)
    responses: Sequence[Response] = response if isinstance(response, list) else [response]
    if not responses:
        raise UsageError("there is no response to score", cure="name a system or a file")
    task = Task(corpus.name, corpus.part, corpus.about, _ids(metrics), scorer)
    # A wrong call is said before any system runs: some take minutes.
    settings = as_settings(setting)
    check_names(task.metrics, task.scorer)
    check_distinct(responses)
    matched = [run_on(corpus, one, policy) for one in responses]
    answers = tuple(answer for answer, _ in matched)
    notices = tuple(
        replace(notice, message=f"{answer.system}: {notice.message}")
        if len(matched) > 1
        else notice
        for answer, found in matched
        for notice in found
    )
    return Experiment(task, answers, settings), notices


def prepare_pair(
    key: Chains | str | Path,
    response: Chains | str | Path,
    *,
    scope: str | None,
    metrics: str | Iterable[str] | None,
    scorer: str,
    policy: FilePolicy,
) -> tuple[Experiment, tuple[Notice, ...]]:
    """Return what ``api.score`` scores, and what was irregular in the files."""
    if isinstance(key, str | Path) and isinstance(response, str | Path):
        answer, about, notices = file_run(key, response, policy)
        if scope == "corpus":  # then labels are meant to recur
            notices = tuple(notice for notice in notices if notice.kind != "labels-recur")
        chosen = scope or "document"
    elif isinstance(key, str | Path) or isinstance(response, str | Path):
        raise UsageError("key and response are both files or both clusterings")
    else:
        answer, notices = chains_run(key, response, policy)
        about = {}
        chosen = scope or "corpus"
    if chosen not in _WITHOUT_CORPUS:
        raise UnknownNameError("scope without a corpus", chosen, _WITHOUT_CORPUS)
    task = Task("", "", about, _ids(metrics), scorer)
    setting = Setting("none", f"scope {chosen}", _WITHOUT_CORPUS[chosen])
    return Experiment(task, (answer,), (setting,)), notices


def as_settings(setting: Settings) -> tuple[Setting, ...]:
    """Return Setting objects for names, descriptions and Settings alike, each once."""
    given = [setting] if isinstance(setting, str | Setting) else setting
    if not isinstance(given, Sequence) or not all(isinstance(s, str | Setting) for s in given):
        raise UsageError(f"no setting but {setting!r}", cure='as in "pure", "all" or a list')
    found = (
        one
        for item in given
        for one in ([item] if isinstance(item, Setting) else find_settings([item]))
    )
    return tuple(dict.fromkeys(found))


def check_corpus(given: object) -> None:
    """Raise UsageError for what is no corpus."""
    if not isinstance(given, Corpus):
        raise UsageError(
            f"{type(given).__name__} is no corpus", cure='as cdec.load_corpus(split="test") gives'
        )


def _ids(metrics: str | Iterable[str] | None) -> tuple[str, ...] | None:
    if isinstance(metrics, str):
        return (metrics,)
    return tuple(metrics) if metrics else None
