"""Answers: a system's response beside its key, whatever form the response comes in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from cdec import formats
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.evaluation.run import run
from cdec.formats import Annotation
from cdec.matching.corpus import match_corpus
from cdec.matching.files import Matched as MatchedTable
from cdec.matching.files import match_files, with_coverage
from cdec.metadocument import MetaDocuments
from cdec.notices import Notice
from cdec.settings import Setting, build, homes
from cdec.system import System
from cdec.wording import counted


@dataclass(frozen=True)
class ResponseFile:
    """A response file; ``name`` is what the results call the system (default: the file's stem).

    A name holds no path separator, so that ``runs/delta=0.3/out.conll`` is a path.

    >>> ResponseFile.parse("mine=runs/out.conll").name, ResponseFile.parse("runs/out.conll").name
    ('mine', 'out')
    """

    path: Path
    name: str

    @classmethod
    def parse(cls, text: str | Path) -> ResponseFile:
        """Return the file that ``NAME=FILE`` or ``FILE`` names."""
        named = re.fullmatch(r"([^/\\=]+)=(.+)", text) if isinstance(text, str) else None
        if named and not _is_there(Path(text)):
            return cls(Path(named[2]), named[1])
        return cls(Path(text), Path(text).stem)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # longer than the system allows
        return False


@dataclass(frozen=True)
class FilePolicy:
    """What to do with irregular response files; see ``cdec.matching.files.match_files``.

    >>> FilePolicy(repeated="error").allow_empty
    False
    """

    repeated: str = "first"
    allow_empty: bool = False
    words: str | None = None


DEFAULT_POLICY = FilePolicy()
# What results call chains that come without a name of their own.
_UNNAMED = "response"
Chains: TypeAlias = Clustering | pd.Series | Mapping[str, Hashable]
Response: TypeAlias = Chains | str | Path | ResponseFile | System
Matched: TypeAlias = "tuple[SystemRun, tuple[Notice, ...]]"


@dataclass(frozen=True, eq=False)
class SystemRun:
    """A system's response beside its key, on one table of mentions.

    ``mentions`` holds every mention of both sides, in text order, with ``doc`` and, where there
    is a corpus, ``topic`` and ``subtopic``. ``about`` are the signature's fields on the system.
    """

    system: str
    mentions: pd.DataFrame = field(repr=False)
    key: Clustering
    response: Clustering
    about: Mapping[str, Any] = field(default_factory=dict)

    def meta_documents(self, setting: Setting) -> MetaDocuments:
        """Return what ``setting`` makes of key and response."""
        return build(setting, self.mentions, self.key, self.response)


def run_on(corpus: Corpus, response: Response, policy: FilePolicy = DEFAULT_POLICY) -> Matched:
    """Return the answer that ``response`` gives on ``corpus``, and what was irregular.

    Raises FormatError, ScoringError, and UsageError for chains of mentions that the corpus lacks.
    """
    if isinstance(response, str | Path):
        response = ResponseFile.parse(response)
    if isinstance(response, ResponseFile):
        return _from_file(corpus, response, policy)
    if isinstance(response, Clustering | pd.Series | Mapping):
        return _from_chains(corpus, Clustering.from_labels(response), policy)
    chains = run(response, corpus)
    about = dict(response.parameters)
    return SystemRun(response.name, corpus.events, corpus.gold, chains, about), ()


def check_distinct(responses: Iterable[Response]) -> None:
    """Raise UsageError where two responses have one name, so that no two results are confused."""
    counts = Counter(map(_name_of, responses))
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        raise UsageError(
            f"{counts[twice[0]]} responses are called '{twice[0]}'",
            cure="give a file another name, as in NAME=FILE",
        )


def _name_of(response: Response) -> str:
    if isinstance(response, str | Path):
        return ResponseFile.parse(response).name
    if isinstance(response, Clustering | pd.Series | Mapping):
        return _UNNAMED
    _check_response(response)
    return response.name


def _check_response(given: object) -> None:
    """Raise UsageError for what is no response of any kind."""
    if not isinstance(given, ResponseFile) and not hasattr(given, "predict"):
        raise UsageError(
            f"{type(given).__name__} is no response",
            cure="give a clustering (or dict mention → chain), a file, or a system",
        )


def file_run(
    key: str | Path, response: str | Path, policy: FilePolicy
) -> tuple[SystemRun, dict[str, str], tuple[Notice, ...]]:
    """Read and align a key and a response file; the dict is what the signature says of the key."""
    file = ResponseFile.parse(response)
    left, right = formats.read(key), formats.read(file.path)
    matched = match_files(left, right, repeated=policy.repeated, allow_empty=policy.allow_empty)
    about = {"key": Path(key).name, "key_digest": left.digest}
    return _file_run(file, right, matched, policy), about, tuple(matched.notices)


def chains_run(key: Chains, response: Chains, policy: FilePolicy = DEFAULT_POLICY) -> Matched:
    """Return two clusterings as an answer; nothing is known of their documents."""
    left, right = Clustering.from_labels(key), Clustering.from_labels(response)
    mentions = left.labels.index.union(right.labels.index, sort=False)
    return _chains_run(pd.DataFrame(index=mentions), left, right, "key", policy)


def meta_document_sides(
    corpus: Corpus, setting: Setting, response: Response | None, policy: FilePolicy = DEFAULT_POLICY
) -> tuple[Annotation, Annotation, tuple[Notice, ...]]:
    """Return key and response as ready meta-documents, and what was irregular in the response.

    Without a response the key stands for it.
    """
    answer, notices = run_on(corpus, corpus.gold if response is None else response, policy)
    metas = answer.meta_documents(setting)
    places = homes(setting, corpus.documents.values())
    return *formats.from_meta_documents(corpus, metas, places, answer.mentions), notices


def _from_file(corpus: Corpus, file: ResponseFile, policy: FilePolicy) -> Matched:
    read = formats.read(file.path)
    matched = match_corpus(
        read,
        corpus,
        repeated=policy.repeated,
        allow_empty=policy.allow_empty,
        outside=corpus.elsewhere,
    )
    return _file_run(file, read, matched, policy), tuple(matched.notices)


def _file_run(
    file: ResponseFile, read: Annotation, matched: MatchedTable, policy: FilePolicy
) -> SystemRun:
    about = {"response_digest": read.digest, "repeated": policy.repeated}
    return SystemRun(file.name, matched.mentions, matched.key, matched.response, about)


def _from_chains(corpus: Corpus, chains: Clustering, policy: FilePolicy) -> Matched:
    foreign = chains.labels.index.difference(corpus.events.index)
    if len(foreign):
        raise UsageError(
            f"{counted(len(foreign), 'mention is', 'mentions are')} not among the events of "
            f"{corpus.name} ({corpus.part}), "
            f"first '{foreign[0]}'",
            cure="for twinless mentions pass a response file",
        )
    return _chains_run(corpus.events, corpus.gold, chains, corpus.name, policy)


def _chains_run(
    mentions: pd.DataFrame, key: Clustering, response: Clustering, name: str, policy: FilePolicy
) -> Matched:
    bare = MatchedTable(mentions, key, response)
    matched = with_coverage(bare, name, _UNNAMED, allow_empty=policy.allow_empty)
    return SystemRun(_UNNAMED, mentions, key, response), matched.notices
