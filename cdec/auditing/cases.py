"""The audit of a key: its cases in order, with the evidence for them.

The order is by the probability of an error, the highest first. Probabilities are rounded to
``DIGITS`` digits before the cases are ordered, so that the order is the same on every processor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import as_file, files

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats
from cdec.auditing.case import Case, Evidence
from cdec.auditing.config import AuditConfig
from cdec.auditing.connected import Groups, connected
from cdec.auditing.detector import RULE
from cdec.auditing.detectors import DETECTORS
from cdec.auditing.detectors.systems import with_systems
from cdec.auditing.findings import Cases, Findings
from cdec.auditing.key import Key, prepare
from cdec.auditing.order.model import Calibration, Logistic, expected, read_calibration
from cdec.auditing.pairwise import Links, Members
from cdec.auditing.pool import COLUMNS
from cdec.auditing.readers import alone, annotators_of, systems_of, with_readers
from cdec.auditing.shortlist import DEPTHS, ELSEWHERE, LEFT_OUT, WITHIN, Expected, ShortList
from cdec.corpus.model import Corpus
from cdec.evaluation.response import Response
from cdec.files.progress import Progress, silent
from cdec.language.pipeline import identity
from cdec.signature import Signature

DIGITS = 6
_NUMBERED = ("score", "table", "row", "part", "rank")
_DIGITS = 4  # of a contribution and of the value of a feature
_SHOWN = 4  # features shown for the link, and as many against it


def default_calibration() -> Calibration:
    """Return the probabilities fitted to the judged cases of ECB+."""
    with as_file(files("cdec.auditing.order") / "ecbplus.json") as path:
        return read_calibration(path)


@dataclass(frozen=True, eq=False)
class _Part:
    """Cases with common parameters, the derivatives of their scores, the parameters' covariance."""

    cases: pd.DataFrame
    derivatives: Floats
    covariance: Floats


@dataclass(frozen=True, eq=False)
class Ranking:
    """The cases in order, and what the uncertainty of their number needs.

    ``table`` has the flagged rows of the findings, the most probable first. Columns: ``score``,
    ``table`` and ``row`` of the findings, ``rank`` of its case, and the score of each detector,
    missing where it does not flag the row; ``part`` is the number of the rows with common
    parameters in ``parts``, the index the place among them. A case of several rows
    (``cdec.auditing.connected``) has the score and the detectors of the first, and is one error.
    """

    findings: Findings
    table: pd.DataFrame
    parts: Sequence[_Part] = field(repr=False)

    def expected(self, mask: Bools) -> tuple[float, float, float]:
        """Return the expected number of errors among these cases, with a 95 % interval."""
        chosen = self.table.drop_duplicates("rank")[mask]
        places = [chosen.index[chosen["part"] == number] for number in range(len(self.parts))]
        named = zip(places, self.parts, strict=True)
        groups = [(part.derivatives[at], part.covariance) for at, part in named]
        return expected(chosen["score"].to_numpy(), groups)

    @cached_property
    def rows(self) -> list[list[tuple[str, int]]]:
        """Table and row of the findings of each case in order, the most probable first."""
        rows: list[list[tuple[str, int]]] = [[] for _ in range(self.table["rank"].nunique())]
        columns = self.table[["rank", "table", "row"]]
        for rank, name, row in columns.itertuples(index=False, name=None):
            rows[rank - 1].append((str(name), int(row)))
        return rows

    def case(self, rows: Sequence[tuple[str, int]]) -> Case:
        """Return the case of ``rows``, one of ``self.rows``, without rank, score and detectors."""
        tables = {table.name: table for table in self.findings.tables}
        cases = [tables[name].case(row) for name, row in rows]
        name, row = rows[0]
        reasons = tables[name].reasons(row)
        return cases[0] if len(cases) == 1 else connected(self.findings.key, cases, reasons)

    def cases(self) -> Iterator[Case]:
        """Yield the cases in order, with rank, score and detectors."""
        detectors = [name for name in self.table if name not in _NUMBERED]
        first = self.table.drop_duplicates("rank").to_dict("records")
        for rows, row in zip(self.rows, first, strict=True):
            flags = {str(n): float(row[n]) for n in detectors if not pd.isna(row[n])}
            placed = {"score": float(row["score"]), "rank": int(row["rank"]), "detectors": flags}
            yield self.case(rows).model_copy(update=placed)


