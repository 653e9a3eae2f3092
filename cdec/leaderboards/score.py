"""Score the responses of a leaderboard: every file is read and matched once.

The chains of a file, and its counts under every setting, are cached by the content of the file and
of the corpus, so that a second run reads neither.
"""

from __future__ import annotations

import functools
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdec import formats
from cdec._version import __version__
from cdec.arrays import Floats
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.corpus.store.load import read_part
from cdec.corpus.store.locate import locate
from cdec.errors import one_of
from cdec.evaluation.pair import match_pair
from cdec.evaluation.response import SystemRun, run_on
from cdec.evaluation.results import Results, pooled
from cdec.io import cache
from cdec.io.jobs import mapped
from cdec.io.progress import Progress, silent
from cdec.leaderboards.entries import Answer, SystemEntry, Task
from cdec.leaderboards.folder import Leaderboard, digest_of
from cdec.metadocument import NAME
from cdec.metrics import ALL, Counts, required
from cdec.metrics.scores import COUNT_COLUMNS, Scores, score
from cdec.settings import SETTINGS, Scope, Setting, Singletons, find_setting, signed
from cdec.signature import Signature

# The three choices of a setting, in all combinations: a factorial of 3 × 3 × 2.
SCOPES: tuple[Scope, ...] = ("subtopic", "topic", "corpus")
SINGLETONS: tuple[Singletons, ...] = ("no", "key", "own")
COMBINATIONS = tuple(
    find_setting(Setting("", "", scope, singletons, reduced).choices)
    for scope, singletons, reduced in product(SCOPES, SINGLETONS, (False, True))
)
_COUNTED = tuple(required(None))
_KIND = "leaderboard"
_COLUMNS = ("doc", "topic", "subtopic", NAME)


@dataclass(frozen=True, eq=False)
class Run:
    """One response on one task: its chains, and its counts under the combinations.

    ``mentions`` has a row per mention in text order: doc, topic, subtopic (as far as the key has
    them), key, response. ``counts`` maps setting id → array (counted metrics, 4). ``about`` are the
    fields of the signature on task and system.
    """

    answer: Answer
    mentions: pd.DataFrame = field(repr=False)
    counts: Mapping[str, Floats] = field(repr=False)
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def system(self) -> SystemRun:
        """The run in the form that is scored."""
        key, response = (Clustering(self.mentions[name].dropna()) for name in ("key", "response"))
        return SystemRun("", self.mentions[[*self.columns]], key, response)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of documents and units that the key has."""
        return tuple(name for name in _COLUMNS if name in self.mentions)

    def scores(self, setting: Setting) -> Scores:
        """Return the scores of all metrics under one of the combinations."""
        rows = self.counts[setting.name]
        counts = {n: Counts(*row) for n, row in zip(_COUNTED, rows.tolist(), strict=True)}
        return Scores(tuple(ALL), counts)


@dataclass(frozen=True, eq=False)
class Scored:
    """The runs of one system on one task."""

    entry: SystemEntry
    task: Task
    runs: tuple[Run, ...]

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The combinations that the key allows."""
        return tuple(setting for setting in COMBINATIONS if setting.name in self.runs[0].counts)

    def result(self, setting: Setting) -> Results:
        """Return the scores under a setting: the mean of the runs, with its signature."""
        return pooled(self.entry.name, [self._result(run, setting) for run in self.runs])

    def results(self, names: Iterable[str] = SETTINGS.own) -> Results:
        """Return the results under these settings, as far as the key allows them."""
        known = {setting.name: setting for setting in self.settings}
        return Results.joined(self.result(known[name]) for name in names if name in known)

    def _result(self, run: Run, setting: Setting) -> Results:
        task = {name: value for name, value in run.about.items() if not name.startswith("own.")}
        own = {n.removeprefix("own."): v for n, v in run.about.items() if n.startswith("own.")}
        number = f"/{self.runs.index(run) + 1}" if len(self.runs) > 1 else ""
        system = f"{self.entry.name}{number}"
        signature = Signature.from_fields(
            **task,
            setting=signed(setting),
            system=system,
            **own,
            metrics="all",
            scorer="cdec",
        )
        corpus, split = str(task.get("corpus", self.task.corpus)), str(task.get("split", ""))
        head = {"corpus": corpus, "split": split, "setting": setting.name, "system": system}
        return Results.of_scores(head, run.scores(setting), signature)


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
    made = mapped(scored_run, work, (board, dict(corpora or {})), jobs=jobs)
    runs = iter(progress(made, len(work), "scoring responses"))
    for entry, task in chosen:
        yield Scored(entry, task, tuple(islice(runs, len(entry.answers(task.name)))))
    for _ in runs:  # ends the progress display
        pass


