"""Scored pairs as a response: ``pairs:FILE[@THRESHOLD[/CLUSTERING]]`` instead of a file."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UsageError, one_of
from cdec.evaluation.response import Named, ResponseFile, Source, is_there
from cdec.pair_scores.clusterings import CLOSURE, CLUSTERINGS, linking_notices
from cdec.pair_scores.tuning import linking
from cdec.pairs.bounds import ORACLE, YES
from cdec.pairs.mention_pairs import MentionPairs
from cdec.pairs.pair_files import SCORE, PairTable, read_pairs
from cdec.pairs.within import Candidates
from cdec.settings import Setting

Pairs = PairTable | pd.DataFrame | Mapping[tuple[str, str], float] | str | Path
_HOW = re.compile(r"(.+)@([^@/]*)(?:/(\w+))?", re.DOTALL)


@dataclass(frozen=True)
class ScoredPairs(Source):
    """The chains of the scored pairs in a file, at a threshold (None: 0.5, or 0 for log-odds).

    >>> ScoredPairs.parse("runs/scores.csv@0.4/average")
    ScoredPairs(name='scores', path='runs/scores.csv', threshold=0.4, clustering='average')
    """

    path: str
    threshold: float | None = None
    clustering: str = CLOSURE

    @classmethod
    def parse(cls, text: str) -> ScoredPairs:
        """Return the source for ``FILE[@[THRESHOLD][/CLUSTERING]]``.

        Raises UsageError for another threshold, UnknownNameError for another clustering.
        """
        how = None if is_there(Path(text)) else _HOW.fullmatch(text)
        if how is None:
            return cls(Path(text).stem, text)
        path, threshold, clustering = how[1], how[2], how[3] or CLOSURE
        one_of("clustering", clustering, CLUSTERINGS)
        value = _number(threshold) if threshold else None
        return cls(Path(path).stem, path, value, clustering)

    @classmethod
    def names(cls) -> list[str]:
        """Return no names: there are files only."""
        return []

    @property
    def reads(self) -> tuple[Path, ...]:
        """The file."""
        return (Path(self.path),)

    @cached_property
    def table(self) -> PairTable:
        """The pairs of the file, which is read once. Raises FormatError as ``table_of`` does."""
        return table_of(self.path)

    def covers(self, corpus: Corpus) -> pd.Series[str]:
        """Return the mentions of all pairs."""
        return mentions_in(self.table)

    def on(self, corpus: Corpus, settings: Sequence[Setting] = ()) -> Named:
        """Return the chains; their signature has the digest of the pairs.

        Raises FormatError for a file without a scored pair, and as ``MentionPairs.of_table`` does.
        """
        pairs = MentionPairs.of_table(self.table, corpus)
        if pairs.score is None:
            hint = "add the column score; `cdec pairs` takes lists without scores"
            message = "the pairs have no scores"
            raise FormatError("file-invalid", message, place=self.path, hint=hint)
        if not len(pairs.scored()):
            hint = "write a row for each pair that was compared, with its score"
            raise FormatError("file-invalid", "no pair has a score", place=self.path, hint=hint)
        at = linking(pairs, self.threshold, self.clustering)
        labels = CLUSTERINGS[at.clustering](pairs).chains(at.threshold)
        chains = Clustering(pd.Series(labels, index=corpus.selected.index))
        about = {**pairs.about, **at.about}
        candidates = Candidates.from_pairs(pairs)
        standing = {YES: candidates.yes, ORACLE: candidates.oracle}
        notices = (*pairs.notices, *linking_notices(pairs, at, settings))
        return Named(self.name, chains, about, notices, standing)

    def within(self, corpus: Corpus) -> Named:
        """Return the chains of the mentions that are in a pair; a part may have been compared."""
        named, pairs = self.on(corpus), pairs_of(self.path, corpus)
        compared = np.union1d(pairs.first, pairs.second)
        return replace(named, response=Clustering(named.response.labels.iloc[compared]))

    def file(self) -> ResponseFile:
        """Raise UsageError: without a corpus there are no mentions to cluster."""
        message = "pair scores are not a response file"
        hint = "score them on a corpus: `cdec eval pairs:FILE@THRESHOLD`"
        raise UsageError("argument-invalid", message, place=self.path, hint=hint)


def pairs_of(given: Pairs, corpus: Corpus) -> MentionPairs:
    """Return the pairs of a file, a table, or a dict (mention, mention) → score.

    Raises as ``table_of`` and ``MentionPairs.of_table`` do.
    """
    return MentionPairs.of_table(table_of(given), corpus)


def table_of(given: Pairs) -> PairTable:
    """Return the table of pairs, of any form.

    Raises FormatError for a table that names no two mentions, and as ``PairTable`` does; UsageError
    for any other value.
    """
    if isinstance(given, PairTable):
        return given
    if isinstance(given, str | Path):
        table = read_pairs(str(given))
    else:
        rows = given if isinstance(given, pd.DataFrame) else _rows(given)
        table = PairTable("pairs", rows)
    if table is None:
        message = "the header or first line names no two mentions"
        hint = "write the columns a and b, and score"
        raise FormatError("file-invalid", message, place=str(given), hint=hint)
    return table


def mentions_in(table: PairTable) -> pd.Series[str]:
    """Return the mentions of all pairs, each as a chain."""
    names = pd.unique(pd.concat([table.rows["a"], table.rows["b"]])).astype(str)
    return pd.Series(names, names)


def check_options(**given: object) -> None:
    """Raise UsageError for an option that has no effect on a list without scores.

    >>> check_options(threshold=None)
    """
    for name, value in given.items():
        if value is not None:
            message = f"{name} has no effect without scores"
            raise UsageError("option-conflict", message, hint="add the column score")


def _rows(given: object) -> pd.DataFrame:
    hint = "such as {(mention, mention): score}"
    if not isinstance(given, Mapping | pd.Series):
        message = f"expected a file, a table or a dict, got {type(given).__name__}"
        raise UsageError("argument-invalid", message, hint=hint)
    rows: list[tuple[object, ...]] = []
    for pair, score in given.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            message = f"expected two mentions, got {pair!s:.40}"
            raise UsageError("argument-invalid", message, place=f"pairs:{len(rows)}", hint=hint)
        rows.append((*pair, score))
    return pd.DataFrame(rows, columns=["a", "b", SCORE], dtype=object)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        message = f"'{text}' is not a threshold"
        hint = "write FILE@THRESHOLD or FILE@THRESHOLD/CLUSTERING, as in scores.csv@0.5/average"
        raise UsageError("argument-invalid", message, hint=hint)
    return value
