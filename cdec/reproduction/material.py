"""Input of a reproduction: systems on the paper's test part, and the example of Figure 3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.evaluation.experiment import Experiment, Task
from cdec.evaluation.response import Response, ResponseFile, SystemRun, run_on
from cdec.evaluation.response_forms import check_distinct
from cdec.evaluation.results import Results
from cdec.notices import Notice
from cdec.reproduction.printed import paper
from cdec.settings import BH, IS, PURE_CDEC, SIMPLE_CDEC, ST, YCF
from cdec.system import System, is_learner

# PURE-CDEC and SIMPLE-CDEC evaluate all links across documents, B&H and S.T. fewer; I.S. removes
# singletons, YCF does both.
STRICT_TO_LENIENT = (PURE_CDEC, SIMPLE_CDEC, BH, ST, IS, YCF)


@dataclass(frozen=True, eq=False)
class Material:
    """Runs on one part of a corpus, and their scores under the six settings.

    ``parts`` are the corpus's train, dev and test, for Table 1.
    """

    corpus: Corpus
    runs: tuple[SystemRun, ...]
    parts: Mapping[str, Corpus]

    @classmethod
    def from_responses(
        cls,
        parts: Mapping[str, Corpus],
        responses: Sequence[System | ResponseFile],
    ) -> Material:
        """Run the systems, fitted on train and dev, or read the responses, on the part ``test``.

        Raises as ``run_on`` does.
        """
        check_distinct(responses)
        test = parts["test"]
        runs = tuple(run_on(test, _fitted(response, parts)) for response in responses)
        return cls(test, runs, parts)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The notices about response files."""
        return tuple(notice for run in self.runs for notice in run.notices)

    @property
    def is_printed(self) -> bool:
        """Whether the paper's tables are about this part of this corpus."""
        return paper().is_about(self.corpus.name, self.corpus.part)

    @property
    def experiment(self) -> Experiment:
        """Every run under every setting."""
        task = Task(self.corpus.name, self.corpus.part, self.corpus.about)
        return Experiment(task, self.runs, STRICT_TO_LENIENT)

    @cached_property
    def results(self) -> Results:
        """The results of every run under every setting."""
        return self.experiment.results()

    def under(self, settings: Iterable[str]) -> Results:
        """Return the results under these settings, in their order."""
        each = list(self.results)
        return Results.joined(one for name in settings for one in each if one.setting == name)

    def run(self, system: str) -> SystemRun | None:
        """Return the run of the system with this name, or None."""
        return next((run for run in self.runs if run.system == system), None)


def _fitted(response: System | ResponseFile, parts: Mapping[str, Corpus]) -> Response:
    return response.fit(parts["train"], parts["dev"]) if is_learner(response) else response


def conll_by_setting(results: Results) -> pd.DataFrame:
    """Return CoNLL F (in [0, 1]): one row per system, one column per setting, strict to lenient."""
    table = results.frame[results.frame["metric"] == "conll"]
    wide = table.pivot(index="system", columns="setting", values="f1")
    systems = list(dict.fromkeys(table["system"]))
    return wide.loc[systems, [setting.name for setting in STRICT_TO_LENIENT]]


# A minimal form of Figure 3: one event, two mentions in each of two documents. System 1 links
# inside documents only, System 2 across documents, System 3 has one link across documents.
FIGURE_3_KEY = (("a1", "a2", "b1", "b2"),)
FIGURE_3_SYSTEMS = {
    "System 1": (("a1", "a2"), ("b1", "b2")),
    "System 2": (("a1", "b1"), ("a2", "b2")),
    "System 3": (("a1", "b1"), ("a2",), ("b2",)),
}


def figure3() -> Results:
    """Return the scores of the three systems of Figure 3 under SIMPLE-CDEC and PURE-CDEC."""
    documents = {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}
    mentions = pd.DataFrame({"doc": pd.Series(documents)})
    key = Clustering.from_chains(FIGURE_3_KEY)
    runs = tuple(
        SystemRun(name, mentions, key, Clustering.from_chains(chains))
        for name, chains in FIGURE_3_SYSTEMS.items()
    )
    task = Task("figure3", "all", {"corpus": "figure3"})
    return Experiment(task, runs, (SIMPLE_CDEC, PURE_CDEC)).results()
