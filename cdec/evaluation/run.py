"""Runs: responses beside their key, read from a file or predicted by a system.

A run is an ``Alignment``. A system sees the corpus without gold information.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from cdec import formats
from cdec.clustering import Clustering
from cdec.corpus.blind import Blinded, blind
from cdec.corpus.model import ALL_KINDS, ANNOTATED, EVENT, Corpus
from cdec.errors import CdecError, CorpusError, Notice, ScoringError, UsageError, counted
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
from cdec.formats import Annotation, from_corpus
from cdec.matching.alignment import Alignment
from cdec.matching.match import SPAN, match_corpus, match_files, word_counts
from cdec.matching.notices import (
    check_declared,
    left_out,
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
    runs = [run for several in each for run in several]
    names = [run.name.rpartition("/")[2] for run in runs]
    if len({*names}) < len(runs):
        names = [str(number) for number in range(1, len(runs) + 1)]
    numbered, first = [], dict[Clustering, str]()
    for run, name in zip(runs, names, strict=True):
        own = replace(
            run,
            system=given.name,
            run=run.run if len(each) == 1 else f"{given.name}/{name}",  # a source names its runs
            about={**run.about, **given.about},
            notices=(*given.notices, *run.notices),
            standing={**run.standing, **given.standing},
        )
        other = first.setdefault(own.response, own.name) if len(each) > 1 else own.name
        if other != own.name:
            message = f"the runs {other} and {own.name} have the same chains; is one a copy?"
            copied = Notice("name-duplicate", 1, message)
            own = replace(own, notices=(*own.notices, copied))
        numbered.append(own)
    return tuple(numbered) if len(runs) > 1 else (replace(numbered[0], run=""),)


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
            return (_of_annotation(corpus, run, policy, UNNAMED),)
        case Clustering() | pd.Series() | Mapping():
            return (_of_chains(corpus, run, policy),)
    return (_of_system(corpus, run, policy),)


def _of_annotation(
    corpus: Corpus, annotation: Annotation, policy: FilePolicy, name: str, *, is_file: bool = False
) -> Alignment:
    """Return the run of an annotation with mentions of its own."""
    run = replace(match_corpus(annotation, corpus, policy), system=name)
    return _declared(run, annotation) if is_file else run


def _declared(run: Alignment, file: Annotation) -> Alignment:
    """Return the run with what its file declares, which is checked, and the format's origin."""
    check_declared(file.declared, run, file.name)
    about = {**run.about, **({"declared": dict(file.declared)} if file.declared else {})}
    return replace(run, about=about, origins=formats.FORMATS.origins([file.format]))


def _of_chains(corpus: Corpus, value: Chains, policy: FilePolicy) -> Alignment:
    chains, notices = Clustering.with_notices(value, "response", policy.noise)
    if names_places(chains.labels, corpus.mentions.index):
        run = _of_annotation(corpus, from_chains(chains.labels, UNNAMED), policy, UNNAMED)
        return replace(run, notices=tuple(dict.fromkeys((*notices, *run.notices))))
    dropped, left = left_out(corpus, chains.labels.index)
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
    said = (*notices, *left, *missing_and_renamed(dict.fromkeys(docs), present))
    return _covering(Alignment.of(corpus.selected, corpus.gold, chains), said, corpus.name, policy)


def _of_system(corpus: Corpus, system: System, policy: FilePolicy) -> Alignment:
    """Return the run of a system, which clusters the mentions of the corpus or finds its own."""
    predicted, origins = prediction(system, corpus), origins_of(system)  # in this order
    about = dict(system.parameters)
    if "nlp" in about:  # the default pipeline depends on the documents
        from cdec.language.pipeline import identity, pipeline  # noqa: PLC0415  # not for scoring

        is_default = about["nlp"] == pipeline("hanta").identity
        about["nlp"] = identity("hanta", corpus) if is_default else about["nlp"]
    if isinstance(predicted, Annotation):
        run = _of_annotation(corpus, predicted, policy, system.name)
        about |= {n: value for n, value in run.about.items() if n != "response_digest"}
        return replace(run, about=about, origins=origins)
    chains, notices = Clustering.with_notices(predicted, "response", policy.noise)
    about |= {"noise": policy.noise} if policy.noise else {}
    aligned = Alignment.of(corpus.selected, corpus.gold, chains)
    run = _covering(aligned, notices, corpus.name, policy)
    spans = corpus.selected[SPAN]
    words = partial(word_counts, spans, spans)
    return replace(run, system=system.name, about=about, origins=origins, words=words)