def scored_run(work: tuple[Task, Answer], board: Leaderboard, corpora: Mapping[str, str]) -> Run:
    """Return the run of one response, from the cache if its file and its key are the same."""
    task, answer = work
    key = key_of(board, task, answer, corpora)
    path = board.checked(answer.path, answer.digest, "restore the file, or add the system again")
    how = () if answer.pairs is None else (f"pairs:@{answer.pairs}",)
    choices = (setting.choices for setting in COMBINATIONS)
    name = cache.key(__version__, key.digest, answer.digest, *how, *choices)
    stored = cache.parsed(_KIND, name, _unpacked)
    if stored is None:
        stored = _made(key, path, answer)
        cache.write(_KIND, name, _packed(*stored))
    return Run(answer, *stored)


_Content = tuple[pd.DataFrame, dict[str, Floats], dict[str, Any]]


def _made(key: Key, path: Path, answer: Answer) -> _Content:
    run = run_of(key, path, answer)
    table = table_of(run)
    columns = [name for name in _COLUMNS if name in table]
    # Numbers instead of names, and of mention ids: much faster for the many settings.
    plain = table.assign(**{name: pd.factorize(table[name])[0] for name in columns})
    system = Run(answer, plain, {}).system
    counts = {setting.name: _counts(system, setting) for setting in key.settings(COMBINATIONS)}
    own = {f"own.{name}": value for name, value in run.signed.items()}
    return table, counts, {**key.about, **own}


def table_of(run: SystemRun) -> pd.DataFrame:
    """Return the mentions of a run as ``Run`` has them, in the order of its own."""
    columns = [name for name in _COLUMNS if name in run.mentions]
    table = run.mentions.reindex(columns=columns).astype(str).astype(object)
    for side, chains in (("key", run.key), ("response", run.response)):
        codes = pd.Series(pd.factorize(chains.labels)[0], chains.labels.index, dtype="float64")
        table[side] = codes.reindex(table.index)
    return table.reset_index(drop=True)


def _counts(run: SystemRun, setting: Setting) -> Floats:
    scores = score(run.meta_documents(setting), _COUNTED)
    rows = [[getattr(scores.counts[n], column) for column in COUNT_COLUMNS] for n in _COUNTED]
    return np.array(rows, dtype=np.float64)


def _packed(table: pd.DataFrame, counts: Mapping[str, Floats], about: Mapping[str, Any]) -> bytes:
    arrays: dict[str, Any] = {
        f"table.{name}": table[name].to_numpy("float64" if name in ("key", "response") else "U")
        for name in table
    }
    arrays |= {f"counts.{name}": rows for name, rows in counts.items()}
    file = io.BytesIO()
    np.savez_compressed(file, about=np.array(json.dumps(dict(about))), **arrays)
    return file.getvalue()


def _unpacked(data: bytes) -> _Content:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        parts: dict[str, dict[str, Any]] = {"table": {}, "counts": {}}
        for file in arrays.files:
            kind, _, name = file.partition(".")
            if name:
                parts[kind][name] = arrays[file]
        about = json.loads(str(arrays["about"]))
    return pd.DataFrame(parts["table"]), parts["counts"], about


_LEVELS = ("topic", "subtopic")
_NUMBERED = r"^metadoc_(.+)_\d+$"


@dataclass(frozen=True, eq=False)
class Key:
    """The key that responses are matched with: a part of a corpus, or a file.

    ``digest`` identifies its content; ``about`` are its fields of the signature.
    """

    digest: str
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
        digest = digest_of(path)
        return Key(
            digest, {"corpus": task.corpus, "key": path.name, "key_digest": digest}, None, path
        )
    corpus = corpus_of(corpora.get(task.corpus, task.corpus), task.split, task.variant)
    parts = sorted((name, str(value)) for name, value in corpus.about.items())
    return Key(cache.key(*(text for pair in parts for text in pair)), corpus.about, corpus)


@functools.cache  # a process scores many responses to the same key
def corpus_of(choice: str, split: str, variant: str | None) -> Corpus:
    """Return the part of a corpus, by name or path. Raises CorpusError, UnknownNameError."""
    return read_part(locate(choice), split).select(None, variant=variant)


def run_of(key: Key, path: Path, answer: Answer) -> SystemRun:
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
