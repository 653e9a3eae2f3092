"""The order of the cases: the most certain first.

Each detector has a score in [0, 1]: ``duplicate`` the identity of the sentences, ``svm`` and
``held-out`` the probability of their margin m, 1 / (1 + exp(−2 m)). Cases of ``duplicate`` and
``tags`` are nearly certain and score 0.9 or more. Any other case scores 0.9 times the mean of the
learned detectors, whether they flag it or not. A correct paraphrase also differs from the members
of its chain, so the score of a member is multiplied by a factor from 1/2 to 1 that grows with the
similarity of the nearest mention of another chain. A document scores half its share of unlinked
mentions outside the reviewed sentences. Scores are rounded to ``DIGITS`` digits before the cases
are ordered, so that the order is the same on every processor.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Floats
from cdec.audit.config import AuditConfig
from cdec.audit.find import LEARNED, Finds

_CERTAIN = 0.9
_KINDS = ("missing-singleton-singleton", "missing-singleton-cluster", "missing-cluster-cluster")
_NAMESAKE = 0.8  # a common descriptor is weaker evidence than a common chain
_DETECTORS = ("duplicate", "tags", *LEARNED, "companions", "review-list")
DIGITS = 6
COLUMNS = ("kind", "score", *_DETECTORS, "table", "row")
_COMPANIONS = 2  # smallest number of other pairs between the two sentences


def ranking(finds: Finds, config: AuditConfig) -> pd.DataFrame:
    """Return one row for each case, the highest score first, with ``COLUMNS``.

    The column of a detector that does not flag the case is missing. ``table`` and ``row`` refer to
    a table of ``finds`` and its row.
    """
    parts = [
        _groups(finds, config),
        _links(finds, config),
        _members(finds, config),
        _tags(finds.tags),
        _documents(finds.documents),
    ]
    table = pd.concat([p for p in parts if len(p)] or [pd.DataFrame(columns=list(COLUMNS))])
    table = table.reindex(columns=[*COLUMNS, "model"])
    numbers = ["score", "model", *_DETECTORS]
    table[numbers] = table[numbers].astype(float).round(DIGITS)
    order = np.lexsort((table["row"], table["table"], -table["model"].fillna(0), -table["score"]))
    return table.iloc[order].drop(columns="model").reset_index(drop=True)


def _groups(finds: Finds, config: AuditConfig) -> pd.DataFrame:
    groups = finds.groups
    if groups.empty:
        return groups
    sizes = np.bincount(finds.chain)
    clusters = np.array([min((sizes[list(codes)] > 1).sum(), 2) for codes in groups["codes"]])
    model, flagged = _learned(groups, config, sign=1)
    cases = pd.DataFrame(
        {"kind": np.array(_KINDS)[clusters], "table": "groups", "row": groups.index}
    )
    score = _CERTAIN + (1 - _CERTAIN) * groups["duplicate"]
    return cases.assign(**flagged, duplicate=groups["duplicate"], model=model, score=score)


def _links(finds: Finds, config: AuditConfig) -> pd.DataFrame:
    links = finds.links
    if links.empty:
        return links
    links = links[links["group"] < 0] if "group" in links else links
    sizes = np.bincount(finds.chain)
    clusters = (sizes[links["one"]] > 1).astype(int) + (sizes[links["two"]] > 1).astype(int)
    cases = pd.DataFrame({"kind": np.array(_KINDS)[clusters], "table": "links", "row": links.index})
    model, flagged = _learned(links, config, sign=1)
    return _flagged(cases.assign(**flagged, model=model, score=_CERTAIN * model))


def _members(finds: Finds, config: AuditConfig) -> pd.DataFrame:
    members = finds.members
    if members.empty:
        return members
    # In a chain of two mentions either may be wrong: only the second becomes a case.
    sizes = np.bincount(finds.chain)[finds.chain[members["mention"]]]
    members = members[(sizes > 2) | (members["mention"] == members["right"])]
    model, flagged = _learned(members, config, sign=-1)
    model *= (1 + _rival(members)) / 2
    cases = pd.DataFrame({"table": "members", "row": members.index}).assign(
        kind="spurious-member", **flagged, model=model, score=_CERTAIN * model
    )
    return _flagged(cases)


def _learned(
    table: pd.DataFrame, config: AuditConfig, sign: int
) -> tuple[Floats, dict[str, Floats]]:
    """Return the mean score of the learned detectors, and the score of each detector by name.

    The latter is missing in rows that the detector does not flag. The SVM flags a row if the anchor
    of the strongest pair exceeds δ, the held-out model if its probability contradicts the key. The
    companions enter the mean only if they are the only detector.
    """
    names = [name for name in LEARNED if name in table and name in config.detectors]
    scores = {name: expit(2 * sign * table[name].to_numpy(dtype=float)) for name in names}
    flags = {
        "svm": lambda: table["slack"].to_numpy(dtype=float) > config.delta,
        "held-out": lambda: scores["held-out"] > 0.5,
    }
    flagged = {name: np.where(flags[name](), value, np.nan) for name, value in scores.items()}
    if "companions" in table and "companions" in config.detectors:
        count = table["companions"].to_numpy(dtype=float)
        flagged["companions"] = np.where(count >= _COMPANIONS, count / (count + 1), np.nan)
        scores = scores or {"companions": np.nan_to_num(flagged["companions"])}
    if not scores:
        return np.zeros(len(table)), flagged
    mean = np.mean(list(scores.values()), axis=0)
    return np.asarray(np.nan_to_num(mean)), flagged


def _rival(members: pd.DataFrame) -> Floats:
    """Return the mean probability of a link to the most similar mention of another chain."""
    columns = [f"rival-{name}" for name in LEARNED if f"rival-{name}" in members]
    shares = expit(2 * members[columns].to_numpy(dtype=float))
    return np.asarray(np.nan_to_num(shares).mean(axis=1))


def _flagged(cases: pd.DataFrame) -> pd.DataFrame:
    detectors = [name for name in (*LEARNED, "companions") if name in cases]
    return cases[cases[detectors].notna().any(axis=1)]


def _tags(chains: pd.DataFrame) -> pd.DataFrame:
    if chains.empty:
        return chains
    tags = np.where(chains["shared"] == "chain", 1.0, _NAMESAKE)
    cases = pd.DataFrame({"kind": "contradicting-members", "table": "tags", "row": chains.index})
    return cases.assign(tags=tags, score=_CERTAIN + (1 - _CERTAIN) * tags)


def _documents(documents: pd.DataFrame) -> pd.DataFrame:
    if documents.empty:
        return documents
    rows = {"kind": "unfinished-annotation", "table": "documents", "row": documents.index}
    cases = pd.DataFrame(rows)
    return cases.assign(**{"review-list": documents["score"]}, score=documents["score"] / 2)
