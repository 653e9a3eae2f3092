"""The order of the cases: by the probability of an error, the highest first.

Probabilities are rounded to ``DIGITS`` digits before the cases are ordered, so that the order is
the same on every processor.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Bools, Floats
from cdec.audit.config import AuditConfig
from cdec.audit.find import LEARNED, Finds, Prepared
from cdec.audit.order.features import link_features, member_features
from cdec.audit.order.model import Calibration, Logistic, expected
from cdec.corpus.model import Corpus

_MISSING = ("missing-singleton-singleton", "missing-singleton-cluster", "missing-cluster-cluster")
_DETECTORS = (
    *("duplicate", "tags", *LEARNED, "companions"),
    *("two-events", "copies", "no-event"),
)
DIGITS = 6
COLUMNS = ("kind", "score", *_DETECTORS, "group", "table", "row")
_COMPANIONS = 2  # smallest number of other pairs between the two sentences
_LINKED = 0.3  # probability of a link, of a classifier that was not trained on the topic
_APART = 0.02  # mean probability of a link between the parts of a chain


@dataclass(frozen=True, eq=False)
class Ranking:
    """The cases in order, with ``COLUMNS``, and what the uncertainty of their number needs.

    ``groups``: the cases with common parameters, as (mask, derivatives of the score by the
    parameters, covariance of the parameters).
    """

    table: pd.DataFrame
    groups: list[tuple[Bools, Floats, Floats]] = field(repr=False)

    def expected(self, mask: Bools) -> tuple[float, float, float]:
        """Return the expected number of errors among these cases, with a 95 % interval."""
        parts = [(mask[own], gradient, covariance) for own, gradient, covariance in self.groups]
        return expected(self.table["score"].to_numpy()[mask], parts)


@dataclass(frozen=True, eq=False)
class _Part:
    """The cases of one table of ``Finds``, with the derivatives of their scores."""

    cases: pd.DataFrame
    derivatives: Floats
    covariance: Floats


def ranking(
    corpus: Corpus, prepared: Prepared, finds: Finds, config: AuditConfig, calibration: Calibration
) -> Ranking:
    """Return all cases, the most probable error first.

    The column of a detector that does not flag the case is missing. ``table`` and ``row`` refer to
    a table of ``finds`` and its row.
    """
    parts: list[_Part] = []
    if len(finds.links):
        parts.append(_links(corpus, prepared, finds, config, calibration.links))
        parts.append(_members(corpus, prepared, finds, config, calibration.members))
    for cases in (_groups(finds), _chains(finds), _tags(finds), _copies(finds), _words(finds)):
        parts += _by_rate(cases, calibration)
    filled = [part for part in parts if len(part.cases)]
    frames = [part.cases for part in filled]
    table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    table = table.reindex(columns=list(COLUMNS))
    numbers = ["score", *_DETECTORS]
    table[numbers] = table[numbers].astype(float).round(DIGITS)
    order = np.lexsort((table["row"], table["table"], -table["score"]))
    number = np.repeat(np.arange(len(filled)), [len(part.cases) for part in filled])[order]
    within = np.concatenate([np.arange(len(part.cases)) for part in filled] or [order])[order]
    masks = ((number == at, part) for at, part in enumerate(filled))
    groups = [(own, part.derivatives[within[own]], part.covariance) for own, part in masks]
    return Ranking(table.iloc[order].reset_index(drop=True), groups)


def _scored(cases: pd.DataFrame, table: pd.DataFrame, model: Logistic) -> _Part:
    """Return flagged cases with the probability of their row of ``table``."""
    chosen = cases[cases[[n for n in _DETECTORS if n in cases]].notna().any(axis=1)]
    rows = table.loc[chosen["row"]]
    p = model.probabilities(rows)
    gradient = model.design(rows) * (p * (1 - p))[:, None]
    return _Part(chosen.assign(score=p), gradient, model.covariance)


def _links(
    corpus: Corpus, prepared: Prepared, finds: Finds, config: AuditConfig, model: Logistic
) -> _Part:
    links = finds.links
    links = links[links["group"] < 0] if "group" in links else links
    sizes = np.bincount(finds.chain)
    clusters = (sizes[links["one"]] > 1).astype(int) + (sizes[links["two"]] > 1).astype(int)
    flagged = _flagged(links, config, sign=1)
    if "companions" in links and "companions" in config.detectors:
        count = links["companions"].to_numpy(dtype=float)
        flagged["companions"] = np.where(count >= _COMPANIONS, count / (count + 1), np.nan)
    cases = pd.DataFrame({"kind": np.array(_MISSING)[clusters], "table": "links"})
    features = link_features(corpus, prepared, finds)
    return _scored(cases.assign(row=links.index, **flagged), features, model)


def _members(
    corpus: Corpus, prepared: Prepared, finds: Finds, config: AuditConfig, model: Logistic
) -> _Part:
    members = finds.members
    # In a chain of two, both mentions differ equally: the later one is the case.
    later = (members["count"] > 1) | (members["mention"] == members["right"])
    kept = members[later]
    flagged = _flagged(kept, config, sign=-1)
    cases = pd.DataFrame({"kind": "spurious-member", "table": "members", "row": kept.index})
    features = member_features(corpus, prepared, finds)
    return _scored(cases.assign(**flagged), features, model)


def _flagged(table: pd.DataFrame, config: AuditConfig, sign: int) -> dict[str, Floats]:
    """Return the score of each learned detector, missing where it does not flag the row.

    The SVM flags a row if the anchor of the strongest pair exceeds δ, the held-out model if its
    probability of a link is at least ``_LINKED`` (for members: below ½).
    """
    least = _LINKED if sign > 0 else 0.5
    names = [name for name in LEARNED if name in table and name in config.detectors]
    scores = {name: expit(2 * sign * table[name].to_numpy(dtype=float)) for name in names}
    flags = {
        "svm": lambda: table["slack"].to_numpy(dtype=float) > config.delta,
        "held-out": lambda: scores["held-out"] > least,
    }
    return {name: np.where(flags[name](), value, np.nan) for name, value in scores.items()}


def _by_rate(cases: pd.DataFrame, calibration: Calibration) -> Iterable[_Part]:
    """Yield the cases of each group, whose probability is the group's share of errors."""
    if cases.empty:
        return
    for name, part in cases.groupby("group", sort=True):
        rate = calibration.rate(str(name))
        ones, variance = np.ones((len(part), 1)), np.full((1, 1), rate.variance)
        yield _Part(part.assign(score=rate.probability), ones, variance)


