"""Score the submissions of a board, and save or check the results."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from cdec import formats
from cdec.corpus.model import Corpus
from cdec.corpus.splits import part_of
from cdec.corpus.store import load, locate
from cdec.errors import Notice, one_of
from cdec.evaluation.experiment import Experiment, match_pair, prepare
from cdec.evaluation.response import Response
from cdec.files.jobs import mapped
from cdec.files.progress import notebook
from cdec.leaderboards.board import Leaderboard
from cdec.leaderboards.check import Scored, notices
from cdec.leaderboards.rules import Task
from cdec.leaderboards.show import board_page
from cdec.leaderboards.submission import Submission, digest_of
from cdec.leaderboards.table import merge, rows_of, saved_results
from cdec.render.analysis import Analysis
from cdec.settings import as_settings

_LEVELS = ("topic", "subtopic")  # a key file has neither
_NUMBERED = r"^metadoc_(.+)_\d+$"
_SECONDS = 20  # between two writings of the table
Job = tuple[Task, Submission]


def leaderboard(
    folder: str | Path,
    responses: str | Path | None = None,
    *,
    corpora: Mapping[str, str | Path] | None = None,
    only: Iterable[str] = (),
) -> Analysis[list[Scored]]:
    """Score the responses of a leaderboard, save the results, and return them with the page.

    As ``cdec leaderboard score`` and ``show`` do. ``folder`` has ``leaderboard.toml``,
    ``responses`` the files (default: those in the folder); ``corpora`` maps the name of a corpus in
    the tasks → its path; ``only``: the systems to score. Raises FormatError, CorpusError,
    ScoringError, UsageError.
    """
    board = Leaderboard.at(Path(folder), None if responses is None else Path(responses))
    board.check_corpora(corpora or {})
    paths = {name: str(path) for name, path in (corpora or {}).items()}
    scored = score_board(board, paths, list(only))
    return Analysis(scored, board_page(board.again()))


def score_board(
    board: Leaderboard, corpora: Mapping[str, str], only: Sequence[str]
) -> list[Scored]:
    """Score every response, and save the results.

    ``corpora`` maps the name of a corpus in the tasks → its path; ``only``: the systems to score.
    An error or an interruption keeps what was scored, and so does another call that scores the
    board at the same time. Without ``only``, a table that is not valid gets the ending ``.old``.
    Raises CorpusError, FormatError and ScoringError as ``cdec.evaluate`` does, UnknownNameError for
    a system, and ScoringError for a response that is missing or has another digest.
    """
    repair = not only
    if not repair:
        saved_results(board)  # a table that is not valid is refused before the work
    scored = []
    waiting = []
    last = time.monotonic()
    try:
        for answer in _scored(board, corpora, only):
            scored.append(answer)
            waiting.append(rows_of(answer.task.name, answer.results, answer.runs))
            if time.monotonic() - last > _SECONDS:
                merge(board, pd.concat(waiting), repair=repair)
                waiting.clear()
                last = time.monotonic()
    finally:
        if waiting:
            merge(board, pd.concat(waiting), repair=repair)
    return scored


def check_board(
    board: Leaderboard, corpora: Mapping[str, str], only: Sequence[str]
) -> tuple[list[Scored], list[Notice]]:
    """Score every response, and return what differs from the saved results, which stay.

    Raises as ``score_board`` does.
    """
    saved = saved_results(board)
    scored = [*_scored(board, corpora, only)]
    return scored, notices(board, saved, scored)


def on_task(
    submission: Submission,
    task: Task,
    paths: Sequence[Path],
    corpora: Mapping[str, str],
) -> Experiment:
    """Return the responses of a system to a task, in files, beside the key. Raises ScoringError."""
    key = submission.key(task.name)
    if key is None:
        corpus = _corpus(
            corpora.get(task.corpus, task.corpus), task.split, task.variant
        )
        answers = zip(submission.answers[task.name], paths, strict=True)
        responses = [("", answer.response(path, path.stem)) for answer, path in answers]
        response = Response.of(submission.name, responses)
        experiment = prepare(corpus, [response], setting="all")
    else:
        experiment = _beside_key(task, key, paths)
    runs = []
    for number, run in enumerate(experiment.runs, start=1):
        name = submission.name
        if len(experiment.runs) > 1:
            name = f"{name}/{number}"
        runs.append(replace(run, system=submission.name, name=name, notices=()))
    # None: all metrics on chains.
    return replace(experiment, runs=tuple(runs), call_metrics=None, metrics=None)


def _beside_key(task: Task, key: Path, paths: Sequence[Path]) -> Experiment:
    """Return responses beside a key file, whose numbers of mentions they have."""
    runs = []
    for path in paths:
        run, _ = match_pair(key, path)
        runs.append(replace(run, mentions=_with_documents(key, run.mentions)))
    settings = [
        setting for setting in as_settings("all") if setting.scope not in _LEVELS
    ]
    about = {"corpus": task.corpus, "key": key.name, "key_digest": digest_of(key)}
    return Experiment(tuple(runs), tuple(settings), about)


def _scored(
    board: Leaderboard, corpora: Mapping[str, str], only: Sequence[str]
) -> Iterator[Scored]:
    """Yield each system on each task when it is scored, task by task."""
    names = [one_of("system", name, board.submissions) for name in only] or [
        *board.submissions
    ]
    jobs = [job for (_, name), job in board.jobs.items() if name in names]
    for task, submission in jobs:
        for answer in submission.answers[task.name]:
            submission.file(answer.path)  # a missing file is an error before the work
    yield from notebook()(mapped(_score, jobs, (corpora,)), len(jobs), "scoring")


def _score(job: Job, corpora: Mapping[str, str]) -> Scored:
    task, submission = job
    experiment = on_task(submission, task, submission.files(task.name), corpora)
    return Scored(task, submission, experiment.runs, experiment.results())


@functools.cache  # a process scores many responses to the same key
def _corpus(choice: str, split: str, variant: str | None) -> Corpus:
    return part_of(load(locate(choice)), split).select(variant=variant)


def _with_documents(file: Path, mentions: pd.DataFrame) -> pd.DataFrame:
    """Return mentions in their documents: of a token ``metadoc_DOCUMENT_NUMBER`` the middle.

    A file with mention ids as tokens is a single document.
    """
    texts = formats.read(file).documents
    documents = []
    for doc, start in zip(mentions["doc"], mentions["start"], strict=True):
        text = texts.get(doc) or ()
        # An id that only the response has is behind those of the key.
        match = re.match(_NUMBERED, text[start]) if start < len(text) else None
        documents.append(match[1] if match else str(doc))
    return mentions.assign(doc=documents)
