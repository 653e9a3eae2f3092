"""The audit of a key: the detectors' results as cases with sides, reasons and evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Ints
from cdec.audit.case import KINDS, Case, CaseSide, Operation
from cdec.audit.config import AuditConfig
from cdec.audit.detect.pool import COLUMNS
from cdec.audit.find import Finds, Prepared, find, prepare
from cdec.audit.ranking import COLUMNS as RANKED
from cdec.audit.ranking import ranking
from cdec.audit.shortlist import ShortList
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.io.progress import Progress, silent
from cdec.language.pipeline import pipeline
from cdec.signature import Signature

_DIGITS = 4  # of a contribution and of the value of a feature
_SHOWN = 4  # features shown for the link, and as many against it
_EXPLAINED = {name for name in KINDS if name.startswith(("missing", "spurious"))}
_DETECTORS = tuple(name for name in RANKED if name not in ("kind", "score", "table", "row"))


def audit(corpus: Corpus, config: AuditConfig, progress: Progress = silent) -> ShortList:
    """Return all cases that the detectors of ``config`` find in the key of ``corpus``.

    Raises LanguageError as ``heads`` does, and CorpusError if a detector cannot be applied to the
    corpus.
    """
    nlp = pipeline(config.pipeline).identity
    signature = Signature.from_fields(**corpus.about, nlp=nlp, **config.about)
    prepared = prepare(corpus, config, progress)
    finds = find(corpus, prepared, config, progress)
    cases = CaseBuilder.from_finds(corpus, prepared, finds).cases(ranking(finds, config))
    return ShortList(tuple(cases), signature.to_dict())


@dataclass(frozen=True, eq=False)
class CaseBuilder:
    """Builds the cases of one key. ``ids``: mention id by row; ``members``: rows by chain code."""

    corpus: Corpus
    prepared: Prepared
    finds: Finds
    ids: pd.Index[Any] = field(repr=False)
    members: dict[int, Ints] = field(repr=False)

    @classmethod
    def from_finds(cls, corpus: Corpus, prepared: Prepared, finds: Finds) -> CaseBuilder:
        """Return the builder for the results on the key of ``corpus``."""
        rows = pd.Series(np.arange(len(finds.chain)))
        parts = (part.to_numpy() for _, part in rows.groupby(finds.chain))
        groups = {int(finds.chain[part[0]]): part for part in parts}
        return cls(corpus, prepared, finds, corpus.events.index, groups)

    def cases(self, ranked: pd.DataFrame) -> list[Case]:
        """Return the cases for the rows of ``ranking``, in the same order."""
        builders: dict[str, Callable[[Any, float, dict[str, float]], Case]] = {
            "groups": self._group,
            "links": self._link,
            "members": self._member,
            "tags": self._tags,
            "documents": self._document,
        }
        cases = []
        for row in ranked.to_dict("records"):
            flags = {n: float(row[n]) for n in _DETECTORS if not pd.isna(row[n])}
            record = getattr(self.finds, row["table"]).loc[row["row"]]
            cases.append(builders[row["table"]](record, float(row["score"]), flags))
        return self._with_evidence(cases)

    def _group(self, record: Any, score: float, flags: dict[str, float]) -> Case:
        return self._missing(record["rows"], score, flags, _link_reasons(record, flags))

    def _link(self, record: Any, score: float, flags: dict[str, float]) -> Case:
        rows = (int(record["left"]), int(record["right"]))
        return self._missing(rows, score, flags, _link_reasons(record, flags))

    def _missing(
        self, rows: tuple[int, ...], score: float, flags: dict[str, float], reasons: list[str]
    ) -> Case:
        sides = tuple(self._side(row) for row in rows)
        clusters = min(2, sum(bool(side.members) for side in sides))
        kind = ("singleton-singleton", "singleton-cluster", "cluster-cluster")[clusters]
        return Case(
            kind=f"missing-{kind}",
            score=score,
            topic=self._topic(rows[0]),
            sides=sides,
            operation=Operation(merge=tuple(str(self.ids[row]) for row in rows)),
            detectors=flags,
            reasons=(*reasons, *self._unreviewed(rows)),
        )

    def _member(self, record: Any, score: float, flags: dict[str, float]) -> Case:
        row = int(record["mention"])
        other = int(record["left"]) + int(record["right"]) - row
        ids = self._members_of(row)
        rest = tuple(id_ for id_ in ids if id_ not in (self.ids[row], self.ids[other]))
        label, descriptor = self._named(row)
        alone = CaseSide((self.ids[row],), label, descriptor)
        nearest = record["rival-rival"]
        rival = () if pd.isna(nearest) else (self._side(int(nearest)),)
        return Case(
            kind="spurious-member",
            score=score,
            topic=self._topic(row),
            sides=(alone, CaseSide((self.ids[other],), label, descriptor, rest), *rival),
            operation=Operation(move=(self.ids[row],)),
            detectors=flags,
            reasons=(*_member_reasons(record, flags), *self._unreviewed((row, other))),
        )

    def _tags(self, record: Any, score: float, flags: dict[str, float]) -> Case:
        events = self.corpus.mentions.loc[list(record["mentions"])]
        first = events.iloc[0]
        others = self.corpus.mentions.loc[list(record["others"])]
        sides = (
            CaseSide(tuple(events.index), str(record["chain"]), str(first["descriptor"])),
            CaseSide(
                (str(others.index[0]),),
                str(others.iloc[0]["chain"]),
                str(others.iloc[0]["descriptor"]),
                tuple(others.index[1:]),
            ),
        )
        # A move of all event mentions of the chain would only rename it.
        whole = len(events) == int((self.corpus.events["chain"] == record["chain"]).sum())
        move = () if whole else tuple(events.index)
        topic, reasons = str(first["topic"]), (str(record["reason"]),)
        operation = Operation(move=move)
        return Case("contradicting-members", score, topic, sides, operation, flags, reasons)

    def _document(self, record: Any, score: float, flags: dict[str, float]) -> Case:
        document = self.corpus.documents[record["doc"]]
        reason = (
            f"{record['reviewed']} of {counted(record['sentences'], 'sentence')} of {document.id} "
            "were reviewed; the other sentences have "
            f"{counted(len(record['loose']), 'unlinked event mention')}"
        )
        side = CaseSide(tuple(record["loose"]), document.id)
        kind, unchanged = "unfinished-annotation", Operation()
        return Case(kind, score, document.topic, (side,), unchanged, flags, (reason,))

    def _side(self, row: int) -> CaseSide:
        label, descriptor = self._named(row)
        rest = tuple(id_ for id_ in self._members_of(row) if id_ != self.ids[row])
        return CaseSide((str(self.ids[row]),), label, descriptor, rest)

    def _members_of(self, row: int) -> list[str]:
        return [str(self.ids[at]) for at in self.members[self.finds.chain[row]]]

    def _named(self, row: int) -> tuple[str, str]:
        mention = self.corpus.events.iloc[row]
        return str(mention["chain"]), str(mention["descriptor"])

    def _topic(self, row: int) -> str:
        return str(self.corpus.events["topic"].iloc[row])

    def _unreviewed(self, rows: Iterable[int]) -> tuple[str, ...]:
        """Return the reason for mentions outside the reviewed sentences, if these are known."""
        reviewed = self.corpus.events["reviewed"].iloc[list(rows)]
        if not self.corpus.mentions["reviewed"].any() or reviewed.all():
            return ()
        outside = f"{(~reviewed).sum()} of {counted(len(reviewed), 'mention')}"
        return (f"not in a sentence that the annotators reviewed: {outside}",)

    def _with_evidence(self, cases: list[Case]) -> list[Case]:
        """Return the cases with the strongest features for and against their link."""
        model, design = self.finds.model, self.prepared.design
        explained = [i for i, case in enumerate(cases) if case.kind in _EXPLAINED]
        if model is None or not explained:
            return cases
        ends = [[cases[i].sides[0].mentions[0], cases[i].sides[1].mentions[0]] for i in explained]
        rows = np.sort([self.ids.get_indexer(pd.Index(pair)) for pair in ends], axis=1)
        features = self.prepared.pool.describe(rows[:, 0], rows[:, 1])
        with_evidence = list(cases)
        for place, plain, row in zip(explained, features, design.apply(features), strict=True):
            adds = design.contributions(row, model.weights).round(_DIGITS)
            order = np.argsort(-adds, kind="stable")
            strongest = [*order[:_SHOWN], *order[-_SHOWN:]]
            evidence = tuple(
                (COLUMNS[at], float(adds[at]), round(float(plain[at]), _DIGITS)) for at in strongest
            )
            with_evidence[place] = replace(cases[place], evidence=evidence)
        return with_evidence


def _link_reasons(record: Any, flags: dict[str, float]) -> list[str]:
    """Return a sentence for each detector that would merge the chains."""
    reasons = []
    if "duplicate" in flags:
        same = "identical" if flags["duplicate"] == 1 else f"{flags['duplicate']:.0%} identical"
        reasons.append(f"their sentences are {same}, with the mentions at the same position")
    if "svm" in flags:
        reasons.append(f"their features suggest a link (SVM anchor {record['slack']:.2f})")
    if "held-out" in flags:
        probability = _probability(record["held-out"])
        reasons.append(
            f"a classifier trained on other topics links them (probability {probability:.0%})"
        )
    if "companions" in flags:
        count = int(record["companions"])
        reasons.append(
            f"{count} other mention pairs of these two sentences are linked or almost linked"
        )
    return reasons


def _member_reasons(record: Any, flags: dict[str, float]) -> list[str]:
    """Return a sentence for each detector that doubts that the mention belongs to its chain."""
    reasons = []
    if "svm" in flags:
        reasons.append(
            f"its features suggest no link to any member of its chain "
            f"(SVM anchor of the most similar one {record['slack']:.2f})"
        )
    if "held-out" in flags:
        probability = _probability(record["held-out"])
        reasons.append(
            f"a classifier trained on other topics links it to no member of its chain "
            f"(probability of a link {probability:.0%})"
        )
    return reasons


def _probability(margin: float) -> float:
    """Return the probability of a link for a margin, which is half of the log-odds."""
    return float(expit(2 * margin))
