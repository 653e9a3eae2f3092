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
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints
from cdec.auditing.case import MISSING
from cdec.auditing.suspect import Suspect, detector, scopes
from cdec.corpus.model import Corpus
from cdec.language.similarity import similar_pairs

if TYPE_CHECKING:
    from cdec.auditing.key import Key

DUPLICATE = "duplicate"
LEAST = 5  # tokens of a compared sentence; short ones such as "Photo :" recur by chance
IDENTITY = 0.8  # share of common tokens of nearly identical sentences, at least
_MARGIN = 0.9  # factor on the identity, for the preselection by token sets
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(value) for value, word in enumerate(_WORDS.split())}
_DTYPES = {"left": np.int64, "right": np.int64, "identity": np.float64}
Span = tuple[int, ...]


@dataclass(frozen=True)
class Annotated:
    """A sentence with event mentions: lower-case words, and token positions → row of a mention.

    ``start`` is the document token of its first word.
    """

    doc: str
    start: int
    words: tuple[str, ...]
    mentions: dict[Span, int]


def annotated(corpus: Corpus) -> list[Annotated]:
    """Return the sentences with event mentions."""
    sentences: list[Annotated] = []
    numbered = corpus.selected.assign(row=np.arange(len(corpus.selected)))
    places: Any = numbered.groupby(["doc", "sentence"], sort=False)
    for (doc, number), part in places:
        document = corpus.documents[doc]
        start = document.sentence_starts[number]
        words = tuple(word.lower() for word in document.sentences[number])
        spans = (tuple(token - start for token in tokens) for tokens in part["tokens"])
        mentions = dict(zip(spans, part["row"].tolist(), strict=True))
        sentences.append(Annotated(doc, start, words, mentions))
    return sentences


def duplicates(corpus: Corpus, identity: float = IDENTITY) -> pd.DataFrame:
    """Return the pairs of event mentions at the same position of similar sentences.

    The sentences are from two documents of one of ``scopes``. Columns: ``left`` and
    ``right`` (rows of mentions, ascending) and ``identity``: 1 for identical sentences, else the
    share of common tokens (2 × common / total), at least ``identity``. Sentences of fewer than five
    tokens must be identical, and none that contradict each other in a number are compared.
    """
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415
    from sklearn.preprocessing import normalize  # noqa: PLC0415

    sentences, unit = annotated(corpus), scopes(corpus)
    counter = CountVectorizer(analyzer=list, binary=True, dtype=np.float64)
    bags = csr_array(normalize(counter.fit_transform([one.words for one in sentences])))
    # The cosine of token sets is at least the share of common tokens, except for repeated words.
    chunks = list(similar_pairs(bags, identity * _MARGIN))
    ends = sorted((int(a), int(b)) for chunk in chunks for a, b in zip(*chunk[:2], strict=True))
    rows = [
        (one.mentions[at], two.mentions[there], share)
        for one, two in ((sentences[a], sentences[b]) for a, b in ends)
        if one.doc != two.doc and unit[one.doc] == unit[two.doc]
        if min(len(one.words), len(two.words)) >= LEAST or one.words == two.words
        for at, there, share in _common(one, two, identity)
    ]
    return pd.DataFrame(rows, columns=list(_DTYPES)).astype(_DTYPES)


def _common(one: Annotated, two: Annotated, identity: float) -> Iterator[tuple[Span, Span, float]]:
    """Yield the positions of mentions that the alignment of both sentences maps to each other."""
    matcher = SequenceMatcher(None, one.words, two.words, autojunk=False)
    if (share := matcher.ratio()) < identity:
        return
    numbers, others = _numbers(one.words), _numbers(two.words)
    if numbers - others and others - numbers:  # one more number, such as a date, is no objection
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


def _numbers(words: tuple[str, ...]) -> Counter[str]:
    """Return the numbers of a sentence, in digits: "10,769" has two, "two" has one."""
    digits = (_NUMBERS.get(word, word) for word in words)
    return Counter(number for word in digits for number in re.findall(r"\d+", word))


def recurring(alike: pd.DataFrame, chain: Ints) -> Iterator[tuple[list[int], float]]:
    """Yield the groups of two or more chains that similar sentences connect.

    ``alike`` is as ``duplicates``, ``chain`` has the chain code of each mention. A group is one
    mention (row) of each chain, in text order, and the mean identity of the sentences. Connected
    singletons form one group, together with a connected chain of several mentions if there is
    exactly one. Several such chains are in separate groups, and two of them connected directly are
    a group of two: no group merges them because of a third chain.
    """
    unlinked = alike[chain[alike["left"]] != chain[alike["right"]]]
    ends = np.sort([chain[unlinked["left"]], chain[unlinked["right"]]], axis=0)
    for _, part in unlinked.groupby(_components(ends, np.bincount(chain)), sort=True):
        mentions = np.unique(part[["left", "right"]].to_numpy())
        firsts = np.sort(np.unique(chain[mentions], return_index=True)[1])
        yield mentions[firsts].tolist(), float(part["identity"].mean())


def _components(ends: Ints, sizes: Ints) -> Ints:
    """Return the group number of each pair of chains."""
    one, two = ends
    lone = np.where(sizes[one] == 1, one, two)
    large = np.where(sizes[one] == 1, two, one)
    single = sizes[large] == 1
    edges = (np.ones(single.sum(), dtype=np.int8), (one[single], two[single]))
    graph = coo_array(edges, (len(sizes), len(sizes)))
    component = connected_components(graph, directed=False)[1]
    part = np.where(sizes[lone] == 1, component[lone], -1 - lone)
    table = pd.DataFrame({"part": part, "large": np.where(single, -1, large)})
    adjacent = table[~single].groupby("part")["large"].nunique()
    table.loc[table["part"].map(adjacent) == 1, "large"] = -1
    return np.asarray(table.groupby(["part", "large"]).ngroup(), dtype=np.int64)


@detector(
    DUPLICATE,
    "the same mention in an identical or nearly identical sentence elsewhere",
    kind=MISSING,
)
def duplicate(key: Key) -> Iterator[Suspect]:
    """Yield the chains that similar sentences connect."""
    for rows, share in recurring(key.alike, key.chain):
        same = "identical" if share == 1 else f"{share:.0%} identical"
        reason = f"their sentences are {same}, with the mentions at the same position"
        group = DUPLICATE if share == 1 else f"near-{DUPLICATE}"
        yield Suspect([key.ids[row] for row in rows], reason, key.fixes.link(rows), group, share)
