"""What the detectors find in a key, unfiltered: a table for each, and the cases in it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from cdec.arrays import Bools
from cdec.auditing.case import Case, CaseSide
from cdec.auditing.detector import ADD, DIVIDE, MERGE, Detector
from cdec.auditing.detectors import DETECTORS, needs_of
from cdec.auditing.key import Key
from cdec.auditing.pairwise import Links, Members
from cdec.errors import CorpusError
from cdec.plugins import errors_of_plugin


@dataclass(frozen=True, eq=False)
class Cases:
    """The cases of one detector on a key, in the order of its frame ``rows``."""

    detector: Detector
    key: Key
    rows: pd.DataFrame = field(repr=False)
    cases: tuple[Case, ...] = field(repr=False)

    @classmethod
    def of(cls, detector: Detector, key: Key) -> Cases:
        """Return the cases that ``detector`` finds; raises PluginError if a plug-in fails."""
        hint = "report it to the authors of that package"
        foreign = errors_of_plugin(f"the detector '{detector.id}' failed", hint)
        with nullcontext() if detector.id in DETECTORS.own else foreign:
            rows = detector.find(key).reset_index(drop=True)
            columns = (rows[name].tolist() for name in ("mentions", "reason", "fix"))
            cases = tuple(_case(detector, key, *row) for row in zip(*columns, strict=True))
        return cls(detector, key, rows, cases)

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.detector.table

    @property
    def proposes(self) -> str:
        """What its cases propose to do with chains."""
        return self.detector.proposes

    @cached_property
    def groups(self) -> pd.Series[Any]:
        """The name of the cases with which each row shares its probability; '': no case."""
        every = pd.Series(self.detector.id, index=self.rows.index)
        return self.rows.get("group", every)

    @property
    def flags(self) -> pd.DataFrame:
        """The flagged rows, with their score."""
        return self.rows[["score"]][self.groups != ""].set_axis([self.detector.id], axis=1)

    @cached_property
    def proposed(self) -> list[Any]:
        """What each row proposes: the chains to merge, the parts of a chain, a place, or a row."""
        rows, chain = self.key.rows, self.key.chain
        listed = [[(*s.mentions, *s.members) for s in case.questioned] for case in self.cases]
        if self.proposes == MERGE:
            return [tuple(sorted({int(chain[rows[s[0]]]) for s in sides})) for sides in listed]
        if self.proposes == DIVIDE:
            return [tuple(tuple(rows[id_] for id_ in side) for side in sides) for sides in listed]
        if self.proposes == ADD:
            return [places[0] for places in self.places]
        return [rows.get(sides[0][0]) for sides in listed]

    @property
    def topics(self) -> list[str]:
        """The topic of each row."""
        return [case.topic for case in self.cases]

    @property
    def places(self) -> list[tuple[str, ...]]:
        """Where each case proposes to add a mention."""
        return [tuple(s.place for s in case.sides if s.place) for case in self.cases]

    @property
    def inside(self) -> Bools:
        """Which rows are cases inside the reviewed sentences."""
        return np.array([case.reviewed is True for case in self.cases], dtype=bool)

    def case(self, row: int) -> Case:
        """Return the case of a row."""
        return self.cases[row]

    def reasons(self, row: int) -> list[str]:
        """Return the reasons of a row."""
        said = self.rows["reason"].iloc[row]
        return [said] if isinstance(said, str) else list(said)


def _case(detector: Detector, key: Key, mentions: Any, reason: Any, fixes: Any) -> Case:
    sides = tuple(m if isinstance(m, CaseSide) else key.side(m) for m in mentions)
    asked = () if detector.proposes == ADD else sides  # the place is in an annotated sentence
    if not detector.by_chain:
        asked = tuple(side.model_copy(update={"members": ()}) for side in sides)
    reasons = [reason] if isinstance(reason, str) else reason
    return key.case(detector.kind, sides, tuple(fixes), reasons, asked)


Table: TypeAlias = Links | Members | Cases


@dataclass(frozen=True, eq=False)
class Findings:
    """The tables of the chosen detectors on a key: of the pair detectors, and of the others.

    A table has ``rows``, each flagged (``flags``) or not, and says what they propose, how they rank
    and which are reviewed; ``case`` makes the case of a row.
    """

    key: Key
    pairwise: tuple[Links | Members, ...]
    own: tuple[Cases, ...]

    @classmethod
    def of(cls, key: Key) -> Findings:
        """Return what the detectors of ``key.config`` find.

        Raises CorpusError as ``held_out`` does and if no detector applies, PluginError as
        ``Cases.of``.
        """
        if set(key.config.detectors) <= set(key.left_out):
            needs = "; ".join(f"{n} needs {what}" for n, what in needs_of(key.left_out).items())
            message = f"no chosen detector applies to the corpus: {needs}"
            hint = "choose another detector"
            raise CorpusError("annotation-missing", message, place=key.corpus.name, hint=hint)
        own = tuple(Cases.of(one, key) for one in key.whole)
        if not any(one.learned for one in key.measured):
            return cls(key, (), own)
        merges = (codes for one in own if one.proposes == MERGE for codes in one.proposed)
        merged = {pair for codes in merges for pair in combinations(codes, 2)}
        return cls(key, (Links(key, merged), Members(key)), own)

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables."""
        return (*self.pairwise, *self.own)

    def proposing(self, what: str) -> list[Table]:
        """Return the tables whose rows propose to merge, leave or divide chains."""
        return [table for table in self.tables if table.proposes == what]
