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
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from cdec.auditing.case import COPIES_DIFFER, MISSING, CaseSide, Fix, Suspect, detector
from cdec.auditing.claims import NONE, Claim
from cdec.auditing.fixes import put
from cdec.corpus.model import LEVELS, Corpus
from cdec.errors import counted
from cdec.language.similarity import similar_pairs
from cdec.matching.names import runs
from cdec.records import Tokens

if TYPE_CHECKING:
    from cdec.auditing.key import Key

DUPLICATE = "duplicate"
COPIES = "copies"
_LEAST = (
    5  # tokens of a compared sentence; short ones such as "Photo :" recur by chance
)
_IDENTITY = 0.8  # share of common tokens of nearly identical sentences, at least
_MARGIN = 0.9  # factor on the identity, for the preselection by token sets
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(value) for value, word in enumerate(_WORDS.split())}
_DTYPES = {"left": np.int64, "right": np.int64, "identity": np.float64}
_SAID = {
    "missing": "lack this mention",
    "span": "have another span",
    "tag": "have another tag",
}
Span = Tokens  # of token positions in the sentence


def scopes(corpus: Corpus) -> dict[str, str]:
    """Return document id → its unit of ``corpus.linked_within``; '' for all documents without one.

    No chain is of two units: the annotators, or the construction of the corpus, had no such links.

    >>> from dataclasses import replace
    >>> from cdec import load_corpus
    >>> corpus = replace(load_corpus("sample", "test"), linked_within="topic")
    >>> sorted(set(scopes(corpus).values()))
    ['4', '5', '6']
    """
    depth = [*LEVELS].index(corpus.linked_within) + 1 if corpus.linked_within else 0
    documents = corpus.documents.values()
    return {one.id: "/".join((one.topic, one.subtopic)[:depth]) for one in documents}


class _Sentence(NamedTuple):
    """A sentence with event mentions: lower-case words, and token positions → row of a mention.

    ``start`` is the document token of its first word.
    """

    unit: str
    doc: str
    start: int
    words: tuple[str, ...]
    mentions: dict[Span, int]


def _annotated(corpus: Corpus) -> Iterator[_Sentence]:
    """Yield the sentences with event mentions."""
    unit = scopes(corpus)
    events = corpus.selected.assign(row=np.arange(len(corpus.selected)))
    places: Any = events.groupby(["doc", "sentence"], sort=False)
    for (doc, number), part in places:
        start = corpus.documents[doc].sentence_starts[number]
        words = tuple(word.lower() for word in corpus.documents[doc].sentences[number])
        spans = (tuple(token - start for token in tokens) for tokens in part["tokens"])
        rows = dict(zip(spans, part["row"].tolist(), strict=True))
        yield _Sentence(unit[doc], doc, start, words, rows)


def duplicates(corpus: Corpus, identity: float = _IDENTITY) -> pd.DataFrame:
    """Return the pairs of event mentions at the same position of similar sentences.

    The sentences are from two documents of one of ``scopes``. Columns: ``left`` and ``right`` (rows
    of mentions, ascending) and ``identity``: 1 for identical sentences, else the share of common
    tokens (2 × common / total), at least ``identity``. Sentences of fewer than five tokens must be
    identical, and none that contradict each other in a number are compared.
    """
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415
    from sklearn.preprocessing import normalize  # noqa: PLC0415

    sentences = [*_annotated(corpus)]
    rows = []
    counter = CountVectorizer(analyzer=list, binary=True, dtype=np.float64)
    bags = csr_array(normalize(counter.fit_transform([one.words for one in sentences])))
    # The cosine of token sets is at least the share of common tokens, except for repeated words.
    found = np.hstack(
        [np.array(part[:2]) for part in similar_pairs(bags, identity * _MARGIN)]
    )
    for a, b in sorted(found.T.tolist()):
        one = sentences[a]
        two = sentences[b]
        apart = one.doc != two.doc and one.unit == two.unit
        if apart and (
            one.words == two.words or min(map(len, (one.words, two.words))) >= _LEAST
        ):
            share, moved = _aligned(one.words, two.words, identity)
            for at, row in one.mentions.items() if share else ():
                there = two.mentions.get(tuple(moved.get(token, -1) for token in at))
                rows += [] if there is None else [(row, there, share)]
    return pd.DataFrame(rows, columns=[*_DTYPES]).astype(_DTYPES)