def _covering(
    aligned: Alignment,
    notices: Iterable[Notice],
    key_name: str,
    policy: FilePolicy,
    across: bool = True,
) -> Alignment:
    """Return a run of chains, with notices on the mentions that one side lacks."""
    about = {"response_digest": aligned.response.digest}
    run = replace(aligned, about=about, notices=tuple(notices))
    return with_coverage(run, key_name, UNNAMED, policy=policy, across=across)


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
        run = match_files(of_key, file.annotation, policy, across=across)
        if policy.rule.needs_heads:
            run = replace(run, about={**run.about, "heads": policy.heads})
        run = _declared(replace(run, system=file.name), file.annotation)
        return run, {"key": Path(key).name, "key_digest": of_key.digest}
    sides: Any = (("key", key), ("response", response))
    (left, notices), (right, more) = (
        Clustering.with_notices(value, side, policy.noise) for side, value in sides
    )
    about = {"key_digest": left.digest}
    if any(names_places(side.labels) for side in (left, right)):
        files = from_chains(left.labels, "key"), from_chains(right.labels, UNNAMED)
        files = files[0], replace(files[1], digest=right.digest)
        run = match_files(*files, policy, across=across)
        return replace(run, notices=tuple(dict.fromkeys((*notices, *more, *run.notices)))), about
    index = left.labels.index.union(right.labels.index, sort=False)
    documents = documents_of(index)
    mentions = pd.DataFrame({"start": -1}, index=index)
    if documents is not None:
        mentions["doc"] = documents
        tables = (pd.DataFrame({"chain": side.labels, "doc": documents}) for side in (left, right))
        more = (*more, *recurring_labels(*(table.dropna() for table in tables)))
    aligned = Alignment.of(mentions, left, right)
    return _covering(aligned, (*notices, *more), "key", policy, across), about


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


# ---- systems ----


def check_system(value: object) -> None:
    """Raise UsageError unless ``value`` has the attributes of a System."""
    missing = [name for name in ("name", "parameters", "predict") if not hasattr(value, name)]
    if isinstance(value, type):
        message, hint = f"expected a system, got the class {value.__name__}", "pass an instance"
    elif missing:
        message = f"{type(value).__name__} is not a system: it has no {', '.join(missing)}"
        hint = "name a baseline, or pass an object with the methods of cdec.baselines.System"
    else:
        return
    raise UsageError("argument-invalid", message, hint=hint)


def check_events(corpus: Corpus, *, mentions: bool = True) -> None:
    """Raise CorpusError if the corpus, or part, has no documents or, with ``mentions``, none."""
    missing = "" if corpus.documents else "documents"
    if not missing and mentions and corpus.selected.empty:
        missing = "mentions" if corpus.kind == ALL_KINDS else f"{corpus.kind} mentions"
    if missing:
        place = f"{corpus.name} ({corpus.part})"
        hint = "choose another part"
        raise CorpusError("part-too-small", f"no {missing}", place=place, hint=hint)


def run(system: System, corpus: Corpus) -> Clustering:
    """Return the clustering that a system predicts for the event mentions, in corpus order.

    The system sees ``blind(corpus)`` only, with argument spans if it needs them. Raises
    ScoringError as ``reveal`` does and for a system that finds its own mentions, CorpusError if it
    needs arguments that the corpus lacks and as ``check_events`` does, UsageError if ``system`` is
    not a system.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> from cdec.baselines import system
    >>> run(system("lemma-wd"), corpus)
    Clustering(389 mentions in 280 chains)
    """
    chains = prediction(system, corpus)
    if isinstance(chains, Annotation):
        message = "the system finds its own mentions, which are not those of the corpus"
        hint = "score it with cdec.evaluate, or write its response with `cdec predict`"
        raise ScoringError("system-invalid", message, place=system.name, hint=hint)
    return chains


def prediction(system: System, corpus: Corpus) -> Clustering | Annotation:
    """Return what a system predicts: a clustering as from ``run``, or its own mentions.

    The Annotation of a system that finds mentions has the documents of ``corpus``. A system with
    a true attribute ``finds_mentions`` gets a blind corpus without mentions. Raises as ``run``
    does, except for such a system.
    """
    check_system(system)
    if isinstance(system, OnMentions):
        return system.predict(corpus)
    hidden = _hidden(system, corpus)
    try:
        predicted: object = system.predict(hidden.corpus)
    except CdecError:
        raise
    except Exception as error:
        for origin in origins_of(system):  # the traceback names the package to report it to
            error.add_note(f"the system '{system.name}' of {origin} failed")
        raise
    if isinstance(predicted, Annotation):
        return _revealed(system.name, predicted, hidden, corpus)
    if isinstance(predicted, Clustering):
        return reveal(system.name, predicted, corpus, hidden)
    message = f"its prediction is a {type(predicted).__name__}"
    hint = "return a cdec.Clustering of the mentions of the corpus"
    raise UsageError("argument-invalid", message, place=system.name, hint=hint)


