"""A key to audit, as the detectors use it: its chains, and the data that do not depend on it.

``prepare`` is the part that does not depend on the key; a benchmark reuses it for many keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from cdec.arrays import Bools, Ints, Singles
from cdec.auditing.case import MISSING, SPURIOUS, Case, CaseSide, Fix, missing
from cdec.auditing.config import AuditConfig
from cdec.auditing.detector import Detector, Measured, PairDetector
from cdec.auditing.detectors import pair_detectors
from cdec.auditing.detectors.duplicate import duplicates
from cdec.auditing.evidence import inside_chains
from cdec.auditing.fixes import Fixes, none_of_these
from cdec.auditing.pool import Design, Pool, no_pairs, pool
from cdec.auditing.readers import Readers
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError, counted
from cdec.files.progress import Progress, silent


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data of a corpus for any key.

    ``pool`` and ``x`` are the candidate pairs and their columns, ``alike`` the mentions at the same
    position of similar sentences, ``facts`` what the chosen detectors prepared, by id.
    """

    pool: Pool
    design: Design = field(repr=False)
    x: Singles = field(repr=False)
    alike: pd.DataFrame = field(repr=False)
    facts: Mapping[str, Any] = field(repr=False)


def prepare(corpus: Corpus, config: AuditConfig, progress: Progress = silent) -> Prepared:
    """Return the data of ``corpus`` that do not depend on the key.

    Raises LanguageError as ``heads`` does, CorpusError if the corpus has no candidate pairs.
    """
    candidates = pool(corpus, config, progress)
    if not len(candidates.pairs):
        raise no_pairs(corpus, "no two event mentions are similar enough to compare")
    design = Design.fit(candidates.features)
    x = design.apply(candidates.features)
    facts = {
        detector.id: detector.prepare(corpus, config, progress)
        for detector in config.chosen
        if isinstance(detector, Detector) and detector.prepare and detector.applies_to(corpus)
    }
    return Prepared(candidates, design, x, duplicates(corpus, config.identity), facts)


