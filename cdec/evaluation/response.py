"""A response in any form (chains, file, system), matched with the key."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from cdec import formats
from cdec.arrays import Ints
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import UsageError, counted
from cdec.evaluation.run import check_events, run
from cdec.formats import Annotation
from cdec.matching.corpus import match_corpus
from cdec.matching.coverage import Matched, with_coverage
from cdec.matching.files import match_files
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.matching.rule import Heads, with_words
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
    """A response file and the name of its system in the results (default: the stem of the file).

    A name has no path separator: ``runs/delta=0.3/out.conll`` is a path.

    >>> ResponseFile.parse("mine=runs/out.conll").name, ResponseFile.parse("runs/out.conll").name
    ('mine', 'out')
    """

    path: Path
    name: str

    @classmethod
    def parse(cls, text: str | Path) -> ResponseFile:
        """Return the response file for ``NAME=FILE`` or ``FILE``."""
        named = re.fullmatch(r"([^/\\=]+)=(.+)", text) if isinstance(text, str) else None
        if named and not _is_there(Path(text)):
            return cls(Path(named[2]), named[1])
        return cls(Path(text), Path(text).stem)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # longer than the system allows
        return False


# The system name of chains that are passed as Python values.
_UNNAMED = "response"
Chains: TypeAlias = Clustering | pd.Series | Mapping[str, Hashable]
Response: TypeAlias = Chains | str | Path | ResponseFile | System


@dataclass(frozen=True, eq=False)
class SystemRun:
    """The response of a system and its key, with one table of mentions.

    ``mentions`` has a row for each mention of both sides, in text order, with ``doc`` and, if
    there is a corpus, ``topic`` and ``subtopic``. ``about`` are the fields of the signature on the
    system, ``notices`` the irregularities of the response, ``origins`` the packages other than
    cdec whose code made it.
    """

    system: str
    mentions: pd.DataFrame = field(repr=False)
    key: Clustering
    response: Clustering
    about: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    origins: tuple[Origin, ...] = ()

    def meta_documents(self, setting: Setting) -> MetaDocuments:
        """Return key and response as meta-documents under ``setting``."""
        return build(setting, self.mentions, self.key, self.response)


def run_on(corpus: Corpus, response: Response, policy: FilePolicy = DEFAULT_POLICY) -> SystemRun:
    """Return ``response`` matched with the key of ``corpus``; a file is read, a system is run.

    Raises FormatError, ScoringError, UsageError for chains with mentions outside the corpus, and
    CorpusError as ``check_events`` does.
    """
    check_events(corpus)
    if isinstance(response, str | Path):
        response = ResponseFile.parse(response)
    if isinstance(response, ResponseFile):
        annotation = formats.read(response.path)
        heads = _heads_in(corpus, policy.nlp)
        matched = match_corpus(annotation, corpus, policy, outside=corpus.elsewhere, heads=heads)
        more = {"heads": policy.nlp} if policy.rule.needs_heads else {}
        return _file_run(response, annotation, matched, policy, more)
    if isinstance(response, Clustering | pd.Series | Mapping):
        return _chains_run(corpus, Clustering.from_labels(response), policy)
    chains, origin = run(response, corpus), origin_of(response)
    about, origins = dict(response.parameters), (origin,) if origin else ()
    mentions = with_words(corpus.selected, corpus.selected, corpus.selected)
    return SystemRun(response.name, mentions, corpus.gold, chains, about, origins=origins)


def _heads_in(corpus: Corpus, nlp: str) -> Heads:
    """Return the function that finds the heads of mentions in the documents of ``corpus``."""

    def find(mentions: pd.DataFrame) -> Ints:
        from cdec.language import heads  # noqa: PLC0415  # only some rules need heads

        columns = (mentions[name] for name in ("start", "end", "tokens"))
        tokens = [t or tuple(range(s, e + 1)) for s, e, t in zip(*columns, strict=True)]
        known = mentions["start"].to_numpy() >= 0
        spans = mentions[["doc"]].assign(tokens=pd.Series(tokens, index=mentions.index))[known]
        found = np.full(len(mentions), -1)
        found[known] = heads(replace(corpus, mentions=spans), nlp)["head"].to_numpy()
        return found

    return find


def check_distinct(responses: Iterable[Response]) -> None:
    """Raise UsageError if two responses have the same name, or one has an invalid type."""
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
                "argument-type",
                f"expected a clustering, file or system, got {type(response).__name__}",
                hint="pass a Clustering or dict mention → chain, a path, or a system",
            )
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(
                "system-duplicate",
                f"{count} responses have the name '{name}'",
                hint="give a file another name, as in NAME=FILE",
            )


def pair_of_files(
    key: str | Path, response: str | Path, policy: FilePolicy, *, across: bool = False
) -> tuple[SystemRun, dict[str, str]]:
    """Read and match two files; the dict has the fields of the signature on the key.

    ``across``: whether chains can cross documents.
    """
    file = ResponseFile.parse(response)
    left, right = formats.read(key), formats.read(file.path)
    matched = match_files(left, right, policy, across=across)
    about = {"key": Path(key).name, "key_digest": left.digest}
    more = {"heads": policy.heads} if policy.rule.needs_heads else {}
    return _file_run(file, right, matched, policy, more), about


def pair_of_chains(key: Chains, response: Chains, policy: FilePolicy = DEFAULT_POLICY) -> SystemRun:
    """Match two clusterings, without any information on documents."""
    left, right = Clustering.from_labels(key), Clustering.from_labels(response)
    mentions = left.labels.index.union(right.labels.index, sort=False)
    return _covering(Matched(pd.DataFrame(index=mentions), left, right), "key", policy)


def meta_document_sides(
    corpus: Corpus, setting: Setting, response: Response | None, policy: FilePolicy = DEFAULT_POLICY
) -> tuple[Annotation, Annotation, tuple[Notice, ...]]:
    """Return key and response as meta-documents to be written, and the notices of the response.

    Without a response the key is used as the response.
    """
    run = run_on(corpus, corpus.gold if response is None else response, policy)
    metas = run.meta_documents(setting)
    places = homes(setting, corpus.documents.values())
    return *formats.from_meta_documents(corpus, metas, places, run.mentions), run.notices


def _file_run(
    file: ResponseFile,
    annotation: Annotation,
    matched: Matched,
    policy: FilePolicy,
    more: Mapping[str, str],
) -> SystemRun:
    digest = {"response_digest": annotation.digest, "repeated": policy.repeated}
    about = {**digest, **policy.signed, **more}
    sides = (matched.mentions, matched.key, matched.response)
    origins = formats.FORMATS.origins([annotation.format])
    return SystemRun(file.name, *sides, about, matched.notices, origins)


def _chains_run(corpus: Corpus, chains: Clustering, policy: FilePolicy) -> SystemRun:
    foreign = chains.labels.index.difference(corpus.selected.index)
    if len(foreign):
        raise UsageError(
            "mention-foreign",
            f"{counted(len(foreign), 'mention is', 'mentions are')} not among the events of "
            f"{corpus.name} ({corpus.part}), first '{foreign[0]}'",
            hint="pass a response file if mentions are twinless",
        )
    return _covering(Matched(corpus.selected, corpus.gold, chains), corpus.name, policy)


def _covering(bare: Matched, key_name: str, policy: FilePolicy) -> SystemRun:
    """Return a run of chains, with notices on the mentions that one side lacks."""
    matched = with_coverage(bare, key_name, _UNNAMED, allow_empty=policy.allow_empty)
    sides = (matched.mentions, matched.key, matched.response)
    return SystemRun(_UNNAMED, *sides, notices=matched.notices)
