"""The metrics that results show if the call names none."""

from __future__ import annotations

from collections.abc import Sequence

from cdec.arrays import found
from cdec.evaluation.response import SystemRun
from cdec.metadocument import TALLIES
from cdec.metrics import ALL


def default_metrics(runs: Sequence[SystemRun]) -> tuple[str, ...] | None:
    """Return the metrics on chains and on mentions; None, all on chains, if mentions are the same.

    Those on mentions are shown if key and response of a run have different mentions, ``mor`` if the
    tokens of all mentions are known, ``zeros`` if there are any.
    """
    if not any(map(_differs, runs)):
        return None
    tables = [run.words.columns for run in runs]
    tallied = (
        name
        for name in TALLIES
        if all(f"{name}.p_num" in table for table in tables)
        and any(table[[f"{name}.r_den", f"{name}.p_den"]].any(axis=None) for table in tables)
    )
    return (*ALL, "mentions", *tallied)


def _differs(run: SystemRun) -> bool:
    """Return whether key and response have different mentions."""
    key, response = run.key.labels.index, run.response.labels.index
    return len(key) != len(response) or not found(key, response).all()
