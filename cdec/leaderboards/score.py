"""Score the responses of a board, and find what in it is not so."""

from __future__ import annotations

import functools
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdec import formats
from cdec.corpus.model import Corpus
from cdec.corpus.store import locate, read_part
from cdec.errors import FormatError, one_of
from cdec.evaluation.aligned import match_pair, run_on
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.results import Results
from cdec.files.jobs import mapped
from cdec.files.progress import Progress, silent
from cdec.formats.declaration import RunDeclaration, Uses
from cdec.leaderboards.board import Answer, Leaderboard, SystemEntry, Task, digest_of
from cdec.leaderboards.table import HEAD, NUMBERS, ResultTable, rows_of
from cdec.matching.alignment import Alignment
from cdec.settings import SETTINGS

TOLERANCE = 1e-9
"""Scores may differ by this much: the order of additions changes the last digits."""
_RELEASE = re.compile(r"\d+(\.\d+)*([a-z]+\d*|\.dev\d+|\+[\w.]+)*")
_LEVELS = ("topic", "subtopic")  # a key file has neither
_NUMBERED = r"^metadoc_(.+)_\d+$"


@dataclass(frozen=True, eq=False)
class Scored:
    """A system on a task: its runs beside the key, and its results."""

    entry: SystemEntry
    task: Task
    runs: tuple[Alignment, ...]
    results: Results


def score_board(
    board: Leaderboard,
    corpora: Mapping[str, str] | None = None,
    progress: Progress = silent,
    only: Sequence[str] = (),
) -> Iterator[Scored]:
    """Score every response of a leaderboard, task by task; yield each system when it is scored.

    ``corpora`` maps the name of a corpus in the tasks → its path; ``only``: the systems to score.
    Raises CorpusError, FormatError, ScoringError as ``run_on`` does, UnknownNameError for a system,
    and ScoringError for a response that is missing or has another digest.
    """
    for name in only:
        one_of("system", name, board.systems)
    chosen = [(e, t) for e, t in board.jobs() if not only or e.name in only]
    work = [(task, answer) for entry, task in chosen for answer in entry.answers(task.name)]
    for entry, task in chosen:
        recipe = f"; if it is not there: {entry.recipe}" if entry.recipe else ""
        for answer in entry.answers(task.name):
            board.there(answer.path, f"name the folder of the responses{recipe}")
    made = iter(progress(mapped(_run, work, (board, dict(corpora or {}))), len(work), "scoring"))
    for entry, task in chosen:
        each = list(islice(made, len(entry.answers(task.name))))
        runs = [replace(run, system=entry.name, notices=(), standing={}) for run, _, _ in each]
        if len(runs) > 1:
            runs = [replace(run, run=f"{entry.name}/{n}") for n, run in enumerate(runs, start=1)]
        _, about, levels = each[0]
        asked = [SETTINGS[one_of("setting", name, SETTINGS)] for name in board.file.settings]
        settings = tuple(s for s in asked if s.scope not in _LEVELS or s.scope in levels)
        place = (str(about.get("corpus", task.corpus)), str(about.get("split", "")))
        experiment = Experiment(tuple(runs), settings, about, *place, is_named=True)
        yield Scored(entry, task, tuple(runs), experiment.results())
    for _ in made:  # ends the progress display
        pass


def score_and_save(
    board: Leaderboard, scored: Iterable[Scored], *, whole: bool = True
) -> list[Scored]:
    """Save scores as they come: an error or an interruption keeps those before it.

    A ``whole`` run also replaces a table that is not valid.
    """
    try:
        table = ResultTable.of(board)
    except FormatError:
        if not whole:
            raise
        table = ResultTable.empty(board)
    done: list[Scored] = []
    try:
        done.extend(scored)
    finally:
        if done:
            table.replaced(rows_of(one.task.name, one.results) for one in done).save()
    return done


def _run(
    work: tuple[Task, Answer], board: Leaderboard, corpora: Mapping[str, str]
) -> tuple[Alignment, Mapping[str, Any], set[str]]:
    """Return a response beside its key, the fields on the key, and the levels of its topics."""
    task, answer = work
    path = board.checked(answer.path, answer.digest, "restore the file, or add the system again")
    if answer.key is None:
        corpus = corpus_of(corpora.get(task.corpus, task.corpus), task.split, task.variant)
        return run_on(corpus, answer.response(path, path.stem)), corpus.about, {*corpus.levels}
    key = board.checked(answer.key, board.keys.get(answer.key), "fetch the responses again")
    about = {"corpus": task.corpus, "key": key.name, "key_digest": digest_of(key)}
    run, _ = match_pair(key, path)
    run = replace(run, mentions=run.mentions.assign(doc=_documents(key, run.mentions)))
    return run, about, set()


@functools.cache  # a process scores many responses to the same key
def corpus_of(choice: str, split: str, variant: str | None) -> Corpus:
    """Return the part of a corpus, by name or path. Raises CorpusError, UnknownNameError."""
    return read_part(locate(choice), split).select(None, variant=variant)


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


