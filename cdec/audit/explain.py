"""Why a case was flagged: a sentence for each detector, and the features of its strongest pair."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.audit.case import KINDS, Case
from cdec.audit.detect.pool import COLUMNS
from cdec.audit.find import Finds, Prepared
from cdec.errors import counted

_DIGITS = 4  # of a contribution and of the value of a feature
_SHOWN = 4  # features shown for the link, and as many against it
_EXPLAINED = {name for name in KINDS if name.startswith(("missing", "spurious"))}


def link_reasons(record: Any, flags: dict[str, float]) -> list[str]:
    """Return a sentence for each detector that would merge the chains."""
    reasons = []
    if "duplicate" in flags:
        same = "identical" if flags["duplicate"] == 1 else f"{flags['duplicate']:.0%} identical"
        reasons.append(f"their sentences are {same}, with the mentions at the same position")
    if "svm" in flags:
        reasons.append(f"their features suggest a link (SVM anchor {record['slack']:.2f})")
    if "held-out" in flags:
        probability = _probability(record["held-out"])
        reasons.append(
            f"a classifier trained on other topics gives a link a probability of {probability:.0%}"
        )
    if "companions" in flags:
        count = int(record["companions"])
        reasons.append(
            f"{count} other mention pairs of these two sentences are linked or almost linked"
        )
    return reasons


def member_reasons(record: Any, flags: dict[str, float]) -> list[str]:
    """Return a sentence for each detector that doubts that the mention belongs to its chain."""
    reasons = []
    if "svm" in flags:
        reasons.append(
            f"its features suggest no link to any member of its chain "
            f"(SVM anchor of the most similar one {record['slack']:.2f})"
        )
    if "held-out" in flags:
        probability = _probability(record["held-out"])
        reasons.append(
            f"a classifier trained on other topics links it to no member of its chain "
            f"(probability of a link {probability:.0%})"
        )
    return reasons


def chain_reasons(record: Any) -> list[str]:
    """Return a sentence for each sign that a chain has two events."""
    reasons = []
    if record["subtopics"]:
        reasons.append("the mentions of A and B are in different sub-topics")
    if record["repeated"]:
        reasons.append("one sentence has two mentions with the same word, the first of A and of B")
    if record["years"]:
        reasons.append("the sentences of A and B name different years")
    reasons.append(
        f"mean probability of a link between A and B {record['between']:.0%}, "
        f"inside A and inside B {record['within']:.0%}"
    )
    return reasons


def copies_reason(record: Any) -> str:
    """Return how the copies of a sentence differ."""
    what = {"missing": "lack this mention", "span": "have another span", "tag": "have another tag"}
    against = counted(record["against"], "copy", "copies")
    return f"the sentence is identical in all documents, but {against} {what[record['difference']]}"


def _probability(margin: float) -> float:
    """Return the probability of a link for a margin, which is half of the log-odds."""
    return float(expit(2 * margin))


def with_evidence(
    cases: list[Case], prepared: Prepared, finds: Finds, ids: pd.Index[Any]
) -> list[Case]:
    """Return the cases with the strongest features for and against their link."""
    explained = [i for i, case in enumerate(cases) if case.kind in _EXPLAINED]
    if finds.model is None or not explained:
        return cases
    ends = [[cases[i].sides[0].mentions[0], cases[i].sides[1].mentions[0]] for i in explained]
    rows = np.sort([ids.get_indexer(pd.Index(pair)) for pair in ends], axis=1)
    features = prepared.pool.describe(rows[:, 0], rows[:, 1])
    explained_cases = list(cases)
    design = prepared.design.apply(features)
    for place, plain, row in zip(explained, features, design, strict=True):
        adds = prepared.design.contributions(row, finds.model.weights).round(_DIGITS)
        order = np.argsort(-adds, kind="stable")
        strongest = [*order[:_SHOWN], *order[-_SHOWN:]]
        evidence = tuple(
            (COLUMNS[at], float(adds[at]), round(float(plain[at]), _DIGITS)) for at in strongest
        )
        explained_cases[place] = replace(cases[place], evidence=evidence)
    return explained_cases
