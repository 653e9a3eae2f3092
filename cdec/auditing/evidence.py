"""The evidence on a key: pairs of its mentions, their features, and the measured values.

Two mentions are a candidate pair if their documents are of one topic and similar, and the mentions
share a lemma or a word or have heads with similar spelling. The features are those of the SAC
baseline, standardised, with products.

There are two tables of suspicion, with a row for each pair of chains that may be one (``LINKS``)
and for each mention that may be in the wrong chain (``MEMBERS``). ``companions``: pairs between the
same two sentences support each other. In "A massive quake … sparking a tsunami that killed" and "a
huge earthquake … triggered a tsunami that killed" the links between equal words are evidence for a
link between "quake" and "earthquake".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from cdec.arrays import Bools, Floats, Ints, Reals, Singles
from cdec.auditing import copies
from cdec.auditing.fit import Fit
from cdec.auditing.fixes import Fixes
from cdec.auditing.key import Key
from cdec.auditing.margins import anchors_of, held_out_margins, svm_margins
from cdec.auditing.readers import MAJORITY, Readers
from cdec.corpus.blind import SEEN
from cdec.corpus.model import Corpus
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
from cdec.pairs.features import columns as feature_names
from cdec.pairs.features import cosine, same
from cdec.pairs.features import features as features_of
from cdec.pairs.mentions import EncodedMentions, encode

LINKS = "links"
MEMBERS = "members"
SVM = "svm"
HELD_OUT = "held-out"
COMPANIONS = "companions"
FEATURES = tuple(feature_names())
_TFIDF = Tfidf(
    lowercase=True, stop_words=True, words_only=True, sublinear_tf=True, min_df=1
)
_COSINE = 0.1  # of two documents, at least
_LETTERS = (
    0.5  # n-gram cosine of two heads that have no lemma or word in common, at least
)
# Features multiplied with all others: their effect differs by equal heads and by document cosine.
_CROSSED = [FEATURES.index(name) for name in ("same_lemma", "document_cosine")]
_NEARLY = 0.6  # smallest |a| of an unlinked pair that counts as a companion
# The score of two chains is the soft maximum ln Σ exp(4 f) / 4 over their pairs: the largest f, and
# more if several pairs are strong. 4 was tuned on planted errors; 2 to 5 give similar results.
_SHARPNESS = 4.0
_DIGITS = 9


class Evidence(Key):
    """A key, and the evidence that the ``detectors`` (ids) measure in it.

    ``readers`` are the systems that clustered its mentions too; ``delta`` is the smallest anchor
    that the SVM flags. Its properties raise CorpusError if the corpus lacks something, and
    LanguageError as ``heads`` does.
    """

    def __init__(
        self,
        corpus: Corpus,
        detectors: Collection[str],
        delta: float,
        nlp: str,
        *,
        progress: Progress = silent,
        readers: Readers | None = None,
    ) -> None:
        super().__init__(corpus)
        self.detectors = detectors
        self.delta = delta
        self.nlp = nlp
        self.progress = progress
        self.readers = readers

    def check_pairs(self) -> None:
        """Raise CorpusError if the corpus is too small: it has no candidate pair."""
        if self.corpus.selected.empty:
            raise self.unfit("no event mentions")
        if not len(self.pairs):
            raise self.unfit("no two event mentions are similar enough to compare")

    @cached_property
    def duplicates(self) -> pd.DataFrame:
        """The mentions at the same position of similar sentences."""
        return copies.duplicates(self.corpus)

    @cached_property
    def differences(self) -> list[copies.Difference]:
        """The differences between copies of a sentence."""
        return list(copies.differences(self.corpus))

    @cached_property
    def fixes(self) -> Fixes:
        """The corrections that a suspect may offer."""
        fit = Fit(
            self,
            pairs=self.pairs,
            features=self.features,
            roots=self.mentions.codes["root"],
            duplicates=self.duplicates,
            readers=self.readers,
        )
        return Fixes(self, fit)

    # ---- pairs ----

    @cached_property
    def mentions(self) -> EncodedMentions:
        """The event mentions as arrays."""
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
        topics = [document.topic for document in documents]
        if self.corpus.linked_within:
            units = list(copies.scopes(self.corpus).values())
        elif len(set(topics)) > 1:
            units = topics
        else:
            units = [document.subtopic for document in documents]
        return pd.factorize(np.array(units, dtype=object))[0].astype(np.int64)

    @cached_property
    def pairs(self) -> Candidates:
        """The candidate pairs, sorted by their mentions; they do not depend on the key."""
        document_of_mention = self.mentions.codes["doc"]
        possible = blocks(document_of_mention, self._similar_documents())
        return joined(block[self._are_similar(block)] for block in possible)

    def _similar_documents(self) -> DocumentPairs:
        """Return the pairs of similar documents inside a unit."""
        inside_units = [NO_PAIRS]
        for block in similar_pairs(self.documents, _COSINE):
            inside = self.units[block.left] == self.units[block.right]
            pairs = DocumentPairs(
                block.left[inside], block.right[inside], block.cosine[inside]
            )
            inside_units.append(pairs)
        return DocumentPairs(
            left=np.concatenate([pairs.left for pairs in inside_units]),
            right=np.concatenate([pairs.right for pairs in inside_units]),
            cosine=np.concatenate([pairs.cosine for pairs in inside_units]),
        )

    def _are_similar(self, block: Candidates) -> Bools:
        """Return a mask of the pairs with a common lemma, root or word, or similar heads."""
        mentions = self.mentions
        lemmas = mentions.codes["lemma"]
        same_root = same(mentions, block, "root")
        common_word = cosine(mentions.bags["words"], block) > 0
        letters, _ = mentions.lexicon.compare(lemmas[block.left], lemmas[block.right])
        return np.asarray(same_root | common_word | (letters >= _LETTERS))

    @cached_property
    def linked(self) -> Bools:
        """Whether each candidate pair is in one chain."""
        left_chain = self.chain[self.pairs.left]
        right_chain = self.chain[self.pairs.right]
        return np.asarray(left_chain == right_chain)

    @cached_property
    def inside(self) -> tuple[Ints, Ints]:
        """All mention pairs inside chains, as rows."""
        pairs: list[tuple[int, int]] = []
        for members in self.members.values():
            pairs += combinations(members.tolist(), 2)
        table: Ints = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
        return table[:, 0], table[:, 1]

    # ---- features ----

    @cached_property
    def features(self) -> Singles:
        """The features of the candidate pairs: pairs × ``FEATURES``."""
        return features_of(self.mentions, self.pairs)

    def describe(self, left: Ints, right: Ints) -> Singles:
        """Return the features of any mention pairs, given as rows (left < right)."""
        documents = self.mentions.codes["doc"][[left, right]]
        (first, second), number = np.unique(documents, axis=1, return_inverse=True)
        products = self.documents[first].multiply(self.documents[second]).sum(axis=1)
        cosines = np.where(first == second, 1.0, np.asarray(products))
        cosine_of_pair = cosines[number.ravel()].astype(np.float32)
        pairs = Candidates(left, right, cosine_of_pair)
        return features_of(self.mentions, pairs)

    @cached_property
    def columns(self) -> tuple[Singles, Singles]:
        """The columns for a model, of candidate pairs and of pairs inside chains.

        They are features and their products with two of them, standardised, and a constant 1. The
        means and deviations are those of the candidate pairs.
        """
        inside = self.describe(*self.inside)
        mean, scale = _moments(self.features)
        plain = (self.features - mean) / scale
        plain_inside = (inside - mean) / scale
        products = _products(plain)
        products_inside = _products(plain_inside)
        mean, scale = _moments(products)
        return (
            _design(plain, (products - mean) / scale),
            _design(plain_inside, (products_inside - mean) / scale),
        )

    # ---- measured values ----

    @cached_property
    def _classifier_margins(self) -> dict[str, tuple[Floats, Floats]]:
        """The margins of candidate pairs, and of pairs inside chains, by detector."""
        if len(np.unique(self.linked)) < 2:
            raise self.unfit("all pairs of mentions are linked, or none is")
        candidates, inside = self.columns
        # One thread: several threads would add in another order and change the last digit.
        with threadpool_limits(1):
            margins = {SVM: svm_margins(candidates, inside, self.linked)}
            if HELD_OUT in self.detectors:
                held_out = self._held_out()
                if held_out is not None:
                    margins[HELD_OUT] = held_out
        return margins

    def _held_out(self) -> tuple[Floats, Floats] | None:
        """Return the held-out margins; None if all pairs are of one document, or too few."""
        topic = self._topic_of_mentions()
        if topic is None:
            return None
        candidates, inside = self.columns
        return held_out_margins(
            candidates,
            inside,
            self.linked,
            candidate_topics=topic[self.pairs.left],
            inside_topics=topic[self.inside[0]],
            progress=self.progress,
        )

    def _topic_of_mentions(self) -> Ints | None:
        """Return the topic of each mention; its sub-topic or document if pairs are of one topic.

        None if all pairs are of one document.
        """
        for level in ("topic", "subtopic", "doc"):
            topic: Ints = pd.factorize(self.corpus.selected[level])[0].astype(np.int64)
            if len(np.unique(topic[self.pairs.left])) > 1:
                return topic
        return None

    @cached_property
    def anchors(self) -> Floats:
        """The SVM's anchor |a| of each candidate pair: 0 if it needs none."""
        margins, _ = self._classifier_margins[SVM]
        return _round(anchors_of(margins, self.linked))

    @cached_property
    def margins(self) -> dict[str, Floats]:
        """Half the log-odds of a link of each candidate pair, by detector."""
        return {
            name: _round(margins)
            for name, (margins, _) in self._classifier_margins.items()
        }

    @cached_property
    def margins_inside(self) -> dict[str, Floats]:
        """Half the log-odds of a link of each pair inside chains, by detector."""
        return {
            name: _round(margins)
            for name, (_, margins) in self._classifier_margins.items()
        }

    @cached_property
    def companions(self) -> Ints:
        """The number of other pairs between the two sentences of each candidate pair.

        They are linked or nearly so by the SVM, and share no mention with the pair; among pairs
        that share a mention with each other, one counts. Pairs inside a sentence have none.
        """
        left_sentence = self.sentence[self.pairs.left]
        right_sentence = self.sentence[self.pairs.right]
        across = left_sentence != right_sentence
        number = left_sentence * (self.sentence.max() + 1) + right_sentence
        sentences = np.where(across, number, -1)
        table = pd.DataFrame(
            {"left": self.pairs.left, "right": self.pairs.right, "sentences": sentences}
        )
        nearly_linked = self.linked | (self.anchors > _NEARLY)
        support = table[nearly_linked & across]
        return np.minimum(
            _supporters(table, support, "left"), _supporters(table, support, "right")
        )

    # ---- tables ----

    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables ``LINKS`` and ``MEMBERS``."""
        return {LINKS: self._links(), MEMBERS: self._memberships()}

    def _links(self) -> pd.DataFrame:
        """Return a row for each pair of chains with a candidate pair, or that systems link.

        Columns: ``one`` < ``two``, the chain codes; ``pair`` is the strongest of ``count``, and
        ``left`` and ``right`` its mentions (rows); each of ``margins``; of the strongest pair
        ``anchor`` and ``companions``; the votes of the systems. A row that only systems have has
        none of the others: ``pair`` is −1.
        """
        unlinked = np.flatnonzero(~self.linked)
        left_chain = self.chain[self.pairs.left[unlinked]]
        right_chain = self.chain[self.pairs.right[unlinked]]
        first = np.minimum(left_chain, right_chain)
        second = np.maximum(left_chain, right_chain)
        count = len(self.sizes)
        rows = _strongest(first * count + second, unlinked, self.margins)
        strongest = rows["pair"].to_numpy()
        rows["one"], rows["two"] = np.divmod(rows.index.to_numpy(), count)
        rows["left"] = self.pairs.left[strongest]
        rows["right"] = self.pairs.right[strongest]
        rows["anchor"] = self.anchors[strongest]
        rows[COMPANIONS] = self.companions[strongest]
        rows = rows.reset_index(drop=True)
        if self.readers is None:
            return rows
        return self._with_votes(rows, self.readers)

    def _with_votes(self, rows: pd.DataFrame, readers: Readers) -> pd.DataFrame:
        """Return the table of links with the votes of the systems, and with the links of these."""
        votes = readers.links(self.chain, rows[["one", "two"]].to_numpy())
        further = votes[len(rows) :]
        further = further[further["share"] >= MAJORITY].assign(pair=-1, count=0)
        mentions = []
        for first, second in further[["one", "two"]].to_numpy():
            first_members = self.members[first]
            second_members = self.members[second]
            mentions.append(readers.strongest(first_members, second_members))
        further[["left", "right"]] = np.array(mentions, dtype=np.int64).reshape(-1, 2)
        compared = rows.merge(votes, on=["one", "two"])
        return pd.concat([compared, further], ignore_index=True)

    def _memberships(self) -> pd.DataFrame:
        """Return a row for each mention that is not a singleton; of a chain of two, the later one.

        Columns: ``mention`` (row); ``left`` and ``right`` of its strongest link in its chain, of
        ``count``, and the ``anchor`` that this link would have; each of ``margins``; for the most
        similar mention of another chain ``rival-pair`` (its row) and ``rival-`` with each margin;
        the votes of the systems.
        """
        left, right = self.inside
        mention = np.concatenate([left, right])
        pair = np.tile(np.arange(len(left)), 2)
        rows = _strongest(mention, pair, self.margins_inside)
        rows = rows.rename_axis("mention").reset_index()
        link = rows["pair"].to_numpy()
        rows["left"] = left[link]
        rows["right"] = right[link]
        rows["anchor"] = 1 - self.margins_inside[SVM][link]
        rows = rows.join(self._rivals(), on="mention")
        if self.readers is not None:
            rows = rows.join(self.readers.members(self.chain), on="mention")
        is_later_of_two = rows["mention"] == rows["right"]
        return rows[(rows["count"] > 1) | is_later_of_two]

    def _rivals(self) -> pd.DataFrame:
        """Return the most similar mention of another chain, by mention, see ``_memberships``."""
        unlinked = np.flatnonzero(~self.linked)
        left = self.pairs.left[unlinked]
        right = self.pairs.right[unlinked]
        mention = np.concatenate([left, right])
        rival = np.concatenate([right, left])
        margins = {
            name: np.tile(values[unlinked], 2) for name, values in self.margins.items()
        }
        rows = _strongest(mention, np.arange(len(mention)), margins)
        strongest = rows["pair"].to_numpy()
        rivals = {
            f"rival-{name}": values[strongest] for name, values in margins.items()
        }
        rivals["rival-pair"] = rival[strongest]
        return pd.DataFrame(rivals, index=rows.index)


def _moments(values: Reals) -> tuple[Floats, Floats]:
    """Return mean and deviation of columns."""
    scale = values.std(axis=0, dtype=np.float64)
    scale[scale < 1e-12] = 1.0
    return values.mean(axis=0, dtype=np.float64), scale


def _products(values: Reals) -> Reals:
    """Return the products of all features with each of those in ``_CROSSED``."""
    return np.hstack([values * values[:, [position]] for position in _CROSSED])


def _design(plain: Reals, products: Reals) -> Singles:
    """Return the columns of a model: features, products, and a constant."""
    constant = np.ones((len(plain), 1))
    return np.hstack([plain, products, constant], dtype=np.float32)


def _round(values: Floats) -> Floats:
    """Return values without the last digits, which depend on the processor.

    Equal pairs then have equal scores everywhere, and ties are broken in the same way.
    """
    return np.asarray(np.round(values, _DIGITS), dtype=np.float64)


def _supporters(table: pd.DataFrame, support: pd.DataFrame, side: str) -> Ints:
    """Return the number of mentions of a side in the ``support`` between the sentences of a pair.

    The mention of the pair itself does not count.
    """
    count = support.groupby("sentences")[side].nunique()
    count_of_pair = table["sentences"].map(count).fillna(0).to_numpy()
    supporting = pd.MultiIndex.from_frame(support[["sentences", side]])
    counts_itself = pd.MultiIndex.from_frame(table[["sentences", side]]).isin(
        supporting
    )
    return np.asarray(count_of_pair - counts_itself, dtype=np.int64)


def _strongest(group: Ints, pair: Ints, scores: Mapping[str, Floats]) -> pd.DataFrame:
    """Return a row for each group of pairs, by ascending ``group``, which is the index.

    Columns: ``pair``, the one with the highest of the first of ``scores`` (the first of a tie);
    ``count`` of pairs; and the soft maximum of each score.
    """
    by_group = np.argsort(group, kind="stable")
    groups, counts = np.unique(group, return_counts=True)
    starts = np.cumsum(counts) - counts
    first_score = next(iter(scores.values()))
    by_score = np.lexsort((-first_score[pair], group))
    table = pd.DataFrame(
        {"pair": pair[by_score[starts]], "count": counts}, index=groups
    )
    if len(groups):
        for name, values in scores.items():
            sums = np.logaddexp.reduceat(_SHARPNESS * values[pair][by_group], starts)
            table[name] = _round(sums / _SHARPNESS)
    return table.reindex(columns=["pair", "count", *scores])
