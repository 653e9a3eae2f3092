"""What systems answer. A system sees the corpus without gold information."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.blind import Blinded, blind
from cdec.corpus.model import Corpus
from cdec.errors import ScoringError, UsageError, counted
from cdec.evaluation.parts import check_corpus
from cdec.formats import Annotation, from_corpus
from cdec.formats.reading import Choice
from cdec.plugins import Origin, origin_of
from cdec.records import Row
from cdec.system import System, check_system


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
        raise ScoringError(
            "system-invalid",
            "the system finds its own mentions, which are not those of the corpus",
            place=system.name,
            hint="score it with cdec.evaluate, or write its response with `cdec predict`",
        )
    return chains


def prediction(system: System, corpus: Corpus) -> Clustering | Annotation:
    """Return what a system predicts: a clustering as from ``run``, or its own mentions.

    The Annotation of a system that finds mentions has the documents of ``corpus``. A system with
    a true attribute ``finds_mentions`` gets a blind corpus without mentions. Raises as ``run``
    does, except for such a system.
    """
    check_system(system)
    finds_mentions = bool(getattr(system, "finds_mentions", False))
    check_corpus(corpus, mentions=not finds_mentions)
    blinded = blind(corpus, mentions=not finds_mentions)
    try:
        answer: object = system.predict(blinded.corpus)
    except Exception as error:
        origin = origin_of(system)
        if origin:  # the traceback names the package to report it to
            error.add_note(f"the system '{system.name}' of {origin} failed")
        raise
    if isinstance(answer, Annotation):
        return _revealed(system.name, answer, blinded, corpus)
    if isinstance(answer, Clustering):
        return reveal(system.name, answer, corpus)
    raise UsageError(
        "argument-invalid",
        f"its prediction is a {type(answer).__name__}",
        place=system.name,
        hint="return a cdec.Clustering of the mentions of the corpus",
    )


def answer(
    system: System, corpus: Corpus
) -> tuple[Annotation, Row, tuple[Origin, ...]]:
    """Return what a system predicts as a file, the fields of its signature, and its package."""
    # in this order
    chains = prediction(system, corpus)
    origin = origin_of(system)
    about = dict(system.parameters)
    if "nlp" in about:
        from cdec.language.pipeline import identity, pipeline  # noqa: PLC0415  # not for scoring

        if about["nlp"] == pipeline("hanta").identity:
            about["nlp"] = identity(
                "hanta", corpus
            )  # the default depends on the documents
    if isinstance(chains, Clustering):
        chains = from_corpus(corpus, chains, system.name)
    # A system clusters the mentions of the whole corpus.
    file = replace(chains, reading={"labels": Choice("corpus", "file")})
    return file, about, (origin,) if origin else ()


def pair_scores(system: System, corpus: Corpus) -> Iterator[pd.DataFrame]:
    """Yield the score of each pair of mentions that a system scores: ``a``, ``b``, ``score``.

    The system sees what ``run`` shows it. Raises UsageError for a system without such scores.
    """
    scores = getattr(system, "pair_scores", None)
    if scores is None:
        raise UsageError(
            "system-invalid",
            "the system has no scores of mention pairs",
            place=system.name,
            hint="it must have a method pair_scores: see cdec.system.Learner",
        )
    check_corpus(corpus)
    blinded = blind(corpus)
    for block in scores(blinded.corpus):
        a, b = (blinded.original.loc[block[side]].to_numpy() for side in ("a", "b"))
        yield block.assign(a=a, b=b)


def _revealed(
    name: str,
    answer: Annotation,
    blinded: Blinded,
    corpus: Corpus,
) -> Annotation:
    """Return the annotation with the original ids of documents and mentions, in corpus order.

    Raises ScoringError for a document that the system did not get.
    """
    table = answer.mentions
    original = blinded.documents
    for doc in (*answer.documents, *table["doc"]):
        if doc not in original:
            raise ScoringError(
                "system-invalid", f"document '{doc}' is foreign", place=name
            )
    ids = [blinded.original.get(mention, mention) for mention in table["mention"]]
    mentions = table.assign(
        doc=table["doc"].map(original),
        mention=pd.Series(ids, table.index, object),
    )
    order = [*corpus.documents]
    mentions = mentions.sort_values(
        "doc",
        key=lambda doc: doc.map(order.index),
        kind="stable",
    )
    tokens = {original[doc]: tokens for doc, tokens in answer.documents.items()}
    return replace(
        answer,
        name=name,
        mentions=mentions,
        documents={doc: tokens[doc] for doc in order if doc in tokens},
        layout={original[doc]: layout for doc, layout in answer.layout.items()},
    )


def reveal(
    name: str,
    predicted: Clustering,
    corpus: Corpus,
) -> Clustering:
    """Return chains predicted on a blind corpus with the original mention ids, in corpus order.

    ``name`` is the system, for errors. Raises ScoringError unless the chains have exactly the event
    mentions of the corpus.
    """
    original = blind(corpus, mentions=True).original  # as in prediction: kept
    missing = original.index.difference(predicted.labels.index)
    if len(missing):
        number = counted(len(missing), "mention")
        raise ScoringError(
            "system-invalid",
            f"no chain for {number}, first '{original.loc[missing[0]]}'",
            place=name,
        )
    foreign = predicted.labels.index.difference(original.index)
    if len(foreign):
        number = counted(len(foreign), "label")
        raise ScoringError(
            "system-invalid",
            f"{number} for mentions outside the corpus, first '{foreign[0]}'",
            place=name,
        )
    labels = predicted.labels.set_axis(original.loc[predicted.labels.index].to_numpy())
    mentions = corpus.selected.index
    return Clustering(labels.loc[mentions].set_axis(mentions))
