"""The audit of a key: the suspects of the detectors, as cases in order. The verb ``cdec.audit``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from cdec.auditing.case import SPURIOUS, TWO_EVENTS, Case
from cdec.auditing.case_list import grouped_cases, joined_cases, suspected_cases
from cdec.auditing.detectors import DETECTORS, USUAL
from cdec.auditing.detectors.pairs import SYSTEMS
from cdec.auditing.evidence import SVM, Evidence
from cdec.auditing.page import cases_page, pairs_page
from cdec.auditing.probability import calibration_digest, foreign_calibration
from cdec.auditing.readers import systems_of
from cdec.auditing.shortlist import ShortList
from cdec.corpus.model import Corpus
from cdec.errors import Notice, UsageError, check_number, one_of, warn_of
from cdec.evaluation.parts import check_corpus
from cdec.evaluation.response import Responses, read_responses
from cdec.files.progress import notebook
from cdec.language.pipeline import identity
from cdec.language.stems import stemmer_identity
from cdec.matching.policy import FilePolicy
from cdec.records import Fields, Row
from cdec.render.analysis import Analysis
from cdec.signature import Signature

DELTA = 0.95  # smallest |anchor| of a flagged pair, in Upadhyay et al. (2016)


def audit(
    corpus: Corpus,
    *,
    detectors: str | Iterable[str] | None = None,
    delta: float = DELTA,
    nlp: str = "hanta",
    responses: Responses = (),
) -> Analysis[ShortList]:
    """List suspected errors in the key of ``corpus``, as ``cdec audit run --all`` does.

    ``value.cases`` are the cases, the most certain first; ``value.to_read()`` are those to start
    on, and the page shows the first of them. ``delta`` is the smallest anchor |a| that the SVM
    flags. ``responses`` are chains of systems or of other annotators, as for ``evaluate``.

    The order is by the probability of an error; where links inside one unit only were annotated,
    and no probabilities are known, wrong members are before missing links. Cases have a score only
    if it was fitted to this corpus and key: the order of one corpus is useful for another, its
    probabilities are not.

    Raises UnknownNameError for a detector, UsageError and ScoringError for responses, LanguageError
    if words cannot be tagged, PluginError if a plug-in fails, and CorpusError if the corpus is too
    small or no detector applies to it.

    >>> from cdec import load_corpus
    >>> len(audit(load_corpus("sample"), detectors="companions").value.cases) > 0
    True
    """
    check_corpus(corpus)
    check_number("delta", delta, 0, 2, whole=False)
    if detectors is None:
        detectors = USUAL
    elif isinstance(detectors, str):
        detectors = (detectors,)
    requested = {one_of("detector", name, DETECTORS) for name in detectors}
    readers = None
    if not isinstance(responses, list | tuple) or responses:
        readers = systems_of(
            read_responses(responses, FilePolicy(lenient=None)), corpus
        )
    if readers:
        requested.add(SYSTEMS)
    elif SYSTEMS in requested:
        raise UsageError(
            "option-conflict",
            f"the detector '{SYSTEMS}' needs responses of systems",
            hint="give a response",
        )
    ids = [name for name in DETECTORS if name in requested]
    evidence = Evidence(corpus, ids, delta, nlp, progress=notebook(), readers=readers)
    evidence.check_pairs()
    suspected, left_out = suspected_cases(evidence)
    ranked = _with_ranks(joined_cases(suspected, evidence), corpus)
    about = _signature(evidence, left_out)
    notices = (*(readers.notices if readers else ()), *_limits(about, left_out))
    warn_of(notices)
    pairs = _pairs_of_svm(evidence) if ids == [SVM] else None
    listed = ShortList(grouped_cases(ranked, evidence), about, pairs)
    if pairs is not None:
        return Analysis(listed, pairs_page(listed, corpus, delta), notices)
    page = cases_page(listed.to_read(), corpus, len(listed.cases))
    return Analysis(listed, page, notices)


def _with_ranks(cases: Sequence[Case], corpus: Corpus) -> list[Case]:
    """Return the cases with their ranks; without scores if these are of another corpus or key."""
    update: Row = {}
    if foreign_calibration(corpus.about):
        update["score"] = None
        if corpus.linked_within:  # where annotators had no links, members are wrong
            cases = sorted(
                cases, key=lambda case: case.kind not in (TWO_EVENTS, SPURIOUS)
            )
    return [
        case.model_copy(update={"rank": rank, **update})
        for rank, case in enumerate(cases, start=1)
    ]


def _signature(evidence: Evidence, left_out: Mapping[str, str]) -> Fields:
    """Return the fields of the signature of an audit."""
    corpus = evidence.corpus
    level = corpus.linked_within
    fields = {
        "nlp": identity(evidence.nlp, corpus),
        "stemmer": stemmer_identity(),
        "detectors": evidence.detectors,
        "delta": evidence.delta,
        "calibration": calibration_digest(),
        "calibration_corpus": foreign_calibration(corpus.about),
        "plugins": ",".join(map(str, DETECTORS.origins(evidence.detectors))) or None,
        "left_out": ",".join(left_out) or None,
        SYSTEMS: evidence.readers.digest if evidence.readers else None,
        "linked_within": corpus.levels[level] if level else None,
    }
    return dict(Signature.from_fields(**corpus.about, **fields).fields)


def _limits(about: Fields, left_out: Mapping[str, str]) -> list[Notice]:
    """Return the notices on the limits of a list; ``about``: the fields of its signature."""
    limits = [
        f"the detector {name} is left out: {problem}"
        for name, problem in left_out.items()
    ]
    if level := about.get("linked_within"):
        limits.append(
            f"mentions of two {level}s are not compared: the corpus has links inside one"
        )
    if judged := about.get("calibration_corpus"):
        order = f"fitted to judged cases of '{judged}', not of this corpus and key"
        limits.append(f"cases have ranks but no probabilities: their order was {order}")
    return [Notice("result-limited", 0, limit, warning=False) for limit in limits]


def _pairs_of_svm(evidence: Evidence) -> pd.DataFrame:
    """Return the candidate pairs with an anchor, the largest first, see ``ShortList.pairs``."""
    ids = np.array(evidence.ids, dtype=object)
    topics = evidence.corpus.selected["topic"].to_numpy()
    left = evidence.pairs.left
    pairs = pd.DataFrame(
        {
            "anchor": evidence.anchors,
            "above": evidence.anchors > evidence.delta,
            "linked": evidence.linked,
            "topic": topics[left],
            "a": ids[left],
            "b": ids[evidence.pairs.right],
        }
    )
    order = pairs[pairs["anchor"] > 0].sort_values(
        "anchor", ascending=False, kind="stable"
    )
    return order.reset_index(drop=True)