def ranking(findings: Findings, calibration: Calibration) -> Ranking:
    """Return all cases, the most probable error first."""
    learned = (_by_model(one, calibration.model(one.name)) for one in findings.pairwise)
    rated = (part for one in findings.own for part in _by_rate(one, calibration))
    parts = [part for part in (*learned, *rated) if len(part.cases)]
    none = pd.DataFrame(columns=list(_NUMBERED))
    table = pd.concat(
        [part.cases.reset_index(drop=True).assign(part=at) for at, part in enumerate(parts)]
        or [none]
    )
    scores = table.columns.difference(list(_NUMBERED[1:]), sort=False)
    table[scores] = table[scores].astype(float).round(DIGITS)
    ordered = table.sort_values(["score", "table", "row"], ascending=[False, True, True])
    return Ranking(findings, ordered.assign(rank=Groups(findings, ordered).ranks), parts)


def _by_model(table: Links | Members, model: Logistic) -> _Part:
    """Return the flagged rows with the probability of the learned order."""
    rows = table.features().loc[table.flags.index]
    p = model.probabilities(rows)
    cases = table.flags.assign(score=p, table=table.name, row=rows.index)
    return _Part(cases, model.design(rows) * (p * (1 - p))[:, None], np.array(model.covariance))


def _by_rate(table: Cases, calibration: Calibration) -> Iterator[_Part]:
    """Yield the cases of each group, whose probability is the group's share of errors."""
    flags = table.flags
    cases = flags.assign(table=table.name, row=flags.index)
    for name, part in cases.groupby(table.groups[flags.index], sort=True):
        rate = calibration.rate(str(name))
        p, variance = (1.0, 0.0) if name == RULE else (rate.probability, rate.variance)
        yield _Part(part.assign(score=p), np.ones((len(part), 1)), np.full((1, 1), variance))


def audit(
    corpus: Corpus,
    config: AuditConfig,
    progress: Progress = silent,
    *,
    annotators: Sequence[Response] = (),
    responses: Sequence[Response] = (),
) -> ShortList:
    """Return all cases that the detectors of ``config`` find in the key of ``corpus``, in order.

    Cases have a score, and the list expected errors, only if the calibration is of this corpus and
    key: the order of one corpus is useful for another, its probabilities are not. ``annotators``
    are the chains of other annotators, ``responses`` those of systems, see
    ``cdec.auditing.readers``. Raises UsageError and ScoringError as ``annotators_of`` and
    ``systems_of`` do, LanguageError as ``heads`` does, and CorpusError if no detector can be
    applied to the corpus.
    """
    config, others = with_systems(config, responses), systems_of(responses, corpus)
    people, nlp = annotators_of(annotators, corpus), identity(config.pipeline, corpus)
    chosen = default_calibration()
    known = chosen.holds_for(corpus.about)
    order = {"calibration": chosen.digest[:12]}
    order |= {} if known else {ELSEWHERE: str(chosen.about.get("corpus", "unknown"))}
    plugins = ",".join(map(str, DETECTORS.origins(config.detectors)))
    order |= {"plugins": plugins} if plugins else {}
    key = Key(corpus, prepare(corpus, config, progress), config, progress, others)
    ranked = ranking(Findings.of(key), chosen)
    order |= {LEFT_OUT: ",".join(key.left_out)} if key.left_out else {}
    order |= {one.name: one.digest for one in (people, others) if one}
    order |= {WITHIN: corpus.levels[corpus.linked_within]} if corpus.linked_within else {}
    signature = Signature.from_fields(**corpus.about, nlp=nlp, **config.about, **order)
    listed = with_evidence(list(ranked.cases()), key)
    cases = tuple(one if known else one.model_copy(update={"score": None}) for one in listed)
    errors = _expected(ranked, cases) if known else ()
    for one in (others, people):
        cases = with_readers(cases, key, one) if one else cases
    told = (*(others.notices if others else ()), *alone(cases))
    return ShortList(cases, signature.to_dict(), errors, told)


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
            Evidence(feature=COLUMNS[at], adds=adds[at], value=round(float(plain[at]), _DIGITS))
            for at in (*order[:_SHOWN], *order[-_SHOWN:])
        )
        cases[place] = cases[place].model_copy(update={"evidence": evidence})
    return cases
