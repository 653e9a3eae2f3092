"""Bounds of the scores within a set of candidate links."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.diagnosis.candidates import Candidates
from cdec.diagnosis.loss import f1_of
from cdec.evaluation.system_run import SystemRun
from cdec.settings import Setting

YES, ORACLE = "yes to every candidate", "best decision on every candidate"


def bounds_table(
    candidates: Candidates, runs: Iterable[SystemRun], setting: Setting, corpus: Corpus
) -> pd.DataFrame:
    """Return F1 of both bounds and of each run: columns ``response`` and the metrics of ``loss``.

    The bounds have the mentions of the key.
    """
    bare = SystemRun("", corpus.selected, corpus.gold, corpus.gold)
    rows = [
        {"response": name, **f1_of(replace(bare, response=chains), setting)}
        for name, chains in ((YES, candidates.yes), (ORACLE, candidates.oracle))
    ]
    rows += [{"response": run.system, **f1_of(run, setting)} for run in runs]
    return pd.DataFrame(rows)
