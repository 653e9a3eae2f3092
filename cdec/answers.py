"""Answers: a system's response beside its key, whatever form the response comes in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from cdec import baselines, formats
from cdec.baselines import System
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.formats import Annotation, Notice
from cdec.metadocument import MetaDocuments
from cdec.settings import Setting, build, homes
from cdec.wording import counted


@dataclass(frozen=True)
class ResponseFile:
    """A response file; ``name`` is what the results call the system (default: the file's stem).

    A name holds no path separator, so that ``runs/delta=0.3/out.conll`` is a path.

    >>> ResponseFile.of("mine=runs/out.conll").name, ResponseFile.of("runs/out.conll").name
    ('mine', 'out')
    """

    path: Path
    name: str

    @classmethod
    def of(cls, text: str | Path) -> ResponseFile:
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
    """What to do with irregular response files; see ``cdec.formats.match_files``.

    >>> FilePolicy(repeated="error").allow_empty
    False
    """

    repeated: str = "first"
    allow_empty: bool = False


DEFAULT_POLICY = FilePolicy()
# What results call chains that come without a name of their own.
_UNNAMED = "response"
Chains: TypeAlias = Clustering | pd.Series | Mapping[str, Hashable]
Response: TypeAlias = Chains | str | Path | ResponseFile | System
Matched: TypeAlias = "tuple[Answer, tuple[Notice, ...]]"


@dataclass(frozen=True, eq=False)
class Answer:
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


def answer_on(corpus: Corpus, response: Response, policy: FilePolicy = DEFAULT_POLICY) -> Matched:
    """Return the answer that ``response`` gives on ``corpus``, and what was irregular.

    Raises FormatError, ScoringError, and UsageError for chains of mentions that the corpus lacks.
    """
    if isinstance(response, str | Path):
        response = ResponseFile.of(response)
    if isinstance(response, ResponseFile):
        return _from_file(corpus, response, policy)
    if isinstance(response, Clustering | pd.Series | Mapping):
        return _from_chains(corpus, Clustering.of(response), policy)
    chains = baselines.run(response, corpus)
    about = dict(response.parameters)
    return Answer(response.name, corpus.events, corpus.gold, chains, about), ()


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
        return ResponseFile.of(response).name
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


def file_answer_without_corpus(
    key: str | Path, response: str | Path, policy: FilePolicy
) -> tuple[Answer, dict[str, str], tuple[Notice, ...]]:
    """Read and align a key and a response file; the dict is what the signature says of the key."""
    file = ResponseFile.of(response)
    left, right = formats.read(key), formats.read(file.path)
    matched = formats.match_files(
        left, right, repeated=policy.repeated, allow_empty=policy.allow_empty
    )
    about = {"key": Path(key).name, "key_digest": left.digest}
    return _matched_answer(file, right, matched, policy), about, tuple(matched.notices)


def chains_answer_without_corpus(
    key: Chains, response: Chains, policy: FilePolicy = DEFAULT_POLICY
) -> Matched:
    """Return two clusterings as an answer; nothing is known of their documents."""
    left, right = Clustering.of(key), Clustering.of(response)
    mentions = left.labels.index.union(right.labels.index, sort=False)
    return _chains_answer(pd.DataFrame(index=mentions), left, right, "key", policy)


def meta_document_sides(
    corpus: Corpus, setting: Setting, response: Response | None, policy: FilePolicy = DEFAULT_POLICY
) -> tuple[Annotation, Annotation, tuple[Notice, ...]]:
    """Return key and response as ready meta-documents, and what was irregular in the response.

    Without a response the key stands for it.
    """
    answer, notices = answer_on(corpus, corpus.gold if response is None else response, policy)
    metas = answer.meta_documents(setting)
    places = homes(setting, corpus.documents.values())
    return *formats.from_meta_documents(corpus, metas, places, answer.mentions), notices


def _from_file(corpus: Corpus, file: ResponseFile, policy: FilePolicy) -> Matched:
    read = formats.read(file.path)
    matched = formats.match_corpus(
        read,
        corpus,
        repeated=policy.repeated,
        allow_empty=policy.allow_empty,
        outside=corpus.elsewhere,
    )
    return _matched_answer(file, read, matched, policy), tuple(matched.notices)


def _matched_answer(
    file: ResponseFile, read: Annotation, matched: formats.Matched, policy: FilePolicy
) -> Answer:
    about = {"response_digest": read.digest, "repeated": policy.repeated}
    return Answer(file.name, matched.mentions, matched.key, matched.response, about)


def _from_chains(corpus: Corpus, chains: Clustering, policy: FilePolicy) -> Matched:
    foreign = chains.labels.index.difference(corpus.events.index)
    if len(foreign):
        raise UsageError(
            f"{counted(len(foreign), 'mention is', 'mentions are')} not among the events of "
            f"{corpus.name} ({corpus.part}), "
            f"first '{foreign[0]}'",
            cure="for twinless mentions pass a response file",
        )
    return _chains_answer(corpus.events, corpus.gold, chains, corpus.name, policy)


def _chains_answer(
    mentions: pd.DataFrame, key: Clustering, response: Clustering, name: str, policy: FilePolicy
) -> Matched:
    bare = formats.Matched(mentions, key, response)
    matched = formats.with_coverage(bare, name, _UNNAMED, allow_empty=policy.allow_empty)
    return Answer(_UNNAMED, mentions, key, response), matched.notices
