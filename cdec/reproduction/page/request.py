"""The input of the sections of a reproduction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pandas as pd

from cdec.baselines import SYSTEMS
from cdec.corpus.model import Corpus
from cdec.corpus.splits import default_split, divided
from cdec.evaluation.response import ResponseFile
from cdec.evaluation.results import Results
from cdec.reproduction.material import Material
from cdec.reproduction.printed import paper
from cdec.statistics.draws import Plan
from cdec.system import System, is_learner

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
