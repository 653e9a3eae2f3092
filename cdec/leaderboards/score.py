"""Score the responses of a board, save the results, and find what in the board is not so."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cdec import formats
from cdec.corpus.model import Corpus
from cdec.corpus.splits import part_of
from cdec.corpus.store import load, locate
from cdec.errors import FormatError, one_of
from cdec.evaluation.experiment import Experiment, match_pair, prepare
from cdec.evaluation.response import Response
from cdec.evaluation.results import Results
from cdec.files.jobs import mapped
from cdec.files.progress import notebook
from cdec.leaderboards.board import Leaderboard, SystemEntry, Task, digest_of
from cdec.leaderboards.declaration import RunDeclaration, Uses
from cdec.leaderboards.show import board_page
from cdec.leaderboards.table import COLUMNS, NUMBERS, rows_of, save, saved_results
from cdec.matching.alignment import Alignment
from cdec.render.analysis import Analysis
from cdec.settings import as_settings

TOLERANCE = 1e-9
"""Scores may differ by this much: the order of additions changes the last digits."""
_RELEASE = re.compile(r"\d+(\.\d+)*([a-z]+\d*|\.dev\d+|\+[\w.]+)*")
_LEVELS = ("topic", "subtopic")  # a key file has neither
_NUMBERED = r"^metadoc_(.+)_\d+$"


class Scored(NamedTuple):
    """A system on a task: its runs beside the key, and its results."""

    task: Task
    entry: SystemEntry
    runs: tuple[Alignment, ...]
    results: Results


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
    scored, _ = score_board(board, paths, list(only))
    return Analysis(scored, board_page(board))


def score_board(
    board: Leaderboard, corpora: Mapping[str, str], only: Sequence[str] = (), *, check: bool = False
) -> tuple[list[Scored], list[str]]:
    """Score every response and save; with ``check`` return what differs from what is saved.

    ``corpora`` maps the name of a corpus in the tasks → its path; ``only``: the systems to score.
    An error or an interruption keeps what was scored. Without ``only`` and ``check``, a table that
    is not valid is replaced. Raises CorpusError, FormatError and ScoringError as ``cdec.evaluate``
    does, UnknownNameError for a system, and ScoringError for a response that is missing or has
    another digest.
    """
    try:
        saved = saved_results(board)
    except FormatError:
        if only or check:
            raise
        saved = pd.DataFrame(columns=COLUMNS)
    done: list[Scored] = []
    try:
        done.extend(_scored(board, corpora, only))
    finally:
        if done and not check:
            save(board, saved, [rows_of(one.task.name, one.results) for one in done])
    if not check:
        return done, []
    return done, [*_differences(board, saved, done), *_copies(board, done), *_undeclared(done)]


def on_task(
    board: Leaderboard,
    task: Task,
    entry: SystemEntry,
    paths: Sequence[Path],
    corpora: Mapping[str, str],
) -> Experiment:
    """Return the responses of a system to a task, in files, beside the key. Raises ScoringError."""
    answers = entry.answers(task.name)
    if name := answers[0].key:
        key = board.path(name, board.keys.get(name), "fetch the responses again")
        pairs = [match_pair(key, path)[0] for path in paths]
        runs = [replace(one, mentions=_with_documents(key, one.mentions)) for one in pairs]
        settings = tuple(one for one in as_settings("all") if one.scope not in _LEVELS)
        about = {"corpus": task.corpus, "key": key.name, "key_digest": digest_of(key)}
        made = Experiment(tuple(runs), settings, about)
    else:
        corpus = _corpus(corpora.get(task.corpus, task.corpus), task.split, task.variant)
        given = [each.response(path, path.stem) for each, path in zip(answers, paths, strict=True)]
        response = Response.of(entry.name, [("", one) for one in given])
        made = prepare(corpus, [response], setting="all")
    runs = [
        replace(one, system=entry.name, name=f"{entry.name}/{n}", notices=())
        for n, one in enumerate(made.runs, start=1)
    ]
    runs = runs if len(runs) > 1 else [replace(runs[0], name=entry.name)]
    return replace(made, runs=tuple(runs), asked=None, metrics=None)  # all metrics on chains


def _scored(
    board: Leaderboard, corpora: Mapping[str, str], only: Sequence[str]
) -> Iterator[Scored]:
    """Yield each system on each task when it is scored, task by task."""
    names = [one_of("system", name, board.systems) for name in only] or board.systems
    jobs = [(task, entry) for task, entry in board.jobs.values() if entry.name in names]
    for task, entry in jobs:
        recipe = f"; if it is not there: {entry.recipe}" if entry.recipe else ""
        for answer in entry.answers(task.name):
            board.path(answer.path, None, f"name the folder of the responses{recipe}")
    yield from notebook()(mapped(_score, jobs, (board, corpora)), len(jobs), "scoring")


def _score(job: tuple[Task, SystemEntry], board: Leaderboard, corpora: Mapping[str, str]) -> Scored:
    task, entry = job
    hint = "restore the file, or add the system again"
    paths = [board.path(each.path, each.digest, hint) for each in entry.answers(task.name)]
    experiment = on_task(board, task, entry, paths, corpora)
    return Scored(task, entry, experiment.runs, experiment.results())


@functools.cache  # a process scores many responses to the same key
def _corpus(choice: str, split: str, variant: str | None) -> Corpus:
    return part_of(load(locate(choice)), split).select(variant=variant)


def _with_documents(file: Path, mentions: pd.DataFrame) -> pd.DataFrame:
    """Return mentions in their documents: of a token ``metadoc_DOCUMENT_NUMBER`` the middle.

    A file with mention ids as tokens is a single document.
    """
    texts = formats.read(file).documents
    places = zip(mentions["doc"], mentions["start"], strict=True)
    # An id that only the response has is behind those of the key.
    of_document = {doc: dict(enumerate(text or ())) for doc, text in texts.items()}
    words = [of_document.get(doc, {}).get(start, "") for doc, start in places]
    inner = pd.Series(words, index=mentions.index).str.extract(_NUMBERED)[0]
    return mentions.assign(doc=inner.where(inner.notna(), mentions["doc"].astype(str)))


# ---- what is not so ----


def _differences(
    board: Leaderboard, saved: pd.DataFrame, scored: Sequence[Scored]
) -> Iterator[str]:
    """Yield how saved rows differ from those of the responses."""
    known = {(str(t), str(s)): rows for (t, s), rows in saved.groupby(["task", "system"])}
    for name, system in known.keys() - board.jobs.keys():
        yield f"{system}, {name}: results without a system or response"
    for task, entry, _, results in scored:
        old = known.get((task.name, entry.name), saved.iloc[:0])
        changes = _changes(old, rows_of(task.name, results))
        yield from (f"{entry.name}, {task.name}: {text}" for text in changes)


def _changes(saved: pd.DataFrame, now: pd.DataFrame) -> Iterator[str]:
    old, new = ([*zip(rows["setting"], rows["metric"], strict=True)] for rows in (saved, now))
    if old != new:
        odd = next(iter(sorted({*old} ^ {*new})), ("their", "order"))
        yield f"{len(old)} saved rows, expected {len(new)}: {' '.join(odd)} differs"
        return
    a, b = saved[NUMBERS].to_numpy(), now[NUMBERS].to_numpy()
    for row, column in np.argwhere(~np.isclose(a, b, TOLERANCE, TOLERANCE, equal_nan=True)):
        values = f"saved {a[row, column]:.6f}, now {b[row, column]:.6f}"
        yield f"{' '.join(new[row])} {NUMBERS[column]}: {values}"
    for (setting, _), *texts in zip(new, saved["signature"], now["signature"], strict=True):
        one, other = (json.loads(text or "{}") for text in texts)
        if _RELEASE.fullmatch(str(one.get("cdec"))):  # a later release may check
            one["cdec"] = other.get("cdec")
        if fields := [name for name in {**one, **other} if one.get(name) != other.get(name)]:
            yield f"{setting}: the signature differs in {', '.join(fields)}"


def _copies(board: Leaderboard, scored: Iterable[Scored]) -> Iterator[str]:
    """Yield each response, as a file or as chains, that systems of two families have."""
    owned = [
        (task.name, entry.family, entry.name, f"{answer.digest} {answer.pairs}")
        for task, entry in board.jobs.values()
        for answer in entry.answers(task.name)
    ]
    owned += [(t.name, e.family, e.name, _chains(run)) for t, e, runs, _ in scored for run in runs]
    table = pd.DataFrame(owned, columns=["task", "family", "system", "response"])
    each = table.drop_duplicates(["task", "family", "response"]).groupby(["task", "response"])
    shared = {(t, " and ".join(own["system"])) for (t, _), own in each if len(own) > 1}
    yield from (f"{names}, {task}: one response of two families" for task, names in sorted(shared))


def _chains(run: Alignment) -> str:
    """Return the digest of the chains of a run, whatever their labels."""
    table = run.mentions.loc[run.mentions["response"].notna()]
    place = table[["doc", "start", "end", "tokens"]].astype(str)
    place["chain"] = pd.factorize(table["response"])[0]
    return sha256(pd.util.hash_pandas_object(place, index=False).to_numpy().tobytes()).hexdigest()


def _undeclared(scored: Iterable[Scored]) -> Iterator[str]:
    """Yield where a system is described otherwise than its responses declare.

    A run has what its file declares; the system has, of ``uses`` and training data, what one of
    its files declares.
    """
    of_system: dict[tuple[SystemEntry, str], list[Any]] = {}
    for task, entry, runs, _ in scored:
        for run, answer in zip(runs, entry.answers(task.name), strict=True):
            described = entry.run(answer).model_dump() | {"seed": answer.seed}
            for name, value in run.about.get("declared", {}).items():
                if name not in RunDeclaration.model_fields and name != "seed":
                    of_system.setdefault((entry, name), []).append(value)
                elif described[name] != value:
                    shown = f"{described[name]}, but {answer.path} declares {value}"
                    yield f"{entry.name}, {task.name}: {name} is {shown}"
    for (entry, name), values in of_system.items():
        value = getattr(entry.uses if name in Uses.model_fields else entry, name)
        if value not in values:
            yield f"{entry.name}: {name} is {value}, but its responses declare {values[0]}"
