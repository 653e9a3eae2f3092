"""Running a system: on a corpus that tells it nothing it must not know."""

from __future__ import annotations

from cdec.clustering import Clustering
from cdec.corpus.blind import Blinded, blind
from cdec.corpus.model import Corpus
from cdec.errors import CdecError, ScoringError, UsageError, counted
from cdec.plugins import origin_of
from cdec.system import System


def check_system(given: object) -> None:
    """Raise UsageError for what cannot be run as a system."""
    lacking = [name for name in ("name", "parameters", "predict") if not hasattr(given, name)]
    if lacking:
        raise UsageError(
            f"{type(given).__name__} is no system: it has no {', '.join(lacking)}",
            hint="name a baseline, or give an object with the methods of cdec.baselines.System",
        )


def run(system: System, corpus: Corpus) -> Clustering:
    """Return the system's clustering of the corpus's event mentions, in corpus order.

    The system sees ``blind(corpus)`` only, with the arguments' spans if it needs them. Raises
    ScoringError as ``reveal`` does, CorpusError where it needs arguments and there are none,
    UsageError for what is no system.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> from cdec.baselines import system
    >>> run(system("lemma-wd"), corpus)
    Clustering(389 mentions in 280 chains)
    """
    check_system(system)
    shown = blind(corpus, arguments=bool(getattr(system, "needs_arguments", False)))
    return _reveal(system.name, _predicted(system, shown.corpus), corpus, shown)


def _predicted(system: System, shown: Corpus) -> Clustering:
    try:
        return system.predict(shown)
    except CdecError:
        raise
    except Exception as error:
        origin = origin_of(system)
        if origin:  # whoever shows the error can say whose it is
            error.add_note(f"the system '{system.name}' of {origin} failed")
        raise


def reveal(name: str, predicted: Clustering, corpus: Corpus) -> Clustering:
    """Return what the system ``name`` predicted on ``blind(corpus)`` under the mentions' own ids.

    Raises ScoringError unless it gives exactly one chain to each event mention and to nothing
    else.
    """
    return _reveal(name, predicted, corpus, blind(corpus))


def _reveal(name: str, predicted: Clustering, corpus: Corpus, hidden: Blinded) -> Clustering:
    asked, given = hidden.original.index, predicted.labels.index
    missing, foreign = asked.difference(given), given.difference(asked)
    if len(missing):
        first = hidden.original.loc[missing[0]]
        text = f"no chain for {counted(len(missing), 'mention')}"
        raise ScoringError(f"{text}, first '{first}'", place=name)
    if len(foreign):
        text = f"{counted(len(foreign), 'chain')} for mentions that are not in the corpus"
        raise ScoringError(f"{text}, first '{foreign[0]}'", place=name)
    labels = predicted.labels.set_axis(hidden.original.loc[given].to_numpy())
    return Clustering(labels.loc[corpus.events.index].set_axis(corpus.events.index))
