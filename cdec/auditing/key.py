"""A key to audit, as the detectors use it: chains, candidate pairs of mentions and their features.

Two mentions are a candidate pair if their documents are of one topic and similar, and the mentions
share a lemma or a word or have heads with similar spelling. The features are those of the SAC
baseline, standardised, with products. A mention is a *row* of ``corpus.selected``, a chain a
*code*: their numbers in text order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from threadpoolctl import threadpool_limits

from cdec.arrays import Bools, Floats, Ints, Singles
from cdec.auditing.case import MISSING, SPURIOUS, Case, CaseSide, Fix, missing
from cdec.auditing.config import AuditConfig
from cdec.auditing.detectors import pair_detectors
from cdec.auditing.detectors.copies import Difference, differences
from cdec.auditing.detectors.duplicate import duplicates
from cdec.auditing.evidence import inside_chains
from cdec.auditing.fit import bare_descriptor
from cdec.auditing.fixes import Fixes, none_of_these
from cdec.auditing.suspect import Detector, Measured, PairDetector, scopes
from cdec.corpus.blind import SEEN
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError, counted
from cdec.files.progress import Progress, silent
from cdec.language.similarity import DocumentPairs, Matrix, Tfidf, similar_pairs, vectors
from cdec.pairs.candidates import Candidates, blocks, joined
from cdec.pairs.features import columns, cosine, features, same
from cdec.pairs.mentions import EncodedMentions, encode

if TYPE_CHECKING:
    from cdec.auditing.readers import Readers

_TFIDF = Tfidf(lowercase=True, stop_words=True, words_only=True, sublinear_tf=True, min_df=1)
COLUMNS = tuple(columns())
# Features multiplied with all others: their effect differs by equal heads and by document cosine.
_CROSSED = tuple(COLUMNS.index(name) for name in ("same_lemma", "document_cosine"))
_ROWS = 1 << 15  # pairs in a block of double precision


@dataclass(frozen=True, eq=False)
class Key:
    """The key of a corpus, and what the chosen detectors measure in it.

    ``readers`` are the systems that clustered its mentions too. Raises CorpusError if the corpus
    has no candidate pairs, LanguageError as ``heads`` does.
    """

    corpus: Corpus
    config: AuditConfig
    progress: Progress = silent
    readers: Readers | None = None

    # ---- chains ----

    @cached_property
    def chain(self) -> Ints:
        """The chain code of each row."""
        return pd.factorize(self.corpus.selected["chain"])[0].astype(np.int64)

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
    def names(self) -> pd.Series[str]:
        """The descriptor of the chain of each mention of the corpus, without its topic."""
        return self.corpus.mentions["descriptor"].astype(str).map(bare_descriptor)

    @cached_property
    def reviewed(self) -> dict[str, bool]:
        """Whether each mention is in a reviewed sentence; empty if this is unknown."""
        listed = self.corpus.mentions["reviewed"].astype(bool)
        known = dict(zip(map(str, listed.index), listed.tolist(), strict=True))
        return known if listed.any() else {}

    @cached_property
    def fixes(self) -> Fixes:
        """The corrections of cases of this key."""
        return Fixes(self)

    @cached_property
    def alike(self) -> pd.DataFrame:
        """The mentions at the same position of similar sentences."""
        return duplicates(self.corpus, self.config.identity)

    @cached_property
    def copies(self) -> list[Difference]:
        """The differences between copies of a sentence."""
        return list(differences(self.corpus))

    # ---- pairs ----

    @cached_property
    def mentions(self) -> EncodedMentions:
        """The event mentions as arrays."""
        if self.corpus.selected.empty:
            raise self._too_small("no event mentions")
        visible = replace(self.corpus, mentions=self.corpus.selected[SEEN])
        return encode(visible, self.config.pipeline, self.progress)

    @cached_property
    def documents(self) -> Matrix:
        """The tf-idf rows of the documents."""
        return vectors(list(self.corpus.documents.values()), _TFIDF)

    @cached_property
    def groups(self) -> Ints:
        """The number of the unit inside which mentions of each document are compared.

        It is that of ``corpus.linked_within``, else the topic, or the sub-topic if there is one.
        """
        documents = self.corpus.documents.values()
        if self.corpus.linked_within:
            return pd.factorize(pd.Series(scopes(self.corpus)))[0].astype(np.int64)
        topics, names = pd.factorize(pd.Series([document.topic for document in documents]))
        if len(names) < 2:
            topics, _ = pd.factorize(pd.Series([document.subtopic for document in documents]))
        return topics.astype(np.int64)

    @cached_property
    def topics(self) -> Ints:
        """The unit of each row."""
        return self.groups[self.mentions.codes["doc"]]

    @cached_property
    def pairs(self) -> Candidates:
        """The candidate pairs, sorted by their mentions; they do not depend on the key."""
        none = np.zeros(0, dtype=np.int64)
        near = [DocumentPairs(none, none, np.zeros(0))]
        mentions = self.mentions
        for found in similar_pairs(self.documents, self.config.similarity):
            kept = self.groups[found.left] == self.groups[found.right]
            near.append(DocumentPairs(*(column[kept] for column in found)))
        every = DocumentPairs(*(np.concatenate(column) for column in zip(*near, strict=True)))
        candidates = blocks(mentions.codes["doc"], every)
        pairs = joined(part[self._similar(part)] for part in candidates)
        if not len(pairs):
            raise self._too_small("no two event mentions are similar enough to compare")
        return pairs

    def _similar(self, block: Candidates) -> Bools:
        """Return a mask of the pairs with a common lemma, root or word, or similar heads."""
        mentions = self.mentions
        lemmas = mentions.codes["lemma"]
        grams, _ = mentions.lexicon.compare(lemmas[block.left], lemmas[block.right])
        alike = same(mentions, block, "lemma") | same(mentions, block, "root")
        alike |= (grams >= self.config.letters) | (cosine(mentions.bags["words"], block) > 0)
        return np.asarray(alike)

    def _too_small(self, reason: str) -> CorpusError:
        place = f"{self.corpus.name} ({self.corpus.part})"
        hint = "audit a larger part of the corpus"
        return CorpusError("part-too-small", reason, place=place, hint=hint)

    @cached_property
    def features(self) -> Singles:
        """The features of the candidate pairs: pairs × ``COLUMNS``."""
        return features(self.mentions, self.pairs)

    def describe(self, left: Ints, right: Ints) -> Singles:
        """Return the features of any mention pairs, given as rows (left < right)."""
        rows = self.mentions.codes["doc"]
        parts = [np.zeros((0, len(COLUMNS)), dtype=np.float32)]
        for part in Candidates(left, right, np.zeros(len(left), dtype=np.float32)).blocks():
            one, two = rows[part.left], rows[part.right]
            alike = self.documents[one].multiply(self.documents[two]).sum(axis=1)
            cosines = np.where(one == two, 1.0, np.asarray(alike)).astype(np.float32)
            parts.append(features(self.mentions, Candidates(part.left, part.right, cosines)))
        return np.concatenate(parts)

    @cached_property
    def design(self) -> Design:
        """The scales of the features and their products."""
        return Design.fit(self.features)

    @cached_property
    def x(self) -> Singles:
        """The columns of the candidate pairs, for a model."""
        return self.design.apply(self.features)

    @cached_property
    def inside(self) -> tuple[Ints, Ints]:
        """All mention pairs inside chains, as rows."""
        return inside_chains(self.chain)

    @cached_property
    def inside_x(self) -> Singles:
        """The columns of the pairs inside chains."""
        return self.design.apply(self.describe(*self.inside))

    @cached_property
    def linked(self) -> Bools:
        """Whether each candidate pair is in one chain."""
        return np.asarray(self.chain[self.pairs.left] == self.chain[self.pairs.right])

    def units_of(self, rows: Ints) -> Ints:
        """Return the unit of each mention for folds: topic, or sub-topic or document if one."""
        for name in ("topic", "subtopic", "doc"):
            units = pd.factorize(self.corpus.selected[name])[0].astype(np.int64)
            if len(np.unique(units[rows])) > 1:
                break
        return units

    # ---- detectors ----

    @cached_property
    def whole(self) -> list[Detector]:
        """The chosen detectors of whole cases that apply to the corpus."""
        chosen = (one for one in self.config.chosen if isinstance(one, Detector))
        return [one for one in chosen if one.needs is None or one.needs.met(self.corpus)]

    @cached_property
    def left_out(self) -> list[str]:
        """The detectors that could not be trained, and those that do not apply to the corpus."""
        untrained = [one.id for one, measured in self._tried.items() if not measured]
        others = (one for one in self.config.chosen if isinstance(one, Detector))
        return [*untrained, *(one.id for one in others if one not in self.whole)]

    @cached_property
    def measured(self) -> dict[PairDetector, Measured]:
        """What the chosen pair detectors say, those that they require, and derived ones.

        A detector that requires others is derived when all of these are measured: it does not flag
        anything, but its column is in the learned order. A detector that this corpus is too small
        to train is in ``left_out`` instead. Raises CorpusError if these are all that are chosen.
        """
        return {one: measured for one, measured in self._tried.items() if measured}

    @cached_property
    def _tried(self) -> dict[PairDetector, Measured | None]:
        known = pair_detectors(self.config.detectors)
        chosen = [one for one in known if one.id in self.config.detectors]
        needed = {*chosen, *(other for one in chosen for other in one.requires)}
        derived = {one for one in known if one.requires and needed.issuperset(one.requires)}
        tried: dict[PairDetector, Measured | None] = {}
        for one in (one for one in known if one in needed | derived):
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

    # ---- cases ----

    def side(self, id_: str) -> CaseSide:
        """Return a mention with the other mentions of its chain."""
        row = self.rows[id_]
        rest = (self.ids[at] for at in self.members[self.chain[row]] if at != row)
        return self.part((id_,), rest)

    def part(self, mentions: Iterable[str], members: Iterable[str] = ()) -> CaseSide:
        """Return mentions of one chain as a side of a case, with further ``members`` of it."""
        ids = tuple(map(str, mentions))
        chain, name = self._named[ids[0]]
        rest = tuple(map(str, members))
        return CaseSide(mentions=ids, chain=chain, descriptor=name, members=rest)

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
        known = {id_ for side in sides for id_ in (*side.mentions, *side.members)}
        claims = (claim for fix in fixes for claim in fix.claims)
        named = (id_ for claim in claims for id_ in claim.mentions if id_ in self.rows)
        others = {self._named[id_][0]: self.side(id_) for id_ in named if id_ not in known}
        further = [side.model_copy(update={"evidence": True}) for side in others.values()]
        listed = [(id_, *side.members) for side in asked for id_ in side.mentions]
        inside = all(any(self.reviewed.get(m, True) for m in ids) for ids in listed)
        shown = [id_ for side in sides if not side.evidence for id_ in side.mentions]
        read = [self.reviewed.get(id_, True) for id_ in shown]
        outside = f"{read.count(False)} of {counted(len(read), 'mention')}"
        why = f"not in a sentence that the annotators reviewed: {outside}"
        return Case(
            kind=missing(sides) if kind == MISSING else kind,
            score=None,
            topic=self._topics[shown[0]],
            reviewed=inside if self.reviewed else None,
            detectors={},
            reasons=(*reasons, *(() if all(read) else (why,))),
            sides=(*sides, *further),
            fixes=(*fixes, none_of_these()),
        )

    def link(self, rows: Sequence[int], reasons: Sequence[str] = ()) -> Case:
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

    @cached_property
    def _named(self) -> dict[str, tuple[str, str]]:
        """The label and the descriptor of the chain of each mention."""
        rows = self.corpus.mentions[["chain", "descriptor"]].astype(str)
        return {str(id_): (chain, name) for id_, chain, name in rows.itertuples(name=None)}

    @cached_property
    def _topics(self) -> Mapping[str, str]:
        return {str(id_): str(topic) for id_, topic in self.corpus.mentions["topic"].items()}


@dataclass(frozen=True, eq=False)
class Design:
    """Standardised features, their standardised products with two of them, and a constant 1.

    Means and variances are those of the pairs given to ``fit``.
    """

    mean: Floats = field(repr=False)
    scale: Floats = field(repr=False)

    @classmethod
    def fit(cls, values: Singles) -> Design:
        """Return the design with the means and variances of ``values`` (at least one row)."""
        mean, scale = _moments(values)
        crossed_mean, crossed_scale = _moments(_crossed((values - mean) / scale))
        return cls(np.append(mean, crossed_mean), np.append(scale, crossed_scale))

    def apply(self, values: Singles) -> Singles:
        """Return pairs × columns in single precision: features, products, constant."""
        size = values.shape[1]
        x = np.ones((len(values), len(self.mean) + 1), dtype=np.float32)
        for at in range(0, len(values), _ROWS):
            part = slice(at, at + _ROWS)
            plain = (values[part] - self.mean[:size]) / self.scale[:size]
            x[part, :size] = plain
            x[part, size:-1] = (_crossed(plain) - self.mean[size:]) / self.scale[size:]
        return x

    def contributions(self, row: Singles, weights: Floats) -> Floats:
        """Return the contribution of each feature and its products to w·x, for one design row."""
        parts = (row * weights)[:-1].reshape(1 + len(_CROSSED), -1)
        return np.asarray(parts.sum(axis=0), dtype=np.float64)


def _moments(values: npt.NDArray[np.floating[Any]]) -> tuple[Floats, Floats]:
    scale = values.std(axis=0, dtype=np.float64)
    scale[scale < 1e-12] = 1.0
    return values.mean(axis=0, dtype=np.float64), scale


def _crossed(plain: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.floating[Any]]:
    return np.hstack([plain * plain[:, [place]] for place in _CROSSED])
