"""Whether the corrections of cases are right, on planted errors whose right correction is known.

A correction is right if it restores the chains that the planted error changed, apart from mentions
with another planted error; a case that asks about two errors does not count. Mentions moved from a
chain of one are left out, unless their sentence was reviewed: elsewhere it is unknown whether they
are singletons.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan

import numpy as np
import pandas as pd

from cdec.auditing.benchmark.measure import Plan, planted_in_scope
from cdec.auditing.benchmark.plant import CURES, Planted, Targets, in_scope
from cdec.auditing.case import Case, Operation
from cdec.auditing.cases import ranking
from cdec.auditing.config import AuditConfig
from cdec.auditing.detector import DIVIDE, LEAVE, MERGE
from cdec.auditing.findings import Findings, Table
from cdec.auditing.key import Key, prepare
from cdec.auditing.order.model import Calibration
from cdec.auditing.patches.apply import apply_patch
from cdec.auditing.patches.model import Correction, Patch
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.signature import Signature, in_json

COUNTS = ("planted", "listed", "first", "options", "preselected", "right")


def corrections(
    corpus: Corpus,
    config: AuditConfig,
    calibration: Calibration,
    plan: Plan,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Return a row for each kind of planted error and kind of its case, with ``COUNTS``.

    ``planted`` errors, those whose case is ``listed``; of these, those for which the ``first``
    correction is right, one of the ``options`` is, and the first is ``preselected``; of these, the
    ``right`` ones. Only the first case of each kind counts. Raises as ``benchmark`` does.
    """
    prepared = prepare(corpus, config, progress)
    lemmas = pd.Series(prepared.pool.mentions.codes["lemma"], index=corpus.selected.index)
    runs = [(kind, seed) for kind in plan.kinds for seed in plan.seeds]
    rows: list[dict[str, object]] = []
    for kind, seed in progress(runs, len(runs), "planting errors"):
        planted = planted_in_scope(corpus, kind, plan, seed, lemmas.astype(str))
        key = Key(planted.corpus, prepared, config)
        rows += _Corrected(planted, key, corpus.selected["chain"]).rows(calibration, plan.scope)
    table = pd.DataFrame(rows, columns=["kind", "case", *COUNTS])
    return table.groupby(["kind", "case"], sort=False).sum().reset_index()


def corrections_page(table: pd.DataFrame, signature: Signature) -> Page:
    """Return the shares of right corrections; a row for each planted kind and kind of its case."""
    shares = {
        "listed": ("listed", "planted"),
        "first right": ("first", "listed"),
        "right among all": ("options", "listed"),
        "preselected": ("preselected", "listed"),
        "right where preselected": ("right", "preselected"),
    }
    view = table[["kind", "case", "planted"]].rename(columns={"kind": "planted", "planted": "n"})
    for name, (part, whole) in shares.items():
        share = table[part] / table[whole].where(table[whole] > 0)
        view[name] = ["–" if isnan(value) else percent(value) for value in share]
    notes = (
        "listed: share of the planted errors with such a case that asks about no second one; the "
        "next columns are shares of these cases, the last of those with a preselected correction",
        str(signature),
    )
    return Page.from_table(view, table, notes=notes, about=in_json(signature))


