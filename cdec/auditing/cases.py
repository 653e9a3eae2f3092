"""The audit of a key: the suspects of the detectors, as cases in order. The verb ``cdec.audit``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cdec.api import system_of
from cdec.auditing import probability
from cdec.auditing.case import SPURIOUS, TWO_EVENTS, Case
from cdec.auditing.case_list import grouped_cases, joined_cases, suspected_cases
from cdec.auditing.detectors import DETECTORS, USUAL
from cdec.auditing.detectors.pairs import SYSTEMS
from cdec.auditing.evidence import SVM, Evidence
from cdec.auditing.page import cases_page, pairs_page
from cdec.auditing.readers import Readers, readers_of
from cdec.auditing.shortlist import ShortList
from cdec.corpus.model import Corpus
from cdec.errors import Notice, UsageError, check_number, one_of, spelled, warn_of
from cdec.evaluation.parts import check_corpus
from cdec.evaluation.response import AnyResponse, read_responses
from cdec.files.progress import notebook
from cdec.language.pipeline import identity
from cdec.language.stems import stemmer_identity
from cdec.render.analysis import Analysis
from cdec.signature import Signature

DELTA = 0.95  # smallest |anchor| of a flagged pair, in Upadhyay et al. (2016)


def audit(
    corpus: Corpus,
    *,
    detectors: str | Iterable[str] | None = None,
    delta: float = DELTA,
    nlp: str = "hanta",
    responses: AnyResponse | Sequence[AnyResponse] | Mapping[str, AnyResponse] = (),
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
    requested = _requested_detectors(detectors)
    readers = _readers(responses, corpus)
    if SYSTEMS in requested and readers is None:
        raise UsageError(
            "option-conflict",
            f"the detector '{SYSTEMS}' needs responses of systems",
            hint=f"add one, as {spelled('responses', 'mine.conll')}",
        )
    if readers is not None:
        requested.add(SYSTEMS)
    evidence = Evidence(
        corpus,
        [name for name in DETECTORS if name in requested],
        delta,
        nlp,
        progress=notebook(),
        readers=readers,
    )
    evidence.check_pairs()
    suspected, left_out = suspected_cases(evidence)
    joined = joined_cases(suspected, evidence)
    cases = grouped_cases(_with_ranks(joined, corpus), evidence)
    notices = _notices(evidence, left_out)
    warn_of(notices)
    about = _signature(evidence, left_out)
    if evidence.detectors == [SVM]:
        listed = ShortList(cases, about, _pairs_of_svm(evidence))
        return Analysis(listed, pairs_page(listed, corpus, delta), notices)
    listed = ShortList(cases, about)
    return Analysis(listed, cases_page(listed.to_read(), corpus, len(cases)), notices)


def _requested_detectors(detectors: str | Iterable[str] | None) -> set[str]:
    """Return the ids of the detectors of a call. Raises UnknownNameError."""
    if detectors is None:
        detectors = USUAL
    elif isinstance(detectors, str):
        detectors = (detectors,)
    return {one_of("detector", name, DETECTORS) for name in detectors}


def _readers(
    responses: AnyResponse | Sequence[AnyResponse] | Mapping[str, AnyResponse],
    corpus: Corpus,
) -> Readers | None:
    """Return the readers with the responses of a call; None without responses."""
    if isinstance(responses, list | tuple) and not responses:
        return None
    return readers_of(read_responses(responses, system=system_of), corpus)


def _with_ranks(cases: Sequence[Case], corpus: Corpus) -> list[Case]:
    """Return the cases with their ranks; without scores if these were fitted to another key."""
    is_fitted = probability.is_fitted_to(corpus.about)
    ordered = list(cases)
    if corpus.linked_within and not is_fitted:
        # Where annotators had no links, members are wrong.
        ordered.sort(key=lambda case: case.kind not in (TWO_EVENTS, SPURIOUS))
    ranked = []
    for rank, case in enumerate(ordered, start=1):
        values: dict[str, Any] = {"rank": rank}
        if not is_fitted:
            values["score"] = None
        ranked.append(case.model_copy(update=values))
    return ranked


def _signature(evidence: Evidence, left_out: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of the signature of an audit."""
    corpus = evidence.corpus
    origins = DETECTORS.origins(evidence.detectors)
    calibration_corpus = None
    if not probability.is_fitted_to(corpus.about):
        calibration_corpus = probability.judged_corpus()
    signature = Signature.from_fields(
        **corpus.about,
        nlp=identity(evidence.nlp, corpus),
        stemmer=stemmer_identity(),
        detectors=evidence.detectors,
        delta=evidence.delta,
        calibration=probability.calibration_digest(),
        calibration_corpus=calibration_corpus,
        plugins=",".join(str(origin) for origin in origins) or None,
        left_out=",".join(left_out) or None,
        systems=evidence.readers.digest if evidence.readers else None,
        linked_within=_level_of_links(corpus),
    )
    return dict(signature.fields)


def _level_of_links(corpus: Corpus) -> str | None:
    """Return the name of the level that limits the links of a corpus, if one does."""
    if not corpus.linked_within:
        return None
    return corpus.levels[corpus.linked_within]


def _notices(evidence: Evidence, left_out: Mapping[str, str]) -> tuple[Notice, ...]:
    """Return the notices of the readers, and those of the limits of the list."""
    corpus = evidence.corpus
    limits = [
        f"the detector {name} is left out: {problem}"
        for name, problem in left_out.items()
    ]
    level = _level_of_links(corpus)
    if level:
        limits.append(
            f"mentions of two {level}s are not compared: the corpus has links inside one"
        )
    if not probability.is_fitted_to(corpus.about):
        judged = f"judged cases of '{probability.judged_corpus()}', not of this corpus and key"
        limits.append(
            f"cases have ranks but no probabilities: their order was fitted to {judged}"
        )
    notices: list[Notice] = []
    if evidence.readers is not None:
        notices += evidence.readers.notices
    notices += [Notice("result-limited", 0, limit, warning=False) for limit in limits]
    return tuple(notices)


def _pairs_of_svm(evidence: Evidence) -> pd.DataFrame:
    """Return the candidate pairs with an anchor, the largest first, see ``ShortList.pairs``."""
    ids = np.array(evidence.ids, dtype=object)
    topics = evidence.corpus.selected["topic"].to_numpy()
    pairs = pd.DataFrame(
        {
            "anchor": evidence.anchors,
            "above": evidence.anchors > evidence.delta,
            "linked": evidence.linked,
            "topic": topics[evidence.pairs.left],
            "a": ids[evidence.pairs.left],
            "b": ids[evidence.pairs.right],
        }
    )
    with_anchor = pairs[pairs["anchor"] > 0]
    largest_first = with_anchor.sort_values("anchor", ascending=False, kind="stable")
    return largest_first.reset_index(drop=True)