def _aligned(
    one: tuple[str, ...], two: tuple[str, ...], identity: float
) -> tuple[float, Mapping[int, int]]:
    """Return the share of common tokens, and for each the position in the other sentence.

    The share is 0 if it is below ``identity``, or if the sentences contradict each other.
    """
    matcher = SequenceMatcher(None, one, two, autojunk=False)
    if (share := matcher.ratio()) < identity:
        return 0.0, {}
    numbers, others = (
        Counter(
            n for word in words for n in re.findall(r"\d+", _NUMBERS.get(word, word))
        )
        for words in (one, two)
    )
    if (
        numbers - others and others - numbers
    ):  # one more number, such as a date, is no objection
        return 0.0, {}
    blocks = matcher.get_matching_blocks()
    return share, {
        block.a + n: block.b + n for block in blocks for n in range(block.size)
    }


@detector(DUPLICATE, kind=MISSING)
def duplicate(key: Key) -> Iterator[Suspect]:
    """Yield the groups of two or more chains that similar sentences connect, by a mention of each.

    Connected singletons form one group, together with a connected chain of several mentions if
    there is exactly one. Several such chains are in separate groups, and two of them connected
    directly are a group of two: no group merges them because of a third chain.
    """
    alike = key.alike
    chain = key.chain
    sizes = key.sizes
    pairs = alike[chain[alike["left"]] != chain[alike["right"]]]
    one, two = np.sort([chain[pairs["left"]], chain[pairs["right"]]], axis=0)
    lone, large = np.where(sizes[one] == 1, [one, two], [two, one])
    single = sizes[large] == 1
    edges = (np.ones(single.sum(), dtype=np.int8), (one[single], two[single]))
    graph = coo_array(edges, (len(sizes), len(sizes)))
    component = connected_components(graph, directed=False)[1]
    part = np.where(sizes[lone] == 1, component[lone], -1 - lone)
    table = pairs.assign(part=part, large=np.where(single, -1, large))
    adjacent = table[~single].groupby("part")["large"].nunique()
    table.loc[table["part"].map(adjacent) == 1, "large"] = -1
    for _, group in table.groupby(["part", "large"]):
        mentions = np.unique(group[["left", "right"]])
        share = float(group["identity"].mean())
        firsts = np.sort(np.unique(chain[mentions], return_index=True)[1])
        rows = mentions[firsts].tolist()
        same = "identical" if share == 1 else f"{share:.0%} identical"
        reason = f"their sentences are {same}, with the mentions at the same position"
        rate = DUPLICATE if share == 1 else f"near-{DUPLICATE}"
        yield Suspect(
            [key.ids[row] for row in rows], reason, key.fixes.link(rows), rate, share
        )


class Difference(NamedTuple):
    """Copies that differ in one annotation.

    ``name`` is a key of _SAID; ``ids``: mentions of the first annotation, then of the other;
    ``places``: where a mention is missing; ``new``: mention of the other annotation → the tokens or
    tag of the first; ``back``: mention of the first → those of the other.
    """

    name: str
    ids: tuple[str, ...]
    places: tuple[str, ...] = ()
    new: Mapping[str, str] = {}
    back: Mapping[str, str] = {}


