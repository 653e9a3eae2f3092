"""What the sections of a reproduction are made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.evaluation.experiment import Result
from cdec.reproduction.material import Material
from cdec.statistics.draws import Plan

LEMMA = "lemma"
# The settings of Tables 2 and 3, in the order of the print.
DECOMPOSED = ("simple", "bh", "st", "is", "ycf")
COMPARED = ("simple", "pure")


@dataclass(frozen=True)
class Request:
    """Answers on the paper's part and on the reviewed one, and the choices about sections.

    ``decomposed`` are the systems of Table 2; ``plan`` is that of the intervals; ``chart_file`` is
    where the chart also stands; ``tick`` is called after each piece of slow work.
    """

    material: Material
    reviewed: Material | None = None
    decomposed: tuple[str, ...] = (LEMMA,)
    plan: Plan = field(default_factory=Plan)
    chart_file: str = ""
    tick: Callable[[], object] = lambda: None

    @property
    def table2(self) -> tuple[Result, ...]:
        """The results of Table 2."""
        return tuple(r for r in self.material.under(DECOMPOSED) if r.system in self.decomposed)

    @property
    def table3(self) -> tuple[Result, ...]:
        """The results of Table 3."""
        return self.material.under(COMPARED)


def of_corpus(corpus: Corpus, data: pd.DataFrame, split: str = "") -> pd.DataFrame:
    """Return the data for machines: which corpus and part they are of, no column of the print."""
    known = data.drop(columns="column", errors="ignore")
    return known.assign(corpus=corpus.name, split=split or corpus.part)


def distinct(results: Iterable[Result]) -> list[Result]:
    """Return the results, each setting and system once."""
    return list({(r.setting.name, r.system): r for r in results}.values())
