"""The key of a task and the responses to it: from a corpus, or from a key file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from cdec import formats
from cdec.corpus.adapter import open_source
from cdec.corpus.known import by_digest
from cdec.corpus.model import Corpus
from cdec.corpus.splits import part_of
from cdec.corpus.store.load import load
from cdec.corpus.store.locate import locate
from cdec.evaluation.pair import match_pair
from cdec.evaluation.response import SystemRun, run_on
from cdec.evaluation.response_forms import ResponseFile
from cdec.io import cache as kept
from cdec.leaderboards.folder import Answer, Leaderboard, Task, digest_of
from cdec.settings import Setting

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
        path = board.root / answer.key
        digest = digest_of(path)
        return Key(
            digest, {"corpus": task.corpus, "key": path.name, "key_digest": digest}, None, path
        )
    corpus = corpus_of(corpora.get(task.corpus, task.corpus), task.split, task.variant)
    parts = sorted((name, str(value)) for name, value in corpus.about.items())
    return Key(kept.key(*(text for pair in parts for text in pair)), corpus.about, corpus)


@cache  # a process scores many responses to the same key
def corpus_of(choice: str, split: str, variant: str | None) -> Corpus:
    """Return the part of a corpus, by name or path. Raises CorpusError, UnknownNameError."""
    located = locate(choice)
    source = open_source(located.path)
    known = by_digest(source.digest)
    whole = load(source, known.name if known else located.name, lambda: None)
    return part_of(whole, split).select(None, variant=variant)


def run_of(key: Key, path: Path) -> SystemRun:
    """Return a response, matched with the key. Raises FormatError, ScoringError."""
    if key.corpus is not None:
        return run_on(key.corpus, ResponseFile(path, path.stem))
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