@dataclass(frozen=True, eq=False)
class _Corrected:
    """A key with planted errors; ``before`` is the chain of each mention before."""

    planted: Planted
    key: Key
    before: pd.Series[str] = field(repr=False)

    @cached_property
    def after(self) -> pd.Series[str]:
        """The chain of each mention with the planted errors."""
        return self.key.corpus.selected["chain"]

    @cached_property
    def known(self) -> list[int]:
        """The numbers of the errors whose right correction is known."""
        homes, reviewed = set(self.before.drop([*self.moved])), self.key.reviewed
        lone = {id_ for id_ in self.moved if not (self.before[id_] in homes or reviewed.get(id_))}
        return [
            number
            for number, error in enumerate(self.planted.errors)
            if CURES[error.kind] != LEAVE or error.mentions[0] not in lone
        ]

    @cached_property
    def moved(self) -> frozenset[str]:
        """All mentions with a planted error."""
        return frozenset(id_ for error in self.planted.errors for id_ in error.mentions)

    @cached_property
    def links(self) -> dict[tuple[int, int], list[int]]:
        """Two chains → the errors that moved a mention from one to the other."""
        links: dict[tuple[int, int], list[int]] = {}
        codes = dict(zip(self.key.labels, range(len(self.key.labels)), strict=True))
        for number in self.known:
            (id_, *_), cure = self.planted.errors[number].mentions, self.planted.errors[number].kind
            ends = codes.get(self.before[id_], -1), codes[self.after[id_]]
            if CURES[cure] == LEAVE and ends[0] >= 0:
                links.setdefault((min(ends), max(ends)), []).append(number)
        return links

    def rows(self, calibration: Calibration, scope: str) -> Iterator[dict[str, object]]:
        """Yield the counts by kind of case."""
        results: dict[str, dict[int, tuple[bool, bool, bool]]] = {}
        for number, case in self._cases(calibration, scope):
            one = results.setdefault(case.kind, {})
            if number not in one:
                right = [self._right(number, fix.operation) for fix in case.fixes]
                one[number] = (right[0], any(right), not case.fixes[0].tied)
        kind = self.planted.errors[0].kind
        for name, one in results.items():
            first, options, chosen = np.array(list(one.values())).T
            counts = (len(self.known), len(one), first.sum(), options.sum(), chosen.sum())
            numbers = zip(COUNTS, (*counts, (first & chosen).sum()), strict=True)
            yield {"kind": kind, "case": name, **dict(numbers)}

    def _cases(self, calibration: Calibration, scope: str) -> Iterator[tuple[int, Case]]:
        """Yield the errors with each of their cases, the most probable first."""
        findings, targets = Findings.of(self.key), Targets.of(self.planted, self.key)
        hits = {table.name: self._hits(table, targets) for table in findings.tables}
        kept = {table.name: in_scope(table, scope) for table in findings.tables}
        known, ranked = set(self.known), ranking(findings, calibration)
        for rows in ranked.rows:
            inside = [(name, row) for name, row in rows if kept[name][row]]
            numbers = [n for name, row in inside for n in hits[name][row] if n in known]
            if not numbers:
                continue
            case = ranked.case(rows)
            asked = {*case.asked}
            for number in numbers:
                error = self.planted.errors[number]
                alone = not (self.moved - {*error.mentions}) & asked
                if alone and (CURES[error.kind] != LEAVE or error.mentions[0] in asked):
                    yield number, case

    def _hits(self, table: Table, targets: Targets) -> list[tuple[int, ...]]:
        """Return the errors of each row: as ``Targets``, and links to the chain that was left."""
        hits = targets.hits(table)
        if table.proposes != MERGE:
            return hits
        pairs = [tuple(sorted(codes)) if len(codes) == 2 else (-1, -1) for codes in table.proposed]
        return [(*own, *self.links.get(pair, ())) for own, pair in zip(hits, pairs, strict=True)]

    def _right(self, number: int, operation: Operation) -> bool:
        """Whether an operation restores the chains that an error changed."""
        if not (operation.merge or operation.move):
            return False
        error = self.planted.errors[number]
        own = [*error.mentions]
        named = self.after[list(operation.mentions)]
        labels = {*self.before[own], *self.after[own], *named, error.rest}
        changed = self.before.isin(labels) | self.after.isin(labels)
        others = self.before.index.isin(self.moved - {*own})
        if CURES[error.kind] == DIVIDE:  # the rest of a chain of which a part was fused
            others |= self.before.isin(self.before[own]) & ~self.before.index.isin(own)
        counted = self.before.index[changed & ~others]
        key = Clustering(self.after[self.after.isin({*self.after[counted], *named})])
        result = apply_patch(key, Patch((Correction(**operation.to_dict()),))).labels
        one, two = (pd.factorize(side[counted])[0] for side in (self.before, result))
        return np.array_equal(one, two)
