"""Input of a reproduction: systems on the paper's parts, options, and the example of Figure 3."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from cdec.baselines import SYSTEMS
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.corpus.splits import default_split, divided
from cdec.errors.notices import Notice
from cdec.evaluation.aligned import run_on
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.response import ResponseFile, read_responses
from cdec.evaluation.results import Results
from cdec.matching.alignment import Alignment
from cdec.reproduction.printed import paper
from cdec.settings import PURE_CDEC, SIMPLE_CDEC
from cdec.settings.catalog import STRICT_TO_LENIENT
from cdec.system import System, is_learner


@dataclass(frozen=True, eq=False)
class Material:
    """Runs on one part of a corpus, and their scores under the six settings.

    ``parts`` are the corpus's train, dev and test, for Table 1.
    """

    corpus: Corpus
    runs: tuple[Alignment, ...]
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
        if responses:
            read_responses(list(responses))  # refuses equal names
        test = parts["test"]
        fitted = (
            response.fit(parts["train"], parts["dev"]) if is_learner(response) else response
            for response in responses
        )
        return cls(test, tuple(run_on(test, response) for response in fitted), parts)

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
        corpus = self.corpus
        return Experiment(self.runs, STRICT_TO_LENIENT, corpus.about, corpus.name, corpus.part)

    @cached_property
    def results(self) -> Results:
        """The results of every run under every setting."""
        return self.experiment.results()

    def under(self, settings: Iterable[str]) -> Results:
        """Return the results under these settings, in their order."""
        each = list(self.results)
        return Results.joined(one for name in settings for one in each if one.setting == name)

    def run(self, system: str) -> Alignment | None:
        """Return the run of the system with this name, or None."""
        return next((run for run in self.runs if run.name == system), None)


def figure3() -> Results:
    """Return the scores of the systems of Figure 3 under SIMPLE-CDEC and PURE-CDEC."""
    example = paper().figure3
    key = Clustering.from_chains(example["key"])
    # A mention is named after its document.
    mentions = pd.DataFrame({"doc": key.labels.index.str[0]}, index=key.labels.index)
    runs = tuple(
        Alignment.of(mentions, key, Clustering.from_chains(chains), name)
        for name, chains in example["systems"].items()
    )
    settings, about = (SIMPLE_CDEC, PURE_CDEC), {"corpus": "figure3"}
    return Experiment(runs, settings, about, "figure3", "all").results()


LEMMA = "lemma"
# Artefacts that need only the systems of the call, not all baselines.
_ALONE = {"table1", "table2", "figure3"}
# Artefacts that need no system.
BARE = {"table1", "figure3"}
# The settings of Tables 2 and 3, in the order of the paper.
DECOMPOSED = ("simple", "bh", "st", "is", "ycf")
COMPARED = ("simple", "pure")


@dataclass(frozen=True)
class Request:
    """Runs on the paper's part; ``decomposed`` are the systems of Table 2."""

    material: Material
    decomposed: tuple[str, ...] = (LEMMA,)

    @property
    def table2(self) -> Results:
        """The results of Table 2."""
        results = self.material.under(DECOMPOSED)
        return Results.joined(one for one in results if one.system in self.decomposed)

    @property
    def table3(self) -> Results:
        """The results of Table 3."""
        return self.material.under(COMPARED)


def prepare_request(
    whole: Corpus,
    names: Sequence[str],
    make: Callable[[Sequence[str]], Sequence[System]],
    *,
    systems: Sequence[str],
    responses: Sequence[str],
) -> Request:
    """Run the systems that the artefacts ``names`` need: the paper's baselines, and the user's.

    ``make`` returns the systems of these names, ``responses`` are ``[NAME=]FILE``.
    """
    files = [ResponseFile.parse(text) for text in responses]
    own = (*systems, *(file.name for file in files)) or (LEMMA,)
    required = _required(set(names), systems, own)
    parts = divided(whole, default_split(whole).name)
    return Request(Material.from_responses(parts, [*make(required), *files]), own)


def _required(names: set[str], systems: Sequence[str], own: tuple[str, ...]) -> list[str]:
    """Return the systems to run."""
    if names <= BARE:
        return []
    required = [*systems, *([LEMMA] if own == (LEMMA,) else [])]
    if names <= _ALONE:
        return required
    return [*(name for name in paper().systems.values() if name in SYSTEMS), *required]


def of_corpus(corpus: Corpus, data: pd.DataFrame, split: str = "") -> pd.DataFrame:
    """Return the raw data with columns for corpus and part, without the paper's column ids."""
    without_ids = data.drop(columns="column", errors="ignore")
    return without_ids.assign(corpus=corpus.name, split=split or corpus.part)


def distinct(*tables: Results) -> Results:
    """Return the results of tables without duplicates of setting and system."""
    return Results.joined({one.names[0]: one for table in tables for one in table}.values())