@dataclass(frozen=True, eq=False)
class Key:
    """The key of a corpus: ``corpus`` and its ``prepared`` data, with chains by mention.

    A mention is a *row* of ``corpus.selected``, a chain a *code*: their numbers in text order.
    ``readers`` are the systems that clustered its mentions too.
    """

    corpus: Corpus
    prepared: Prepared
    config: AuditConfig
    progress: Progress = silent
    readers: Readers | None = None

    @cached_property
    def chain(self) -> Ints:
        """The chain code of each row."""
        return pd.factorize(self.corpus.selected["chain"])[0].astype(np.int64)

    @cached_property
    def labels(self) -> list[str]:
        """The chain label of each code."""
        return list(map(str, pd.factorize(self.corpus.selected["chain"])[1]))

    @cached_property
    def sizes(self) -> Ints:
        """The number of mentions of each chain."""
        return np.bincount(self.chain)

    @cached_property
    def members(self) -> dict[int, Ints]:
        """The rows of each chain."""
        rows = pd.Series(np.arange(len(self.chain))).groupby(self.chain)
        return {int(code): part.to_numpy() for code, part in rows}  # type: ignore[call-overload]

    @cached_property
    def ids(self) -> list[str]:
        """The mention id of each row."""
        return list(map(str, self.corpus.selected.index))

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each mention id."""
        return {id_: row for row, id_ in enumerate(self.ids)}

    @cached_property
    def inside(self) -> tuple[Ints, Ints]:
        """All mention pairs inside chains, as rows."""
        return inside_chains(self.chain)

    @cached_property
    def inside_x(self) -> Singles:
        """The columns of the pairs inside chains, as ``prepared.x``."""
        return self.prepared.design.apply(self.prepared.pool.describe(*self.inside))

    @cached_property
    def linked(self) -> Bools:
        """Whether each candidate pair is in one chain."""
        pairs = self.prepared.pool.pairs
        return np.asarray(self.chain[pairs.left] == self.chain[pairs.right])

    @cached_property
    def fixes(self) -> Fixes:
        """The corrections of cases of this key."""
        return Fixes(self)

    @cached_property
    def reviewed(self) -> dict[str, bool]:
        """Whether each mention is in a reviewed sentence; empty if this is unknown."""
        listed = self.corpus.mentions["reviewed"].astype(bool)
        known = dict(zip(map(str, listed.index), listed.tolist(), strict=True))
        return known if listed.any() else {}

    def units_of(self, rows: Ints) -> Ints:
        """Return the unit of each mention for folds: topic, or sub-topic or document if one."""
        for name in ("topic", "subtopic", "doc"):
            units = pd.factorize(self.corpus.selected[name])[0].astype(np.int64)
            if len(np.unique(units[rows])) > 1:
                break
        return units

    @cached_property
    def measured(self) -> dict[PairDetector, Measured]:
        """What the chosen pair detectors say, those that they require, and those that are free.

        A detector is free if it requires others, all of which are measured: it does not flag
        anything, but its column is in the learned order. A detector that this corpus is too small
        to train is in ``left_out`` instead. Raises CorpusError if these are all that are chosen.
        """
        return {one: measured for one, measured in self._tried.items() if measured}

    @cached_property
    def whole(self) -> list[Detector]:
        """The chosen detectors of whole cases that apply to the corpus."""
        chosen = (one for one in self.config.chosen if isinstance(one, Detector))
        return [one for one in chosen if one.applies_to(self.corpus)]

    @cached_property
    def left_out(self) -> list[str]:
        """The detectors that could not be trained, and those that do not apply to the corpus."""
        untrained = [one.id for one, measured in self._tried.items() if not measured]
        others = (one for one in self.config.chosen if isinstance(one, Detector))
        return [*untrained, *(one.id for one in others if one not in self.whole)]

    @cached_property
    def _tried(self) -> dict[PairDetector, Measured | None]:
        known = pair_detectors(self.config.detectors)
        chosen = [one for one in known if one.id in self.config.detectors]
        needed = {*chosen, *(other for one in chosen for other in one.requires)}
        free = {one for one in known if one.requires and needed.issuperset(one.requires)}
        tried: dict[PairDetector, Measured | None] = {}
        for one in (one for one in known if one in needed | free):
            try:
                tried[one] = self.measure(one)
            except CorpusError as error:
                tried[one] = None
                without = {other.id for other, measured in tried.items() if not measured}
                if error.code != "part-too-small" or without.issuperset(self.config.detectors):
                    raise
        return tried

    def measure(self, detector: PairDetector) -> Measured:
        """Return what a pair detector says of the pairs of this key; computed once."""
        if detector not in self._measured:
            # One thread: several threads would add in another order and change the last digit.
            with threadpool_limits(1):
                self._measured[detector] = detector.measure(self)
        return self._measured[detector]

    @cached_property
    def _measured(self) -> dict[PairDetector, Measured]:
        return {}

    def side(self, id_: str) -> CaseSide:
        """Return a mention with the other mentions of its chain."""
        row = self.rows[id_]
        rest = tuple(self.ids[at] for at in self.members[self.chain[row]] if at != row)
        return self.part((id_,), rest)

    def part(self, mentions: Iterable[str], members: Iterable[str] = ()) -> CaseSide:
        """Return mentions of one chain as a side of a case, with further ``members`` of it."""
        ids = tuple(mentions)
        chain, name = self._named[ids[0]]
        return CaseSide(mentions=ids, chain=chain, descriptor=name, members=tuple(members))

    def case(
        self,
        kind: str,
        sides: tuple[CaseSide, ...],
        fixes: tuple[Fix, ...],
        reasons: Sequence[str],
        asked: Sequence[CaseSide],
    ) -> Case:
        """Return a case without score and detectors, whose last correction is none.

        A chain that only a correction names is a side too. The case is inside the reviewed
        sentences if each mention of the sides ``asked`` is, or one of its members there: the link
        of two chains may be judged by any of their mentions.
        """
        listed = [(id_, *side.members) for side in asked for id_ in side.mentions]
        sides = (*sides, *self._evidence(sides, fixes))
        inside = all(any(self.reviewed.get(m, True) for m in ids) for ids in listed)
        shown = [id_ for side in sides if not side.evidence for id_ in side.mentions]
        topic, why = self._topics[shown[0]], (*reasons, *self._unreviewed(shown))
        reviewed = inside if self.reviewed else None
        named = missing(sides) if kind == MISSING else kind
        return Case(
            kind=named,
            score=None,
            topic=topic,
            reviewed=reviewed,
            detectors={},
            reasons=why,
            sides=sides,
            fixes=(*fixes, none_of_these()),
        )

    def link(self, rows: tuple[int, int], reasons: Sequence[str] = ()) -> Case:
        """Return the case of a missing link between the chains of two mentions."""
        sides = tuple(self.side(self.ids[row]) for row in rows)
        return self.case(MISSING, sides, self.fixes.link(rows), reasons, sides)

    def member(self, row: int, other: int, rival: int | None, reasons: Sequence[str] = ()) -> Case:
        """Return the case of a spurious member: it, its chain with ``other`` first, its rival."""
        id_, near = self.ids[row], self.ids[other]
        rest = [member for member in self.side(id_).members if member != near]
        sides = (self.part([id_]), self.part([near], rest))
        third = () if rival is None else (self.side(self.ids[rival]),)
        return self.case(SPURIOUS, (*sides, *third), self.fixes.member(row, rival), reasons, sides)

    def _evidence(self, sides: Sequence[CaseSide], fixes: Sequence[Fix]) -> tuple[CaseSide, ...]:
        """Return the chains that corrections name, but no side has."""
        known = {id_ for side in sides for id_ in (*side.mentions, *side.members)}
        claims = (claim for fix in fixes for claim in fix.claims)
        named = (id_ for claim in claims for id_ in claim.mentions if id_ in self.rows)
        further = {self._named[id_][0]: self.side(id_) for id_ in named if id_ not in known}
        return tuple(side.model_copy(update={"evidence": True}) for side in further.values())

    @cached_property
    def _named(self) -> dict[str, tuple[str, str]]:
        """The label and the descriptor of the chain of each mention."""
        columns = self.corpus.mentions[["chain", "descriptor"]].astype(str)
        return {str(id_): (chain, name) for id_, chain, name in columns.itertuples(name=None)}

    @cached_property
    def _topics(self) -> dict[str, str]:
        return {str(id_): str(topic) for id_, topic in self.corpus.mentions["topic"].items()}

    def _unreviewed(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return the reason for mentions outside the reviewed sentences, if these are known."""
        inside = [self.reviewed.get(id_, True) for id_ in ids]
        outside = f"{inside.count(False)} of {counted(len(inside), 'mention')}"
        text = f"not in a sentence that the annotators reviewed: {outside}"
        return () if all(inside) else (text,)
