"""Judged cases as the data to which the probabilities are fitted.

A file of judged cases is CSV with the columns ``ranking`` (which list the case was drawn from),
``verdict`` and ``mentions`` (ids, the mention in question first; if one may be missing, its place,
``document/tokens``, then a mention of its chain). It has no text of the corpus. A
verdict is ``error``, ``not-error`` or ``unsure``; ``error-this-fix`` and ``error-other-fix`` also
say whether the correction that was offered first is right. Other columns are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdec.auditing.config import AuditConfig
from cdec.auditing.detector import ADD, DIVIDE, MERGE, Detector
from cdec.auditing.detectors import with_own
from cdec.auditing.detectors.systems import with_systems
from cdec.auditing.findings import Findings, Table
from cdec.auditing.key import Key, prepare
from cdec.auditing.order.fit import Judged, cross_validated, fitted, planted_samples
from cdec.auditing.order.model import Calibration, Rate, key_of
from cdec.auditing.pairwise import Links, Members
from cdec.auditing.readers import systems_of
from cdec.columns.tables import records
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UsageError, counted
from cdec.evaluation.response import Response
from cdec.io.inputfile import FileKind
from cdec.io.progress import Progress, silent

_HINT = "give a CSV file with the columns ranking, verdict and mentions"
_KIND = FileKind("a file of judged cases", FormatError, "table-invalid", _HINT)
_ERRORS = dict.fromkeys(("error", "error-this-fix", "error-other-fix"), 1.0)
_VERDICTS = {**_ERRORS, "not-error": 0.0, "unsure": np.nan}
_ASKED = {Links.name: "missing links of one pair", Members.name: "spurious members"}
_LEAST = 5  # judged errors, and cases that are not, of a table


def read_judged(paths: Iterable[Path]) -> pd.DataFrame:
    """Return the judged cases of several files: ``ranking``, ``error``, ``mentions`` (a list).

    Cases without a clear verdict are left out. Raises FormatError for an invalid file.
    """
    rows = []
    for path in paths:
        for place, row in records(path, _KIND, ("ranking", "verdict", "mentions")):
            if row["verdict"] not in _VERDICTS:
                raise _KIND.refuse(place, f"the verdict is '{row['verdict']}'")
            rows.append((row["ranking"], _VERDICTS[row["verdict"]], row["mentions"].split()))
    judged = pd.DataFrame(rows, columns=["ranking", "error", "mentions"])
    return judged[judged["error"].notna()].reset_index(drop=True)


def match(judged: pd.DataFrame, findings: Findings) -> pd.DataFrame:
    """Return the judged cases that the audit has: ``table``, ``row``, ``error`` and ``topic``.

    ``topic`` is the number of the topic, or of the sub-topic or document if there is one topic.
    Each row counts once.
    """
    key = findings.key
    topics, places = key.units_of(np.arange(len(key.chain))), _Places(findings)
    rows = []
    columns = judged[["ranking", "error", "mentions"]]
    for ranking, error, mentions in columns.itertuples(index=False, name=None):
        known = [key.rows[mention] for mention in mentions if mention in key.rows]
        place = places.of(ranking, known, mentions[0])
        if place is not None:
            rows.append((*place, error, topics[known[0]]))
    table = pd.DataFrame(rows, columns=["table", "row", "error", "topic"])
    return table.drop_duplicates(["table", "row"]).reset_index(drop=True)


class _Places:
    """Finds the row of a judged case: by the list that it was drawn from, else among the links.

    A link has the first pair of its chains that a detector proposes to merge, or is a candidate:
    of a case of several links the strongest one, whose mentions are first.
    """

    def __init__(self, findings: Findings) -> None:
        self.key = findings.key
        # The lists of detectors that were not chosen have no rows.
        every = with_own(self.key.config.detectors)
        names = [name for one in every if isinstance(one, Detector) for name in one.judged]
        self.lists: dict[str, Table | None] = dict.fromkeys(names)
        self.lists |= {name: table for table in findings.tables for name in table.judged}
        self.numbers = {table.name: self._numbers(table) for table in self.lists.values() if table}
        self.merges = [
            (table.name, {p: at for at, codes in enumerate(table.proposed) for p in _pairs(codes)})
            for table in reversed(findings.proposing(MERGE))
        ]

    def _numbers(self, table: Table) -> dict[Any, int]:
        """Return what identifies a row → its number: the first mention, or the chain to divide."""
        if table.proposes == DIVIDE:
            return {self.key.chain[one[0]]: at for at, (one, _) in enumerate(table.proposed)}
        return {row: at for at, row in enumerate(table.proposed)}

    def of(self, ranking: str, known: list[int], first: str) -> tuple[str, int] | None:
        """Return table and row of a case of a list with these mentions; ``first``: what it asks."""
        if not known:
            return None
        if ranking not in self.lists:
            codes = dict.fromkeys(int(self.key.chain[row]) for row in known)
            pairs = [(min(pair), max(pair)) for pair in _pairs(codes)]
            return next(((n, rows[p]) for n, rows in self.merges for p in pairs if p in rows), None)
        table = self.lists[ranking]
        if table is None:
            return None
        identity = first if table.proposes == ADD else known[0]
        identity = self.key.chain[known[0]] if table.proposes == DIVIDE else identity
        at = self.numbers[table.name].get(identity)
        return None if at is None else (table.name, at)


def _pairs(codes: Iterable[int]) -> list[tuple[int, int]]:
    return list(combinations(codes, 2))


def calibration_of(
    corpus: Corpus,
    config: AuditConfig,
    judged: Sequence[Path],
    progress: Progress = silent,
    responses: Sequence[Response] = (),
) -> Calibration:
    """Return the probabilities fitted to the judged cases of these files.

    ``responses`` are those of systems, see ``cdec.auditing.readers``.
    Raises FormatError for an invalid file, UsageError if too few of its cases are in the corpus,
    and as ``systems_of`` does.
    """
    table, systems = read_judged(judged), systems_of(responses, corpus)
    prepared, chosen = prepare(corpus, config, progress), with_systems(config, responses)
    findings = Findings.of(Key(corpus, prepared, chosen, progress, systems))
    planted = planted_samples(corpus, prepared, chosen, progress, systems)
    return calibrated(findings, table, planted)


def calibrated(
    findings: Findings, judged: pd.DataFrame, planted: Mapping[str, Judged]
) -> Calibration:
    """Return the calibration fitted to judged and planted cases.

    ``planted``: from ``planted_samples``. ``about`` of the result has the corpus, and the quality
    of both models by topic-wise validation, on judged cases only.
    """
    matched, corpus = match(judged, findings), findings.key.corpus
    samples = {table.name: sample(matched, table) for table in findings.pairwise}
    _check(samples)
    both = {
        one.name: (samples[one.name].ordered(one), planted[one.name].ordered(one))
        for one in findings.pairwise
    }
    models = {n: fitted(one.with_planted(errors)) for n, (one, errors) in both.items()}
    bare = {n: fitted(one) for n, (one, _) in both.items()}
    about = {n: quality(*both[n]) for n in both}
    named = {"corpus": corpus.name, **key_of(corpus.about), **about}
    return Calibration(about=named, rates=_rates(matched, findings), bare=bare, **models)


def sample(matched: pd.DataFrame, table: Links | Members) -> Judged:
    """Return the judged rows of a table, with all columns."""
    rows = matched[matched["table"] == table.name]
    columns = table.features().loc[rows["row"]].reset_index(drop=True)
    topics = rows["topic"].to_numpy(np.int64)
    return Judged(columns, rows["error"].to_numpy(bool), topics, np.ones(len(rows)))


def _check(samples: Mapping[str, Judged]) -> None:
    """Raise UsageError unless each table has judged errors and others, of several topics."""
    for name, one in samples.items():
        errors, topics = int(one.error.sum()), len(np.unique(one.topics))
        others = len(one.error) - errors
        if min(errors, others) < _LEAST or topics < 2:
            raise UsageError(
                "part-too-small",
                f"{counted(errors, 'error')} and {others} not errors of "
                f"{counted(topics, 'topic')} are judged among the {_ASKED[name]}",
                hint=f"judge at least {_LEAST} of each, in two topics (in a corpus of one topic: "
                "sub-topics or documents)",
            )


def _rates(matched: pd.DataFrame, findings: Findings) -> dict[str, Rate]:
    """Return the share of errors of each group of judged cases."""
    rates: dict[str, Rate] = {}
    for table in findings.own:
        rows = matched[matched["table"] == table.name].set_index("row")["error"]
        groups = table.groups[table.flags.index].reindex(rows.index).dropna()
        parts = rows[groups.index].groupby(groups)
        rates |= {str(name): Rate(int(part.sum()), len(part)) for name, part in parts}
    return dict(sorted(rates.items()))


def quality(sample: Judged, planted: Judged) -> dict[str, Any]:
    """Return number of cases, share of errors, and AUC and Brier score on other topics."""
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415

    p = cross_validated(sample, planted)
    return {
        "judged": len(p),
        "errors": int(sample.error.sum()),
        "topics": len(np.unique(sample.topics)),
        "auc": round(float(roc_auc_score(sample.error, p)), 4),
        "brier": round(float(((p - sample.error) ** 2).mean()), 4),
    }
