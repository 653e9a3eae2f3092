"""The input of the sections of a reproduction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.evaluation.results import Results
from cdec.reproduction.material import Material
from cdec.statistics.draws import Plan

LEMMA = "lemma"
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


def of_corpus(corpus: Corpus, data: pd.DataFrame, split: str = "") -> pd.DataFrame:
    """Return the raw data with columns for corpus and part, without the paper's column ids."""
    without_ids = data.drop(columns="column", errors="ignore")
    return without_ids.assign(corpus=corpus.name, split=split or corpus.part)


def distinct(*tables: Results) -> Results:
    """Return the results of tables without duplicates of setting and system."""
    return Results.joined({one.names[0]: one for table in tables for one in table}.values())
