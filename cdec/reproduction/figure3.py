"""Figure 3 of the paper in its smallest form: why SIMPLE-CDEC is not enough.

One event, two mentions in each of two documents. System 1 links inside documents only, System 2
across, System 3 across with one link only.
"""

from __future__ import annotations

import pandas as pd

from cdec.clustering import Clustering
from cdec.evaluation.experiment import Experiment, Result, Task
from cdec.evaluation.response import SystemRun
from cdec.settings import PURE_CDEC, SIMPLE_CDEC

DOCUMENTS = {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}
KEY = (("a1", "a2", "b1", "b2"),)
SYSTEMS = {
    "System 1": (("a1", "a2"), ("b1", "b2")),
    "System 2": (("a1", "b1"), ("a2", "b2")),
    "System 3": (("a1", "b1"), ("a2",), ("b2",)),
}


def figure3() -> tuple[Result, ...]:
    """Return the scores of the three systems under SIMPLE-CDEC and PURE-CDEC."""
    mentions = pd.DataFrame({"doc": pd.Series(DOCUMENTS)})
    key = Clustering.from_chains(KEY)
    answers = tuple(
        SystemRun(name, mentions, key, Clustering.from_chains(chains))
        for name, chains in SYSTEMS.items()
    )
    task = Task("figure3", "all", {"corpus": "figure3"})
    return Experiment(task, answers, (SIMPLE_CDEC, PURE_CDEC)).results()
