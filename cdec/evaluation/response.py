"""A response in any form (chains, file, system), matched with the key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pandas as pd

from cdec import formats
from cdec.clustering import Clustering
from cdec.corpus.model import ALL_KINDS, ANNOTATED, EVENT, Corpus
from cdec.errors import UsageError, counted
from cdec.errors.notices import Notice
from cdec.evaluation.places import from_chains, has_places
from cdec.evaluation.response_forms import (
    UNNAMED,
    Chains,
    Named,
    Response,
    ResponseFile,
    ResponseRuns,
    Source,
    parse_response,
)
from cdec.evaluation.run import OnMentions, check_events, prediction
from cdec.formats import Annotation
from cdec.matching.align import REPEATED_CODES, corpus_heads
from cdec.matching.alignment import Alignment
from cdec.matching.corpus import left_out_of_key, match_corpus
from cdec.matching.coverage import check_declared, with_coverage
from cdec.matching.documents import missing_and_renamed
from cdec.matching.pairing import SPAN, word_counts
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
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
    "meta_document_sides",
    "run_on",
    "runs_on",
]


def run_on(corpus: Corpus, response: Response, policy: FilePolicy = DEFAULT_POLICY) -> Alignment:
    """Return ``response`` matched with the key of ``corpus``; a file is read, a system is run.

    Raises FormatError, ScoringError, UsageError for chains with mentions outside the corpus and for
    several runs (see ``runs_on``), and CorpusError as ``check_events`` does.
    """
    runs = runs_on(corpus, response, policy)
    if len(runs) > 1:
        message, hint = f"expected one response, got {len(runs)} runs", "name one file"
        raise UsageError("option-invalid", message, hint=hint)
    return runs[0]


def on_mentions(corpus: Corpus, system: System, file: str | Path) -> OnMentions:
    """Return ``system`` on the mentions of a response file. Raises as ``run_on`` does."""
    given = run_on(corpus, str(file))
    found = given.mentions.loc[given.response.labels.index]
    table = found.reindex(columns=corpus.mentions.columns).assign(
        kind=EVENT if corpus.kind == ALL_KINDS else corpus.kind, chain="", state=ANNOTATED
    )
    spans = table[["doc", "start", "end"]].to_csv(index=False)
    digest = sha256(spans.encode()).hexdigest()[:12]
    return OnMentions(system, table, f"{Path(file).name}#{digest}")


def runs_on(
    corpus: Corpus,
    response: Response,
    policy: FilePolicy = DEFAULT_POLICY,
    settings: Sequence[Setting] = (),
) -> tuple[Alignment, ...]:
    """Return the runs of ``response``, one or several. Raises as ``run_on`` does.

    ``settings`` are those that score it, if they are known (see ``Source.on``).
    """
    check_events(corpus)
    if isinstance(response, str | Path):
        response = parse_response(response)
    if isinstance(response, Source):
        response = response.on(corpus, settings)
    if isinstance(response, Named):
        each = [runs_on(corpus, one, policy, settings) for one in response.runs]
        return _named_runs(response, each)
    if isinstance(response, ResponseRuns):
        runs = [_run(corpus, file, policy) for file in response.files]
        named = (replace(run, system=response.name, run=run.system) for run in runs)
        return tuple(_warned_of_copies(named))
    return (_run(corpus, response, policy),)


def _named_runs(named: Named, each: Sequence[tuple[Alignment, ...]]) -> tuple[Alignment, ...]:
    """Return the runs of one system; those of a list are named as those of ``ResponseRuns``."""
    runs = [
        replace(
            run,
            notices=(*named.notices, *run.notices),
            about={**run.about, **named.about},
            standing={**run.standing, **named.standing},
            system=named.name,
        )
        for several in each
        for run in several
    ]
    if len(runs) == 1:
        return (replace(runs[0], run=""),)
    if len(each) > 1:
        # Of a run of a list, its own name.
        names = [run.name.rpartition("/")[2] for several in each for run in several]
        if len(set(names)) < len(names):
            names = [str(number) for number in range(1, len(names) + 1)]
        paired = zip(runs, names, strict=True)
        return tuple(_warned_of_copies(replace(r, run=f"{r.system}/{name}") for r, name in paired))
    return tuple(runs)


def _warned_of_copies(runs: Iterable[Alignment]) -> Iterator[Alignment]:
    """Yield the runs of a system, with a warning on one whose chains are those of another."""
    first: dict[Clustering, str] = {}
    for run in runs:
        other = first.setdefault(run.response, run.name)
        message = f"the runs {other} and {run.name} have the same chains; is one of them a copy?"
        same = [Notice("runs-identical", 1, message)] if other != run.name else []
        yield replace(run, notices=(*run.notices, *same))


def _run(corpus: Corpus, response: Response, policy: FilePolicy) -> Alignment:
    if isinstance(response, ResponseFile):
        return _annotation_run(corpus, response.annotation, policy, response.name, is_file=True)
    if isinstance(response, Annotation):
        return _annotation_run(corpus, response, policy, UNNAMED)
    if isinstance(response, pd.DataFrame):
        annotation = formats.from_frame(response, UNNAMED, unlabelled=True)
        return _annotation_run(corpus, annotation, policy, UNNAMED)
    if isinstance(response, Clustering | pd.Series | Mapping):
        return _value_run(corpus, response, policy)
    return _system_run(corpus, cast("System", response), policy)


def _system_run(corpus: Corpus, system: System, policy: FilePolicy) -> Alignment:
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
    bare = replace(Alignment.of(mentions, corpus.gold, chains), notices=notices)
    run = covering(bare, corpus.name, policy)
    words = partial(word_counts, spans, spans)
    return replace(run, system=system.name, about=about, origins=origins, words=words)


def _signed(system: System, corpus: Corpus) -> dict[str, object]:
    """Return the parameters of a system; the default pipeline depends on the documents."""
    from cdec.language.pipeline import identity, pipeline  # noqa: PLC0415  # scoring needs none

    about = dict(system.parameters)
    if "nlp" in about and about["nlp"] == pipeline("hanta").identity:
        about["nlp"] = identity("hanta", corpus)
    return about


def _annotation_run(
    corpus: Corpus, annotation: Annotation, policy: FilePolicy, name: str, *, is_file: bool = False
) -> Alignment:
    """Return the run of an annotation with mentions of its own."""
    heads = partial(corpus_heads, corpus, policy.nlp)
    matched = match_corpus(annotation, corpus, policy, heads=heads)
    return matched_run(name, matched, policy, policy.nlp, annotation if is_file else None)


def matched_run(
    name: str,
    matched: Alignment,
    policy: FilePolicy,
    heads: str = "",
    file: Annotation | None = None,
) -> Alignment:
    """Return the run; its signature has the choices of the policy that matter to the response.

    ``heads``: where the heads of its mentions are from; '' if it is not aligned by the policy.
    ``file``: the file that it is from, whose declaration is checked.
    """
    about: dict[str, Any] = {"response_digest": matched.about["response_digest"]}
    if any(notice.code in REPEATED_CODES for notice in matched.notices):
        about["repeated"] = policy.repeated
    about |= policy.signed
    about |= matched.about
    if heads and policy.rule.needs_heads:
        about["heads"] = heads
    origins: tuple[Origin, ...] = ()
    if file is not None:
        check_declared(file.declared, matched, file.name)
        about |= {"declared": dict(file.declared)} if file.declared else {}
        origins = formats.FORMATS.origins({file.format} & formats.FORMATS.keys())
    return replace(matched, system=name, about=about, origins=origins)


def _value_run(corpus: Corpus, value: Chains, policy: FilePolicy) -> Alignment:
    chains, notices = Clustering.with_notices(value, "response", policy.noise)
    if has_places(chains.labels, corpus.mentions.index):
        annotation = from_chains(chains.labels, UNNAMED)
        run = _annotation_run(corpus, annotation, policy, UNNAMED)
        return replace(run, notices=tuple(dict.fromkeys((*notices, *run.notices))))
    dropped, left = left_out_of_key(corpus, chains.labels.index)
    foreign = chains.labels.index.difference(corpus.selected.index).difference(dropped)
    if len(foreign):
        raise UsageError(
            "system-invalid",
            f"{counted(len(foreign), 'mention is', 'mentions are')} not among the events of "
            f"{corpus.name} ({corpus.part}), first '{foreign[0]}'",
            hint="name a mention that is not in the key as (doc, start, end)",
        )
    chains = Clustering(chains.labels.drop(dropped))
    docs = corpus.selected["doc"]
    present = {doc: doc for doc in docs[chains.labels.index]}
    notices = (*notices, *left, *missing_and_renamed(dict.fromkeys(docs), present))
    bare = replace(Alignment.of(corpus.selected, corpus.gold, chains), notices=notices)
    return covering(bare, corpus.name, policy)


def covering(bare: Alignment, key_name: str, policy: FilePolicy, across: bool = True) -> Alignment:
    """Return a run of chains, with notices on the mentions that one side lacks."""
    bare = replace(bare, about={"response_digest": bare.response.digest})
    matched = with_coverage(bare, key_name, UNNAMED, policy=policy, across=across)
    return matched_run(UNNAMED, matched, policy)


def meta_document_sides(
    corpus: Corpus, setting: Setting, response: Response | None, policy: FilePolicy = DEFAULT_POLICY
) -> tuple[Annotation, Annotation, tuple[Notice, ...]]:
    """Return key and response as meta-documents to be written, and the notices of the response.

    Without a response the key is used as the response.
    """
    run = run_on(corpus, corpus.gold if response is None else response, policy)
    places = homes(setting, corpus.documents.values())
    sides = formats.from_meta_documents(corpus, setting.build(run.mentions), places)
    return *sides, run.notices
