"""Judged cases as the data to which the probabilities are fitted.

A file of judged cases is CSV with the columns ``ranking`` (which list the case was drawn from),
``verdict`` and ``mentions`` (ids, the mention in question first). It has no text of the corpus. A
verdict is ``error``, ``not-error`` or ``unsure``; ``error-this-fix`` and ``error-other-fix`` also
say whether the correction that was offered first is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cdec.audit.find import Finds, Prepared, units_of
from cdec.audit.order.features import link_features, member_features
from cdec.audit.order.fit import Judged, cross_validated, fitted
from cdec.audit.order.model import Calibration, Rate
from cdec.audit.order.ranking import Ranking
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UsageError, counted
from cdec.io.inputfile import FileKind

_HINT = "give a CSV file with the columns ranking, verdict and mentions"
_KIND = FileKind("a file of judged cases", FormatError, "judged-invalid", _HINT)
_ERRORS = dict.fromkeys(("error", "error-this-fix", "error-other-fix"), 1.0)
_VERDICTS = {**_ERRORS, "not-error": 0.0, "unsure": np.nan}
# The list that a case was drawn from → the table of its detector. Any other: links and groups.
_TABLES = {
    "spurious-member": "members",
    "members": "members",
    "two-events": "chains",
    "two-mentions": "chains",
    "contradicting": "tags",
    "contradicting-members": "tags",
    "copies": "copies",
    "copies-differ": "copies",
    "no-event": "words",
}

_ASKED = {"links": "missing links of one pair", "members": "spurious members"}
_LEAST = 5  # judged errors, and cases that are not, of a table


def read_judged(paths: Iterable[Path]) -> pd.DataFrame:
    """Return the judged cases of several files: ``ranking``, ``error``, ``mentions`` (a list).

    Cases without a clear verdict are left out. Raises FormatError for an invalid file.
    """
    tables = []
    for path in paths:
        rows = [line.split(",") for line in _KIND.read_text(path).splitlines() if line.strip()]
        names = rows[0] if rows else []
        missing = {"ranking", "verdict", "mentions"} - set(names)
        if missing:
            raise _KIND.refuse(path, f"column '{min(missing)}' missing")
        for number, row in enumerate(rows[1:], start=2):
            if len(row) != len(names) or row[names.index("verdict")] not in _VERDICTS:
                raise _KIND.refuse(f"{path}:{number}", "invalid row")
        tables.append(pd.DataFrame(rows[1:], columns=names))
    table = pd.concat(tables, ignore_index=True)
    error = table["verdict"].map(_VERDICTS)
    judged = table.assign(error=error, mentions=table["mentions"].str.split())
    return judged[error.notna()][["ranking", "error", "mentions"]].reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class Matched:
    """The judged cases that the audit has: ``table``, ``row``, ``error`` and ``topic``.

    ``topic`` is the number of the topic, or of the sub-topic or document if there is one topic.
    """

    rows: pd.DataFrame = field(repr=False)

    def of(self, table: str) -> pd.DataFrame:
        """Return the judged rows of one table of ``Finds``."""
        return self.rows[self.rows["table"] == table]


def match(judged: pd.DataFrame, corpus: Corpus, finds: Finds) -> Matched:
    """Return the judged cases by table and row of ``finds``; each row counts once."""
    rows = {str(id_): at for at, id_ in enumerate(corpus.selected.index)}
    topics = units_of(corpus, np.arange(len(finds.chain)))
    places = _Places(finds, rows)
    found = []
    for ranking, error, mentions in judged.itertuples(index=False, name=None):
        known = [rows[mention] for mention in mentions if mention in rows]
        place = places.of(_TABLES.get(ranking, "links"), known)
        if place is not None:
            found.append((*place, error, topics[known[0]]))
    table = pd.DataFrame(found, columns=["table", "row", "error", "topic"])
    return Matched(table.drop_duplicates(["table", "row"]).reset_index(drop=True))


class _Places:
    """Finds the row of a judged case in the tables of ``Finds``."""

    def __init__(self, finds: Finds, rows: dict[str, int]) -> None:
        self.chain = finds.chain
        links = finds.links[["one", "two"]].itertuples(name=None)
        self.links = {(int(one), int(two)): int(at) for at, one, two in links}
        groups = zip(finds.groups.index.tolist(), finds.groups["codes"].tolist(), strict=True)
        self.groups = {pair: at for at, codes in groups for pair in combinations(codes, 2)}
        self.mention: dict[str, dict[int, int]] = {
            "members": _by_number(finds.members, "mention"),
            "words": _by_number(finds.words, "mention"),
            "chains": _by_number(finds.chains, "chain"),
            "copies": _first(finds.copies, rows),
            "tags": _first(finds.tags, rows),
        }

    def of(self, table: str, known: list[int]) -> tuple[str, int] | None:
        if not known:
            return None
        if table == "links":
            return self._link(known)
        key = int(self.chain[known[0]]) if table == "chains" else known[0]
        at = self.mention[table].get(key)
        return None if at is None else (table, at)

    def _link(self, known: list[int]) -> tuple[str, int] | None:
        codes = sorted({int(self.chain[row]) for row in known})
        pairs = list(combinations(codes, 2))
        for name, places in (("groups", self.groups), ("links", self.links)):
            hits = [places[pair] for pair in pairs if pair in places]
            if hits:
                return name, hits[0]
        return None


def _by_number(table: pd.DataFrame, column: str) -> dict[int, int]:
    """Return value of an integer column → row."""
    values = table[column].tolist() if column in table else []
    return dict(zip(values, table.index.tolist(), strict=True)) if values else {}


def _first(table: pd.DataFrame, rows: dict[str, int]) -> dict[int, int]:
    """Return row of the first of the mentions → row."""
    lists = table["mentions"].tolist() if "mentions" in table else []
    return {rows[ids[0]]: at for at, ids in zip(table.index.tolist(), lists, strict=bool(lists))}


def calibrated(  # noqa: PLR0917
    corpus: Corpus,
    prepared: Prepared,
    finds: Finds,
    ranked: Ranking,
    judged: pd.DataFrame,
    planted: Mapping[str, Judged],
) -> Calibration:
    """Return the calibration fitted to judged and planted cases.

    ``ranked`` is the ranking of ``finds`` under any calibration: it names the groups with a rate.
    ``planted``: from ``planted_samples``. ``about`` of the result has the quality of both models by
    topic-wise validation, on judged cases only.
    """
    matched = match(judged, corpus, finds)
    tables = {
        "links": link_features(corpus, prepared, finds),
        "members": member_features(corpus, prepared, finds),
    }
    samples = {name: sample(matched.of(name), table) for name, table in tables.items()}
    _check(samples)
    models = {n: fitted(sample.with_planted(planted[n])) for n, sample in samples.items()}
    rates = _rates(matched, ranked)
    about = {n: quality(sample, planted[n]) for n, sample in samples.items()}
    return Calibration(models["links"], models["members"], rates, about)


def sample(rows: pd.DataFrame, table: pd.DataFrame) -> Judged:
    """Return the judged rows of a table: ``rows`` from ``Matched``, ``table`` with the columns."""
    columns = table.loc[rows["row"]].reset_index(drop=True)
    topics = rows["topic"].to_numpy(np.int64)
    return Judged(columns, rows["error"].to_numpy(bool), topics, np.ones(len(rows)))


def _check(samples: Mapping[str, Judged]) -> None:
    """Raise UsageError unless each table has judged errors and others, of several topics."""
    for name, one in samples.items():
        errors, topics = int(one.error.sum()), len(np.unique(one.topics))
        others = len(one.error) - errors
        if min(errors, others) < _LEAST or topics < 2:
            raise UsageError(
                "judged-too-few",
                f"{counted(errors, 'error')} and {others} not errors of "
                f"{counted(topics, 'topic')} are judged among the {_ASKED[name]}",
                hint=f"judge at least {_LEAST} of each, in two topics (in a corpus of one topic: "
                "sub-topics or documents)",
            )


def _rates(matched: Matched, ranked: Ranking) -> dict[str, Rate]:
    groups = ranked.table.set_index(["table", "row"])["group"].dropna()
    keys = pd.MultiIndex.from_frame(matched.rows[["table", "row"]])
    names = groups.reindex(keys)
    table = pd.DataFrame({"group": names.to_numpy(), "error": matched.rows["error"].to_numpy()})
    parts = table.dropna().groupby("group")["error"]
    return {str(name): Rate(int(part.sum()), len(part)) for name, part in parts}


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