def differences(corpus: Corpus) -> Iterator[Difference]:
    """Yield the differences between identical sentences of two documents of one of ``scopes``."""
    groups: dict[tuple[str, tuple[str, ...]], list[_Sentence]] = defaultdict(list)
    for sentence in _annotated(corpus):
        groups[sentence.unit, sentence.words].append(sentence)
    ids = corpus.selected.index.tolist()
    tags = corpus.selected["tag"].tolist()
    for (_, words), copies in groups.items():
        if len(words) >= _LEAST and len({copy.doc for copy in copies}) > 1:
            yield from _among(copies, ids, tags)


def _among(
    copies: list[_Sentence], ids: list[str], tags: list[str]
) -> Iterator[Difference]:
    counts = Counter(span for copy in copies for span in copy.mentions)
    done = set()  # spans that are named as the other one
    for span in sorted(counts, key=lambda span: (-counts[span], span)):
        holders = {
            ids[one.mentions[span]]: one for one in copies if span in one.mentions
        }
        if all((copy.doc, copy.start, span) in done for copy in holders.values()):
            continue
        lacking = []
        others = {}
        for copy in copies:
            own = [one for one in copy.mentions if not {*span}.isdisjoint(one)]
            if not own:
                lacking.append(f"{copy.doc}/{_tokens(copy, span)}")
            elif (
                span not in own
                and len(own) == 1
                and (copy.doc, copy.start, *own) not in done
            ):
                done.add((copy.doc, copy.start, own[0]))
                others[ids[copy.mentions[own[0]]]] = copy, own[0]
        first = (*holders,)
        if others:
            new = {id_: _tokens(copy, span) for id_, (copy, _) in others.items()}
            _, other = next(iter(others.values()))
            back = {id_: _tokens(copy, other) for id_, copy in holders.items()}
            yield Difference("span", (*first, *new), (), new, back)
        if lacking:
            yield Difference("missing", first, (*lacking,))
        tag = {id_: tags[copy.mentions[span]] for id_, copy in holders.items()}
        votes = Counter(tag.values())
        most = max(sorted(votes), key=lambda name: votes[name])
        new = {id_: most for id_ in first if tag[id_] != most}
        if new:
            back = {id_: tag[next(iter(new))] for id_ in first if id_ not in new}
            yield Difference("tag", (*back, *new), (), new, back)


def _tokens(copy: _Sentence, span: Span) -> str:
    return runs([copy.start + at for at in span])


@detector(COPIES, kind=COPIES_DIFFER)
def copies(key: Key) -> Iterator[Suspect]:
    """Yield the differences between copies of a sentence in mentions, spans and tags."""
    for one in key.copies:
        own = len(one.ids) - len(one.new)
        other = len(one.new) or len(one.places)
        sides = [key.part(part) for part in (one.ids[:own], one.ids[own:]) if part]
        sides += map(CaseSide.missing_at, one.places)
        against = counted(other, "copy", "copies")
        yield Suspect(
            sides,
            f"the sentence is identical in all documents, but {against} {_SAID[one.name]}",
            _fixes(one, own, other),
        )


def _fixes(one: Difference, own: int, other: int) -> tuple[Fix, ...]:
    """Return the corrections of copies, that of the majority of ``own`` and ``other`` first."""
    more = own - other
    votes = f"({own} of A, {other} of B)"
    if one.name == "missing":
        claims = tuple(Claim(add=place, to=one.ids[0]) for place in one.places)
        text = f"add the mention where it is missing {votes}"
        add = Fix(fix="add", text=text, claims=claims, tied=more == 0)
        text = f"A is not an event {votes}"
        gone = Fix(fix="remove", text=text, claims=put(one.ids, NONE), tied=more == 0)
        return (add, gone) if more >= 0 else (gone, add)
    form = "tokens" if one.name == "span" else "tag"
    fixes = []
    for letter, forms in (("A", one.new), ("B", one.back)):
        text = f"all copies get the {one.name} of {letter} {votes}"
        made = [
            Claim.model_validate({"mention": id_, form: to})
            for id_, to in forms.items()
        ]
        fixes.append(Fix(fix=one.name, text=text, claims=(*made,), tied=more <= 0))
    return (*fixes,)
