"""The evidence on a key: pairs of its mentions, their features, and the measured values.

Two mentions are a candidate pair if their documents are of one topic and similar, and the mentions
share a lemma or a word or have heads with similar spelling. The features are those of the SAC
baseline, standardised, with products.

There are two tables of suspicion: ``LINKS`` has a row for each pair of chains that may be one,
``MEMBERS`` for each mention that may be in the wrong chain. ``companions``: pairs between the same
two sentences support each other. In "A massive quake … sparking a tsunami that killed" and "a huge
earthquake … triggered a tsunami that killed" the links between equal words are evidence for a link
between "quake" and "earthquake".
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
from cdec.auditing.margins import held_out_margins, svm_margins
from cdec.auditing.readers import MAJORITY, Readers
from cdec.corpus.blind import SEEN
from cdec.corpus.model import Corpus
from cdec.files.progress import Progress
from cdec.language.similarity import (
    Matrix,
    Pairs,
    Tfidf,
    concatenate,
    similar_pairs,
    vectors,
)
from cdec.pairs import features
from cdec.pairs.candidates import blocks, joined
from cdec.pairs.mentions import EncodedMentions, encode

# the tables
LINKS = "links"
MEMBERS = "members"
SVM = "svm"
HELD_OUT = "held-out"
COMPANIONS = "companions"
FEATURES = tuple(features.columns())
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
    that the SVM flags. The properties raise CorpusError if the corpus lacks something, and
    LanguageError as ``heads`` does.
    """

    def __init__(
        self,
        corpus: Corpus,
        detectors: Collection[str],
        delta: float,
        nlp: str,
        *,
        progress: Progress,
        readers: Readers | None,
    ) -> None:
        super().__init__(corpus)
        self.detectors = detectors
        self.delta = delta
        self.nlp = nlp
        self.progress = progress
        self.readers = readers

    def check_pairs(self) -> None:
        """Raise CorpusError if the corpus is too small: it has no candidate pairs."""
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
        units = [document.topic for document in documents]
        if self.corpus.linked_within:
            units = list(copies.scopes(self.corpus).values())
        elif len(set(units)) == 1:
            units = [document.subtopic for document in documents]
        return pd.factorize(np.array(units, dtype=object))[0].astype(np.int64)

    @cached_property
    def pairs(self) -> Pairs:
        """The candidate pairs, sorted by their mentions; they do not depend on the key."""
        inside_units = []
        codes = self.mentions.codes
        for block in similar_pairs(self.documents, _COSINE):
            inside = self.units[block.left] == self.units[block.right]
            inside_units.append(block[inside])
        documents = concatenate(inside_units)
        return joined(
            block[self._similar(block)] for block in blocks(codes["doc"], documents)
        )

    def _similar(self, block: Pairs) -> Bools:
        """Return a mask of the pairs with a common lemma, root or word, or similar heads."""
        mentions = self.mentions
        lemmas = mentions.codes["lemma"]
        same_root = features.same(mentions, block, "root")
        common_word = features.cosine(mentions.bags["words"], block) > 0
        letters, _ = mentions.lexicon.compare(lemmas[block.left], lemmas[block.right])
        return np.asarray(same_root | common_word | (letters >= _LETTERS))

    @cached_property
    def linked(self) -> Bools:
        """Whether each candidate pair is in one chain."""
        return np.asarray(self.chain[self.pairs.left] == self.chain[self.pairs.right])

    @cached_property
    def ends(self) -> Ints:
        """Both mentions (rows) of the measured pairs: candidate pairs, then all inside chains."""
        inside: list[tuple[int, int]] = []
        for rows in self.members:
            inside += combinations(rows.tolist(), 2)
        table: Ints = np.array(sorted(inside), dtype=np.int64).reshape(-1, 2)
        return np.hstack([[self.pairs.left, self.pairs.right], table.T])

    @cached_property
    def features(self) -> Singles:
        """The features of the candidate pairs: pairs × ``FEATURES``."""
        return features.features(self.mentions, self.pairs)

    def describe(self, left: Ints, right: Ints) -> Singles:
        """Return the features of any mention pairs, given as rows (left < right)."""
        ends = self.mentions.codes["doc"][[left, right]]
        (first, second), number = np.unique(ends, axis=1, return_inverse=True)
        products = self.documents[first].multiply(self.documents[second]).sum(axis=1)
        cosines = np.where(first == second, 1.0, np.asarray(products))
        of_pairs = cosines[number.ravel()].astype(np.float32)
        return features.features(self.mentions, Pairs(left, right, of_pairs))

    # ---- measured values ----

    @cached_property
    def margins(self) -> dict[str, Floats]:
        """Half the log-odds of a link of each measured pair, by detector, see ``ends``."""
        if len(np.unique(self.linked)) < 2:
            raise self.unfit("all pairs of mentions are linked, or none is")
        columns = self._columns()
        # One thread: several threads would add in another order and change the last digit.
        with threadpool_limits(1):
            margins = {SVM: _rounded(svm_margins(columns, self.linked))}
            topic = self._topic_of_mentions()
            if HELD_OUT in self.detectors and topic is not None:
                topics = topic[self.ends[0]]
                held_out = held_out_margins(columns, self.linked, topics, self.progress)
                if held_out is not None:
                    margins[HELD_OUT] = _rounded(held_out)
        return margins

    def _columns(self) -> Singles:
        """Return the columns for a model, of each measured pair.

        They are features and their products with two of them, standardised as the candidate pairs
        are, and a constant 1.
        """
        count = len(self.linked)
        inside = self.describe(*self.ends[:, count:])
        plain = _standardised(np.vstack([self.features, inside]), count)
        products = np.hstack([plain * plain[:, [crossed]] for crossed in _CROSSED])
        constant = np.ones((len(plain), 1))
        return np.hstack(
            [plain, _standardised(products, count), constant], dtype=np.float32
        )

    def _topic_of_mentions(self) -> Ints | None:
        """Return the topic of each mention; its sub-topic or document if pairs are of one topic.

        None if all pairs are of one document.
        """
        for level in ("topic", "subtopic", "doc"):
            topic: Ints = pd.factorize(self.corpus.selected[level])[0]
            if len(np.unique(topic[self.pairs.left])) > 1:
                return topic
        return None

    @cached_property
    def anchors(self) -> Floats:
        """The SVM's anchor |a| of each candidate pair: 0 if it needs none."""
        margins = self.margins[SVM][: len(self.linked)]
        return _rounded(np.maximum(0, 1 - np.where(self.linked, 1, -1) * margins))

    def _companions(self) -> Ints:
        """Return for each candidate pair the number of other pairs between its two sentences.

        They are linked or nearly so by the SVM, and share no mention with the pair; among pairs
        that share a mention with each other, one counts. Pairs inside a sentence have no
        companions.
        """
        ends = self.ends[:, : len(self.linked)]
        left, right = self.sentence[ends]
        across = left != right
        sentences = np.where(across, left * (self.sentence.max() + 1) + right, -1)
        table = pd.DataFrame(
            {"left": ends[0], "right": ends[1], "sentences": sentences}
        )
        support = table[(self.linked | (self.anchors > _NEARLY)) & across]
        counts = []
        for side in ("left", "right"):
            of_sentences = support.groupby("sentences")[side].nunique()
            count = table["sentences"].map(of_sentences).fillna(0).to_numpy()
            place = ["sentences", side]
            supporting = pd.MultiIndex.from_frame(support[place])
            counts.append(
                count - pd.MultiIndex.from_frame(table[place]).isin(supporting)
            )
        return np.asarray(np.minimum(*counts), dtype=np.int64)

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
        first, second = np.sort(self.chain[self.ends[:, unlinked]], axis=0)
        count = len(self.sizes)
        rows = _strongest(first * count + second, unlinked, self.margins)
        strongest = rows["pair"].to_numpy()
        rows["one"], rows["two"] = np.divmod(rows.index.to_numpy(), count)
        rows["left"], rows["right"] = self.ends[:, strongest]
        rows["anchor"] = self.anchors[strongest]
        rows[COMPANIONS] = self._companions()[strongest]
        rows = rows.reset_index(drop=True)
        if self.readers is None:
            return rows
        votes = self.readers.links(self.chain, rows[["one", "two"]].to_numpy())
        further = votes[len(rows) :]
        further = further[further["share"] >= MAJORITY].assign(pair=-1, count=0)
        mentions = [
            self.readers.strongest(self.members[first], self.members[second])
            for first, second in further[["one", "two"]].to_numpy()
        ]
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
        count = len(self.linked)
        inside = self.ends[:, count:]
        pair = count + np.arange(inside.shape[1])
        rows = _strongest(inside.ravel(), np.tile(pair, 2), self.margins)
        rows = rows.rename_axis("mention").reset_index()
        link = rows["pair"].to_numpy()
        rows["left"], rows["right"] = self.ends[:, link]
        rows["anchor"] = 1 - self.margins[SVM][link]
        rows = rows.join(self._rivals(), on="mention")
        if self.readers is not None:
            rows = rows.join(self.readers.members(self.chain), on="mention")
        return rows[(rows["count"] > 1) | (rows["mention"] == rows["right"])]

    def _rivals(self) -> pd.DataFrame:
        """Return the most similar mention of another chain, by mention, see ``_memberships``."""
        unlinked = np.flatnonzero(~self.linked)
        mentions = self.ends[:, unlinked].ravel()
        rows = _strongest(mentions, np.tile(unlinked, 2), self.margins)
        pair = rows["pair"].to_numpy()
        for name, values in self.margins.items():
            rows[f"rival-{name}"] = values[pair]
        rows["rival-pair"] = self.ends[:, pair].sum(axis=0) - rows.index
        return rows.filter(like="rival-")


