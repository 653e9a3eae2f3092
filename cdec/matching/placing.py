"""Place a response, of which a model may have changed the text, on the text of a CoNLL-U key.

The words of each document are aligned by edit distance. A mention whose words are all aligned, with
consecutive words of one sentence of the key, is placed on these. Any other mention is twinless: it
gets nodes that no key has. An empty node is written after its parent, so the first that follows an
aligned word is the first empty node of that word in the key if it has one, and so on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from cdec.arrays import Ints
from cdec.errors import ScoringError, counted
from cdec.errors.notices import Notice, notice
from cdec.formats.annotation import Annotation, Treebank
from cdec.formats.conllu.entities import Entities
from cdec.formats.conllu.heads import tree_heads
from cdec.formats.conllu.lines import Lines
from cdec.formats.conllu.reader import table_of
from cdec.formats.conllu.trees import FORM, WIDTH, Trees
from cdec.formats.conllu.writer import empty_line, node_lines
from cdec.formats.crac import token_of, written_order
from cdec.io.source import decode

LEAST = 0.9
"""The share of the words of a document that must be aligned, of the longer of the two texts."""

_OWN = (
    WIDTH // 2
)  # After a word, numbers of empty nodes are below, of words of no key from here on.
_EDITS = {"delete": "dropped", "insert": "added", "replace": "replaced"}
_CHANGED = "its words have changed"
_BROKEN, _BEYOND = "a bracket has no partner", "it goes beyond a sentence of the key"
_HINT = "give the whole text of each document, in the order of the key; --verbose lists notices"


def on_key(response: Annotation, key: Treebank, *, changed: bool = True) -> Annotation:
    """Return the response on the words of the key, with notices on what differs.

    Without ``changed``, mentions that are not in the text of the key are left out. Raises
    ScoringError for other documents than those of the key, and for one with too few aligned words.
    """
    bank = response.trees
    if bank is None or response.broken is None:
        return response
    text = _Placing(response, bank, key.trees)
    outside = np.array([bool(reason) for reason in text.reasons], np.bool_)
    rows = np.arange(len(response)) if changed else np.flatnonzero(~outside)
    trees = text.trees_with(rows)
    sets = [np.searchsorted(trees.place, text.places[row]) for row in rows.tolist()]
    bare = Entities.of(sets, response.mentions["chain"].iloc[rows].tolist())
    heads = np.where(outside[rows], bare.head, tree_heads(trees, bare))
    bank = Treebank(trees, replace(bare, head=heads), outside[rows])
    lines = response.mentions["line"].to_numpy()[rows]
    return replace(
        response,
        mentions=table_of(bank).assign(line=lines),
        documents=trees.texts,
        notices=(*response.notices, *text.notices()),
        trees=bank,
        broken=None,
    )


class _Placing:
    """The places that the nodes and the mentions of a response have in the key.

    ``reasons`` says of each mention why it is not in the text of the key, '' if it is.
    """

    def __init__(self, response: Annotation, bank: Treebank, key: Trees) -> None:
        self.response, self.theirs, self.key = response, bank.trees, key
        self.place = np.full(len(bank.trees), -1)
        self.own = np.zeros(len(bank.trees), np.int64)  # a place that no key has
        self.forms, self.words = bank.trees.column(FORM), key.place[key.is_word]
        self.kept: set[int] = set()  # the places of empty nodes that the key has too
        self.new: dict[int, str] = {}  # place → line of an empty node that the key lacks
        empty = np.flatnonzero(key.sub)
        base = (key.place - key.sub)[empty].tolist()
        self.last = dict(zip(base, key.sub[empty].tolist(), strict=True))
        self.edits = dict.fromkeys(_EDITS, 0)
        self.dropped: list[str] = []
        self.differing: list[str] = []
        self.mentions = [bank.entities.nodes[a:b] for a, b in pairwise(bank.entities.bounds)]
        order, ours, theirs = written_order(key), _bounds(key), _bounds(bank.trees)
        for number, other in enumerate(_documents(response, bank.trees.names, key.names)):
            nodes = np.arange(*theirs[other])
            self._place(key.names[number], order[slice(*ours[number])], nodes)
        broken = () if response.broken is None else response.broken.tolist()
        self.reasons = [*map(self._reason, self.mentions, broken)]
        self.places = [
            self.own[nodes] if reason else np.sort(self.place[nodes])
            for nodes, reason in zip(self.mentions, self.reasons, strict=True)
        ]

    def _place(self, document: str, ours: Ints, theirs: Ints) -> None:
        """Place the nodes of a document, which are in the order of the text on both sides."""
        left, right = self.key.is_word[ours], self.theirs.is_word[theirs]
        words = ours[left]
        at = self._aligned(document, words, theirs[right])
        self.place[theirs[right][at >= 0]] = self.key.place[words[at[at >= 0]]]
        # Tokens of no key are spread over the words of the key.
        near = np.arange(len(theirs)) * len(words) // len(theirs)
        number = np.arange(len(theirs)) - np.searchsorted(near, near)
        self.own[theirs] = self.key.place[words[near]] + _OWN + number
        waiting: defaultdict[int, list[int]] = defaultdict(list)
        for node, before in zip(ours[~left], np.cumsum(left)[~left], strict=True):
            waiting[int(before)].insert(0, int(node))
        for node, before in zip(theirs[~right], np.cumsum(right)[~right], strict=True):
            after = int(at[before - 1]) + 1 if before else 0
            if waiting[after] and (after or not before):
                self.place[node] = self.key.place[waiting[after].pop()]
                self.kept.add(int(self.place[node]))
            elif after or not before:
                parent = None if after else 0
                self.place[node] = self._new(document, words[max(after - 1, 0)], node, parent)
        if number.max() >= WIDTH - _OWN:
            raise self._too_many(document)

    def _new(self, document: str, word: int, node: int, parent: int | None) -> int:
        """Return the place of a new empty node after a word of the key."""
        base = int(self.key.place[word])
        sub = self.last.get(base, 0) + 1
        self.last[base] = sub
        if sub >= _OWN:
            raise self._too_many(document)
        self.new[base + sub] = empty_line(self.key.number[word], sub, self.forms[node], parent)
        return int(base + sub)

    def _too_many(self, document: str) -> ScoringError:
        message = f"'{document}' has too many empty nodes in one place"
        return ScoringError("text-mismatch", message, place=self.response.name, hint=_HINT)

    def _aligned(self, document: str, words: Ints, own: Ints) -> Ints:
        """Return the word of the key that each word is, −1 for none; count what differs.

        Raises ScoringError if too few are aligned.
        """
        key = self.key
        ours = [token_of(key.forms[number]) for number in key.before[words].tolist()]
        at, edits = aligned_words(ours, [self.forms[node] for node in own.tolist()])
        share = float((at >= 0).sum()) / max(len(ours), len(at), 1)
        if share < LEAST:
            message = f"{share:.1%} of the words of '{document}' are those of the key"
            place = self.response.place(
                self._line(int(self.theirs.document[own[0]])) if len(own) else 0
            )
            least = f"at least {LEAST:.0%} must be"
            raise ScoringError("text-mismatch", f"{message}, {least}", place=place, hint=_HINT)
        for name, number in edits.items():
            self.edits[name] += number
        if any(edits.values()):
            missing = np.isin(np.arange(len(words)), at, invert=True)
            sentence = key.sentence_in_document[words]
            gone = set(sentence.tolist()) - set(sentence[~missing].tolist())
            self.dropped += [
                f"sentence {number} of '{document}' is dropped" for number in sorted(gone)
            ]
            counts = ", ".join(
                f"{number} {_EDITS[name]}" for name, number in edits.items() if number
            )
            self.differing.append(f"'{document}': {counts}, {share:.1%} aligned")
        return at

    def _line(self, document: int) -> int:
        """Return the line of a document of the response; 0 if its lines are not known."""
        lines = self.response.mentions["line"].to_numpy()
        first = self.mentions[0][0] if len(self.mentions) else 0
        return int(lines[0]) + document - int(self.theirs.document[first]) if lines.any() else 0

    def _reason(self, nodes: Ints, is_broken: bool) -> str:
        """Return why a mention is not in the text of the key, '' if it is."""
        if is_broken:
            return _BROKEN
        places = self.place[nodes]
        words = np.searchsorted(self.words, places[self.theirs.is_word[nodes]])
        if (places < 0).any() or (np.diff(words) != 1).any():
            return _CHANGED
        sentences = self.key.sentence[np.searchsorted(self.key.place, places, "right") - 1]
        return _BEYOND if (sentences != sentences[0]).any() else ""

    def trees_with(self, rows: Ints) -> Trees:
        """Return the trees of the key with the empty nodes of the response.

        They have a node for each token of those mentions of ``rows`` that are not in the key.
        """
        key, lines = self.key, dict(self.new)
        for row in rows.tolist():
            for node in self.mentions[row].tolist() if self.reasons[row] else ():
                place = int(self.own[node])
                word = int(np.searchsorted(key.place, place - place % WIDTH))
                lines[place] = empty_line(key.number[word], place % WIDTH, self.forms[node])
        added: defaultdict[int, list[str]] = defaultdict(list)
        for place in sorted(lines):
            added[place - place % WIDTH].append(lines[place])
        text, waiting = list[str](), list[str]()
        for node, line in node_lines(key):
            if node < 0 or key.is_word[node]:
                text += waiting
                waiting = added.get(int(key.place[node]), []) if node >= 0 else []
            if node < 0 or key.is_word[node] or int(key.place[node]) in self.kept:
                text.append(line)
        return Lines(decode(self.response.name, "\n".join([*text, *waiting]).encode())).trees()

    def notices(self) -> Iterator[Notice]:
        """Yield notices on words that differ, and on mentions that are twinless therefore."""
        chains, places = self.response.mentions["chain"], self.response.mentions["line"]
        of_reason: dict[str, list[str]] = {_CHANGED: [], _BROKEN: [], _BEYOND: []}
        for reason, chain, line in zip(self.reasons, chains, places, strict=True):
            if reason:
                of_reason[reason].append(f"{chain} at {self.response.place(line)}")
        if self.differing:
            counts = ", ".join(f"{number:,} {_EDITS[name]}" for name, number in self.edits.items())
            message = f"words of the response differ from the key: {counts}"
            if self.dropped:
                message += f"; {counted(len(self.dropped), 'sentence is', 'sentences are')} dropped"
            yield notice("words-differ", message, [*self.dropped, *self.differing])
        for reason, cases in of_reason.items():
            if cases:
                what = counted(len(cases), "mention is", "mentions are")
                yield notice("reading-assumed", f"{what} twinless: {reason}", cases)


def aligned_words(ours: Sequence[str], theirs: Sequence[str]) -> tuple[Ints, dict[str, int]]:
    """Return the word of ``ours`` that each of ``theirs`` is (−1: none), and the edits by kind.

    >>> aligned_words(["a", "b", "c"], ["a", "a", "c"])[0].tolist()
    [0, -1, 2]
    """
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415  # scoring of other files needs none

    numbers = {word: number for number, word in enumerate(dict.fromkeys([*ours, *theirs]))}
    codes = [numbers[word] for word in (*ours, *theirs)]
    at, edits = np.full(len(theirs), -1), dict.fromkeys(_EDITS, 0)
    for step in Levenshtein.opcodes(codes[: len(ours)], codes[len(ours) :]):
        here, there = slice(step.dest_start, step.dest_end), range(step.src_start, step.src_end)
        if step.tag == "equal":
            at[here] = there
        else:
            edits[step.tag] += max(len(there), step.dest_end - step.dest_start)
    return at, edits


def _bounds(trees: Trees) -> list[tuple[int, int]]:
    """Return the first node of each document, and the node after its last one."""
    return [*pairwise(np.searchsorted(trees.document, np.arange(len(trees.names) + 1)).tolist())]


def _documents(response: Annotation, names: Sequence[str], key: Sequence[str]) -> list[int]:
    """Return the document of the response that is each document of the key.

    They are known by their names, or else, if the names are numbers, by their order.
    """
    numbers = [str(number) for number in range(1, len(key) + 1)]
    for known in (list(key), numbers):
        if set(names) == set(known):
            return [names.index(name) for name in known]
    expected = numbers if response.format == "crac" else list(key)
    odd = next(name for name in [*expected, *names] if (name in names) != (name in expected))
    where = "the response has no text for it" if odd in expected else "the key does not have it"
    what = f"{counted(len(names), 'document')} in the response, {len(key)} in the key"
    message = f"{what}; the first that differs is '{odd[:60]}': {where}"
    raise ScoringError("text-mismatch", message, place=response.name, hint=_HINT)
