"""Input of a reproduction: systems on the paper's parts, options, and the example of Figure 3."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from cdec.baselines import SYSTEMS
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.corpus.splits import default_split, divided
from cdec.errors.notices import Notice
from cdec.evaluation.experiment import Experiment, Task
from cdec.evaluation.response import ResponseFile, SystemRun, run_on
from cdec.evaluation.response_forms import check_distinct
from cdec.evaluation.results import Results
from cdec.reproduction.printed import paper
from cdec.settings import PURE_CDEC, SIMPLE_CDEC
from cdec.settings.catalog import STRICT_TO_LENIENT
from cdec.statistics.draws import Plan
from cdec.system import System, is_learner


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


def conll_by_setting(results: Results) -> pd.DataFrame:
    """Return CoNLL F (in [0, 1]): one row per system, one column per setting, strict to lenient."""
    table = results.frame[results.frame["metric"] == "conll"]
    wide = table.pivot(index="system", columns="setting", values="f1")
    systems = list(dict.fromkeys(table["system"]))
    return wide.loc[systems, [setting.name for setting in STRICT_TO_LENIENT]]


def figure3() -> Results:
    """Return the scores of the systems of Figure 3 under SIMPLE-CDEC and PURE-CDEC."""
    example = paper().figure3
    key = Clustering.from_chains(example["key"])
    # A mention is named after its document.
    mentions = pd.DataFrame({"doc": key.labels.index.str[0]}, index=key.labels.index)
    runs = tuple(
        SystemRun(name, mentions, key, Clustering.from_chains(chains))
        for name, chains in example["systems"].items()
    )
    task = Task("figure3", "all", {"corpus": "figure3"})
    return Experiment(task, runs, (SIMPLE_CDEC, PURE_CDEC)).results()


LEMMA = "lemma"
# Artefacts that need only the systems of the call, not all baselines.
_ALONE = {"table1", "table2", "figure3", "settings"}
# Artefacts that need the baselines, but none that is trained.
_UNTRAINED = {"corrected"}
# Artefacts that need the part of reviewed sentences, too.
_REVIEWED = {"cybulska", "corrected"}
# Artefacts that need no system.
BARE = {"table1", "figure3"}
# The settings of Tables 2 and 3, in the order of the paper.
DECOMPOSED = ("simple", "bh", "st", "is", "ycf")
COMPARED = ("simple", "pure")


@dataclass(frozen=True)
class Request:
    """Runs on the paper's part and on the reviewed part, and the options of sections.

    ``decomposed``: the systems of Table 2. ``plan``: resampling of the intervals. ``chart_file``:
    path of the chart. ``tick`` is called after each step of slow work.
    """

    material: Material
    reviewed: Material | None = None
    decomposed: tuple[str, ...] = (LEMMA,)
    plan: Plan = field(default_factory=Plan)
    chart_file: str = ""
    tick: Callable[[], object] = lambda: None

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
    plan: Plan,
) -> Request:
    """Run the systems that the artefacts ``names`` need: the paper's baselines, and the user's.

    ``make`` returns the systems of these names, ``responses`` are ``[NAME=]FILE``.
    """
    files = [ResponseFile.parse(text) for text in responses]
    own = (*systems, *(file.name for file in files)) or (LEMMA,)
    required = _required(set(names), systems, own)

    def material(split: str, files: Sequence[ResponseFile] = ()) -> Material:
        return Material.from_responses(divided(whole, split), [*make(required), *files])

    reviewed = not _REVIEWED.isdisjoint(names) and whole.name == paper().corpus
    main = material(default_split(whole).name, files)
    return Request(main, material("cybulska") if reviewed else None, own, plan)


def _required(names: set[str], systems: Sequence[str], own: tuple[str, ...]) -> list[str]:
    """Return the systems to run."""
    if names <= BARE:
        return []
    required = [*systems, *([LEMMA] if own == (LEMMA,) else [])]
    if names <= _ALONE:
        return required
    printed = [name for name in paper().systems.values() if name in SYSTEMS]
    trains = names - _ALONE - _UNTRAINED
    return [*(n for n in printed if trains or not is_learner(SYSTEMS[n])), *required]


def of_corpus(corpus: Corpus, data: pd.DataFrame, split: str = "") -> pd.DataFrame:
    """Return the raw data with columns for corpus and part, without the paper's column ids."""
    without_ids = data.drop(columns="column", errors="ignore")
    return without_ids.assign(corpus=corpus.name, split=split or corpus.part)


def distinct(*tables: Results) -> Results:
    """Return the results of tables without duplicates of setting and system."""
    return Results.joined({one.names[0]: one for table in tables for one in table}.values())
