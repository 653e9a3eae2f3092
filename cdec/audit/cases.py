"""The audit of a key: the detectors' results as cases with sides, fixes, reasons and evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import as_file, files
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.audit.case import Case, CaseSide
from cdec.audit.config import AuditConfig
from cdec.audit.explain import (
    chain_reasons,
    copies_reason,
    link_reasons,
    member_reasons,
    with_evidence,
)
from cdec.audit.find import Finds, Prepared, find, prepare
from cdec.audit.fixes import FixBuilder, Votes, of_copies
from cdec.audit.order.model import Calibration, read_calibration
from cdec.audit.order.ranking import COLUMNS as RANKED
from cdec.audit.order.ranking import Ranking, ranking
from cdec.audit.shortlist import DEPTHS, ELSEWHERE, Expected, ShortList
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.io.progress import Progress, silent
from cdec.language.pipeline import identity
from cdec.matching.view import runs
from cdec.signature import Signature

_DETECTORS = tuple(n for n in RANKED if n not in ("kind", "score", "group", "table", "row"))


def default_calibration() -> Calibration:
    """Return the probabilities fitted to the judged cases of ECB+."""
    with as_file(files("cdec.audit.order") / "ecbplus.json") as path:
        return read_calibration(path)


def audit(
    corpus: Corpus,
    config: AuditConfig,
    progress: Progress = silent,
    calibration: Calibration | None = None,
) -> ShortList:
    """Return all cases that the detectors of ``config`` find in the key of ``corpus``, in order.

    Cases have a score, and the list expected errors, only if the calibration is of this corpus and
    key: the order of one corpus is useful for another, its probabilities are not. Raises
    LanguageError as ``heads`` does, and CorpusError if a detector cannot be applied to the corpus.
    """
    nlp = identity(config.pipeline, corpus)
    chosen = calibration or default_calibration()
    known = chosen.holds_for(corpus.about)
    order = {"calibration": chosen.digest[:12]}
    order |= {} if known else {ELSEWHERE: str(chosen.about.get("corpus", "unknown"))}
    signature = Signature.from_fields(**corpus.about, nlp=nlp, **config.about, **order)
    prepared = prepare(corpus, config, progress)
    finds = find(corpus, prepared, config, progress)
    ranked = ranking(corpus, prepared, finds, config, chosen)
    built = CaseBuilder.from_finds(corpus, prepared, finds).cases(ranked.table)
    cases = tuple(
        replace(case, rank=rank, score=case.score if known else None)
        for rank, case in enumerate(built, start=1)
    )
    return ShortList(cases, signature.to_dict(), _expected(ranked, cases) if known else ())


def _expected(ranked: Ranking, cases: Sequence[Case]) -> tuple[Expected, ...]:
    """Return the expected errors among the first cases, of all and by review."""
    reviewed = np.array([case.reviewed is True for case in cases], dtype=bool)
    known = any(case.reviewed is not None for case in cases)
    scopes = {"all": np.ones(len(cases), dtype=bool)}
    scopes |= {"only": reviewed, "outside": ~reviewed} if known else {}
    rows = []
    for scope, mask in scopes.items():
        rank = np.where(mask, np.cumsum(mask), len(cases) + 1)
        total = int(mask.sum())
        for depth in (*(d for d in DEPTHS if d < total), total):
            errors, low, high = ranked.expected(rank <= depth)
            rows.append(Expected(scope, depth, round(errors, 1), round(low, 1), round(high, 1)))
    return tuple(rows)


@dataclass(frozen=True, eq=False)
class CaseBuilder:
    """Builds the cases of one key.

    ``ids``: mention id by row; ``members``: rows by chain code; ``reviewed``: whether a mention is
    in a reviewed sentence (empty: unknown); ``columns``: chain, descriptor and topic by row.
    """

    corpus: Corpus
    prepared: Prepared
    finds: Finds
    fixes: FixBuilder
    ids: pd.Index[Any] = field(repr=False)
    members: dict[int, Ints] = field(repr=False)
    reviewed: dict[str, bool] = field(repr=False)
    columns: dict[str, list[str]] = field(repr=False)

    @classmethod
    def from_finds(cls, corpus: Corpus, prepared: Prepared, finds: Finds) -> CaseBuilder:
        """Return the builder for the results on the key of ``corpus``."""
        rows = pd.Series(np.arange(len(finds.chain)))
        parts = (part.to_numpy() for _, part in rows.groupby(finds.chain))
        groups = {int(finds.chain[part[0]]): part for part in parts}
        ids = corpus.selected.index
        fixes = FixBuilder(Votes.of(corpus, prepared, finds.chain, groups), list(map(str, ids)))
        listed = corpus.mentions["reviewed"].astype(bool)
        reviewed = dict(zip(map(str, listed.index), listed.tolist(), strict=True))
        events = corpus.selected
        columns = {n: list(map(str, events[n])) for n in ("chain", "descriptor", "topic")}
        known = reviewed if listed.any() else {}
        return cls(corpus, prepared, finds, fixes, ids, groups, known, columns)

    def cases(self, ranked: pd.DataFrame) -> list[Case]:
        """Return the cases for the rows of a ranking, in the same order."""
        builders: dict[str, Callable[[Any, float, dict[str, float]], Case]] = {
            "groups": self._group,
            "links": self._link,
            "members": self._member,
            "chains": self._chain,
            "tags": self._tags,
            "copies": self._copies,
            "words": self._word,
        }
        tables = {name: getattr(self.finds, name).to_dict("index") for name in builders}
        cases = []
        for row in ranked.to_dict("records"):
            flags = {n: float(row[n]) for n in _DETECTORS if not pd.isna(row[n])}
            record = tables[row["table"]][row["row"]]
            cases.append(builders[row["table"]](record, float(row["score"]), flags))
        return with_evidence(cases, self.prepared, self.finds, self.ids)

    def _group(self, record: Any, score: float, flags: dict[str, float]) -> Case:
        return self._missing(record["rows"], score, flags, link_reasons(record, flags))

    def _link(self, record: Any, score: float, flags: dict[str, float]) -> Case:
        rows = (int(record["left"]), int(record["right"]))
        return self._missing(rows, score, flags, link_reasons(record, flags))

    def _missing(
        self, rows: tuple[int, ...], score: float, flags: dict[str, float], reasons: list[str]
    ) -> Case:
        sides = tuple(self._side(row) for row in rows)
        clusters = min(2, sum(bool(side.members) for side in sides))
        kind = ("singleton-singleton", "singleton-cluster", "cluster-cluster")[clusters]
        scored = (f"missing-{kind}", score, self._topic(rows[0]))
        return self._case(*scored, sides, self.fixes.link(rows), flags, reasons)

    def _member(self, record: Any, score: float, flags: dict[str, float]) -> Case:
        row = int(record["mention"])
        other = int(record["left"]) + int(record["right"]) - row
        ids = self._members_of(row)
        rest = tuple(id_ for id_ in ids if id_ not in (self.ids[row], self.ids[other]))
        label, descriptor = self._named(row)
        alone = CaseSide((self.ids[row],), label, descriptor)
        nearest = record["rival-rival"]
        rival = None if pd.isna(nearest) else int(nearest)
        third = () if rival is None else (self._side(rival),)
        sides = (alone, CaseSide((self.ids[other],), label, descriptor, rest), *third)
        scored = ("spurious-member", score, self._topic(row))
        fixes, reasons = self.fixes.member(row, rival), member_reasons(record, flags)
        return self._case(*scored, sides, fixes, flags, reasons)

    def _chain(self, record: Any, score: float, flags: dict[str, float]) -> Case:
        label, descriptor = self._named(record["part"][0])
        sides = []
        for rows, shown in ((record["part"], record["left"]), (record["rest"], record["right"])):
            first = shown if shown in rows else rows[0]
            rest = tuple(self.ids[row] for row in rows if row != first)
            sides.append(CaseSide((self.ids[first],), label, descriptor, rest))
        scored = ("two-events", score, self._topic(record["part"][0]))
        fixes = self.fixes.chain(record["part"])
        return self._case(*scored, tuple(sides), fixes, flags, chain_reasons(record))

    def _tags(self, record: Any, score: float, flags: dict[str, float]) -> Case:
        ids, others = list(record["mentions"]), list(record["others"])
        first, other = (self.corpus.mentions.loc[side[0]] for side in (ids, others))
        sides = (
            CaseSide(tuple(ids), str(record["chain"]), str(first["descriptor"])),
            CaseSide(
                (others[0],), str(other["chain"]), str(other["descriptor"]), tuple(others[1:])
            ),
        )
        whole = len(ids) == int((self.corpus.selected["chain"] == record["chain"]).sum())
        scored = ("contradicting-members", score, str(first["topic"]))
        fixes = self.fixes.tags(ids, whole)
        return self._case(*scored, sides, fixes, flags, [str(record["reason"])])

    def _copies(self, record: Any, score: float, flags: dict[str, float]) -> Case:
        ids = list(record["mentions"])
        rows = self.corpus.selected.loc[ids]
        spans = {str(id_): runs(tokens) for id_, tokens in rows["tokens"].items()}
        tags = {str(id_): str(tag) for id_, tag in rows["tag"].items()}
        fixes = of_copies(record, spans, tags)
        split = len(ids) if record["difference"] == "missing" else int(record["votes"])
        parts = [part for part in (ids[:split], ids[split:]) if part]
        sides = [self._plain(part) for part in parts]
        sides += [CaseSide((), "", place=place) for place in record["places"]]
        topic = str(rows["topic"].iloc[0])
        reasons = [copies_reason(record)]
        return self._case("copies-differ", score, topic, tuple(sides), fixes, flags, reasons)

    def _word(self, record: Any, score: float, flags: dict[str, float]) -> Case:
        row = int(record["mention"])
        reason = f"'{record['word']}' is a function word ({record['pos']})"
        scored = ("no-event", score, self._topic(row))
        return self._case(*scored, (self._side(row),), self.fixes.word(row), flags, [reason])

    def _case(  # noqa: PLR0917
        self,
        kind: str,
        score: float,
        topic: str,
        sides: tuple[CaseSide, ...],
        fixes: tuple[Any, ...],
        flags: dict[str, float],
        reasons: Sequence[str],
    ) -> Case:
        shown = [id_ for side in sides for id_ in side.mentions]
        why = (*reasons, *self._unreviewed(shown))
        known = self._is_inside(kind, sides) if self.reviewed else None
        return Case(kind, score, topic, sides, fixes, flags, why, reviewed=known)

    def _is_inside(self, kind: str, sides: Sequence[CaseSide]) -> bool:
        """Return whether each mention, or a member of its chain, is in a reviewed sentence.

        The link of two chains may be judged by any of their mentions, but not what is no event. The
        third side of a spurious member, the most similar mention elsewhere, is only evidence.
        """
        asked = sides[:2] if kind == "spurious-member" else sides
        by_chain = kind != "no-event"
        listed = (
            (id_, side.members if by_chain else ()) for side in asked for id_ in side.mentions
        )
        return all(any(self.reviewed[m] for m in (id_, *members)) for id_, members in listed)

    def _side(self, row: int) -> CaseSide:
        label, descriptor = self._named(row)
        rest = tuple(id_ for id_ in self._members_of(row) if id_ != self.ids[row])
        return CaseSide((str(self.ids[row]),), label, descriptor, rest)

    def _plain(self, ids: list[str]) -> CaseSide:
        label, descriptor = self._named(int(self.ids.get_indexer(pd.Index(ids[:1]))[0]))
        return CaseSide(tuple(ids), label, descriptor)

    def _members_of(self, row: int) -> list[str]:
        return [str(self.ids[at]) for at in self.members[self.finds.chain[row]]]

    def _named(self, row: int) -> tuple[str, str]:
        return self.columns["chain"][row], self.columns["descriptor"][row]

    def _topic(self, row: int) -> str:
        return self.columns["topic"][row]

    def _unreviewed(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return the reason for mentions outside the reviewed sentences, if these are known."""
        inside = [self.reviewed.get(id_, True) for id_ in ids]
        outside = f"{inside.count(False)} of {counted(len(inside), 'mention')}"
        text = f"not in a sentence that the annotators reviewed: {outside}"
        return () if all(inside) else (text,)
