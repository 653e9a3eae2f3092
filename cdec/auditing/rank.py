"""The order of all suspects, by the probability of an error; missing links and spurious members.

What the pair detectors say is combined in two tables, with a row for each candidate, flagged or
not: ``links`` by pair of chains, ``members`` by mention. The flagged rows have a logistic
regression on the columns of ``features``, fitted to judged cases. Other suspects have one
probability for each group: (k + ½) / (n + 1) for k errors among n judged cases (Jeffreys).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Bools, Floats, Ints
from cdec.auditing.case import Case
from cdec.auditing.detectors import pair_detectors
from cdec.auditing.evidence import between_chains, of_members, rivals
from cdec.auditing.key import COLUMNS, Key
from cdec.auditing.suspect import RULE, PairDetector

DIGITS = 6  # of a probability; rounded, so that the order is the same on every processor
_NORMAL = 1.96  # 97.5 % quantile of the normal distribution
# The fields of a signature that identify the content of a corpus and the key audited.
_KEY = ("digest", "kind", "key_variant", "key_patch_digest")
# Of the strongest pair: words around the mentions, of their sentences and documents, rarity of a
# common lemma, spelling of the heads.
_CONTEXTS = ("window", "sentence", "lemma_idf", "document_cosine", "events", "letter_cosine")


class Calibration:
    """The numbers fitted to the judged cases of ECB+: two regressions, and errors by group."""

    def __init__(self) -> None:
        text = files("cdec.auditing").joinpath("ecbplus.json").read_text("utf-8")
        content = json.loads(text)
        self.about: Mapping[str, Any] = content.pop("about")
        self._numbers = content
        self.digest = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def holds_for(self, about: Mapping[str, Any]) -> bool:
        """Whether the judged cases are of a corpus and key with these fields of a signature."""
        return all(self.about.get(name) == about.get(name) for name in _KEY)

    def model(self, table: str, rows: pd.DataFrame) -> tuple[Floats, Floats, Floats]:
        """Return P(error) of rows, its derivatives, and the covariance of the parameters."""
        one = {name: np.array(value) for name, value in self._numbers[table].items()}
        z = (rows[list(one["names"])].to_numpy(np.float64) - one["mean"]) / one["scale"]
        z = np.column_stack([np.nan_to_num(z), np.ones(len(z))])  # a missing value is the mean
        p = np.asarray(expit(z @ one["weights"]), dtype=np.float64)
        return p, z * (p * (1 - p))[:, None], one["covariance"]

    def rate(self, group: str) -> tuple[float, float]:
        """Return P(error) of a group and its variance; without judged cases it is ½."""
        if group == RULE:
            return 1.0, 0.0
        errors, judged = self._numbers["rates"].get(group, (0, 0))
        p = (errors + 0.5) / (judged + 1)
        return p, p * (1 - p) / (judged + 2)


@dataclass(frozen=True, eq=False)
class Pairwise:
    """Candidate rows that the pair detectors of a key score: ``links`` or ``members``.

    ``asked``: which rows may be cases. ``subject``: the column with the row of the mention in
    question.
    """

    key: Key
    name: str
    rows: pd.DataFrame = field(repr=False)
    asked: Bools = field(repr=False)

    @property
    def link(self) -> bool:
        """Whether a missing link is suspected, not a wrong one."""
        return self.name == "links"

    @cached_property
    def detectors(self) -> list[PairDetector]:
        """The detectors that have a column, first those with margins."""
        return [one for one in pair_detectors(self.key.config.detectors) if one.id in self.rows]

    @cached_property
    def flags(self) -> pd.DataFrame:
        """The flagged rows, with the score of each chosen detector, missing if it flags others."""
        config, rows = self.key.config, self.rows[self.asked]
        chosen = [one for one in self.detectors if one.id in config.detectors]
        flags = {one.id: one.flags(rows, config, self.link) for one in chosen}
        return pd.DataFrame(flags, index=rows.index).dropna(how="all")

    @cached_property
    def records(self) -> Mapping[Any, Mapping[Any, Any]]:
        """The flagged rows by number."""
        return self.rows.loc[self.flags.index].to_dict("index")

    def reasons(self, row: int) -> list[str]:
        """Return the sentence of each detector that flags a row."""
        record, flagged = self.records[row], self._flagged[row]
        return [one.reason(record, self.link) for one in self.detectors if flagged.get(one.id)]

    @cached_property
    def _flagged(self) -> Mapping[Any, Mapping[Any, bool]]:
        return self.flags.notna().to_dict("index")

    def case(self, row: int) -> Case:
        """Return the case of a flagged row."""
        key, record = self.key, self.records[row]
        left, right = int(record["left"]), int(record["right"])
        if self.link:
            return key.link((left, right), self.reasons(row))
        mention = int(record["mention"])
        near = None if pd.isna(record["rival-rival"]) else int(record["rival-rival"])
        other = left + right - mention
        return key.member(mention, other, key.fixes.rival(mention, near), self.reasons(row))

    def features(self) -> pd.DataFrame:
        """Return the columns of the learned order; NaN where a detector was not chosen.

        Of links: ``pairs`` (mention pairs between the chains) is a logarithm of 1 + a count;
        ``clusters``: whether both chains have several mentions, and ``dense`` their ``pairs``;
        ``smaller`` and ``larger`` the logarithms of their sizes; ``crossing``: whether the pair is
        of two sub-topics; ``outside`` the share of its mentions outside the reviewed sentences;
        ``inside``: whether it is in one document. Of members: ``rival`` the highest margin to a
        mention of another chain; ``size`` the logarithm of the number of links; ``copy``: whether a
        copy of the mention is in the same chain.
        """
        key, rows = self.key, self.rows.loc[self.flags.index]
        of_detectors = {one.id: one.feature(rows[one.id]) for one in self.detectors}
        made = self._of_links(rows) if self.link else self._of_members(rows)
        table = pd.DataFrame(of_detectors | made, index=rows.index)
        known = [one.id for one in pair_detectors(key.config.detectors)]
        names = [*known, *(name for name in made if name not in known)]
        return table.reindex(columns=names).astype(float)

    def _of_links(self, rows: pd.DataFrame) -> dict[str, Any]:
        key, events = self.key, self.key.corpus.selected
        left, right = (rows[side].to_numpy(np.int64) for side in ("left", "right"))
        pair = rows["pair"].to_numpy(np.int64)
        values, alone = key.features[pair], pair < 0
        if alone.any():
            values[alone] = key.describe(*np.sort([left[alone], right[alone]], axis=0))
        ends = np.log([key.sizes[rows["one"]], key.sizes[rows["two"]]])
        clusters, pairs = ends.min(axis=0) > 0, np.log1p(rows["count"])
        docs, subtopics = (pd.factorize(events[c])[0] for c in ("doc", "subtopic"))
        contexts = {name: values[:, COLUMNS.index(name)] for name in _CONTEXTS}
        return contexts | {
            "clusters": clusters,
            "crossing": subtopics[left] != subtopics[right],
            "pairs": pairs,
            "dense": clusters * pairs,
            "smaller": ends.min(axis=0),
            "larger": ends.max(axis=0),
            "outside": self._outside(left, right),
            "inside": docs[left] == docs[right],
        }

    def _of_members(self, rows: pd.DataFrame) -> dict[str, Any]:
        mention = rows["mention"].to_numpy(np.int64)
        learned = [f"rival-{one.id}" for one in self.detectors if one.learned]
        copies = self.key.alike[["left", "right"]].to_numpy()
        together = np.equal(*self.key.chain[copies].T)
        return {
            "rival": rows[learned].mean(axis=1).fillna(-3.0),
            "size": np.log(rows["count"]),
            "copy": np.isin(mention, copies[together]),
            "outside": self._outside(mention),
        }

    def _outside(self, *sides: Ints) -> Floats:
        """Return the share of mentions outside the reviewed sentences; NaN if unknown."""
        if not self.key.reviewed:
            return np.full(len(sides[0]), np.nan)
        reviewed = self.key.corpus.selected["reviewed"].to_numpy(bool)
        return np.asarray(np.mean([~reviewed[side] for side in sides], axis=0))


def links(key: Key, merged: set[tuple[int, int]]) -> Pairwise:
    """Return a row for each pair of chains with a candidate pair.

    Columns: those of ``between_chains``, those that detectors bring with the strongest pair, and
    ``left`` and ``right``, the rows of its mentions. ``merged``: pairs of chains that other
    detectors propose to merge, which are no case again.
    """
    pairs, measured = key.pairs, key.measured
    margins = {one.id: m.margins[0] for one, m in measured.items() if m.margins}
    table = between_chains(pairs.left, pairs.right, key.chain, margins)
    best = table["pair"].to_numpy()
    brought = {n: v[0][best] for m in measured.values() for n, v in m.columns.items()}
    rows = table.assign(left=pairs.left[best], right=pairs.right[best], **brought)
    for own, further in (m.links for m in measured.values() if m.links):
        rows = rows.merge(own, how="left", on=["one", "two"])
        # These have no candidate pair, and what is said of candidates is missing.
        more = further.assign(pair=-1, count=0)
        rows = pd.concat([rows, more], ignore_index=True) if len(more) else rows
    ends = zip(rows["one"].tolist(), rows["two"].tolist(), strict=True)
    return Pairwise(key, "links", rows, np.fromiter((pair not in merged for pair in ends), bool))


def members(key: Key) -> Pairwise:
    """Return a row for each mention that is not a singleton.

    Columns: those of ``of_members``, those that detectors bring with the strongest link, ``left``
    and ``right``, the rows of this link, and, for the most similar mention of another chain,
    ``rival-rival`` (its row) and ``rival-`` with each margin.
    """
    measured, pairs, (left, right) = key.measured, key.pairs, key.inside
    margins = {one.id: m.margins for one, m in measured.items() if m.margins}
    table = of_members(left, right, {name: both[1] for name, both in margins.items()})
    link = table["pair"].to_numpy()
    brought = [item for m in measured.values() for item in m.columns.items()]
    columns = {name: inside[link] for name, (_, inside) in brought if inside is not None}
    own = {name: both[0] for name, both in margins.items()}
    nearest = rivals(pairs.left, pairs.right, key.chain, own).add_prefix("rival-")
    table = table.assign(left=left[link], right=right[link])
    rows = table.join(nearest, on="mention").assign(**columns)
    for said in (m.members for m in measured.values() if m.members is not None):
        rows = rows.join(said, on="mention")
    # In a chain of two, both mentions differ equally: the later one is the case.
    asked = (rows["count"] > 1) | (rows["mention"] == rows["right"])
    return Pairwise(key, "members", rows, asked.to_numpy(bool))


@dataclass(frozen=True, eq=False)
class Part:
    """Suspects with common parameters: ``rows`` with ``table``, ``row``, ``score`` and detectors.

    ``derivatives`` are those of their scores, ``covariance`` is that of the parameters.
    """

    rows: pd.DataFrame
    derivatives: Floats
    covariance: Floats


def by_model(table: Pairwise, calibration: Calibration) -> Part:
    """Return the flagged rows with the probability of the learned order."""
    p, derivatives, covariance = calibration.model(table.name, table.features())
    rows = table.flags.assign(score=p, table=table.name, row=table.flags.index)
    return Part(rows.reset_index(drop=True), derivatives, covariance)


def by_rate(name: str, groups: list[str], scores: list[float], one: Calibration) -> Iterator[Part]:
    """Yield the suspects of a detector by group, whose probability is its share of errors."""
    table = pd.DataFrame({name: scores, "table": name, "row": range(len(scores)), "group": groups})
    for group, rows in table.groupby("group", sort=True):
        p, variance = one.rate(str(group))
        part = rows.drop(columns="group").reset_index(drop=True).assign(score=p)
        yield Part(part, np.ones((len(part), 1)), np.full((1, 1), variance))


def ordered(parts: list[Part]) -> pd.DataFrame:
    """Return all suspects, the most probable first; ``part`` and ``at`` say where each is."""
    tables = [
        part.rows.assign(part=number, at=range(len(part.rows))) for number, part in enumerate(parts)
    ]
    if not tables:
        return pd.DataFrame(columns=["score", "table", "row", "part", "at"])
    every = pd.concat(tables, ignore_index=True)
    scores = every.columns.difference(["table", "row", "part", "at"], sort=False)
    every[scores] = every[scores].astype(float).round(DIGITS)
    by = ["score", "table", "row"]
    return every.sort_values(by, ascending=[False, True, True], ignore_index=True)


def expected(suspects: pd.DataFrame, parts: list[Part]) -> tuple[float, float, float]:
    """Return the expected number of errors among these suspects, with a 95 % interval.

    Its variance is that of the suspects, Σ p (1 − p), and that of the estimation: for each part,
    gᵀ Σ g, where g is the sum of the derivatives.
    """
    p = suspects["score"].to_numpy()
    total, variance = float(p.sum()), float((p * (1 - p)).sum())
    for number, part in enumerate(parts):
        g = part.derivatives[suspects["at"][suspects["part"] == number]].sum(axis=0)
        variance += float(g @ part.covariance @ g)
    half = _NORMAL * variance**0.5
    return total, max(0.0, total - half), min(float(len(p)), total + half)
