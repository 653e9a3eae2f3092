"""The Python API: one function per command.

Modules for corpora are imported when a corpus is loaded: scoring two clusterings needs none.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import SampleWarning
from cdec.evaluation.chosen_settings import Settings
from cdec.evaluation.experiment import check_corpus, prepare, prepare_pair
from cdec.evaluation.response import DEFAULT_POLICY, Chains, FilePolicy, Response
from cdec.evaluation.results import Results
from cdec.evaluation.run import run
from cdec.system import System

if TYPE_CHECKING:
    from cdec.audit.patches.model import Patch
    from cdec.corpus.adapter import Tick
    from cdec.corpus.store.locate import Located

__all__ = ["evaluate", "load_corpus", "predict", "score"]


def load_corpus(
    choice: str | None = None,
    split: str = "all",
    *,
    mentions: str | None = None,
    variant: str | None = None,
) -> Corpus:
    """Load a corpus, or a part of it.

    ``choice`` is a path or the name of an installed corpus; by default the path in the environment
    variable CDEC_ECBPLUS, else the installed ECB+, else the embedded sample. ``split`` is ``all``,
    a part of the default split such as ``test``, or a part of another split given by name or TOML
    file: ``cybulska/test``, ``my.toml/dev``. ``mentions`` is the kind to cluster and score: event
    (the default), entity or all; ``variant`` is the reading of the key, for a corpus with several.
    Raises CorpusError and UnknownNameError. Warns with SampleWarning if the sample is used by
    default.

    >>> corpus = load_corpus("sample", "test")
    >>> corpus.name, corpus.part, len(corpus.documents), len(corpus.selected)
    ('sample', 'sample-test', 18, 389)
    """
    from cdec.corpus.store.locate import locate

    located = locate(choice)
    if choice is None and located.notice:
        warnings.warn(str(located.notice), SampleWarning, stacklevel=2)
    return read_part(located, split).select(mentions, variant=variant)


def read_part(
    located: Located, split: str | None, tick: Tick = lambda: None, patch: Patch | None = None
) -> Corpus:
    """Load the part ``split`` of a located corpus (None: test, if there is one).

    The key is corrected by ``patch``.

    ``tick`` is called after each parsed file. The patch is applied to the whole corpus, because a
    chain may have mentions inside and outside the part.
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
    """Return the clustering of the event mentions of ``corpus`` by a system.

    ``system`` is a key of ``cdec.baselines.SYSTEMS`` or an object with the interface of
    ``cdec.baselines.System``; it has no access to gold chains. ``parameters`` are passed to a
    system given by name, such as ``pipeline="hanta"``. Raises UnknownNameError, UsageError, and
    ScoringError for a system that finds its own mentions (``evaluate`` scores it).

    >>> predict(load_corpus("sample", "test"), "lemma")
    Clustering(389 mentions in 131 chains)
    """
    from cdec import baselines

    check_corpus(corpus)
    instance = baselines.system(system, **parameters) if isinstance(system, str) else system
    return run(instance, corpus)


def evaluate(
    corpus: Corpus,
    response: Response | list[Response],
    *,
    setting: Settings = "pure",
    metrics: str | Iterable[str] | None = None,
    scorer: str = "cdec",
    policy: FilePolicy = DEFAULT_POLICY,
) -> Results:
    """Score one or more responses against the key of ``corpus``.

    * ``response``: a Clustering (or a Series or dict mention → chain label), a table with the
      columns of response files, a path, a ``ResponseFile`` (path and name), an ``Annotation``, a
      system to run, or a list of these. A mention is an id, ``(doc, start, end)`` or
      ``"doc/start-end"``.
    * ``setting``: a name such as ``"pure"`` (``"all"``: every setting), a Setting, or a list.
    * ``metrics``: a metric id such as ``"conll"``, or several; None: all metrics of cdec.
    * ``scorer``: the implementation of the metrics, ``"cdec"`` or that of a plug-in.
    * ``policy``: the treatment of irregular response files.

    Raises FormatError, ScoringError, UnknownNameError and UsageError.

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
    """Score two files or two clusterings without a corpus.

    * ``scope``: ``"document"``, the default for files: chain labels are local to a document, and
      counts are summed over documents, as in the CoNLL reference scorer. ``"corpus"``: all
      documents are one meta-document, and the same label means the same chain. Clusterings have
      no documents; for them only ``"corpus"`` is allowed, and is the default.
    * ``metrics``, ``scorer``, ``policy``: as in ``evaluate``.

    Raises FormatError, ScoringError, UnknownNameError and UsageError.

    >>> results = score({"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 2})
    >>> results["muc"]
    Value(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    experiment = prepare_pair(
        key, response, scope=scope, metrics=metrics, scorer=scorer, policy=policy
    )
    return Results(experiment.results(), experiment.notices)
