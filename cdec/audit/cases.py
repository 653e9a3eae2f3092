"""The audit of a key: its cases in order, with the evidence for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import as_file, files

import numpy as np

from cdec.audit.case import Case
from cdec.audit.config import AuditConfig
from cdec.audit.detectors import DETECTORS
from cdec.audit.findings import Findings
from cdec.audit.key import Key, prepare
from cdec.audit.order.model import Calibration, read_calibration
from cdec.audit.order.ranking import Ranking, ranking
from cdec.audit.pool import COLUMNS
from cdec.audit.shortlist import DEPTHS, ELSEWHERE, Expected, ShortList
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent
from cdec.language.pipeline import identity
from cdec.signature import Signature

_DIGITS = 4  # of a contribution and of the value of a feature
_SHOWN = 4  # features shown for the link, and as many against it


def default_calibration() -> Calibration:
    """Return the probabilities fitted to the judged cases of ECB+."""
    with as_file(files("cdec.audit.order") / "ecbplus.json") as path:
        return read_calibration(path)


def audit(
    corpus: Corpus,
    config: AuditConfig,
    progress: Progress = silent,
    calibration: Calibration | None = None,
) -> ShortList:
    """Return all cases that the detectors of ``config`` find in the key of ``corpus``, in order.

    Cases have a score, and the list expected errors, only if the calibration is of this corpus and
    key: the order of one corpus is useful for another, its probabilities are not. Raises
    LanguageError as ``heads`` does, and CorpusError if a detector cannot be applied to the corpus.
    """
    nlp = identity(config.pipeline, corpus)
    chosen = calibration or default_calibration()
    known = chosen.holds_for(corpus.about)
    order = {"calibration": chosen.digest[:12]}
    order |= {} if known else {ELSEWHERE: str(chosen.about.get("corpus", "unknown"))}
    order |= {"plugins": origins} if (origins := _origins(config)) else {}
    signature = Signature.from_fields(**corpus.about, nlp=nlp, **config.about, **order)
    key = Key(corpus, prepare(corpus, config, progress), config, progress)
    ranked = ranking(Findings.of(key), chosen)
    listed = with_evidence(list(ranked.cases()), key)
    cases = tuple(case if known else replace(case, score=None) for case in listed)
    return ShortList(cases, signature.to_dict(), _expected(ranked, cases) if known else ())


def _expected(ranked: Ranking, cases: Sequence[Case]) -> tuple[Expected, ...]:
    """Return the expected errors among the first cases, of all and by review."""
    reviewed = np.array([case.reviewed is True for case in cases], dtype=bool)
    known = any(case.reviewed is not None for case in cases)
    scopes = {"all": np.ones(len(cases), dtype=bool)}
    scopes |= {"only": reviewed, "outside": ~reviewed} if known else {}
    rows = []
    for scope, mask in scopes.items():
        rank = np.where(mask, np.cumsum(mask), len(cases) + 1)
        total = int(mask.sum())
        for depth in (*(d for d in DEPTHS if d < total), total):
            numbers = (round(value, 1) for value in ranked.expected(rank <= depth))
            values = dict(zip(("errors", "low", "high"), numbers, strict=True))
            rows.append(Expected(scope=scope, first=depth, **values))
    return tuple(rows)


def _origins(config: AuditConfig) -> str:
    """Return the packages, other than cdec, that provide detectors."""
    return ",".join(map(str, DETECTORS.origins(config.detectors)))


def with_evidence(cases: list[Case], key: Key) -> list[Case]:
    """Return the cases with the strongest features for and against their link."""
    weights = next((m.weights for m in key.measured.values() if m.weights is not None), None)
    explained = [i for i, case in enumerate(cases) if case.by_pair]
    if weights is None or not explained:
        return cases
    ends = [[key.rows[side.mentions[0]] for side in cases[i].sides[:2]] for i in explained]
    rows = np.sort(ends, axis=1)
    features = key.prepared.pool.describe(rows[:, 0], rows[:, 1])
    design = key.prepared.design
    for place, plain, row in zip(explained, features, design.apply(features), strict=True):
        adds = design.contributions(row, weights).round(_DIGITS)
        order = np.argsort(-adds, kind="stable")
        evidence = tuple(
            (COLUMNS[at], float(adds[at]), round(float(plain[at]), _DIGITS))
            for at in (*order[:_SHOWN], *order[-_SHOWN:])
        )
        cases[place] = replace(cases[place], evidence=evidence)
    return cases
