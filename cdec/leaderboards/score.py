"""Score the responses of a leaderboard: every file is read and matched once."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from cdec import formats
from cdec.corpus.model import Corpus
from cdec.corpus.store import locate, read_part
from cdec.errors import one_of
from cdec.evaluation.aligned import match_pair, run_on
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.results import Results
from cdec.files.jobs import mapped
from cdec.files.progress import Progress, silent
from cdec.leaderboards.entries import Answer, SystemEntry, Task
from cdec.leaderboards.folder import Leaderboard, digest_of
from cdec.matching.alignment import Alignment
from cdec.settings import SETTINGS, Setting


@dataclass(frozen=True, eq=False)
class Scored:
    """The runs of one system on one task, and the fields of the signature on the task."""

    entry: SystemEntry
    task: Task
    runs: tuple[Alignment, ...]
    about: Mapping[str, Any]
    settings: tuple[Setting, ...]

    def results(self, names: Iterable[str]) -> Results:
        """Return the results under these settings, as far as the key allows them."""
        known = {setting.name: setting for setting in self.settings}
        settings = tuple(known[name] for name in names if name in known)
        corpus, split = str(self.about.get("corpus", self.task.corpus)), self.about.get("split", "")
        experiment = Experiment(self.runs, settings, self.about, corpus, str(split), is_named=True)
        return experiment.results()


def score_board(
    board: Leaderboard,
    corpora: Mapping[str, str] | None = None,
    jobs: int | None = None,
    progress: Progress = silent,
    only: Sequence[str] = (),
) -> Iterator[Scored]:
    """Score every response of a leaderboard, task by task; yield each system when it is scored.

    ``corpora`` maps the name of a corpus in the tasks → its path; ``jobs`` as in ``mapped``;
    ``only``: the systems to score. Raises CorpusError, FormatError, ScoringError as ``run_on``
    does, UnknownNameError for a system, and ScoringError for a response that is missing or has
    another digest.
    """
    for name in only:
        one_of("system", name, board.systems)
    chosen = [(e, t) for e, t in board.jobs() if not only or e.name in only]
    work = [(task, answer) for entry, task in chosen for answer in entry.answers(task.name)]
    for entry, task in chosen:
        recipe = f"; if it is not there: {entry.recipe}" if entry.recipe else ""
        hint = f"name the folder of the responses{recipe}"
        for answer in entry.answers(task.name):
            board.there(answer.path, hint)
    made = mapped(_run, work, (board, dict(corpora or {})), jobs=jobs)
    runs = iter(progress(made, len(work), "scoring responses"))
    for entry, task in chosen:
        each = list(islice(runs, len(entry.answers(task.name))))
        key = each[0][1]
        yield Scored(entry, task, _named(entry.name, [run for run, _ in each]), *key)
    for _ in runs:  # ends the progress display
        pass


def _named(name: str, runs: Sequence[Alignment]) -> tuple[Alignment, ...]:
    """Return the runs under the name of their system, with a number if there are several."""
    if len(runs) == 1:
        return (replace(runs[0], system=name, run="", standing={}, notices=()),)
    return tuple(
        replace(run, system=name, run=f"{name}/{number}", standing={}, notices=())
        for number, run in enumerate(runs, start=1)
    )


def _run(
    work: tuple[Task, Answer], board: Leaderboard, corpora: Mapping[str, str]
) -> tuple[Alignment, tuple[Mapping[str, Any], tuple[Setting, ...]]]:
    """Return one response matched with its key, the fields on the key, and the settings it has."""
    task, answer = work
    key = key_of(board, task, answer, corpora)
    path = board.checked(answer.path, answer.digest, "restore the file, or add the system again")
    return run_of(key, path, answer), (key.about, tuple(key.settings(SETTINGS.values())))


_LEVELS = ("topic", "subtopic")
_NUMBERED = r"^metadoc_(.+)_\d+$"


@dataclass(frozen=True, eq=False)
class Key:
    """The key that responses are matched with: a part of a corpus, or a file.

    ``about`` are its fields of the signature.
    """

    about: Mapping[str, Any]
    corpus: Corpus | None = field(default=None, repr=False)
    file: Path | None = None

    def settings(self, among: Iterable[Setting]) -> list[Setting]:
        """Return the settings whose units the key has; a key file has no topics."""
        levels = self.corpus.levels if self.corpus else {}
        return [s for s in among if s.scope not in _LEVELS or s.scope in levels]


def key_of(board: Leaderboard, task: Task, answer: Answer, corpora: Mapping[str, str]) -> Key:
    """Return the key of a response; ``corpora`` maps name in the task → path."""
    if answer.key:
        path = board.checked(answer.key, board.keys.get(answer.key), "fetch the responses again")
        about = {"corpus": task.corpus, "key": path.name, "key_digest": digest_of(path)}
        return Key(about, None, path)
    corpus = corpus_of(corpora.get(task.corpus, task.corpus), task.split, task.variant)
    return Key(corpus.about, corpus)


@functools.cache  # a process scores many responses to the same key
def corpus_of(choice: str, split: str, variant: str | None) -> Corpus:
    """Return the part of a corpus, by name or path. Raises CorpusError, UnknownNameError."""
    return read_part(locate(choice), split).select(None, variant=variant)


def run_of(key: Key, path: Path, answer: Answer) -> Alignment:
    """Return a response, matched with the key. Raises FormatError, ScoringError."""
    if key.corpus is not None:
        return run_on(key.corpus, answer.response(path, path.stem))
    file = key.file or path
    run, _ = match_pair(file, path)
    return replace(run, mentions=run.mentions.assign(doc=_documents(file, run.mentions)))


def _documents(file: Path, mentions: pd.DataFrame) -> pd.Series[Any]:
    """Return the document of each mention: of a token ``metadoc_DOCUMENT_NUMBER`` the middle.

    A file with mention ids as tokens is a single document.
    """
    texts = formats.read(file).documents
    places = zip(mentions["doc"], mentions["start"], strict=True)
    words = [(texts.get(doc) or {start: ""})[start] for doc, start in places]
    inner = pd.Series(words, index=mentions.index).str.extract(_NUMBERED)[0]
    return inner.where(inner.notna(), mentions["doc"].astype(str))