def _groups(finds: Finds) -> pd.DataFrame:
    groups = finds.groups
    if groups.empty:
        return groups
    sizes = np.bincount(finds.chain)
    clusters = np.array([min((sizes[list(codes)] > 1).sum(), 2) for codes in groups["codes"]])
    cases = {"kind": np.array(_MISSING)[clusters], "table": "groups", "row": groups.index}
    names = np.where(groups["duplicate"] == 1, "duplicate", "near-duplicate")
    return pd.DataFrame(cases).assign(duplicate=groups["duplicate"].to_numpy(), group=names)


def _chains(finds: Finds) -> pd.DataFrame:
    chains = finds.chains
    if chains.empty:
        return chains
    apart = (chains["between"] < _APART) & (chains["within"] > 1 / 2)
    names = np.select(
        [chains["subtopics"], chains["repeated"], chains["years"], apart],
        ["two-subtopics", "two-mentions", "two-years", "two-dissimilar"],
        "",
    )
    cases = pd.DataFrame({"kind": "two-events", "table": "chains", "row": chains.index})
    scores = (1 - chains["between"]).clip(0, 1).to_numpy()
    named = cases.assign(group=names, **{"two-events": scores})
    return named[named["group"] != ""]


def _tags(finds: Finds) -> pd.DataFrame:
    if finds.tags.empty:
        return finds.tags
    names = np.where(finds.tags["shared"] == "chain", "shared-chain", "shared-descriptor")
    cases = {"kind": "contradicting-members", "table": "tags", "row": finds.tags.index}
    return pd.DataFrame(cases).assign(tags=1.0, group=names)


def _copies(finds: Finds) -> pd.DataFrame:
    cases = {"kind": "copies-differ", "table": "copies", "row": finds.copies.index}
    return pd.DataFrame(cases).assign(copies=1.0, group="copies")


def _words(finds: Finds) -> pd.DataFrame:
    cases = {"kind": "no-event", "table": "words", "row": finds.words.index}
    return pd.DataFrame(cases).assign(group="no-event", **{"no-event": 1.0})
