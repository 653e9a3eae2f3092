"""A response in any form (chains, file, system), matched with the key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, cast

import pandas as pd

from cdec import formats
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import UsageError, counted
from cdec.evaluation.declared import check_declared
from cdec.evaluation.response_file import Named, ResponseFile, ResponseRuns, parse_response
from cdec.evaluation.run import check_events, prediction
from cdec.evaluation.several import warned_of_copies
from cdec.evaluation.system_run import SystemRun
from cdec.evaluation.values import documents_of, from_chains
from cdec.formats import Annotation
from cdec.matching.align import REPEATED_CODES, corpus_heads
from cdec.matching.corpus import match_corpus
from cdec.matching.coverage import Matched, recurring_labels, with_coverage
from cdec.matching.files import match_files
from cdec.matching.pairing import SPAN, word_counts
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.metadocument import WordCounts
from cdec.notices import Notice
from cdec.plugins import Origin, origins_of
from cdec.settings import Setting, homes
from cdec.system import System

__all__ = [
    "DEFAULT_POLICY",
    "Chains",
    "FilePolicy",
    "Response",
    "ResponseFile",
    "ResponseRuns",
    "SystemRun",
    "check_distinct",
    "meta_document_sides",
    "pair_of_chains",
    "pair_of_files",
    "run_on",
    "runs_on",
]


_UNNAMED = "response"  # the system name of chains that are passed as Python values
Chains: TypeAlias = Clustering | pd.Series | Mapping[Any, Hashable]
Response: TypeAlias = (
    Chains | pd.DataFrame | Annotation | str | Path | ResponseFile | ResponseRuns | System | Named
)


def run_on(corpus: Corpus, response: Response, policy: FilePolicy = DEFAULT_POLICY) -> SystemRun:
    """Return ``response`` matched with the key of ``corpus``; a file is read, a system is run.

    Raises FormatError, ScoringError, UsageError for chains with mentions outside the corpus and for
    several runs (see ``runs_on``), and CorpusError as ``check_events`` does.
    """
    runs = runs_on(corpus, response, policy)
    if len(runs) > 1:
        message, hint = f"expected one response, got {len(runs)} runs", "name one file"
        raise UsageError("option-invalid", message, hint=hint)
    return runs[0]


def runs_on(
    corpus: Corpus, response: Response, policy: FilePolicy = DEFAULT_POLICY
) -> tuple[SystemRun, ...]:
    """Return the runs of ``response``: one, or one per file of ``ResponseRuns``.

    Raises as ``run_on`` does.
    """
    check_events(corpus)
    if isinstance(response, Named):
        named = runs_on(corpus, response.response, policy)
        if len(named) > 1:
            return tuple(replace(run, group=response.name) for run in named)
        return tuple(replace(run, system=response.name) for run in named)
    if isinstance(response, str | Path):
        response = parse_response(response)
    if isinstance(response, ResponseRuns):
        runs = [_run(corpus, file, policy) for file in response.files]
        return tuple(replace(run, group=response.name) for run in warned_of_copies(runs))
    return (_run(corpus, response, policy),)


def _run(corpus: Corpus, response: Response, policy: FilePolicy) -> SystemRun:
    if isinstance(response, ResponseFile):
        annotation = formats.read(response.path, unlabelled=True)
        matched = _matched(corpus, annotation, policy)
        return _file_run(response.name, annotation, matched, policy, policy.nlp)
    if isinstance(response, Annotation):
        return _annotation_run(corpus, response, policy, _UNNAMED)
    if isinstance(response, pd.DataFrame):
        annotation = formats.from_frame(response, _UNNAMED, unlabelled=True)
        return _annotation_run(corpus, annotation, policy, _UNNAMED)
    if isinstance(response, Clustering | pd.Series | Mapping):
        return _value_run(corpus, response, policy)
    return _system_run(corpus, cast("System", response), policy)


def _system_run(corpus: Corpus, system: System, policy: FilePolicy) -> SystemRun:
    """Return the run of a system, which clusters the mentions of the corpus or finds its own."""
    predicted, origins = prediction(system, corpus), origins_of(system)  # in this order
    about = _signed(system, corpus)
    if isinstance(predicted, Annotation):
        run = _annotation_run(corpus, predicted, policy, system.name)
        own = {n: value for n, value in run.about.items() if n != "response_digest"}
        return replace(run, about={**about, **own}, origins=origins)
    chains, notices = Clustering.with_notices(predicted, "response", policy.noise)
    about |= {"noise": policy.noise} if policy.noise else {}
    mentions, spans = corpus.selected, corpus.selected[SPAN]
    words = WordCounts(partial(word_counts, spans, spans))
    bare = Matched(mentions, corpus.gold, chains, notices, words=words)
    run = _covering(bare, corpus.name, policy)
    return replace(run, system=system.name, about=about, origins=origins)


def _signed(system: System, corpus: Corpus) -> dict[str, object]:
    """Return the parameters of a system; the default pipeline depends on the documents."""
    from cdec.language.pipeline import identity, pipeline  # noqa: PLC0415  # scoring needs none

    about = dict(system.parameters)
    if "nlp" in about and about["nlp"] == pipeline("hanta").identity:
        about["nlp"] = identity("hanta", corpus)
    return about


def _annotation_run(
    corpus: Corpus, annotation: Annotation, policy: FilePolicy, name: str
) -> SystemRun:
    """Return the run of an annotation with mentions of its own."""
    matched = _matched(corpus, annotation, policy)
    return _matched_run(name, matched, _about(matched, policy, policy.nlp))


def _matched_run(
    name: str, matched: Matched, about: Mapping[str, Any], origins: tuple[Origin, ...] = ()
) -> SystemRun:
    sides = matched.mentions, matched.key, matched.response
    return SystemRun(name, *sides, about, matched.notices, origins, words=matched.words)


def _matched(corpus: Corpus, annotation: Annotation, policy: FilePolicy) -> Matched:
    heads = partial(corpus_heads, corpus, policy.nlp)
    return match_corpus(annotation, corpus, policy, heads=heads)


def _about(matched: Matched, policy: FilePolicy, heads: str = "") -> dict[str, Any]:
    """Return the digest of the response, and the choices of the policy that matter to it.

    ``heads``: where the heads of its mentions are from; '' if it is not aligned by the policy.
    """
    repeated = any(notice.code in REPEATED_CODES for notice in matched.notices)
    return {
        "response_digest": matched.digest,
        **({"repeated": policy.repeated} if repeated else {}),
        **policy.signed,
        **({"missing_share": dict(matched.excused)} if matched.excused else {}),
        **({"heads": heads} if heads and policy.rule.needs_heads else {}),
    }


def _value_run(corpus: Corpus, value: Chains, policy: FilePolicy) -> SystemRun:
    chains, notices = Clustering.with_notices(value, "response", policy.noise)
    annotation = from_chains(corpus, chains.labels, _UNNAMED)
    if annotation is None:
        return _chains_run(corpus, chains, notices, policy)
    run = _annotation_run(corpus, annotation, policy, _UNNAMED)
    return replace(run, notices=tuple(dict.fromkeys((*notices, *run.notices))))


def check_distinct(responses: Iterable[Response]) -> None:
    """Raise UsageError if two responses have the same name, or one has an invalid type."""
    names = []
    for response in responses:
        if isinstance(response, Named):
            names.append(response.name)
            check_distinct([response.response])
        elif isinstance(response, Clustering | pd.Series | pd.DataFrame | Mapping | Annotation):
            names.append(_UNNAMED)
        elif isinstance(response, str | Path):
            names.append(parse_response(response).name)
        elif isinstance(response, ResponseFile | ResponseRuns) or hasattr(response, "predict"):
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
                "name-duplicate",
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
    left, right = (formats.read(path, unlabelled=True) for path in (key, file.path))
    matched = match_files(left, right, policy, across=across)
    about = {"key": Path(key).name, "key_digest": left.digest}
    return _file_run(file.name, right, matched, policy, policy.heads), about


def pair_of_chains(
    key: Chains, response: Chains, policy: FilePolicy = DEFAULT_POLICY, *, across: bool = True
) -> tuple[SystemRun, dict[str, str]]:
    """Match two clusterings; documents are known if all mentions name theirs.

    ``across``: whether chains can cross documents. The dict has the fields of the signature on the
    key.
    """
    left, of_key = Clustering.with_notices(key, "key", policy.noise)
    right, of_response = Clustering.with_notices(response, "response", policy.noise)
    index = left.labels.index.union(right.labels.index, sort=False)
    documents = documents_of(index)
    mentions = pd.DataFrame(index=index)
    recurring: tuple[Notice, ...] = ()
    if documents is not None:
        mentions["doc"] = documents
        tables = (pd.DataFrame({"chain": side.labels, "doc": documents}) for side in (left, right))
        recurring = tuple(recurring_labels(*(table.dropna() for table in tables)))
    bare = Matched(mentions, left, right, (*of_key, *of_response, *recurring))
    return _covering(bare, "key", policy, across), {"key_digest": left.digest}


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
    name: str, annotation: Annotation, matched: Matched, policy: FilePolicy, heads: str
) -> SystemRun:
    check_declared(annotation.declared, matched, annotation.name)
    about = _about(matched, policy, heads)
    about |= {"declared": dict(annotation.declared)} if annotation.declared else {}
    known = [annotation.format] if annotation.format in formats.FORMATS else []
    return _matched_run(name, matched, about, formats.FORMATS.origins(known))


def _chains_run(
    corpus: Corpus, chains: Clustering, notices: tuple[Notice, ...], policy: FilePolicy
) -> SystemRun:
    foreign = chains.labels.index.difference(corpus.selected.index)
    if len(foreign):
        raise UsageError(
            "system-invalid",
            f"{counted(len(foreign), 'mention is', 'mentions are')} not among the events of "
            f"{corpus.name} ({corpus.part}), first '{foreign[0]}'",
            hint="name a mention that is not in the key as (doc, start, end)",
        )
    bare = Matched(corpus.selected, corpus.gold, chains, notices)
    return _covering(bare, corpus.name, policy)


def _covering(bare: Matched, key_name: str, policy: FilePolicy, across: bool = True) -> SystemRun:
    """Return a run of chains, with notices on the mentions that one side lacks."""
    named = replace(bare, digest=bare.response.digest)
    matched = with_coverage(named, key_name, _UNNAMED, policy=policy, across=across)
    return _matched_run(_UNNAMED, matched, _about(matched, policy))
