"""Score the responses of a board, and find what in it is not so."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cdec import formats
from cdec.corpus.model import Corpus
from cdec.corpus.splits import part_of
from cdec.corpus.store import load, locate
from cdec.errors import FormatError, one_of
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.results import Results
from cdec.evaluation.run import match_pair, run_on
from cdec.files.jobs import mapped
from cdec.files.progress import notebook
from cdec.formats.declaration import RunDeclaration, Uses
from cdec.leaderboards.board import Answer, Leaderboard, SystemEntry, Task, digest_of
from cdec.leaderboards.table import COLUMNS, NUMBERS, rows_of, save, saved_results
from cdec.matching.alignment import Alignment
from cdec.settings import SETTINGS

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

    @property
    def rows(self) -> pd.DataFrame:
        """The results as rows of the table of a board."""
        return rows_of(self.task.name, self.results)


def score_board(
    board: Leaderboard, corpora: Mapping[str, str], only: Sequence[str] = ()
) -> Iterator[Scored]:
    """Score every response of a leaderboard, task by task; yield each system when it is scored.

    ``corpora`` maps the name of a corpus in the tasks → its path; ``only``: the systems to score.
    Raises CorpusError, FormatError, ScoringError as ``run_on`` does, UnknownNameError for a system,
    and ScoringError for a response that is missing or has another digest.
    """
    names = [one_of("system", name, board.systems) for name in only] or board.systems
    chosen = [(task, entry) for task, entry in board.jobs.values() if entry.name in names]
    work = [(task, answer) for task, entry in chosen for answer in entry.answers(task.name)]
    for task, entry in chosen:
        recipe = f"; if it is not there: {entry.recipe}" if entry.recipe else ""
        for answer in entry.answers(task.name):
            board.path(answer.path, None, f"name the folder of the responses{recipe}")
    asked = [SETTINGS[one_of("setting", name, SETTINGS)] for name in board.file.settings]
    made = iter(notebook()(mapped(_run, work, (board, corpora)), len(work), "scoring"))
    for task, entry in chosen:
        runs, abouts, levels = zip(*islice(made, len(entry.answers(task.name))), strict=True)
        several = len(runs) > 1
        named = tuple(
            replace(run, system=entry.name, run=f"{entry.name}/{n}" if several else run.run,
                    notices=(), standing={})
            for n, run in enumerate(runs, start=1)
        )  # fmt: skip
        settings = tuple(s for s in asked if s.scope not in _LEVELS or s.scope in levels[0])
        about = abouts[0]
        place = (str(about.get("corpus", task.corpus)), str(about.get("split", "")))
        results = Experiment(named, settings, about, *place, is_named=True).results()
        yield Scored(task, entry, named, results)
    for _ in made:  # ends the progress display
        pass


Done = tuple[list[Scored], list[str]]  # what was scored, and what is wrong


def score_and_save(
    board: Leaderboard, corpora: Mapping[str, str], only: Sequence[str] = ()
) -> Done:
    """Score as ``score_board``, and save: an error or an interruption keeps what was scored.

    Without ``only``, a table that is not valid is replaced.
    """
    try:
        saved = saved_results(board)
    except FormatError:
        if only:
            raise
        saved = pd.DataFrame(columns=COLUMNS)
    done: list[Scored] = []
    try:
        done.extend(score_board(board, corpora, only))
    finally:
        if done:
            save(board, saved, [one.rows for one in done])
    return done, []


def check_board(board: Leaderboard, corpora: Mapping[str, str], only: Sequence[str] = ()) -> Done:
    """Score as ``score_board``, and list how saved results, responses and declarations differ."""
    saved = saved_results(board)  # a table that is not valid is said before a corpus is read
    done = list(score_board(board, corpora, only))
    return done, list(_problems(board, saved, done))


def _run(
    work: tuple[Task, Answer], board: Leaderboard, corpora: Mapping[str, str]
) -> tuple[Alignment, Mapping[str, Any], set[str]]:
    """Return a response beside its key, the fields on the key, and the levels of its topics."""
    task, answer = work
    hint = "restore the file, or add the system again"
    path = board.path(answer.path, answer.digest, hint)
    if answer.key is None:
        corpus = _corpus(corpora.get(task.corpus, task.corpus), task.split, task.variant)
        return run_on(corpus, answer.response(path, path.stem)), corpus.about, {*corpus.levels}
    key = board.path(answer.key, board.keys.get(answer.key), "fetch the responses again")
    about = {"corpus": task.corpus, "key": key.name, "key_digest": digest_of(key)}
    run, _ = match_pair(key, path)
    return (
        replace(run, mentions=run.mentions.assign(doc=_documents(key, run.mentions))),
        about,
        set(),
    )


@functools.cache  # a process scores many responses to the same key
def _corpus(choice: str, split: str, variant: str | None) -> Corpus:
    return part_of(load(locate(choice)), split).select(variant=variant)


def _documents(file: Path, mentions: pd.DataFrame) -> pd.Series[Any]:
    """Return the document of each mention: of a token ``metadoc_DOCUMENT_NUMBER`` the middle.

    A file with mention ids as tokens is a single document.
    """
    texts = formats.read(file).documents
    places = zip(mentions["doc"], mentions["start"], strict=True)
    words = [(texts.get(doc) or {start: ""})[start] for doc, start in places]
    inner = pd.Series(words, index=mentions.index).str.extract(_NUMBERED)[0]
    return inner.where(inner.notna(), mentions["doc"].astype(str))


# ---- what is not so ----


def _problems(board: Leaderboard, saved: pd.DataFrame, scored: Sequence[Scored]) -> Iterator[str]:
    known = {(str(t), str(s)): rows for (t, s), rows in saved.groupby(["task", "system"])}
    for task, system in known.keys() - board.jobs.keys():
        yield f"{system}, {task}: results without a system or response"
    for one in scored:
        at = (one.task.name, one.entry.name)
        changes = _changes(known.get(at, saved.iloc[:0]), one.rows)
        yield from (f"{one.entry.name}, {one.task.name}: {text}" for text in changes)
    yield from _copies(board, scored)
    yield from _undeclared(board, scored)


def _changes(saved: pd.DataFrame, now: pd.DataFrame) -> Iterator[str]:
    """Yield how the saved rows of a system on a task differ from those of its responses."""
    old, new = ([*zip(rows["setting"], rows["metric"], strict=True)] for rows in (saved, now))
    if old != new:
        odd = sorted({*old} ^ {*new}) or [("their", "order")]
        yield f"{len(old)} saved rows, expected {len(new)}: {' '.join(odd[0])} differs"
        return
    a, b = saved[NUMBERS].to_numpy(), now[NUMBERS].to_numpy()
    for row, column in np.argwhere(~np.isclose(a, b, TOLERANCE, TOLERANCE, equal_nan=True)):
        values = f"saved {a[row, column]:.6f}, now {b[row, column]:.6f}"
        yield f"{' '.join(new[row])} {NUMBERS[column]}: {values}"
    for (setting, _), *texts in zip(new, saved["signature"], now["signature"], strict=True):
        one, other = (json.loads(text or "{}") for text in texts)
        if _RELEASE.fullmatch(str(one.get("cdec"))):  # a later release may check
            one["cdec"] = other.get("cdec")
        for name in [name for name in {**one, **other} if one.get(name) != other.get(name)]:
            shown = f"saved {one.get(name)!s:.40}, now {other.get(name)!s:.40}"
            yield f"{setting}: signature field {name}: {shown}"


def _copies(board: Leaderboard, scored: Iterable[Scored]) -> Iterator[str]:
    """Yield each response, as a file or as chains, that systems of two families have."""
    owned = [
        (task.name, entry.family, entry.name, f"{answer.digest} {answer.pairs}")
        for task, entry in board.jobs.values()
        for answer in entry.answers(task.name)
    ]
    owned += [
        (o.task.name, o.entry.family, o.entry.name, _chains(r)) for o in scored for r in o.runs
    ]
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


def _undeclared(board: Leaderboard, scored: Iterable[Scored]) -> Iterator[str]:
    """Yield where a system is described otherwise than its responses declare.

    A run has what its file declares; the system has, of ``uses`` and training data, what one of
    its files declares.
    """
    of_system: dict[tuple[str, str], list[Any]] = {}
    for task, entry, runs, _ in scored:
        for run, answer in zip(runs, entry.answers(task.name), strict=True):
            described = entry.run(answer).model_dump() | {"seed": answer.seed}
            for name, value in run.about.get("declared", {}).items():
                if name not in RunDeclaration.model_fields and name != "seed":
                    of_system.setdefault((entry.name, name), []).append(value)
                elif described[name] != value:
                    shown = f"{described[name]}, but {answer.path} declares {value}"
                    yield f"{entry.name}, {task.name}: {name} is {shown}"
    for (system, name), values in of_system.items():
        entry = board.systems[system]
        value = getattr(entry.uses if name in Uses.model_fields else entry, name)
        if value not in values:
            yield f"{system}: {name} is {value}, but its responses declare {values[0]}"
