"""The Python API: one function per command.

An analysis returns an ``Analysis``: its ``value`` is the object of the library, and notebooks show
its page. Modules are imported when a function is called, because few sessions need all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import (
    SampleWarning,
    UnknownNameError,
    UsageError,
    one_of,
    spelled,
    warn_of,
)
from cdec.evaluation.by_system import LAYOUTS, SYSTEMS
from cdec.evaluation.experiment import Experiment, Topics, prepare, prepare_pair
from cdec.evaluation.parts import check_corpus
from cdec.evaluation.response import AnyFile, Responses
from cdec.evaluation.results import Results
from cdec.evaluation.systems import run
from cdec.files.jobs import chosen_jobs
from cdec.files.progress import notebook
from cdec.matching.alignment import again_in_key
from cdec.matching.policy import DEFAULT_POLICY, Choices, FilePolicy
from cdec.plugins import part_of_room
from cdec.render.analysis import Analysis
from cdec.settings import Settings
from cdec.system import Learner, System, is_learner

if TYPE_CHECKING:
    from cdec.statistics.compare import Comparison
    from cdec.statistics.draws import Plan

# The part of a corpus whose key says what was seen, or a function that returns it.
Train = Corpus | Callable[[], Corpus] | None


def load_corpus(
    choice: str | None = None,
    split: str | None = None,
    *,
    mentions: str | None = None,
    key_patch: str | Path | None = None,
) -> Corpus:
    """Load a corpus, or a part of it.

    ``choice`` is a path or the name of an added corpus, of one with several readings of the key
    also ``"gvc:one-chain"``; by default the path in the environment variable CDEC_ECBPLUS, else the
    added ECB+, else the embedded sample. ``split`` is ``all``,
    a part of the default split such as ``test``, or a part of another split given by name or TOML
    file: ``cybulska/test``, ``my.toml/dev``. By default it is the whole corpus, and a response is
    scored on the part that it covers (``cdec.evaluation.parts``). ``mentions`` is the kind to
    cluster and score: event (the default), entity or all. ``key_patch`` corrects the key first: a
    patch of ``cdec audit apply``, or the name of one of cdec, as "ecbplus-read-2". Raises
    CorpusError, UnknownNameError, and FormatError for a patch that is invalid or of another corpus.
    Warns with SampleWarning if the sample is used by default.

    >>> corpus = load_corpus("sample", "test")
    >>> corpus.name, corpus.part, len(corpus.documents), len(corpus.selected)
    ('sample', 'sample-test', 18, 389)
    """
    from cdec.corpus.splits import part_of
    from cdec.corpus.store import SAMPLE_NOTICE, load, locate

    texts: dict[str, object] = {
        "choice": choice,
        "split": split,
        "mentions": mentions,
        "key_patch": key_patch,
    }
    for name, value in texts.items():
        if value is not None and not isinstance(value, str | Path):
            raise UsageError(
                "argument-invalid",
                f"'{name}' is a {type(value).__name__}",
                hint="give a text, such as a path",
            )
    located = locate(choice)
    if located.origin == "sample":
        warn_of([SAMPLE_NOTICE], SampleWarning)
    corpus = load(located)
    if (
        key_patch
    ):  # first, because a chain may have mentions inside and outside the part
        claims = part_of_room("key patch", "claims")
        corpus = claims.corrected(corpus, claims.read_patch(key_patch))
    corpus = part_of(corpus, split) if split else replace(corpus, undecided=True)
    if mentions or located.variant:
        corpus = corpus.select(mentions, variant=located.variant)
    return corpus


def predict(
    corpus: Corpus, system: str | System = "lemma", **parameters: object
) -> Clustering:
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
    if isinstance(system, str):
        system = baselines.system(system, **parameters)
    return run(system, corpus)


def evaluate(
    corpus: Corpus,
    response: Responses,
    *,
    setting: Settings = "all",
    metrics: str | Iterable[str] | None = None,
    scorer: str = "cdec",
    policy: FilePolicy = DEFAULT_POLICY,
    ci: bool | Plan = False,
    by: str | None = None,
    layout: str | None = None,
    against: str | None = None,
    nlp: str | None = None,
    **choices: Unpack[Choices],
) -> Results:
    """Score one or more responses against the key of ``corpus``.

    * ``corpus``: a part, or the whole, as ``load_corpus`` gives it. Without ``split``, that is the
      part that the responses cover.
    * ``response``: a Clustering, a Series or dict mention → chain label, a dict chain → mentions, a
      list of chains, a table with the columns of response files, a path, an ``Annotation``, the
      name of a baseline, a system, a list of these, or a dict system → one of these, or a list of
      its runs, whose scores are averaged. A mention is an id, ``(doc, start, end)`` or
      ``"doc/start-end"``; the name of a system has no ``/``. A list of lists is a list of chains.
    * ``setting``: a name such as ``"pure"``, a Setting, or a list; ``"all"``, the default: the six.
    * ``metrics``: a metric id such as ``"conll"``, several, or ``"all"``; None: MUC, B³, CEAF_e,
      LEA and CoNLL.
    * ``scorer``: the implementation of the metrics, ``"cdec"`` or that of a plug-in.
    * ``policy``: the treatment of irregular responses, a ``FilePolicy``. Its choices are also
      arguments, as ``noise="absent"`` for the label −1 of clusterers, and replace those of
      ``policy``; ``nlp`` is the pipeline that finds heads.
    * ``ci``: True adds confidence intervals; a ``Plan`` also sets the number of resamples, the
      seed, the unit and the method.
    * ``by``: also score each ``"document"``, ``"subtopic"``, ``"topic"`` or ``"kind"`` (the rows of
      ``results.units``), or ``"chain"``: what each chain adds to recall or precision.
    * ``layout``: ``"systems"``: the page has a row for each system, a column for each setting and
      one metric; ``"metrics"``: a row for each system under a setting, and all metrics. The default
      is ``"systems"`` for several systems and several settings, unless several metrics are named.
    * ``against``: the system from which a † marks a difference, in the layout ``"systems"``; the
      test is run if it is given, or with ``ci`` (then by default the first system).

    Warns with CdecWarning of what may be a mistake, such as a response for another part;
    ``results.notices`` has all irregularities. Raises FormatError, ScoringError and UsageError.

    >>> corpus = load_corpus("sample", "test")
    >>> results = evaluate(corpus, {"gold": corpus.gold, "base": "lemma"}, metrics="conll")
    >>> results["pure"].to_frame()["f1"].round(3).tolist()
    [1.0, 0.467]
    >>> results["pure"]["gold"]["conll"].f1
    1.0
    """
    if nlp is not None or choices:
        policy = policy.with_choices(nlp, **choices)
    experiment = prepare(
        corpus,
        response,
        setting=setting,
        metrics=metrics,
        scorer=scorer,
        policy=policy,
    )
    if len(experiment.runs) == 1 and not (layout or against):
        return _scored(experiment, ci, by)
    layout = _layout_of(experiment, layout, against, by, is_default=metrics is None)
    results = replace(_scored(experiment, ci, by), layout=layout)
    is_tested = ci and layout == SYSTEMS and len(experiment.systems) > 1
    if not (against or is_tested):
        return results
    from cdec.statistics.draws import plan_of
    from cdec.statistics.marks import with_tests

    plan = None if isinstance(ci, bool) else ci
    reference = against or next(iter(experiment.systems))
    return with_tests(results, experiment, plan_of(plan, experiment.runs), reference)


def _layout_of(
    experiment: Experiment,
    layout: str | None,
    against: str | None,
    by: str | None,
    *,
    is_default: bool,
) -> str:
    """Return the layout of results as the call asks for it, else the one that fits them.

    ``is_default``: the call names no metric. Raises UsageError for a layout that cannot show what
    the call asks for, UnknownNameError for a layout or a reference that does not exist.
    """
    systems = experiment.systems
    fits = by is None and (is_default or len(experiment.call_metrics or "all") == 1)
    if layout is None:
        has_both = len(systems) > 1 and len(experiment.settings) > 1
        layout = SYSTEMS if against or (fits and has_both) else LAYOUTS[1]
    is_table = one_of("layout", layout, LAYOUTS) == SYSTEMS
    if (is_table and not fits) or (against and not is_table):
        raise UsageError(
            "option-conflict",
            f"{spelled('layout', layout)} cannot show what the call asks for",
            hint="systems shows one metric, and no units; only systems marks differences from a "
            "reference (against)",
        )
    if against:
        one_of("system", against, systems)
    return layout


def _scored(
    experiment: Experiment,
    ci: bool | Plan,
    by: str | None,
) -> Results:
    """Return the results, with intervals or by unit; warn of what may be a mistake."""
    if experiment.notices:
        warn_of(experiment.notices)
    if not ci:
        return experiment.results(by)
    if by is not None:
        raise UsageError(
            "option-conflict",
            "ci and by exclude each other",
            hint="drop one of them: intervals are computed for the overall score only",
        )
    if any(again_in_key(run.mentions).any() for run in experiment.runs):
        raise UsageError(
            "option-conflict",
            "there are no intervals for a key that has mentions in several chains",
            hint=f"{spelled('repeats', 'first')} counts the first occurrence",
        )
    from cdec.statistics.draws import plan_of
    from cdec.statistics.intervals import with_intervals

    return with_intervals(
        experiment, plan_of(None if ci is True else ci, experiment.runs)
    )


def score(
    key: AnyFile,
    response: AnyFile,
    *,
    scope: str | None = None,
    setting: Settings | None = None,
    topics: Topics | str | Path | None = None,
    metrics: str | Iterable[str] | None = None,
    scorer: str = "cdec",
    policy: FilePolicy = DEFAULT_POLICY,
    ci: bool | Plan = False,
    by: str | None = None,
    **choices: Unpack[Choices],
) -> Results:
    """Score two files or two clusterings without a corpus.

    * ``key``, ``response``: a path, a frame, or chains in any form that ``evaluate`` takes.
    * ``scope``: ``"document"``: chain labels are local to a document, and counts are summed over
      documents, as in the CoNLL reference scorer. ``"corpus"``: all documents are one
      meta-document, and the same label is the same chain. It is needed if a label occurs in several
      documents. If none does, the default is ``"document"``; it is ``"corpus"`` if mentions do not
      name their documents, as ``(doc, start, end)`` or ``doc/mention``.
    * ``setting``: instead of a scope, as in ``evaluate``; ``topics`` (a table of document,
      topic and, if any, sub-topic, or a dict document → topic, or (topic, sub-topic)) is for those
      that need topics, and for ``ci``.
    * ``metrics``, ``scorer``, ``policy`` and its choices (``noise`` is of both sides), ``ci``,
      ``by``: as in ``evaluate``.

    Warns and raises as ``evaluate`` does.

    >>> results = score({"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 2})
    >>> results["muc"]
    Value(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    if choices:
        policy = policy.with_choices(**choices)
    experiment = prepare_pair(
        key,
        response,
        scope=scope,
        setting=setting,
        topics=topics,
        metrics=metrics,
        scorer=scorer,
        policy=policy,
    )
    return _scored(experiment, ci, by)


def compare(
    corpus: Corpus,
    responses: Responses,
    *,
    setting: Settings = "pure",
    metrics: str | Iterable[str] | None = "conll",
    plan: Plan | None = None,
    against: str | None = None,
    all_pairs: bool = False,
    policy: FilePolicy = DEFAULT_POLICY,
    by: str | None = None,
    train: Train = None,
    nlp: str | None = None,
    **choices: Unpack[Choices],
) -> Analysis[Comparison]:
    """Test whether a system is better or worse than each other, as ``cdec compare`` does.

    ``responses`` are two or more, as in ``evaluate``. The first, or the system named ``against``,
    is compared with each other; with ``all_pairs`` each is with each. ``plan`` has the number of
    resamples and exchanges, the seed and the unit; ``policy`` and its choices as in ``evaluate``;
    ``by``, ``train`` and ``nlp`` as in ``diagnose``. Warns before the tests if some cannot reach
    p (Holm) ≤ .05. Raises as ``evaluate`` does.

    >>> from cdec import load_corpus
    >>> from cdec.statistics.draws import Plan
    >>> corpus, plan = load_corpus("sample", "test"), Plan(resamples=20, exchanges=20)
    >>> found = compare(corpus, ["lemma", "lemma-wd"], plan=plan)
    >>> found.to_frame()[["a", "b", "metric"]].values.tolist()
    [['lemma', 'lemma-wd', 'conll']]
    """
    from cdec.evaluation.parts import check_documents
    from cdec.statistics.compare import compare as compare_systems
    from cdec.statistics.draws import plan_of
    from cdec.statistics.page import comparison_page

    if against and all_pairs:
        raise UsageError(
            "option-conflict",
            "against and all_pairs exclude each other",
            hint="drop one of them",
        )
    policy = policy.with_choices(nlp, **choices)
    experiment = prepare(
        corpus,
        responses,
        setting=setting,
        metrics=metrics,
        policy=policy,
    )
    warn_of(experiment.notices)
    check_documents(experiment.runs, policy)
    strata = None
    if by is not None:
        strata_of = part_of_room("strata", "strata").of
        strata = strata_of(
            by,
            experiment.part,
            train,
            nlp or "hanta",
            notebook(),
        )
    elif isinstance(train, Corpus):
        raise without_stratum()
    comparison = compare_systems(
        experiment,
        plan_of(plan, experiment.runs),
        against,
        all_pairs=all_pairs,
    )
    page = comparison_page(comparison)
    if strata is not None:
        page = strata.behind(page, experiment)
    return Analysis(comparison, page, comparison.notices)


def without_stratum() -> UsageError:
    """Return the error for a train part that no stratum uses."""
    return UsageError(
        "option-conflict",
        "train has no effect without a stratum",
        hint=f"drop train, or add {spelled('by', 'seen')}",
    )


def train(
    corpus: Corpus,
    system: str | System = "sac",
    *,
    split: str | None = None,
) -> Learner:
    """Train a system on the train part of ``corpus``, as ``cdec train`` does; return it.

    ``corpus`` is the whole corpus, ``split`` a split of it (default: its own). The result can be
    evaluated, and has ``save``. Raises UnknownNameError for a system that cannot be trained.
    """
    check_corpus(corpus)
    from cdec import baselines
    from cdec.corpus.splits import train_and_dev

    if isinstance(system, str):
        system = baselines.system(system, progress=notebook())
    if not is_learner(system):
        raise UnknownNameError(
            "trainable system", system.name, baselines.names_of(is_learner)
        )
    return system.fit(*train_and_dev(corpus, split), jobs=chosen_jobs())
