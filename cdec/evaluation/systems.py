"""What systems answer. A system sees the corpus without gold information."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.blind import Blinded, blind
from cdec.corpus.model import Corpus
from cdec.errors import ScoringError, UsageError, counted
from cdec.evaluation.parts import check_corpus
from cdec.formats import Annotation, from_corpus
from cdec.formats.reading import Choice
from cdec.plugins import Origin, origin_of
from cdec.system import System


def check_system(value: object) -> None:
    """Raise UsageError unless ``value`` has the attributes of a System."""
    names = ("name", "parameters", "predict")
    if isinstance(value, type) or not all(hasattr(value, name) for name in names):
        message = f"expected a system, got {value!r:.60}"
        hint = "name a baseline, or pass an object with name, parameters and predict, no class"
        raise UsageError("argument-invalid", message, hint=hint)


def run(system: System, corpus: Corpus) -> Clustering:
    """Return the clustering that a system predicts for the event mentions, in corpus order.

    The system sees ``blind(corpus)`` only, with argument spans if it needs them. Raises
    ScoringError as ``reveal`` does and for a system that finds its own mentions, CorpusError if it
    needs arguments that the corpus lacks and as ``check_corpus`` does, UsageError if ``system`` is
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
    finds = bool(getattr(system, "finds_mentions", False))
    check_corpus(corpus, mentions=not finds)
    hidden = blind(corpus, mentions=not finds)
    try:
        predicted: object = system.predict(hidden.corpus)
    except Exception as error:
        if origin := origin_of(system):  # the traceback names the package to report it to
            error.add_note(f"the system '{system.name}' of {origin} failed")
        raise
    if isinstance(predicted, Annotation):
        return _revealed(system.name, predicted, hidden, corpus)
    if isinstance(predicted, Clustering):
        return reveal(system.name, predicted, corpus)
    message = f"its prediction is a {type(predicted).__name__}"
    hint = "return a cdec.Clustering of the mentions of the corpus"
    raise UsageError("argument-invalid", message, place=system.name, hint=hint)


def answer(system: System, corpus: Corpus) -> tuple[Annotation, dict[str, Any], tuple[Origin, ...]]:
    """Return what a system predicts as a file, the fields of its signature, and its package."""
    # in this order
    predicted = prediction(system, corpus)
    origin = origin_of(system)
    about = dict(system.parameters)
    if "nlp" in about:  # the default pipeline depends on the documents
        from cdec.language.pipeline import identity, pipeline  # noqa: PLC0415  # not for scoring

        is_default = about["nlp"] == pipeline("hanta").identity
        about["nlp"] = identity("hanta", corpus) if is_default else about["nlp"]
    if not isinstance(predicted, Annotation):
        predicted = from_corpus(corpus, predicted, system.name)
    # A system clusters the mentions of the whole corpus.
    predicted = replace(predicted, reading={"labels": Choice("corpus", "file")})
    return predicted, about, (origin,) if origin else ()


def pair_scores(system: System, corpus: Corpus) -> Iterator[pd.DataFrame]:
    """Yield the score of each pair of mentions that a system scores: ``a``, ``b``, ``score``.

    The system sees what ``run`` shows it. Raises UsageError for a system without such scores.
    """
    scores = getattr(system, "pair_scores", None)
    if scores is None:
        hint = "it must have a method pair_scores: see cdec.system.Learner"
        message = "the system has no scores of mention pairs"
        raise UsageError("system-invalid", message, place=system.name, hint=hint)
    check_corpus(corpus)
    hidden = blind(corpus)
    for block in scores(hidden.corpus):
        yield block.assign(**{s: hidden.original.loc[block[s]].to_numpy() for s in ("a", "b")})


def _revealed(name: str, predicted: Annotation, hidden: Blinded, corpus: Corpus) -> Annotation:
    """Return the annotation with the original ids of documents and mentions, in corpus order.

    Raises ScoringError for a document that the system did not get.
    """
    table = predicted.mentions
    known = hidden.documents
    for doc in (*predicted.documents, *table["doc"]):
        if doc not in known:
            raise ScoringError("system-invalid", f"document '{doc}' is foreign", place=name)
    ids = [hidden.original.get(id_, id_) for id_ in table["mention"]]
    moved = table.assign(doc=table["doc"].map(known), mention=pd.Series(ids, table.index, object))
    rank = {id_: place for place, id_ in enumerate(corpus.documents)}
    moved = moved.sort_values("doc", key=lambda doc: doc.map(rank), kind="stable")
    texts = {known[doc]: text for doc, text in predicted.documents.items()}
    documents = {id_: texts[id_] for id_ in corpus.documents if id_ in texts}
    layout = {known[doc]: at for doc, at in predicted.layout.items()}
    return replace(predicted, name=name, mentions=moved, documents=documents, layout=layout)


def reveal(name: str, predicted: Clustering, corpus: Corpus) -> Clustering:
    """Return chains predicted on a blind corpus with the original mention ids, in corpus order.

    ``name`` is the system, for errors. Raises ScoringError unless the chains have exactly the event
    mentions of the corpus.
    """
    original = blind(corpus).original
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