def problems(board: Leaderboard, scored: Sequence[Scored]) -> Iterator[str]:
    """Yield every difference between the board and its responses.

    A row that no response has, a missing or other row, another signature, a response that a system
    of another family has, and a declaration that is not that of the responses. Raises FormatError
    for a table that has anything else than scores.
    """
    table = ResultTable.of(board)
    jobs = {(task.name, entry.name) for entry, task in board.jobs()}
    known = {(str(t), str(s)): rows for (t, s), rows in table.rows.groupby(["task", "system"])}
    for task, system in known.keys() - jobs:
        yield f"{system}, {task}: results without a system or response"
    for one in scored:
        at = (one.task.name, one.entry.name)
        rows = known.get(at, table.rows.iloc[:0])
        what = [*_changes(rows, rows_of(one.task.name, one.results))]
        yield from (f"{one.entry.name}, {one.task.name}: {text}" for text in what)
    yield from _copies(board, scored)
    for name in dict.fromkeys(one.entry.name for one in scored):
        own = [one for one in scored if one.entry.name == name]
        yield from (f"{name}: {text}" for text in _undeclared(own))


def _changes(saved: pd.DataFrame, now: pd.DataFrame) -> Iterator[str]:
    """Yield how the saved rows of a system on a task differ from those of its responses."""
    old, new = (rows.set_index(HEAD[2:]) for rows in (saved, now))
    for setting, metric in old.index.difference(new.index, sort=False):
        yield f"{setting}, {metric}: only in the saved results"
    missing = [*new.index.difference(old.index, sort=False)]
    yield from (f"{s}, {m}: not in the saved results" for s, m in missing[:3])
    both = new.index.intersection(old.index, sort=False)
    if [*both] != [*old.index]:
        yield "the rows are not in their order"
    a, b = old.loc[both, NUMBERS], new.loc[both, NUMBERS]
    wrong = ~(((a - b).abs() <= TOLERANCE * b.abs().clip(lower=1)) | (a.isna() & b.isna()))
    for row, column in np.argwhere(wrong.to_numpy()):
        (setting, metric), values = both[row], (a.iloc[row, column], b.iloc[row, column])
        name = f"{setting}: {metric} {NUMBERS[column]}"
        yield f"{name}: saved {values[0]:.6f}, now {values[1]:.6f}"
    for place in both:
        if old.loc[place, "signature"] != new.loc[place, "signature"]:
            texts = (rows.loc[place, "signature"] or "{}" for rows in (old, new))
            one, other = map(json.loads, texts)
            release = one.get("cdec")
            for name in dict.fromkeys([*one, *other]):
                free = name == "cdec" and _RELEASE.fullmatch(str(release))  # a later one may check
                if one.get(name) != other.get(name) and not free:
                    shown = f"saved {one.get(name)!s:.40}, now {other.get(name)!s:.40}"
                    yield f"{place[0]}: signature field {name}: {shown}"


def _copies(board: Leaderboard, scored: Sequence[Scored]) -> Iterator[str]:
    """Yield each response, as a file or as chains, that systems of two families have."""
    owners: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for entry, task in board.jobs():
        for answer in entry.answers(task.name):
            owners[task.name, "file", answer.digest, answer.pairs or ""].append(entry.name)
    for one in scored:
        for run in one.runs:
            owners[one.task.name, "chains", _chains(run)].append(one.entry.name)
    said = set()
    for (name, what, *_), names in owners.items():
        families = {board.systems[name].family: name for name in dict.fromkeys(names)}
        pair = (name, *families.values())
        if len(families) > 1 and pair not in said:
            said.add(pair)
            yield f"{', '.join(families.values())}, {name}: one response ({what}) of two families"


def _chains(run: Alignment) -> str:
    """Return the digest of the chains of a run, whatever their labels."""
    table = run.mentions.loc[run.mentions["response"].notna()]
    place = table[["doc", "start", "end", "tokens"]].astype(str)
    place["chain"] = pd.factorize(table["response"])[0]
    return sha256(pd.util.hash_pandas_object(place, index=False).to_numpy().tobytes()).hexdigest()


def _undeclared(scored: Sequence[Scored]) -> Iterator[str]:
    """Yield where a system is described otherwise than its responses declare.

    A run has what its file declares; the system has, of ``uses`` and training data, what one of
    its files declares.
    """
    of_system: dict[str, list[Any]] = defaultdict(list)
    for one in scored:
        answers = one.entry.answers(one.task.name)
        for run, answer in zip(one.runs, answers, strict=True):
            described = one.entry.run(answer).model_dump() | {"seed": answer.seed}
            for name, value in run.about.get("declared", {}).items():
                if name in RunDeclaration.model_fields or name == "seed":
                    if described[name] != value:
                        shown = f"{described[name]}, but {answer.path} declares {value}"
                        yield f"{one.task.name}: {name} is {shown}"
                else:
                    of_system[name].append(value)
    entry = scored[0].entry
    for name, values in of_system.items():
        value = getattr(entry.uses if name in Uses.model_fields else entry, name)
        if value not in values:
            yield f"{name} is {value}, but its responses declare {values[0]}"
