"""Copies of sentences: the same mention in two chains, or annotated in one of them only.

Newspapers reprint the sentences of news agencies. Mentions at the same position of such a sentence
in two documents refer to the same event; if they are not linked, this is almost certainly an error.
Letter case is ignored. Reports of the stock exchange on two days differ in their numbers only, so
sentences that contradict each other in a number are not compared.

For other annotations than links only identical sentences are compared, so that each mention has a
place in every copy. A sentence without any event mention is not compared: it was not annotated.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Ints
from cdec.auditing.case import COPIES_DIFFER, MISSING, CaseSide, Fix
from cdec.auditing.fixes import put
from cdec.auditing.suspect import Suspect, detector, scopes
from cdec.corpus.claims import NONE, Claim
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.language.similarity import similar_pairs
from cdec.matching.names import runs

if TYPE_CHECKING:
    from cdec.auditing.key import Key

DUPLICATE, COPIES = "duplicate", "copies"
_LEAST = 5  # tokens of a compared sentence; short ones such as "Photo :" recur by chance
_IDENTITY = 0.8  # share of common tokens of nearly identical sentences, at least
_MARGIN = 0.9  # factor on the identity, for the preselection by token sets
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(value) for value, word in enumerate(_WORDS.split())}
_DTYPES = {"left": np.int64, "right": np.int64, "identity": np.float64}
_SAID = {"missing": "lack this mention", "span": "have another span", "tag": "have another tag"}
Span = tuple[int, ...]  # of token positions in the sentence


@dataclass(frozen=True)
class _Sentence:
    """A sentence with event mentions: lower-case words, and token positions → row of a mention.

    ``start`` is the document token of its first word.
    """

    doc: str
    start: int
    words: tuple[str, ...]
    mentions: dict[Span, int]


def _annotated(corpus: Corpus) -> list[_Sentence]:
    """Return the sentences with event mentions."""
    sentences: list[_Sentence] = []
    numbered = corpus.selected.assign(row=np.arange(len(corpus.selected)))
    places: Any = numbered.groupby(["doc", "sentence"], sort=False)
    for (doc, number), part in places:
        document = corpus.documents[doc]
        start = document.sentence_starts[number]
        words = tuple(word.lower() for word in document.sentences[number])
        spans = (tuple(token - start for token in tokens) for tokens in part["tokens"])
        mentions = dict(zip(spans, part["row"].tolist(), strict=True))
        sentences.append(_Sentence(doc, start, words, mentions))
    return sentences


def duplicates(corpus: Corpus, identity: float = _IDENTITY) -> pd.DataFrame:
    """Return the pairs of event mentions at the same position of similar sentences.

    The sentences are from two documents of one of ``scopes``. Columns: ``left`` and
    ``right`` (rows of mentions, ascending) and ``identity``: 1 for identical sentences, else the
    share of common tokens (2 × common / total), at least ``identity``. Sentences of fewer than five
    tokens must be identical, and none that contradict each other in a number are compared.
    """
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415
    from sklearn.preprocessing import normalize  # noqa: PLC0415

    sentences, unit = _annotated(corpus), scopes(corpus)
    counter = CountVectorizer(analyzer=list, binary=True, dtype=np.float64)
    bags = csr_array(normalize(counter.fit_transform([one.words for one in sentences])))
    # The cosine of token sets is at least the share of common tokens, except for repeated words.
    chunks = list(similar_pairs(bags, identity * _MARGIN))
    ends = sorted((int(a), int(b)) for chunk in chunks for a, b in zip(*chunk[:2], strict=True))
    rows = [
        (one.mentions[at], two.mentions[there], share)
        for one, two in ((sentences[a], sentences[b]) for a, b in ends)
        if one.doc != two.doc and unit[one.doc] == unit[two.doc]
        if min(len(one.words), len(two.words)) >= _LEAST or one.words == two.words
        for at, there, share in _common(one, two, identity)
    ]
    return pd.DataFrame(rows, columns=list(_DTYPES)).astype(_DTYPES)


def _common(one: _Sentence, two: _Sentence, identity: float) -> Iterator[tuple[Span, Span, float]]:
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


@dataclass(frozen=True)
class Difference:
    """Copies that differ in one annotation.

    ``name`` is a key of _SAID; ``ids``: mentions of the first annotation, then of the other;
    ``places``: where a mention is missing; ``new``: mention → the tokens or tag of the first
    annotation; ``votes``: the numbers of copies with the first annotation and with the other.
    """

    name: str
    ids: tuple[str, ...]
    votes: tuple[int, int]
    places: tuple[str, ...] = ()
    new: Mapping[str, str] = field(default_factory=dict)


def differences(corpus: Corpus) -> Iterator[Difference]:
    """Yield the differences between identical sentences of two documents of one of ``scopes``."""
    groups: dict[tuple[str, tuple[str, ...]], list[_Sentence]] = defaultdict(list)
    unit = scopes(corpus)
    for sentence in _annotated(corpus):
        if len(sentence.words) >= _LEAST:
            groups[unit[sentence.doc], sentence.words].append(sentence)
    ids, tags = corpus.selected.index.tolist(), corpus.selected["tag"].tolist()
    for copies in groups.values():
        if len({copy.doc for copy in copies}) > 1:
            yield from _among(copies, ids, tags)


def _among(copies: list[_Sentence], ids: list[str], tags: list[str]) -> Iterator[Difference]:
    counts = Counter(span for copy in copies for span in copy.mentions)
    done: set[tuple[str, int, Span]] = set()  # spans that are named as the other one
    for span in sorted(counts, key=lambda span: (-counts[span], span)):
        holders = [copy for copy in copies if span in copy.mentions]
        if all((copy.doc, copy.start, span) in done for copy in holders):
            continue
        lacking, other = list[str](), dict[str, str]()
        for copy in copies:
            own = [one for one in copy.mentions if not {*span}.isdisjoint(one)]
            place = runs([copy.start + at for at in span])
            if not own:
                lacking.append(f"{copy.doc}/{place}")
            elif span not in own and len(own) == 1 and (copy.doc, copy.start, *own) not in done:
                done.add((copy.doc, copy.start, own[0]))
                other[ids[copy.mentions[own[0]]]] = place
        rows = [copy.mentions[span] for copy in holders]
        first = [ids[row] for row in rows]
        if other:
            yield Difference("span", (*first, *other), (len(first), len(other)), new=other)
        if lacking:
            votes = len(first), len(lacking)
            yield Difference("missing", tuple(first), votes, tuple(lacking))
        votes_of = Counter(tags[row] for row in rows)
        most = max(sorted(votes_of), key=lambda tag: votes_of[tag])
        new = {ids[row]: most for row in rows if tags[row] != most}
        if new:
            same = [id_ for id_ in first if id_ not in new]
            yield Difference("tag", (*same, *new), (len(same), len(new)), new=new)


@detector(COPIES, "copies of a sentence with different mentions, spans or tags", kind=COPIES_DIFFER)
def copies(key: Key) -> Iterator[Suspect]:
    """Yield the differences between copies of a sentence."""
    for one in key.copies:
        split = len(one.ids) - len(one.new)
        sides = [key.part(part) for part in (one.ids[:split], one.ids[split:]) if part]
        sides += [CaseSide(mentions=(), chain="", place=place) for place in one.places]
        against = counted(one.votes[1], "copy", "copies")
        reason = f"the sentence is identical in all documents, but {against} {_SAID[one.name]}"
        yield Suspect(tuple(sides), reason, _fixes(one, key))


def _fixes(one: Difference, key: Key) -> tuple[Fix, ...]:
    """Return the corrections of copies that differ, that of the majority first, if there is one."""
    more = one.votes[0] - one.votes[1]
    votes = f"({one.votes[0]} of A, {one.votes[1]} of B)"
    if one.name == "missing":
        claims = tuple(Claim(add=place, to=one.ids[0]) for place in one.places)
        text = f"add the mention where it is missing {votes}"
        add = Fix(fix="add", text=text, claims=claims, tied=more == 0)
        text = f"A is not an event {votes}"
        gone = Fix(fix="remove", text=text, claims=put(one.ids, NONE), tied=more == 0)
        return (add, gone) if more >= 0 else (gone, add)
    events = key.corpus.selected.loc[list(one.ids)]
    first, model = [id_ for id_ in one.ids if id_ not in one.new], next(iter(one.new))
    if one.name == "span":
        places = zip(events["doc"], events["sentence"], strict=True)
        starts = [key.corpus.documents[doc].sentence_starts[number] for doc, number in places]
        start = dict(zip(one.ids, starts, strict=True))
        span = [token - start[model] for token in events["tokens"][model]]
        back = {id_: runs([start[id_] + at for at in span]) for id_ in first}
    else:
        back = dict.fromkeys(first, str(events["tag"][model]))
    form = "tokens" if one.name == "span" else "tag"
    return tuple(
        Fix(
            fix=one.name,
            text=f"all copies get the {one.name} of {letter} {votes}",
            claims=tuple(
                Claim.model_validate({"mention": id_, form: to}) for id_, to in new.items()
            ),
            tied=more <= 0,
        )
        for letter, new in (("A", one.new), ("B", back))
    )