def _standardised(values: Reals, count: int) -> Floats:
    """Return columns by the mean and deviation of their first ``count`` rows."""
    sample = values[:count]
    scale = sample.std(axis=0, dtype=np.float64)
    scale[scale < 1e-12] = 1.0
    return np.asarray((values - sample.mean(axis=0, dtype=np.float64)) / scale)


def _rounded(values: Floats) -> Floats:
    """Return values without the last digits, which depend on the processor.

    Equal pairs then have equal scores everywhere, and ties are broken in the same way.
    """
    return np.asarray(np.round(values, _DIGITS), dtype=np.float64)


def _strongest(group: Ints, pair: Ints, scores: Mapping[str, Floats]) -> pd.DataFrame:
    """Return a row for each group of pairs, by ascending ``group``, which is the index.

    Columns: ``pair``, the one with the highest of the first of ``scores`` (the first of a tie);
    ``count`` of pairs; and the soft maximum of each score.
    """
    order = np.argsort(group, kind="stable")
    groups, counts = np.unique(group, return_counts=True)
    starts = np.cumsum(counts) - counts
    best = np.lexsort((-next(iter(scores.values()))[pair], group))[starts]
    table = pd.DataFrame({"pair": pair[best], "count": counts}, index=groups)
    for name, values in scores.items() if len(groups) else ():
        sums = np.logaddexp.reduceat(_SHARPNESS * values[pair][order], starts)
        table[name] = _rounded(sums / _SHARPNESS)
    return table.reindex(columns=["pair", "count", *scores])
