"""The same mention in an identical or nearly identical sentence of another document.

Newspapers reprint the sentences of news agencies. Mentions at the same position of such a sentence
in two documents refer to the same event; if they are not linked, this is almost certainly an error.
Letter case is ignored. Reports of the stock exchange on two days differ in their numbers only, so
sentences that contradict each other in a number are not compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from cdec.arrays import Ints
from cdec.auditing.case import MISSING
from cdec.auditing.detector import MERGE, Detector, scopes
from cdec.corpus.model import Corpus
from cdec.language.similarity import similar_pairs

if TYPE_CHECKING:
    from cdec.auditing.key import Key

_MARGIN = 0.9  # factor on the identity, for the preselection by token sets
LEAST = 5  # tokens of a compared sentence; short ones such as "Photo :" recur by chance
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_DTYPES = {"left": np.int64, "right": np.int64, "identity": np.float64}
_NUMBERS = {word: str(value) for value, word in enumerate(_WORDS.split())}


@dataclass(frozen=True)
class Annotated:
    """A sentence with event mentions: lower-case words, and token positions → row of a mention.

    ``start`` is the document token of its first word.
    """

    doc: str
    start: int
    words: tuple[str, ...]
    mentions: dict[tuple[int, ...], int]

    @property
    def numbers(self) -> Counter[str]:
        """The numbers of the sentence, in digits: "10,769" has two, "two" has one."""
        words = (_NUMBERS.get(word, word) for word in self.words)
        return Counter(number for word in words for number in re.findall(r"\d+", word))

    def contradicts(self, other: Annotated) -> bool:
        """Whether each of two sentences has a number that the other one lacks.

        An additional number in one of them, such as a date, is not a contradiction.
        """
        own, others = self.numbers, other.numbers
        return bool(own - others and others - own)


def duplicates(corpus: Corpus, identity: float) -> pd.DataFrame:
    """Return the pairs of event mentions at the same position of similar sentences.

    The sentences are from two documents of one of ``scopes``. Columns: ``left`` and
    ``right`` (rows of mentions, ascending) and ``identity``: 1 for identical sentences, else the
    share of common tokens (2 × common / total), at least ``identity``. Sentences of fewer than five
    tokens must be identical, and none that contradict each other in a number are compared.
    """
    sentences, unit = annotated(corpus), scopes(corpus)
    rows = [
        (one.mentions[at], two.mentions[there], share)
        for one, two in _similar(sentences, identity)
        if unit[one.doc] == unit[two.doc]
        for at, there, share in _common(one, two, identity)
    ]
    return pd.DataFrame(rows, columns=["left", "right", "identity"]).astype(_DTYPES)


def recurring(alike: pd.DataFrame, chain: Ints) -> pd.DataFrame:
    """Return the groups of two or more chains that similar sentences connect.

    ``alike`` has the columns ``left`` and ``right`` (rows of mentions) and ``identity``; ``chain``
    is the chain code of each mention. Columns of the result: ``codes`` (chains, ascending),
    ``rows`` (one mention of each chain, in text order) and ``identity`` (mean identity of the
    connecting sentences). Connected singletons form one group, together with a connected chain of
    several mentions if there is exactly one. Several such chains are in separate groups, and two of
    them connected directly are a group of two: no group merges them because of a third chain.
    """
    unlinked = alike[chain[alike["left"]] != chain[alike["right"]]]
    ends = chain[unlinked["left"]], chain[unlinked["right"]]
    group = _components(np.minimum(*ends), np.maximum(*ends), np.bincount(chain))
    rows = []
    for _, part in unlinked.groupby(group, sort=True):
        mentions = pd.Series(np.unique(part[["left", "right"]].to_numpy()))
        shown = mentions[~pd.Series(chain[mentions]).duplicated()].to_numpy()
        codes = tuple(int(code) for code in np.sort(chain[shown]))
        rows.append((codes, tuple(int(row) for row in shown), float(part["identity"].mean())))
    return pd.DataFrame(rows, columns=["codes", "rows", "identity"])


def _components(one: Ints, two: Ints, sizes: Ints) -> Ints:
    """Return the group number of each pair of chains."""
    single = (sizes[one] == 1) & (sizes[two] == 1)
    edges = (one[single], two[single])
    ones = np.ones(len(edges[0]), dtype=np.int8)
    graph = coo_array((ones, edges), (len(sizes), len(sizes)))
    component = connected_components(graph, directed=False)[1]
    # A singleton and a larger chain: the component of the singleton, and the larger chain.
    lone = np.where(sizes[one] == 1, one, two)
    large = np.where(single, -1, np.where(sizes[one] == 1, two, one))
    mixed = ~single & (np.minimum(sizes[one], sizes[two]) == 1)
    part = np.where(single | mixed, component[lone], -1 - lone)
    adjacent = pd.Series(large[mixed]).groupby(part[mixed]).nunique()
    joined = mixed & (pd.Series(part).map(adjacent) == 1).to_numpy()
    table = pd.DataFrame({"part": part, "large": np.where(joined, -1, large)})
    return np.asarray(table.groupby(["part", "large"]).ngroup(), dtype=np.int64)


def annotated(corpus: Corpus) -> list[Annotated]:
    """Return the sentences with event mentions."""
    sentences: list[Annotated] = []
    events = corpus.selected
    numbered = events.assign(row=np.arange(len(events)))
    for _, part in numbered.groupby(["doc", "sentence"], sort=False):
        doc, number = str(part["doc"].iloc[0]), int(part["sentence"].iloc[0])
        document = corpus.documents[doc]
        start = document.sentence_starts[number]
        words = tuple(word.lower() for word in document.sentences[number])
        places = (tuple(token - start for token in tokens) for tokens in part["tokens"])
        mentions = dict(zip(places, part["row"].tolist(), strict=True))
        sentences.append(Annotated(doc, start, words, mentions))
    return sentences


def _similar(sentences: list[Annotated], identity: float) -> Iterator[tuple[Annotated, Annotated]]:
    """Yield the pairs of possibly similar sentences of two documents, in corpus order."""
    counter = CountVectorizer(analyzer=list, binary=True, dtype=np.float64)
    bags = csr_array(normalize(counter.fit_transform([one.words for one in sentences])))
    # The cosine of token sets is at least the share of common tokens, except for repeated words.
    chunks = list(similar_pairs(bags, identity * _MARGIN))
    ends = sorted((int(a), int(b)) for chunk in chunks for a, b in zip(*chunk[:2], strict=True))
    for a, b in ends:
        one, two = sentences[a], sentences[b]
        long = min(len(one.words), len(two.words)) >= LEAST
        if one.doc != two.doc and (long or one.words == two.words):
            yield one, two


def _common(
    one: Annotated, two: Annotated, identity: float
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], float]]:
    """Yield the positions of mentions that the alignment of both sentences maps to each other."""
    if one.words == two.words:
        yield from ((at, at, 1.0) for at in one.mentions if at in two.mentions)
        return
    matcher = SequenceMatcher(None, one.words, two.words, autojunk=False)
    share = matcher.ratio()
    if share < identity or one.contradicts(two):
        return
    moved = {
        block.a + step: block.b + step
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    }
    for at in one.mentions:
        there = tuple(moved.get(token, -1) for token in at)
        if there in two.mentions:
            yield at, there, share


def _find(key: Key) -> pd.DataFrame:
    groups = recurring(key.prepared.alike, key.chain)
    share = groups["identity"]
    same = ["identical" if value == 1 else f"{value:.0%} identical" for value in share]
    return pd.DataFrame(
        {
            "mentions": [tuple(key.ids[row] for row in rows) for rows in groups["rows"]],
            "score": share,
            "reason": [
                f"their sentences are {text}, with the mentions at the same position"
                for text in same
            ],
            "fix": [key.fixes.link(rows) for rows in groups["rows"]],
            "group": np.where(share == 1, "duplicate", "near-duplicate"),
        }
    )


DUPLICATE = Detector(
    id="duplicate",
    words="the same mention in an identical or nearly identical sentence elsewhere",
    kind=MISSING,
    find=_find,
    proposes=MERGE,
    table="groups",
    batched=True,
)
