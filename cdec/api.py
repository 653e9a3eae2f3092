"""The Python API: what the commands do, in one call each.

What a corpus on disk needs is imported when one is loaded: two clusterings are scored without it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import SampleWarning
from cdec.evaluation.experiment import Settings, check_corpus, prepare, prepare_pair
from cdec.evaluation.response import DEFAULT_POLICY, Chains, FilePolicy, Response
from cdec.evaluation.results import Results
from cdec.evaluation.run import run
from cdec.system import System

if TYPE_CHECKING:
    from cdec.audit.patches.model import Patch
    from cdec.corpus.adapter import Tick
    from cdec.corpus.store.locate import Located

__all__ = ["evaluate", "load_corpus", "predict", "score"]


def load_corpus(choice: str | None = None, split: str = "all") -> Corpus:
    """Return a corpus, or the part of it that ``split`` names.

    ``choice`` is a path or name (default: the variable CDEC_ECBPLUS, the installed ECB+, the
    embedded sample). ``split`` is ``test``, or with the name or file of a split before it,
    ``cybulska/test`` or ``my.toml/dev``; ``all`` is the whole corpus. Raises CorpusError,
    UnknownNameError; warns with SampleWarning where the sample is used unasked.

    >>> corpus = load_corpus("sample", "test")
    >>> corpus.name, corpus.part, len(corpus.documents), len(corpus.events)
    ('sample', 'sample-test', 18, 389)
    """
    from cdec.corpus.store.locate import locate

    located = locate(choice)
    if choice is None and located.notice:
        warnings.warn(str(located.notice), SampleWarning, stacklevel=2)
    return read_part(located, split)


def read_part(
    located: Located, split: str, tick: Tick = lambda: None, patch: Patch | None = None
) -> Corpus:
    """Return the part ``split`` of a located corpus, its key corrected by ``patch``.

    ``tick`` is called after each parsed file. The patch is applied to the whole corpus: a chain
    may reach into the part by mentions outside it.
    """
    from cdec.corpus.adapter import open_source
    from cdec.corpus.known import by_digest
    from cdec.corpus.splits import part_of
    from cdec.corpus.store.load import load

    source = open_source(located.path)
    known = by_digest(source.digest)
    corpus = load(source, known.name if known else located.name, tick)
    if patch:
        from cdec.audit.patches.rescore import patched_corpus

        corpus = patched_corpus(corpus, patch)
    return part_of(corpus, split)


def predict(corpus: Corpus, system: str | System = "lemma", **parameters: Any) -> Clustering:
    """Return a system's chains for the event mentions of ``corpus``.

    ``system`` is a name of ``cdec.baselines.SYSTEMS`` (with its parameters, such as
    ``pipeline="hanta"``) or an object with the methods of ``cdec.baselines.System``. It never
    sees anything gold.

    >>> predict(load_corpus("sample", "test"), "lemma")
    Clustering(389 mentions in 131 chains)
    """
    from cdec import baselines

    check_corpus(corpus)
    made = baselines.system(system, **parameters) if isinstance(system, str) else system
    return run(made, corpus)


def evaluate(
    corpus: Corpus,
    response: Response | list[Response],
    *,
    setting: Settings = "pure",
    metrics: str | Iterable[str] | None = None,
    scorer: str = "cdec",
    policy: FilePolicy = DEFAULT_POLICY,
) -> Results:
    """Score responses against the key of ``corpus``, under one setting or several.

    A response is a clustering (also a Series or dict mention id → chain), a file (a path, or a
    ``ResponseFile`` with a name of its own), or a system to run. ``setting`` is a name
    (``"pure"``, ``"all"``), a Setting, or a list of these. Raises FormatError, ScoringError,
    UnknownNameError.

    >>> corpus = load_corpus("sample", "test")
    >>> results = evaluate(corpus, corpus.gold, setting=["simple", "pure"], metrics="conll")
    >>> results.to_frame()["f1"].tolist()
    [1.0, 1.0]
    """
    experiment = prepare(
        corpus, response, setting=setting, metrics=metrics, scorer=scorer, policy=policy
    )
    return Results(experiment.results(), experiment.notices)


def score(
    key: Chains | str | Path,
    response: Chains | str | Path,
    *,
    scope: str | None = None,
    metrics: str | Iterable[str] | None = None,
    scorer: str = "cdec",
    policy: FilePolicy = DEFAULT_POLICY,
) -> Results:
    """Score two files, or two clusterings, without a corpus.

    ``scope="document"`` takes chain labels as local to a document and pools the counts, as the
    CoNLL reference scorer does (the default for files); ``"corpus"`` takes the whole as one
    meta-document (the only one for clusterings, which do not tell documents). Raises
    FormatError, ScoringError, UsageError.

    >>> results = score({"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 2})
    >>> results["muc"]
    Value(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    experiment = prepare_pair(
        key, response, scope=scope, metrics=metrics, scorer=scorer, policy=policy
    )
    return Results(experiment.results(), experiment.notices)
