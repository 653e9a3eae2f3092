"""A system's response beside its key, whatever form the response comes in."""

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
from cdec.errors import UsageError, counted
from cdec.evaluation.run import run
from cdec.formats import Annotation
from cdec.matching.corpus import match_corpus
from cdec.matching.coverage import Matched, with_coverage
from cdec.matching.files import match_files
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.metadocument import MetaDocuments
from cdec.notices import Notice
from cdec.plugins import Origin, origin_of
from cdec.settings import Setting, build, homes
from cdec.system import System

__all__ = [
    "DEFAULT_POLICY",
    "Chains",
    "FilePolicy",
    "Response",
    "ResponseFile",
    "SystemRun",
    "check_distinct",
    "meta_document_sides",
    "pair_of_chains",
    "pair_of_files",
    "run_on",
]


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


# What results call chains that come without a name of their own.
_UNNAMED = "response"
Chains: TypeAlias = Clustering | pd.Series | Mapping[str, Hashable]
Response: TypeAlias = Chains | str | Path | ResponseFile | System


@dataclass(frozen=True, eq=False)
class SystemRun:
    """A system's response beside its key, on one table of mentions.

    ``mentions`` holds every mention of both sides, in text order, with ``doc`` and, where there
    is a corpus, ``topic`` and ``subtopic``. ``about`` are the signature's fields on the system,
    ``notices`` say what was irregular in the response, ``origins`` where code that is not cdec's
    and made it comes from.
    """

    system: str
    mentions: pd.DataFrame = field(repr=False)
    key: Clustering
    response: Clustering
    about: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    origins: tuple[Origin, ...] = ()

    def meta_documents(self, setting: Setting) -> MetaDocuments:
        """Return what ``setting`` makes of key and response."""
        return build(setting, self.mentions, self.key, self.response)


def run_on(corpus: Corpus, response: Response, policy: FilePolicy = DEFAULT_POLICY) -> SystemRun:
    """Return ``response`` beside the key of ``corpus``: a file is read, a system is run.

    Raises FormatError, ScoringError, and UsageError for chains of mentions that the corpus lacks.
    """
    if isinstance(response, str | Path):
        response = ResponseFile.parse(response)
    if isinstance(response, ResponseFile):
        read = formats.read(response.path)
        matched = match_corpus(read, corpus, policy, outside=corpus.elsewhere)
        return _file_run(response, read, matched, policy)
    if isinstance(response, Clustering | pd.Series | Mapping):
        return _chains_run(corpus, Clustering.from_labels(response), policy)
    chains, origin = run(response, corpus), origin_of(response)
    about, origins = dict(response.parameters), (origin,) if origin else ()
    return SystemRun(response.name, corpus.events, corpus.gold, chains, about, origins=origins)


def check_distinct(responses: Iterable[Response]) -> None:
    """Raise UsageError where two responses have one name, so that no two results are confused.

    Also raises it for what is no response of any kind.
    """
    names = []
    for response in responses:
        if isinstance(response, Clustering | pd.Series | Mapping):
            names.append(_UNNAMED)
        elif isinstance(response, str | Path):
            names.append(ResponseFile.parse(response).name)
        elif isinstance(response, ResponseFile) or hasattr(response, "predict"):
            names.append(response.name)
        else:
            raise UsageError(
                f"{type(response).__name__} is no response",
                hint="give a clustering (or dict mention → chain), a file, or a system",
            )
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(
                f"{count} responses are called '{name}'",
                hint="give a file another name, as in NAME=FILE",
            )


def pair_of_files(
    key: str | Path, response: str | Path, policy: FilePolicy
) -> tuple[SystemRun, dict[str, str]]:
    """Read a response file beside a key file; the dict is what the signature says of the key."""
    file = ResponseFile.parse(response)
    left, right = formats.read(key), formats.read(file.path)
    matched = match_files(left, right, policy)
    about = {"key": Path(key).name, "key_digest": left.digest}
    return _file_run(file, right, matched, policy), about


def pair_of_chains(key: Chains, response: Chains, policy: FilePolicy = DEFAULT_POLICY) -> SystemRun:
    """Return one clustering beside another; nothing is known of their documents."""
    left, right = Clustering.from_labels(key), Clustering.from_labels(response)
    mentions = left.labels.index.union(right.labels.index, sort=False)
    return _covering(Matched(pd.DataFrame(index=mentions), left, right), "key", policy)


def meta_document_sides(
    corpus: Corpus, setting: Setting, response: Response | None, policy: FilePolicy = DEFAULT_POLICY
) -> tuple[Annotation, Annotation, tuple[Notice, ...]]:
    """Return key and response as ready meta-documents, and what was irregular in the response.

    Without a response the key stands for it.
    """
    found = run_on(corpus, corpus.gold if response is None else response, policy)
    metas = found.meta_documents(setting)
    places = homes(setting, corpus.documents.values())
    return *formats.from_meta_documents(corpus, metas, places, found.mentions), found.notices


def _file_run(
    file: ResponseFile, read: Annotation, matched: Matched, policy: FilePolicy
) -> SystemRun:
    about = {"response_digest": read.digest, "repeated": policy.repeated}
    sides = (matched.mentions, matched.key, matched.response)
    origins = formats.FORMATS.origins([read.format])
    return SystemRun(file.name, *sides, about, matched.notices, origins)


def _chains_run(corpus: Corpus, chains: Clustering, policy: FilePolicy) -> SystemRun:
    foreign = chains.labels.index.difference(corpus.events.index)
    if len(foreign):
        raise UsageError(
            f"{counted(len(foreign), 'mention is', 'mentions are')} not among the events of "
            f"{corpus.name} ({corpus.part}), "
            f"first '{foreign[0]}'",
            hint="for twinless mentions pass a response file",
        )
    return _covering(Matched(corpus.events, corpus.gold, chains), corpus.name, policy)


def _covering(bare: Matched, key_name: str, policy: FilePolicy) -> SystemRun:
    """Return chains beside a key, with notices on what either side lacks."""
    found = with_coverage(bare, key_name, _UNNAMED, allow_empty=policy.allow_empty)
    return SystemRun(_UNNAMED, found.mentions, found.key, found.response, notices=found.notices)
