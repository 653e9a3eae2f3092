"""The Python API, continued: the analyses of the command line, one function per command.

Each returns an ``Analysis``: its ``value`` is the object of the library, and notebooks show its
page. Modules are imported when a function is called, because few sessions need all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdec.api import experiment_of, placed, responses_of
from cdec.corpus.model import Corpus
from cdec.errors import UsageError, check_number
from cdec.errors.notices import warn_of
from cdec.evaluation.experiment import check_corpus
from cdec.evaluation.response import DEFAULT_POLICY, FilePolicy, read_responses
from cdec.files.jobs import check_jobs, chosen_jobs
from cdec.files.progress import notebook
from cdec.labels import Noise
from cdec.matching.policy import policy_of
from cdec.render.analysis import Analysis
from cdec.settings import Settings

if TYPE_CHECKING:
    from cdec.auditing.shortlist import ShortList
    from cdec.diagnosis.by_stratum import Strata
    from cdec.diagnosis.candidates import Candidates
    from cdec.evaluation.experiment import Experiment
    from cdec.evaluation.response import Response
    from cdec.statistics.comparison import Comparison
    from cdec.statistics.draws import Plan
    from cdec.system import Learner, System
    from cdec.tuning import Tuning

__all__ = ["audit", "compare", "diagnose", "train", "tune"]

# The part of a corpus whose key says what was seen, or a function that returns it.
Train = Corpus | Callable[[], Corpus] | None
Responses = Any  # what cdec.evaluate takes
_MOST_CHAINS = 1_000_000  # that a page shows


def compare(
    corpus: Corpus,
    responses: Responses,
    *,
    setting: Settings = "pure",
    metrics: str | Iterable[str] | None = None,
    plan: Plan | None = None,
    noise: Noise | None = None,
    policy: FilePolicy = DEFAULT_POLICY,
    by: str | None = None,
    train: Train = None,
    nlp: str = "hanta",
) -> Analysis[Comparison]:
    """Test whether a system is better than another, pair by pair, as ``cdec compare`` does.

    ``responses`` are two or more, as in ``evaluate``; ``plan`` has the number of resamples and
    exchanges, the seed and the unit; ``noise`` as in ``evaluate``; ``by``, ``train`` and ``nlp``
    as in ``diagnose``. Raises as ``evaluate`` does.

    >>> from cdec import load_corpus
    >>> from cdec.statistics.draws import Plan
    >>> corpus, plan = load_corpus("sample", "test"), Plan(resamples=20, exchanges=20)
    >>> found = compare(corpus, ["lemma", "lemma-wd"], metrics="conll", plan=plan)
    >>> found.to_frame()[["a", "b", "metric"]].values.tolist()
    [['lemma', 'lemma-wd', 'conll']]
    """
    from cdec.diagnosis.by_stratum import with_strata
    from cdec.evaluation.parts import check_documents
    from cdec.statistics.comparison import compare as compared
    from cdec.statistics.draws import fitted
    from cdec.statistics.page import comparison_page

    policy = policy_of(policy, noise)
    corpus, responses = placed(corpus, responses)
    strata = _strata(corpus, by, train, nlp)
    experiment = experiment_of(corpus, responses, setting, metrics, policy=policy)
    warn_of(experiment.notices)
    check_documents(experiment.runs, policy)
    found = compared(experiment, fitted(plan, experiment.runs))
    page = comparison_page(found)
    page = with_strata(page, experiment, strata) if strata else page
    return Analysis(found, page, experiment.notices)


def diagnose(
    corpus: Corpus,
    responses: Responses,
    *,
    setting: Settings = "simple",
    top: int = 5,
    nlp: str = "hanta",
    noise: Noise | None = None,
    policy: FilePolicy = DEFAULT_POLICY,
    by: str | None = None,
    train: Train = None,
    within: Any = None,
) -> Analysis[Experiment]:
    """Show the errors of systems: links by kind, edits, sizes, lemmas, worst chains.

    As ``cdec diagnose`` does; of several responses, each is compared with the next. ``top`` is the
    number of worst chains, ``nlp`` the pipeline that finds lemmas, ``noise`` as in ``evaluate``.
    ``by`` also divides links, B³ and LEA by a stratum, such as "lemma" or "size"; "seen" and
    "seen-lemma" need ``train``, the part of the corpus whose key says what was seen. ``within`` is
    a file of mention pairs, or a response: what decisions on its links can score is shown, too.
    Raises as ``evaluate`` does.

    >>> from cdec import load_corpus
    >>> found = diagnose(load_corpus("sample", "test"), "lemma", top=1)
    >>> found.to_frame()["section"].iloc[0]
    'diagnosis-simple-lemma'
    """
    from cdec.diagnosis.mentions import lemmas_of
    from cdec.diagnosis.page import diagnosis_page

    check_number("parameter-invalid", "top", top, 0, _MOST_CHAINS)
    corpus, responses = placed(corpus, responses)
    strata = _strata(corpus, by, train, nlp)
    experiment = experiment_of(corpus, responses, setting, policy=policy_of(policy, noise))
    warn_of(experiment.notices)
    lemmas = lemmas_of(corpus, nlp, notebook())
    among = None if within is None else _candidates(corpus, within, policy_of(policy, noise))
    page = diagnosis_page(experiment, corpus, lemmas, nlp, top, candidates=among, strata=strata)
    return Analysis(experiment, page, experiment.notices)


def _candidates(corpus: Corpus, within: Any, policy: FilePolicy) -> Candidates:
    """Return the pairs in a file, or the links of a response."""
    from cdec.diagnosis.candidates import Candidates
    from cdec.evaluation.aligned import run_on
    from cdec.pairs.mention_pairs import MentionPairs

    if isinstance(within, str | Path) and Path(within).is_file():
        pairs = MentionPairs.read(str(within), corpus)
        if pairs is not None:
            warn_of(pairs.notices)
            return Candidates.from_pairs(pairs)
    return Candidates.from_run(run_on(corpus, responses_of(within), policy))


def _strata(corpus: Corpus, by: str | None, train: Train, nlp: str) -> Strata | None:
    """Return the stratum ``by``. Raises UsageError for ``train`` that it does not need."""
    from cdec.diagnosis.by_stratum import Strata

    check_corpus(corpus)
    if by is not None:
        return Strata.of(by, corpus, train, nlp, notebook())
    if train is not None:
        raise UsageError("option-requires", "train has no effect without by", hint="pass by=")
    return None


def tune(
    corpus: Corpus,
    system: str | Any = "lemma-delta",
    *,
    setting: str = "simple",
    metric: str = "conll",
    grid: str = "delta",
    i_know: bool = False,
) -> Analysis[Tuning]:
    """Choose δ of a system by its score on ``corpus``, as ``cdec tune`` does.

    ``value.system`` is the system with this δ. Raises UsageError for a corpus with test data unless
    ``i_know``, and UnknownNameError for a system without δ.

    >>> from cdec import load_corpus
    >>> tune(load_corpus("sample", "dev"), "lemma-delta").value.metric
    'conll'
    """
    check_corpus(corpus)
    from cdec import tuning
    from cdec.baselines import system as made
    from cdec.settings import find_setting

    chosen: Any = made(system) if isinstance(system, str) else system
    seen = tuning.refuse_test(corpus, corpus.part, i_know)
    found = tuning.tune(
        corpus, chosen, find_setting(setting), metric, grid=grid, on_test=seen, progress=notebook()
    )
    return Analysis(found, tuning.tuning_page(found))


def train(
    corpus: Corpus,
    system: str | Learner = "sac",
    *,
    split: str | None = None,
    jobs: int | None = None,
) -> Learner:
    """Train a system on the train part of ``corpus``, as ``cdec train`` does; return it.

    ``corpus`` is the whole corpus, ``split`` a split of it (default: its own). The result can be
    evaluated, and has ``save``. Raises UnknownNameError for a system that cannot be trained.
    """
    check_corpus(corpus)
    from cdec.baselines import names_of
    from cdec.baselines import system as made
    from cdec.corpus.splits import select, split_of
    from cdec.errors import UnknownNameError
    from cdec.system import is_learner

    check_jobs(1 if jobs is None else jobs)
    learner: System = made(system, progress=notebook()) if isinstance(system, str) else system
    if not is_learner(learner):
        raise UnknownNameError("trainable system", learner.name, names_of(is_learner))
    chosen = split_of(corpus, split)
    parts = [select(corpus, name, chosen) for name in ("train", "dev")]
    return learner.fit(parts[0], parts[1], jobs=jobs or chosen_jobs())


def audit(
    corpus: Corpus,
    *,
    detectors: str | Iterable[str] | None = None,
    nlp: str = "hanta",
    annotators: Sequence[Response] = (),
    responses: Response | Sequence[Response] | Mapping[str, Response] = (),
    **config: Any,
) -> Analysis[ShortList]:
    """List suspected errors in the key of ``corpus``, as ``cdec audit run`` does.

    ``value.cases`` are the cases, the most certain first. ``annotators`` is a list of the chains of
    other annotators, ``responses`` are those of systems, as for ``evaluate``; ``config`` are fields
    of ``cdec.auditing.config.AuditConfig``. Raises UnknownNameError, UsageError, ScoringError.

    >>> from cdec import load_corpus
    >>> len(audit(load_corpus("sample"), detectors="companions").value.cases) > 0
    True
    """
    check_corpus(corpus)
    from cdec.auditing.cases import audit as audited
    from cdec.auditing.config import AuditConfig
    from cdec.auditing.page import cases_page

    if detectors is not None:
        config["detectors"] = (detectors,) if isinstance(detectors, str) else tuple(detectors)
    chosen = AuditConfig(pipeline=nlp, **config)
    none = isinstance(responses, list | tuple) and not responses
    given = [] if none else read_responses(responses_of(responses))
    found = audited(corpus, chosen, notebook(), annotators=annotators, responses=given)
    warn_of(found.told)
    return Analysis(found, cases_page(found))
