"""Responses beside their key: each run is read or made, and matched. A run is an ``Alignment``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from cdec import formats
from cdec.clustering import Clustering
from cdec.corpus.model import ALL_KINDS, ANNOTATED, EVENT, Corpus
from cdec.errors import Notice, UsageError, counted
from cdec.evaluation.response import (
    UNNAMED,
    Chains,
    Named,
    Response,
    ResponseFile,
    Source,
    documents_of,
    from_chains,
    named,
    names_places,
)
from cdec.evaluation.run import OnMentions, check_events, prediction
from cdec.formats import Annotation
from cdec.matching.align import SPAN, word_counts
from cdec.matching.alignment import Alignment
from cdec.matching.match import corpus_heads, match_corpus, match_files
from cdec.matching.notices import (
    check_declared,
    left_out_of_key,
    missing_and_renamed,
    recurring_labels,
    with_coverage,
)
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.plugins import origins_of
from cdec.settings import Setting
from cdec.system import System


def runs_on(
    corpus: Corpus,
    response: Response,
    policy: FilePolicy = DEFAULT_POLICY,
    settings: Sequence[Setting] = (),
) -> tuple[Alignment, ...]:
    """Return the runs of ``response``, one or several; files are read, systems are run.

    ``settings`` are those that score it, if they are known (see ``Source.on``). Raises FormatError,
    ScoringError, UsageError for chains with mentions outside the corpus, and CorpusError as
    ``check_events`` does.
    """
    check_events(corpus)
    given = named(response)
    each = [_runs(corpus, one, policy, settings) for one in given.runs]
    names = [run.name.rpartition("/")[2] for several in each for run in several]
    runs = [
        replace(
            run,
            system=given.name,
            about={**run.about, **given.about},
            notices=(*given.notices, *run.notices),
            standing={**run.standing, **given.standing},
        )
        for several in each
        for run in several
    ]
    if len(runs) == 1:
        return (replace(runs[0], run=""),)
    if len(each) == 1:  # a source has named its runs
        return tuple(runs)
    if len(set(names)) < len(names):
        names = [str(number) for number in range(1, len(names) + 1)]
    paired = zip(runs, names, strict=True)
    return tuple(_warned_of_copies(replace(r, run=f"{r.system}/{name}") for r, name in paired))


def run_on(corpus: Corpus, response: Response, policy: FilePolicy = DEFAULT_POLICY) -> Alignment:
    """Return the only run of ``response``. Raises as ``runs_on``, and UsageError for several."""
    runs = runs_on(corpus, response, policy)
    if len(runs) > 1:
        message, hint = f"expected one response, got {len(runs)} runs", "name one file"
        raise UsageError("argument-invalid", message, hint=hint)
    return runs[0]


def _runs(
    corpus: Corpus, run: Any, policy: FilePolicy, settings: Sequence[Setting]
) -> tuple[Alignment, ...]:
    """Return what one run of a response is; a source can have several."""
    match run:
        case Source():
            return runs_on(corpus, run.on(corpus, settings), policy, settings)
        case Named():
            return runs_on(corpus, run, policy, settings)
        case ResponseFile():
            return (_of_annotation(corpus, run.annotation, policy, run.name, is_file=True),)
        case Annotation():
            return (_of_annotation(corpus, run, policy),)
        case Clustering() | pd.Series() | Mapping():
            return (_of_chains(corpus, run, policy),)
    return (_of_system(corpus, run, policy),)


def _warned_of_copies(runs: Iterable[Alignment]) -> Iterator[Alignment]:
    """Yield the runs of a system, with a warning on one whose chains are those of another."""
    first: dict[Clustering, str] = {}
    for run in runs:
        other = first.setdefault(run.response, run.name)
        message = f"the runs {other} and {run.name} have the same chains; is one of them a copy?"
        same = [Notice("name-duplicate", 1, message)] if other != run.name else []
        yield replace(run, notices=(*run.notices, *same))


def _of_annotation(
    corpus: Corpus,
    annotation: Annotation,
    policy: FilePolicy,
    name: str = UNNAMED,
    *,
    is_file: bool = False,
) -> Alignment:
    """Return the run of an annotation with mentions of its own."""
    heads = partial(corpus_heads, corpus, policy.nlp)
    aligned = match_corpus(annotation, corpus, policy, heads=heads)
    return _signed(aligned, name, policy, policy.nlp, annotation if is_file else None)


def _of_chains(corpus: Corpus, value: Chains, policy: FilePolicy) -> Alignment:
    chains, notices = Clustering.with_notices(value, "response", policy.noise)
    if names_places(chains.labels, corpus.mentions.index):
        run = _of_annotation(corpus, from_chains(chains.labels, UNNAMED), policy)
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
    aligned = Alignment.of(corpus.selected, corpus.gold, chains)
    return _covering(replace(aligned, notices=notices), corpus.name, policy)


def _of_system(corpus: Corpus, system: System, policy: FilePolicy) -> Alignment:
    """Return the run of a system, which clusters the mentions of the corpus or finds its own."""
    predicted, origins = prediction(system, corpus), origins_of(system)  # in this order
    about = _parameters(system, corpus)
    if isinstance(predicted, Annotation):
        run = _of_annotation(corpus, predicted, policy, system.name)
        own = {n: value for n, value in run.about.items() if n != "response_digest"}
        return replace(run, about={**about, **own}, origins=origins)
    chains, notices = Clustering.with_notices(predicted, "response", policy.noise)
    about |= {"noise": policy.noise} if policy.noise else {}
    mentions, spans = corpus.selected, corpus.selected[SPAN]
    aligned = replace(Alignment.of(mentions, corpus.gold, chains), notices=notices)
    run = _covering(aligned, corpus.name, policy)
    words = partial(word_counts, spans, spans)
    return replace(run, system=system.name, about=about, origins=origins, words=words)


def _parameters(system: System, corpus: Corpus) -> dict[str, object]:
    """Return the parameters of a system; the default pipeline depends on the documents."""
    from cdec.language.pipeline import identity, pipeline  # noqa: PLC0415  # scoring needs none

    about = dict(system.parameters)
    if "nlp" in about and about["nlp"] == pipeline("hanta").identity:
        about["nlp"] = identity("hanta", corpus)
    return about


def _covering(
    aligned: Alignment, key_name: str, policy: FilePolicy, across: bool = True
) -> Alignment:
    """Return a run of chains, with notices on the mentions that one side lacks."""
    digested = replace(aligned, about={"response_digest": aligned.response.digest})
    checked = with_coverage(digested, key_name, UNNAMED, policy=policy, across=across)
    return _signed(checked, UNNAMED, policy)


def _signed(
    aligned: Alignment,
    name: str,
    policy: FilePolicy,
    heads: str = "",
    file: Annotation | None = None,
) -> Alignment:
    """Return the run; its signature has the choices of the policy that matter to the response.

    ``heads``: where the heads of its mentions are from; '' if it is not aligned by the policy.
    ``file``: the file that it is from, whose declaration is checked.
    """
    about: dict[str, Any] = {"response_digest": aligned.about["response_digest"]}
    if any(notice.code == "mention-duplicate" for notice in aligned.notices):
        about["repeated"] = policy.repeated
    about |= {**policy.signed, **aligned.about}
    if heads and policy.rule.needs_heads:
        about["heads"] = heads
    if file is None:
        return replace(aligned, system=name, about=about)
    check_declared(file.declared, aligned, file.name)
    about |= {"declared": dict(file.declared)} if file.declared else {}
    origins = formats.FORMATS.origins({file.format} & formats.FORMATS.keys())
    return replace(aligned, system=name, about=about, origins=origins)


def on_mentions(corpus: Corpus, system: System, file: str | Path) -> OnMentions:
    """Return ``system`` on the mentions of a response file. Raises as ``run_on`` does."""
    mentions = run_on(corpus, str(file)).mentions
    table = mentions[mentions["response"].notna()].reindex(columns=corpus.mentions.columns)
    kind = EVENT if corpus.kind == ALL_KINDS else corpus.kind
    spans = table[["doc", "start", "end"]].to_csv(index=False)
    digest = sha256(spans.encode()).hexdigest()[:12]
    given = table.assign(kind=kind, chain="", state=ANNOTATED)
    return OnMentions(system, given, f"{Path(file).name}#{digest}")


def match_pair(
    key: Chains | str | Path,
    response: Chains | str | Path,
    policy: FilePolicy = DEFAULT_POLICY,
    *,
    across: bool = True,
) -> tuple[Alignment, Mapping[str, str]]:
    """Return two files or two clusterings side by side, and the fields of the signature on the key.

    ``across``: whether chains can cross documents. Of clusterings, documents are known if all
    mentions name theirs.
    """
    are_files = [isinstance(side, str | Path) for side in (key, response)]
    if are_files[0] != are_files[1]:
        raise UsageError("argument-invalid", "pass two files or two clusterings")
    if isinstance(key, str | Path) and isinstance(response, str | Path):
        file = ResponseFile.parse(response)
        of_key = formats.read(key, unlabelled=True)
        aligned = match_files(of_key, file.annotation, policy, across=across)
        run = _signed(aligned, file.name, policy, policy.heads, file.annotation)
        return run, {"key": Path(key).name, "key_digest": of_key.digest}
    chains: Any = {"key": key, "response": response}
    (left, notices), (right, more) = (
        Clustering.with_notices(value, side, policy.noise) for side, value in chains.items()
    )
    about = {"key_digest": left.digest}
    if any(names_places(side.labels) for side in (left, right)):
        files = from_chains(left.labels, "key"), from_chains(right.labels, "response")
        aligned = match_files(*files, policy, across=across)
        settled = tuple(dict.fromkeys((*notices, *more, *aligned.notices)))
        signed = {**aligned.about, "response_digest": right.digest}
        return _signed(replace(aligned, notices=settled, about=signed), UNNAMED, policy), about
    index = left.labels.index.union(right.labels.index, sort=False)
    documents = documents_of(index)
    mentions = pd.DataFrame({"start": -1}, index=index)
    if documents is not None:
        mentions["doc"] = documents
        tables = (pd.DataFrame({"chain": side.labels, "doc": documents}) for side in (left, right))
        more = (*more, *recurring_labels(*(table.dropna() for table in tables)))
    aligned = replace(Alignment.of(mentions, left, right), notices=(*notices, *more))
    return _covering(aligned, "key", policy, across), about


def meta_document_sides(
    corpus: Corpus, setting: Setting, response: Response | None, policy: FilePolicy = DEFAULT_POLICY
) -> tuple[Annotation, Annotation, tuple[Notice, ...]]:
    """Return key and response as meta-documents to be written, and the notices of the response.

    Without a response the key is used as the response.
    """
    run = run_on(corpus, corpus.gold if response is None else response, policy)
    level = {"doc": "id"}.get(setting.level or "", setting.level)
    docs = corpus.documents.values()
    places = {doc.id: getattr(doc, level) if level else "corpus" for doc in docs}
    sides = formats.from_meta_documents(corpus, setting.build(run.mentions), places)
    return *sides, run.notices
