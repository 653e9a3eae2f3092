"""Suspicions in one order, the certain ones first.

Each detector has a score in [0, 1] of its own: ``duplicate`` the identity of the sentences, ``svm``
and ``held-out`` the odds of their margin m as a share, 1 / (1 + exp(−2 m)). Duplicates and tags are
nearly certain: such a case scores 0.9 and more. Without them a case scores 0.9 times the mean of
the learned detectors, whether they flag it or not. A paraphrase is like no other member of its
chain either: a member's score is halved, and made up to the whole as another chain has a mention
that is like it. A document's warning scores half the share of its loose mentions.
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
_NAMESAKE = 0.8  # a name in common is a weaker sign than a chain in common
_DETECTORS = ("duplicate", "tags", *LEARNED, "companions", "review-list")
COLUMNS = ("kind", "score", *_DETECTORS, "table", "row")
_COMPANIONS = 2  # pairs that a pair's sentences must have beside it


def ranking(finds: Finds, config: AuditConfig) -> pd.DataFrame:
    """Return one row a case, the highest score first, with ``COLUMNS``.

    A detector's column is missing where it does not flag the case. ``table`` and ``row`` say
    which row of which table of ``finds`` it is.
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
    order = np.lexsort((table["row"], table["table"], -table["model"].fillna(0), -table["score"]))
    return table.iloc[order].drop(columns="model").reset_index(drop=True)


def _groups(finds: Finds, config: AuditConfig) -> pd.DataFrame:
    groups = finds.groups
    if groups.empty:
        return groups
    sizes = np.bincount(finds.chain)
    clusters = np.array([min((sizes[list(codes)] > 1).sum(), 2) for codes in groups["codes"]])
    model, flagged = _learned(groups, config, sign=1)
    made = pd.DataFrame(
        {"kind": np.array(_KINDS)[clusters], "table": "groups", "row": groups.index}
    )
    score = _CERTAIN + (1 - _CERTAIN) * groups["duplicate"]
    return made.assign(**flagged, duplicate=groups["duplicate"], model=model, score=score)


def _links(finds: Finds, config: AuditConfig) -> pd.DataFrame:
    links = finds.links
    if links.empty:
        return links
    links = links[links["group"] < 0] if "group" in links else links
    sizes = np.bincount(finds.chain)
    clusters = (sizes[links["one"]] > 1).astype(int) + (sizes[links["two"]] > 1).astype(int)
    made = pd.DataFrame({"kind": np.array(_KINDS)[clusters], "table": "links", "row": links.index})
    model, flagged = _learned(links, config, sign=1)
    return _flagged(made.assign(**flagged, model=model, score=_CERTAIN * model))


def _members(finds: Finds, config: AuditConfig) -> pd.DataFrame:
    members = finds.members
    if members.empty:
        return members
    # Of a chain of two either may be wrong: the later one stands for both.
    sizes = np.bincount(finds.chain)[finds.chain[members["mention"]]]
    members = members[(sizes > 2) | (members["mention"] == members["right"])]
    model, flagged = _learned(members, config, sign=-1)
    model *= (1 + _rival(members)) / 2
    made = pd.DataFrame({"table": "members", "row": members.index}).assign(
        kind="spurious-member", **flagged, model=model, score=_CERTAIN * model
    )
    return _flagged(made)


def _learned(
    table: pd.DataFrame, config: AuditConfig, sign: int
) -> tuple[Floats, dict[str, Floats]]:
    """Return the mean score of the learned detectors, and each one's where it flags the row.

    The SVM flags where the strongest pair's anchor exceeds δ, the held-out model where it finds
    the opposite of the key likelier. Companions flag, and count if they are the only detector.
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
    """Return how much the most similar mention of another chain speaks for that chain, 0 to 1."""
    columns = [f"rival-{name}" for name in LEARNED if f"rival-{name}" in members]
    shares = expit(2 * members[columns].to_numpy(dtype=float))
    return np.asarray(np.nan_to_num(shares).mean(axis=1))


def _flagged(made: pd.DataFrame) -> pd.DataFrame:
    detectors = [name for name in (*LEARNED, "companions") if name in made]
    return made[made[detectors].notna().any(axis=1)]


def _tags(found: pd.DataFrame) -> pd.DataFrame:
    if found.empty:
        return found
    tags = np.where(found["shared"] == "chain", 1.0, _NAMESAKE)
    made = pd.DataFrame({"kind": "contradicting-members", "table": "tags", "row": found.index})
    return made.assign(tags=tags, score=_CERTAIN + (1 - _CERTAIN) * tags)


def _documents(found: pd.DataFrame) -> pd.DataFrame:
    if found.empty:
        return found
    made = pd.DataFrame({"kind": "unfinished-annotation", "table": "documents", "row": found.index})
    return made.assign(**{"review-list": found["score"]}, score=found["score"] / 2)
