"""Missing links and spurious members: what the pair detectors say, by pair of chains and by member.

Both tables have one row for each candidate, flagged or not, with the scores of the pair detectors
and the columns of the learned order.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats, Ints
from cdec.auditing.case import SPURIOUS, Case
from cdec.auditing.detector import LEAVE, MERGE, PairDetector
from cdec.auditing.detectors import pair_detectors
from cdec.auditing.evidence import between_chains, of_members, rivals
from cdec.auditing.key import Key
from cdec.auditing.pool import COLUMNS

# Of the strongest pair: words around the mentions, of their sentences and documents, rarity of a
# common lemma, spelling of the heads.
_CONTEXTS = ("window", "sentence", "lemma_idf", "document_cosine", "events", "letter_cosine")
_SHAPES = ("clusters", "crossing", "pairs", "dense", "smaller", "larger", "outside", "inside")


class _Pairwise:
    """Rows that the pair detectors of a key score.

    ``free``: which ``rows`` no other detector proposes; ``asked``: which of these may be cases.
    ``sign``: −1 if a missing link is suspected, 1 if a wrong one; ``subject``: the column with the
    row of the mention in question; ``judged``: as in ``Detector``.
    """

    name: str
    proposes: str
    sign: int
    subject: str

    def __init__(self, key: Key, rows: pd.DataFrame, free: Bools, asked: Bools) -> None:
        self.key, self.rows, self.free, self.asked = key, rows, free, asked
        self.known = pair_detectors(key.config.detectors)
        self.reviewed = key.corpus.selected["reviewed"].to_numpy(bool)

    @property
    def detectors(self) -> list[PairDetector]:
        """The detectors that have a column, first those with margins."""
        return [detector for detector in self.known if detector.id in self.rows]

    @property
    def learned(self) -> list[str]:
        """The detectors with margins."""
        return [detector.id for detector in self.detectors if detector.learned]

    @property
    def unordered(self) -> list[str]:
        """The detectors whose column in ``features`` is not in the learned order."""
        return [one.id for one in self.known if self.name not in one.ordered]

    @cached_property
    def flags(self) -> pd.DataFrame:
        """The flagged rows, with the score of each chosen detector, missing if it flags others."""
        config, rows = self.key.config, self.rows[self.asked]
        chosen = [detector for detector in self.detectors if detector.id in config.detectors]
        flags = {one.id: one.flags(rows, config, self.sign < 0) for one in chosen}
        return pd.DataFrame(flags, index=rows.index).dropna(how="all")

    @cached_property
    def records(self) -> Mapping[Any, Mapping[Any, Any]]:
        """The flagged rows by number."""
        return self.rows.loc[self.flags.index].to_dict("index")

    def reasons(self, row: int) -> list[str]:
        """Return the sentence of each detector that flags a row."""
        record, flagged = self.records[row], self._flagged[row]
        chosen = (one for one in self.detectors if flagged.get(one.id))
        return [one.reason(record, self.sign < 0) for one in chosen]

    @cached_property
    def _flagged(self) -> dict[Any, dict[Any, bool]]:
        """Whether each detector flags each flagged row."""
        return self.flags.notna().to_dict("index")

    @property
    def topics(self) -> list[str]:
        """The topic of each row."""
        topics = self.key.corpus.selected["topic"].astype(str).to_numpy()
        return list(topics[self.rows[self.subject].to_numpy(np.int64)])

    def units(self) -> Ints:
        """Return the unit for folds of each row."""
        units = self.key.units_of(np.arange(len(self.key.chain)))
        return np.asarray(units[self.rows[self.subject].to_numpy(np.int64)])

    def _scores(self) -> dict[str, pd.Series[Any]]:
        """Return the columns of the learned order that the detectors make."""
        return {one.id: one.feature(self.rows[one.id]) for one in self.detectors}

    def _outside(self, *sides: Ints) -> Floats:
        """Return the share of mentions outside the reviewed sentences; NaN if unknown."""
        if not self.key.reviewed:
            return np.full(len(sides[0]), np.nan)
        return np.asarray(np.mean([~self.reviewed[side] for side in sides], axis=0))

    def _counts(self) -> Floats:
        """Return the number of reviewed mentions of each chain."""
        return np.asarray(np.bincount(self.key.chain, self.reviewed))


class Links(_Pairwise):
    """One row for each pair of chains with a candidate pair.

    Columns: those of ``between_chains``, those that detectors bring with the strongest pair, and
    ``left`` and ``right``, the rows of its mentions. ``merged``: pairs of chains that other
    detectors propose to merge, which are no case again.
    """

    name, proposes, sign, subject = "links", MERGE, -1, "left"

    def __init__(self, key: Key, merged: set[tuple[int, int]]) -> None:
        pairs, measured = key.prepared.pool.pairs, key.measured
        margins = {one.id: m.margins[0] for one, m in measured.items() if m.margins}
        table = between_chains(pairs.left, pairs.right, key.chain, margins)
        best = table["pair"].to_numpy()
        columns = {n: v[0][best] for m in measured.values() for n, v in m.columns.items()}
        rows = table.assign(left=pairs.left[best], right=pairs.right[best], **columns)
        for links in (m.links for m in measured.values() if m.links):
            rows = rows.merge(links[0], how="left", on=["one", "two"])
            # These have no candidate pair, and what is said of candidates is missing.
            further = links[1].assign(pair=-1, count=0)
            rows = pd.concat([rows, further], ignore_index=True) if len(further) else rows
        self.proposed = list(zip(rows["one"].tolist(), rows["two"].tolist(), strict=True))
        free = np.fromiter((pair not in merged for pair in self.proposed), bool)
        super().__init__(key, rows, free, free)

    @property
    def inside(self) -> Bools:
        """Which rows are cases inside the reviewed sentences."""
        counts = self._counts()
        return np.asarray((counts[self.rows["one"]] > 0) & (counts[self.rows["two"]] > 0))

    def features(self) -> pd.DataFrame:
        """Return the columns of the learned order for each row.

        The margins of the detectors; ``companions`` and ``pairs`` (mention pairs between the
        chains) are logarithms of 1 + a count; ``clusters``: whether both chains have several
        mentions, and ``dense`` their ``pairs``; ``smaller`` and ``larger`` the logarithms of their
        sizes; ``crossing``: whether the pair is of two sub-topics; ``outside`` the share of its
        mentions outside the reviewed sentences; ``inside``: whether it is in one document. A column
        is NaN if its detector was not chosen.
        """
        rows, sizes, corpus = self.rows, self.key.sizes, self.key.corpus
        left, right = (rows[side].to_numpy(np.int64) for side in ("left", "right"))
        pool, pair = self.key.prepared.pool, rows["pair"].to_numpy(np.int64)
        values, alone = pool.features[pair], pair < 0
        if alone.any():
            values[alone] = pool.describe(*np.sort([left[alone], right[alone]], axis=0))
        contexts = {name: values[:, COLUMNS.index(name)] for name in _CONTEXTS}
        ends = np.log([sizes[rows["one"]], sizes[rows["two"]]])
        clusters, pairs = ends.min(axis=0) > 0, np.log1p(rows["count"])
        docs, subtopics = (pd.factorize(corpus.selected[c])[0] for c in ("doc", "subtopic"))
        table = pd.DataFrame({**self._scores(), **contexts}, index=rows.index).assign(
            clusters=clusters,
            crossing=subtopics[left] != subtopics[right],
            pairs=pairs,
            dense=clusters * pairs,
            smaller=ends.min(axis=0),
            larger=ends.max(axis=0),
            outside=self._outside(left, right),
            inside=docs[left] == docs[right],
        )
        names = [one.id for one in self.known]
        return table.reindex(columns=[*names, *_CONTEXTS, *_SHAPES]).astype(float)

    def case(self, row: int) -> Case:
        """Return the case of a flagged row."""
        record = self.records[row]
        return self.key.link((int(record["left"]), int(record["right"])), self.reasons(row))


class Members(_Pairwise):
    """One row for each mention that is not a singleton.

    Columns: those of ``of_members``, those that detectors bring with the strongest link, ``left``
    and ``right``, the rows of this link, and, for the most similar mention of another chain,
    ``rival-rival`` (its row) and ``rival-`` with each margin.
    """

    name, proposes, sign, subject = "members", LEAVE, 1, "mention"
    judged = (SPURIOUS, "members")

    def __init__(self, key: Key) -> None:
        pairs, measured = key.prepared.pool.pairs, key.measured
        margins = {one.id: m.margins for one, m in measured.items() if m.margins}
        table = of_members(*key.inside, {name: both[1] for name, both in margins.items()})
        link = table["pair"].to_numpy()
        further = [item for m in measured.values() for item in m.columns.items()]
        columns = {name: inside[link] for name, (_, inside) in further if inside is not None}
        own = {name: both[0] for name, both in margins.items()}
        nearest = rivals(pairs.left, pairs.right, key.chain, own).add_prefix("rival-")
        table = table.assign(left=key.inside[0][link], right=key.inside[1][link])
        rows = table.join(nearest, on="mention").assign(**columns)
        for said in (m.members for m in measured.values() if m.members is not None):
            rows = rows.join(said, on="mention")
        self.proposed = list(rows["mention"].tolist())
        # In a chain of two, both mentions differ equally: the later one is the case.
        asked = (rows["count"] > 1) | (rows["mention"] == rows["right"])
        super().__init__(key, rows, np.ones(len(rows), dtype=bool), asked.to_numpy())

    @property
    def inside(self) -> Bools:
        """Which rows are cases inside the reviewed sentences."""
        rows = self.rows["mention"].to_numpy()
        return np.asarray(self.reviewed[rows] & (self._counts()[self.key.chain[rows]] > 1))

    def features(self) -> pd.DataFrame:
        """Return the columns of the learned order for each row.

        The margins of the links to the chain; ``rival`` the highest margin to a mention of another
        chain; ``size`` the logarithm of the number of links; ``copy``: whether a copy of the
        mention, in a similar sentence, is in the same chain; ``outside`` as for links.
        """
        rows, mention = self.rows, self.rows["mention"].to_numpy(np.int64)
        nearest = [f"rival-{name}" for name in self.learned]
        copies = self.key.prepared.alike[["left", "right"]].to_numpy()
        together = np.equal(*self.key.chain[copies].T)
        table = pd.DataFrame(self._scores(), index=rows.index).assign(
            rival=rows[nearest].mean(axis=1).fillna(-3.0),
            size=np.log(rows["count"]),
            copy=np.isin(mention, copies[together]),
            outside=self._outside(mention),
        )
        shapes = ["rival", "size", "copy", "outside"]
        names = [one.id for one in self.known]
        return table.reindex(columns=[*names, *shapes]).astype(float)

    def case(self, row: int) -> Case:
        """Return the case of a flagged row: the mention, its chain, and its rival elsewhere."""
        key, record = self.key, self.records[row]
        mention = int(record["mention"])
        other = int(record["left"] + record["right"]) - mention
        rival = None if pd.isna(record["rival-rival"]) else int(record["rival-rival"])
        return key.member(mention, other, key.fixes.rival(mention, rival), self.reasons(row))