@dataclass(frozen=True, eq=False)
class OnMentions:
    """A system that clusters the mentions of a response file, whose chains it does not see.

    ``mentions`` are those of the file, as the table of a corpus without key; ``source`` is the
    file, for the signature.
    """

    system: System
    mentions: pd.DataFrame
    source: str

    @property
    def name(self) -> str:
        """The id of the system."""
        return self.system.name

    @property
    def parameters(self) -> Mapping[str, object]:
        """The choices of the system, and the source of its mentions."""
        return {**self.system.parameters, "mentions_of": self.source}

    def predict(self, corpus: Corpus) -> Annotation:
        """Return the chains of the mentions; a mention is identified by its tokens."""
        given = replace(corpus, mentions=self.mentions, region=None)
        found = from_corpus(given, run(self.system, given), self.name)
        return replace(found, mentions=found.mentions.assign(mention=""))


def on_mentions(corpus: Corpus, system: System, file: str | Path) -> OnMentions:
    """Return ``system`` on the mentions of a response file. Raises as ``run_on`` does."""
    mentions = run_on(corpus, str(file)).mentions
    table = mentions[mentions["response"].notna()].reindex(columns=corpus.mentions.columns)
    kind = EVENT if corpus.kind == ALL_KINDS else corpus.kind
    spans = table[["doc", "start", "end"]].to_csv(index=False)
    digest = sha256(spans.encode()).hexdigest()[:12]
    given = table.assign(kind=kind, chain="", state=ANNOTATED)
    return OnMentions(system, given, f"{Path(file).name}#{digest}")


def pair_scores(system: System, corpus: Corpus) -> Iterator[pd.DataFrame]:
    """Yield the score of each pair of mentions that a system scores: ``a``, ``b``, ``score``.

    The system sees what ``run`` shows it. Raises UsageError for a system without such scores.
    """
    scores = getattr(system, "pair_scores", None)
    if scores is None:
        hint = "it must have a method pair_scores: see cdec.system.Learner"
        message = "the system has no scores of mention pairs"
        raise UsageError("system-invalid", message, place=system.name, hint=hint)
    hidden = _hidden(system, corpus)
    for block in scores(hidden.corpus):
        yield block.assign(**{s: hidden.original.loc[block[s]].to_numpy() for s in ("a", "b")})


def _hidden(system: System, corpus: Corpus) -> Blinded:
    """Return the corpus as the system sees it. Raises CorpusError as ``check_events`` does."""
    finds = bool(getattr(system, "finds_mentions", False))
    check_events(corpus, mentions=not finds)
    needs = not finds and bool(getattr(system, "needs_arguments", False))
    return blind(corpus, arguments=needs, mentions=not finds)


def _revealed(name: str, predicted: Annotation, hidden: Blinded, corpus: Corpus) -> Annotation:
    """Return the annotation with the original ids of documents and mentions, in corpus order.

    Raises ScoringError for a document that the system did not get.
    """
    table, known = predicted.mentions, hidden.documents
    named = dict.fromkeys([*predicted.documents, *table["doc"]])
    foreign = [doc for doc in named if doc not in known]
    if foreign:
        text = f"{counted(len(foreign), 'document')} outside the corpus, first '{foreign[0]}'"
        raise ScoringError("system-invalid", text, place=name)
    ids = [hidden.original.get(id_, id_) for id_ in table["mention"]]
    moved = table.assign(doc=table["doc"].map(known), mention=pd.Series(ids, table.index, object))
    rank = {id_: place for place, id_ in enumerate(corpus.documents)}
    moved = moved.sort_values("doc", key=lambda doc: doc.map(rank), kind="stable")
    texts = {known[doc]: text for doc, text in predicted.documents.items()}
    documents = {id_: texts[id_] for id_ in corpus.documents if id_ in texts}
    layout = {known[doc]: at for doc, at in predicted.layout.items()}
    return replace(predicted, name=name, mentions=moved, documents=documents, layout=layout)


def reveal(
    name: str, predicted: Clustering, corpus: Corpus, hidden: Blinded | None = None
) -> Clustering:
    """Return chains predicted on a blind corpus with the original mention ids, in corpus order.

    ``name`` is the system, for errors; ``hidden`` is by default ``blind(corpus)``. Raises
    ScoringError unless the chains have exactly the event mentions of the corpus.
    """
    original = (hidden or blind(corpus)).original
    missing = original.index.difference(predicted.labels.index)
    foreign = predicted.labels.index.difference(original.index)
    if len(missing) or len(foreign):
        text = f"{counted(len(foreign), 'label')} for mentions outside the corpus, first "
        if len(missing):
            text = f"no chain for {counted(len(missing), 'mention')}, first "
        first = original.loc[missing[0]] if len(missing) else foreign[0]
        raise ScoringError("system-invalid", f"{text}'{first}'", place=name)
    labels = predicted.labels.set_axis(original.loc[predicted.labels.index].to_numpy())
    return Clustering(labels.loc[corpus.selected.index].set_axis(corpus.selected.index))
