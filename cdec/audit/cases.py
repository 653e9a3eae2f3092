"""The audit of a key, as cases: who stands on each side, and what speaks for it."""

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

_SHOWN = 4  # features named for and against
_EXPLAINED = {name for name in KINDS if name.startswith(("missing", "spurious"))}
_DETECTORS = tuple(name for name in RANKED if name not in ("kind", "score", "table", "row"))


def audit(corpus: Corpus, config: AuditConfig, progress: Progress = silent) -> ShortList:
    """Return every case that the detectors of ``config`` find in the key of ``corpus``.

    Raises LanguageError as ``heads`` does, and CorpusError for a corpus on which a detector
    cannot work.
    """
    nlp = pipeline(config.pipeline).identity
    signature = Signature.from_fields(**corpus.about, nlp=nlp, **config.about)
    prepared = prepare(corpus, config, progress)
    finds = find(corpus, prepared, config, progress)
    cases = CaseBuilder.from_finds(corpus, prepared, finds).cases(ranking(finds, config))
    return ShortList(tuple(cases), signature.to_dict())


@dataclass(frozen=True, eq=False)
class CaseBuilder:
    """Makes the cases of one key; ``ids`` are the mention ids by row."""

    corpus: Corpus
    prepared: Prepared
    finds: Finds
    ids: pd.Index[Any] = field(repr=False)
    members: dict[int, Ints] = field(repr=False)

    @classmethod
    def from_finds(cls, corpus: Corpus, prepared: Prepared, finds: Finds) -> CaseBuilder:
        """Return the maker for what was found in the key of ``corpus``."""
        rows = pd.Series(np.arange(len(finds.chain)))
        parts = (part.to_numpy() for _, part in rows.groupby(finds.chain))
        groups = {int(finds.chain[part[0]]): part for part in parts}
        return cls(corpus, prepared, finds, corpus.events.index, groups)

    def cases(self, ranked: pd.DataFrame) -> list[Case]:
        """Return the cases of the rows of ``ranking``, in their order."""
        make: dict[str, Callable[[Any, float, dict[str, float]], Case]] = {
            "groups": self._group,
            "links": self._link,
            "members": self._member,
            "tags": self._tags,
            "documents": self._document,
        }
        made = []
        for row in ranked.to_dict("records"):
            flags = {n: float(row[n]) for n in _DETECTORS if not pd.isna(row[n])}
            found = getattr(self.finds, row["table"]).loc[row["row"]]
            made.append(make[row["table"]](found, float(row["score"]), flags))
        return self._with_evidence(made)

    def _group(self, found: Any, score: float, flags: dict[str, float]) -> Case:
        return self._missing(found["rows"], score, flags, _link_reasons(found, flags))

    def _link(self, found: Any, score: float, flags: dict[str, float]) -> Case:
        rows = (int(found["left"]), int(found["right"]))
        return self._missing(rows, score, flags, _link_reasons(found, flags))

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

    def _member(self, found: Any, score: float, flags: dict[str, float]) -> Case:
        row = int(found["mention"])
        other = int(found["left"]) + int(found["right"]) - row
        ids = self._members_of(row)
        rest = tuple(id_ for id_ in ids if id_ not in (self.ids[row], self.ids[other]))
        label, descriptor = self._named(row)
        alone = CaseSide((self.ids[row],), label, descriptor)
        rival = () if pd.isna(found["rival-rival"]) else (self._side(int(found["rival-rival"])),)
        return Case(
            kind="spurious-member",
            score=score,
            topic=self._topic(row),
            sides=(alone, CaseSide((self.ids[other],), label, descriptor, rest), *rival),
            operation=Operation(move=(self.ids[row],)),
            detectors=flags,
            reasons=(*_member_reasons(found, flags), *self._unreviewed((row, other))),
        )

    def _tags(self, found: Any, score: float, flags: dict[str, float]) -> Case:
        events = self.corpus.mentions.loc[list(found["mentions"])]
        first = events.iloc[0]
        others = self.corpus.mentions.loc[list(found["others"])]
        sides = (
            CaseSide(tuple(events.index), str(found["chain"]), str(first["descriptor"])),
            CaseSide(
                (str(others.index[0]),),
                str(others.iloc[0]["chain"]),
                str(others.iloc[0]["descriptor"]),
                tuple(others.index[1:]),
            ),
        )
        # Leaving a chain of their own for another of their own would change nothing.
        alone = len(events) == int((self.corpus.events["chain"] == found["chain"]).sum())
        move = () if alone else tuple(events.index)
        topic, reasons = str(first["topic"]), (str(found["reason"]),)
        operation = Operation(move=move)
        return Case("contradicting-members", score, topic, sides, operation, flags, reasons)

    def _document(self, found: Any, score: float, flags: dict[str, float]) -> Case:
        document = self.corpus.documents[found["doc"]]
        reason = (
            f"{found['reviewed']} of {counted(found['sentences'], 'sentence')} of {document.id} "
            "reviewed; "
            f"{counted(len(found['loose']), 'event mention')} elsewhere in it in no chain"
        )
        side = CaseSide(tuple(found["loose"]), document.id)
        kind, nothing = "unfinished-annotation", Operation()
        return Case(kind, score, document.topic, (side,), nothing, flags, (reason,))

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
        """Say that a mention stands outside the reviewed sentences, where there is such a list."""
        reviewed = self.corpus.events["reviewed"].iloc[list(rows)]
        if not self.corpus.mentions["reviewed"].any() or reviewed.all():
            return ()
        outside = f"{(~reviewed).sum()} of {counted(len(reviewed), 'mention')} shown"
        return (f"outside the sentences that annotators reviewed: {outside}",)

    def _with_evidence(self, cases: list[Case]) -> list[Case]:
        """Return the cases with the features that speak loudest for their link and against it."""
        model, design = self.finds.model, self.prepared.design
        told = [i for i, case in enumerate(cases) if case.kind in _EXPLAINED]
        if model is None or not told:
            return cases
        ends = [[cases[i].sides[0].mentions[0], cases[i].sides[1].mentions[0]] for i in told]
        rows = np.sort([self.ids.get_indexer(pd.Index(pair)) for pair in ends], axis=1)
        features = self.prepared.pool.describe(rows[:, 0], rows[:, 1])
        made = list(cases)
        for place, plain, row in zip(told, features, design.apply(features), strict=True):
            adds = design.contributions(row, model.weights)
            order = np.argsort(-adds, kind="stable")
            loudest = [*order[:_SHOWN], *order[-_SHOWN:]]
            evidence = tuple((COLUMNS[at], float(adds[at]), float(plain[at])) for at in loudest)
            made[place] = replace(cases[place], evidence=evidence)
        return made


