"""A key to audit, as the detectors use it: chains, candidate pairs of mentions, their features.

Two mentions are a candidate pair if their documents are of one topic and similar, and the mentions
share a lemma or a word or have heads with similar spelling. The features are those of the SAC
baseline, standardised, with products. A mention is a *row* of ``corpus.selected``, a chain a
*code*: their numbers in text order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Floats, Ints, Reals, Singles
from cdec.auditing.case import (
    KINDS,
    MISSING,
    NO_EVENT,
    SPURIOUS,
    UNMARKED,
    Case,
    CaseSide,
    Fix,
)
from cdec.auditing.detectors import pairs as tables
from cdec.auditing.detectors.copies import Difference, differences, duplicates, scopes
from cdec.auditing.fixes import Fixes, none_of_these
from cdec.corpus.blind import SEEN
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError
from cdec.files.progress import Progress, silent
from cdec.language.similarity import (
    NO_PAIRS,
    DocumentPairs,
    Matrix,
    Tfidf,
    similar_pairs,
    vectors,
)
from cdec.pairs.candidates import Candidates, blocks, joined
from cdec.pairs.features import columns, cosine, features, same
from cdec.pairs.mentions import EncodedMentions, encode

if TYPE_CHECKING:
    from cdec.auditing.readers import Readers

_TFIDF = Tfidf(
    lowercase=True, stop_words=True, words_only=True, sublinear_tf=True, min_df=1
)
DIGITS = (
    6  # of scores and probabilities, so that the order is the same on every processor
)
_COSINE = 0.1  # of two documents, at least
_LETTERS = (
    0.5  # n-gram cosine of two heads that have no lemma or word in common, at least
)
FEATURES = tuple(columns())
# Features multiplied with all others: their effect differs by equal heads and by document cosine.
_CROSSED = [FEATURES.index(name) for name in ("same_lemma", "document_cosine")]


class Key:
    """The key of a corpus, and what the ``chosen`` detectors (ids) measure in it.

    ``readers`` are the systems that clustered its mentions too; ``delta`` is the smallest anchor
    that the SVM flags. Raises CorpusError if the corpus has no candidate pairs, LanguageError as
    ``heads`` does.

    ``ids`` and ``rows`` map rows to mention ids and back; ``chain`` has the code and ``sentence``
    the number of the sentence of each row; ``sizes`` and ``members`` are those of the chains.
    ``unread`` are the mentions outside the reviewed sentences, None if the corpus lists none.
    """

    def __init__(
        self,
        corpus: Corpus,
        chosen: Sequence[str],
        delta: float,
        nlp: str,
        *,
        progress: Progress = silent,
        readers: Readers | None = None,
    ) -> None:
        self.corpus = corpus
        self.chosen = chosen
        self.delta = delta
        self.nlp = nlp
        self.progress = progress
        self.readers = readers
        events = corpus.selected
        self.ids = [*map(str, events.index)]
        self.rows = {id_: row for row, id_ in enumerate(self.ids)}
        self.chain: Ints = pd.factorize(events["chain"])[0].astype(np.int64)
        self.sizes = np.bincount(self.chain)
        order = np.argsort(self.chain, kind="stable")
        self.members = dict(enumerate(np.split(order, np.cumsum(self.sizes)[:-1])))
        sentences = events.groupby(["doc", "sentence"], sort=False).ngroup()
        self.sentence: Ints = np.asarray(sentences, dtype=np.int64)
        reviewed = corpus.mentions["reviewed"].astype(bool)
        self.unread = frozenset(reviewed.index[~reviewed]) if reviewed.any() else None
        # The label and the descriptor of the chain of each mention, and its topic.
        named = corpus.mentions[["chain", "descriptor", "topic"]].astype(str)
        rows = named.itertuples(index=False, name=None)
        self._named = dict(zip(map(str, named.index), rows, strict=True))

    def unfit(self, why: str, code: str = "part-too-small") -> CorpusError:
        """Return the error of a corpus without something that a detector uses."""
        return CorpusError(
            code,
            why,
            place=f"{self.corpus.name} ({self.corpus.part})",
            hint="audit another or a larger part of the corpus, or use other detectors",
        )

    def lacks(self, what: str) -> CorpusError:
        """Return the error of a corpus without an annotation that a detector needs."""
        return self.unfit(f"the corpus lacks {what}", "annotation-missing")

    @cached_property
    def alike(self) -> pd.DataFrame:
        """The mentions at the same position of similar sentences."""
        return duplicates(self.corpus)

    @cached_property
    def copies(self) -> list[Difference]:
        """The differences between copies of a sentence."""
        return list(differences(self.corpus))

    fixes = cached_property(Fixes)  # the corrections of cases

    # ---- pairs ----

    @cached_property
    def mentions(self) -> EncodedMentions:
        """The event mentions as arrays."""
        if self.corpus.selected.empty:
            raise self.unfit("no event mentions")
        visible = replace(self.corpus, mentions=self.corpus.selected[SEEN])
        return encode(visible, self.nlp, self.progress)

    @cached_property
    def documents(self) -> Matrix:
        """The tf-idf rows of the documents."""
        return vectors(list(self.corpus.documents.values()), _TFIDF)

    @cached_property
    def units(self) -> Ints:
        """The number of the unit inside which mentions of each document are compared.

        It is that of ``corpus.linked_within``, else the topic, or the sub-topic if there is one.
        """
        documents = self.corpus.documents.values()
        names: Any = [*scopes(self.corpus).values()]
        if not self.corpus.linked_within:
            names = [one.topic for one in documents]
            names = names if len({*names}) > 1 else [one.subtopic for one in documents]
        return pd.factorize(np.array(names, dtype=object))[0].astype(np.int64)

    @cached_property
    def pairs(self) -> Candidates:
        """The candidate pairs, sorted by their mentions; they do not depend on the key."""
        near = [NO_PAIRS]
        codes = self.mentions.codes
        for found in similar_pairs(self.documents, _COSINE):
            kept = self.units[found.left] == self.units[found.right]
            near.append(DocumentPairs(*(column[kept] for column in found)))
        every = DocumentPairs(*map(np.concatenate, zip(*near, strict=True)))
        found_pairs = joined(
            part[self._similar(part)] for part in blocks(codes["doc"], every)
        )
        if not len(found_pairs):
            raise self.unfit("no two event mentions are similar enough to compare")
        return found_pairs

    def _similar(self, block: Candidates) -> Bools:
        """Return a mask of the pairs with a common lemma, root or word, or similar heads."""
        mentions = self.mentions
        lemmas = self.mentions.codes["lemma"]
        letters, _ = mentions.lexicon.compare(lemmas[block.left], lemmas[block.right])
        alike = same(mentions, block, "root") | (
            cosine(mentions.bags["words"], block) > 0
        )
        return np.asarray(alike | (letters >= _LETTERS))

    @cached_property
    def linked(self) -> Bools:
        """Whether each candidate pair is in one chain."""
        return np.asarray(self.chain[self.pairs.left] == self.chain[self.pairs.right])

    @cached_property
    def inside(self) -> tuple[Ints, Ints]:
        """All mention pairs inside chains, as rows."""
        found = (
            pair
            for rows in self.members.values()
            for pair in combinations(rows.tolist(), 2)
        )
        table: Ints = np.array(sorted(found), dtype=np.int64).reshape(-1, 2)
        return table[:, 0], table[:, 1]

    @cached_property
    def features(self) -> Singles:
        """The features of the candidate pairs: pairs × ``FEATURES``."""
        return features(self.mentions, self.pairs)

    def describe(self, left: Ints, right: Ints) -> Singles:
        """Return the features of any mention pairs, given as rows (left < right)."""
        ends = self.mentions.codes["doc"][[left, right]]
        (one, two), pair = np.unique(ends, axis=1, return_inverse=True)
        alike = self.documents[one].multiply(self.documents[two]).sum(axis=1)
        cosines = np.where(one == two, 1.0, np.asarray(alike))[pair.ravel()].astype(
            np.float32
        )
        return features(self.mentions, Candidates(left, right, cosines))

    @cached_property
    def columns(self) -> tuple[Singles, Singles]:
        """The columns for a model, of candidate pairs and of pairs inside chains.

        They are features and their products with two of them, standardised, and a constant 1.
        """
        both = self.features, self.describe(*self.inside)
        mean, scale = _moments(both[0])
        plain = [(values - mean) / scale for values in both]
        crossed = [np.hstack([one * one[:, [at]] for at in _CROSSED]) for one in plain]
        mean, scale = _moments(crossed[0])
        own, inside = (
            np.hstack(
                [one, (two - mean) / scale, np.ones((len(one), 1))], dtype=np.float32
            )
            for one, two in zip(plain, crossed, strict=True)
        )
        return own, inside

    measured = cached_property(tables.measured)
    tables = cached_property(tables.suspicious)

    # ---- cases ----

    def side(self, id_: str) -> CaseSide:
        """Return a mention with the other mentions of its chain."""
        row = self.rows[id_]
        return self.part(
            (id_,),
            (self.ids[at] for at in self.members[self.chain[row]] if at != row),
        )

    def part(self, mentions: Iterable[str], members: Iterable[str] = ()) -> CaseSide:
        """Return mentions of one chain as a side of a case, with further ``members`` of it."""
        ids = tuple(map(str, mentions))
        rest = tuple(map(str, members))
        chain, name, _ = self._named[ids[0]]
        return CaseSide(mentions=ids, chain=chain, descriptor=name, members=rest)

    def case(
        self,
        kind: str,
        sides: Sequence[CaseSide],
        fixes: Sequence[Fix],
        *,
        reasons: Iterable[str],
        flags: Mapping[str, float],
        p: float,
    ) -> Case:
        """Return a case without a rank; ``flags`` are its detectors, ``p`` is its probability.

        Its last correction is none.
        A chain that only a correction names is a side too. A case is inside the reviewed sentences
        if each mention in question is, or one of the members shown with it: the link of two chains
        may be judged by any of their mentions, but not whether a mention is an event.
        """
        known = {id_ for side in sides for id_ in (*side.mentions, *side.members)}
        claims = (claim for fix in fixes for claim in fix.claims)
        named = (id_ for claim in claims for id_ in claim.mentions if id_ in self.rows)
        others = {
            self._named[id_][0]: self.side(id_) for id_ in named if id_ not in known
        }
        further = [
            side.model_copy(update={"evidence": True}) for side in others.values()
        ]
        # A missing mention is in an annotated sentence; the chain of a rival is not in question.
        asked = sides[: {UNMARKED: 0, SPURIOUS: 2}.get(kind)]
        listed = [
            {id_} if kind == NO_EVENT else {id_, *side.members}
            for side in asked
            for id_ in side.mentions
        ]
        unread = self.unread
        large = sum(bool(side.members) for side in sides)
        return Case(
            kind=KINDS[min(2, large)] if kind == MISSING else kind,
            rank=0,
            score=p,
            topic=next(self._named[id_][2] for side in sides for id_ in side.mentions),
            reviewed=None
            if unread is None
            else not any(ids <= unread for ids in listed),
            detectors={
                name: round(float(score), DIGITS) for name, score in flags.items()
            },
            reasons=tuple(reasons),
            sides=(*sides, *further),
            fixes=(*fixes, none_of_these()),
        )


def _moments(values: Reals) -> tuple[Floats, Floats]:
    scale = values.std(axis=0, dtype=np.float64)
    scale[scale < 1e-12] = 1.0
    return values.mean(axis=0, dtype=np.float64), scale