def _link_reasons(found: Any, flags: dict[str, float]) -> list[str]:
    """Return why the chains of a link or group are suspected to be one, detector by detector."""
    reasons = []
    if "duplicate" in flags:
        same = "identical" if flags["duplicate"] == 1 else f"{flags['duplicate']:.0%} identical"
        reasons.append(f"the same place of sentences that are {same} is not linked")
    if "svm" in flags:
        reasons.append(f"the SVM had to memorise that they are apart (anchor {found['slack']:.2f})")
    if "held-out" in flags:
        odds = _share(found["held-out"])
        reasons.append(f"a model of the other topics would link them ({odds:.0%})")
    if "companions" in flags:
        count = int(found["companions"])
        reasons.append(f"{count} other pairs of their sentences are linked, or nearly")
    return reasons


def _member_reasons(found: Any, flags: dict[str, float]) -> list[str]:
    """Return why a mention is suspected to be in the wrong chain, detector by detector."""
    reasons = []
    if "svm" in flags:
        reasons.append(
            f"no member of its chain is like it: the SVM had to memorise even the nearest "
            f"(anchor {found['slack']:.2f})"
        )
    if "held-out" in flags:
        odds = _share(found["held-out"])
        reasons.append(f"a model of the other topics would link it with no member ({odds:.0%})")
    return reasons


def _share(margin: float) -> float:
    """Return the odds of a margin as a share: half the log-odds are on the scale of a margin."""
    return float(expit(2 * margin))
