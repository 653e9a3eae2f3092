"""Place a response, of which a model may have changed the text, on the text of a CoNLL-U key.

The words of each document are aligned by edit distance. A mention whose words are all aligned, with
consecutive words of one sentence of the key, is placed on these. Any other mention is twinless: it
gets nodes that no key has. An empty node is written after its parent, so the first that follows an
aligned word is the first empty node of that word in the key, and so on; if the key has no more, it
is a new one with this parent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from cdec.arrays import Ints
from cdec.corefud.crac import token_of
from cdec.corefud.entities import Entities
from cdec.corefud.heads import tree_heads, written_order
from cdec.corefud.lines import Lines
from cdec.corefud.reader import table_of
from cdec.corefud.treebank import Treebank
from cdec.corefud.trees import FORM, WIDTH, Trees
from cdec.corefud.writer import node_lines, over_trees
from cdec.errors import FormatError, ScoringError, counted
from cdec.errors.notices import Notice, notice
from cdec.files.input import decode
from cdec.formats.annotation import Annotation
from cdec.formats.registry import read, write

LEAST = 0.9
"""The share of the words of a document that must be aligned, of the longer of the two texts."""

# The numbers of empty nodes that the key lacks, and of the nodes of mentions that no key has.
_NEW, _OWN = WIDTH // 4, WIDTH // 2
_BARE = 7 * "\t_"
_EDITS = {"delete": "dropped", "insert": "added", "replace": "replaced"}
_CHANGED = "its words have changed"
_BROKEN, _BEYOND = "a bracket has no partner", "it goes beyond a sentence of the key"
_HINT = "give the whole text of each document, in the order of the key"


def on_key(response: Annotation, key: Treebank | None, *, changed: bool = True) -> Annotation:
    """Return the response on the words of the key, with notices on what differs.

    Without ``changed``, mentions that are not in the text of the key are left out. Raises
    ScoringError for other documents than those of the key, and for one with too few aligned words.
    """
    bank = response.trees
    if key is None or bank is None or response.broken is None:
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
        notices=(*text.notices(kept=changed), *_of_mentions(response)),
        trees=bank,
        broken=None,
    )


def _of_mentions(response: Annotation) -> Iterator[Notice]:
    """Yield the notices on mentions that remain: the heads are found in the trees of the key."""
    return (notice for notice in response.notices if notice.code != "heads-assumed")


def convert_file(
    path: Path | str,
    target: Path | str,
    format: str,
    over: Path | None,
    notify: Callable[[Iterable[Notice]], None],
) -> None:
    """Write a file of mentions and chains in a format, on the text of the file ``over`` if given.

    Raises FormatError if ``over`` is not CoNLL-U, or ``path`` is and has a text with trees.
    """
    annotation = read(path)
    if over is not None:
        bank, is_free = read(over).trees, annotation.broken is not None or annotation.trees is None
        if bank is None or not is_free:
            message = "it is not CoNLL-U" if bank is None else "the mentions have a text with trees"
            place, hint = (
                (path, "write it without another file's trees")
                if bank
                else (over, "give a CoNLL-U file")
            )
            raise FormatError("format-unsuitable", message, place=place, hint=hint)
        free = annotation.broken is None
        annotation = (
            over_trees(annotation, bank.trees) if free else on_key(annotation, bank, changed=False)
        )
    notify(annotation.notices)
    write(annotation, target, format, notify)


class _Placing:
    """The places that the nodes and the mentions of a response have in the key.

    ``reasons`` says of each mention why it is not in the text of the key, '' if it is.
    """

    def __init__(self, response: Annotation, bank: Treebank, key: Trees) -> None:
        self.response, self.theirs, self.key = response, bank.trees, key
        self.place = np.full(len(bank.trees), -1)
        self.own = np.zeros(len(bank.trees), np.int64)  # a place that no key has
        self.forms, self.words = bank.trees.column(FORM), key.place[key.is_word]
        self.edits = dict.fromkeys(_EDITS, 0)
        self.dropped: list[str] = []
        self.differing: list[str] = []
        self.mentions = [bank.entities.nodes[a:b] for a, b in pairwise(bank.entities.bounds)]
        order, ours, theirs = written_order(key), _bounds(key), _bounds(bank.trees)
        for number, other in enumerate(_documents(response, bank.trees.names, key.names)):
            nodes = np.arange(*theirs[other])
            self._place(key.names[number], order[slice(*ours[number])], nodes)
        broken = () if response.broken is None else response.broken.tolist()
        found = [*map(self._mention, self.mentions, broken)]
        self.reasons, self.places = [why for why, _ in found], [places for _, places in found]

    def _place(self, document: str, ours: Ints, theirs: Ints) -> None:
        """Place the nodes of a document, which are in the order of the text on both sides."""
        left, right = self.key.is_word[ours], self.theirs.is_word[theirs]
        words = ours[left]
        other = int(self.theirs.document[theirs[0]])
        at = self._aligned(document, words, theirs[right], other)
        self.place[theirs[right][at >= 0]] = self.key.place[words[at[at >= 0]]]
        # Tokens of no key are spread over the words of the key.
        near = np.arange(len(theirs)) * len(words) // len(theirs)
        number = np.arange(len(theirs)) - np.searchsorted(near, near)
        self.own[theirs] = self.key.place[words[near]] + _OWN + number
        waiting: defaultdict[int, list[int]] = defaultdict(list)
        for node, before in zip(ours[~left], np.cumsum(left)[~left], strict=True):
            waiting[int(before)].insert(0, int(node))
        own = [int(theirs[0]) - 1, *theirs[right].tolist()]
        for node, before in zip(theirs[~right], np.cumsum(right)[~right], strict=True):
            after = int(at[before - 1]) if before else -1
            if after >= 0 or not before:  # else it follows a word that the key lacks
                found, new = waiting[after + 1], _NEW + node - own[before]
                word = int(self.key.place[words[max(after, 0)]])
                self.place[node] = self.key.place[found.pop()] if found else word + new

    def _aligned(self, document: str, words: Ints, own: Ints, other: int) -> Ints:
        """Return the word of the key that each word is, −1 for none; count what differs.

        Raises ScoringError if too few are aligned.
        """
        key = self.key
        ours = [token_of(key.forms[number]) for number in key.before[words].tolist()]
        at, edits = aligned_words(ours, [self.forms[node] for node in own.tolist()])
        share = float((at >= 0).sum()) / max(len(ours), len(at), 1)
        if share < LEAST:
            message = f"{100 * share:.1f} % of the words of '{document}' are those of the key"
            message += f", at least {100 * LEAST:.0f} % must be"
            place = self.response.place(self._line(other))
            raise ScoringError("text-mismatch", message, place=place, hint=_HINT)
        for name, number in edits.items():
            self.edits[name] += number
        if any(edits.values()):
            sentence = key.sentence_in_document[words]
            gone = sorted({*sentence.tolist()} - {*sentence[at[at >= 0]].tolist()})
            self.dropped += [f"sentence {number} of '{document}'" for number in gone]
            self.differing.append(f"'{document}' ({100 * share:.1f} % aligned)")
        return at

    def _line(self, document: int) -> int:
        """Return the line of a document of the response; 0 if its lines are not known."""
        lines = self.response.mentions["line"].to_numpy()
        first = self.mentions[0][0] if len(self.mentions) else 0
        return int(lines[0]) + document - int(self.theirs.document[first]) if lines.any() else 0

    def _mention(self, nodes: Ints, is_broken: bool) -> tuple[str, Ints]:
        """Return why a mention is not in the text of the key ('' if it is), and its places."""
        places = np.sort(self.place[nodes])
        words = np.searchsorted(self.words, self.place[nodes[self.theirs.is_word[nodes]]])
        if is_broken:
            return _BROKEN, self.own[nodes]
        if places[0] < 0 or (np.diff(words) != 1).any():
            return _CHANGED, self.own[nodes]
        sentences = self.key.sentence[np.searchsorted(self.key.place, places, "right") - 1]
        return (_BEYOND, self.own[nodes]) if np.ptp(sentences) else ("", places)

    def trees_with(self, rows: Ints) -> Trees:
        """Return the trees of the key, with the nodes of these mentions that it lacks."""
        lacking: defaultdict[int, set[int]] = defaultdict(set)
        for place in (place for row in rows for place in self.places[row].tolist()):
            if place % WIDTH >= _NEW:
                lacking[place - place % WIDTH].add(place % WIDTH)
        if not lacking:
            return self.key
        text, waiting = list[str](), list[str]()
        for node, line in node_lines(self.key):
            if node < 0 or self.key.is_word[node]:
                text += waiting
                number = self.key.number[node]
                subs = sorted(lacking[int(self.key.place[node])]) if node >= 0 else []
                deps = [f"{number}:_" if sub < _OWN else "_" for sub in subs]
                ids = [f"{number}.{sub}" for sub in subs]
                waiting = [f"{i}{_BARE}\t{d}\t_" for i, d in zip(ids, deps, strict=True)]
            text.append(line)
        return Lines(decode(self.response.name, "\n".join([*text, *waiting]).encode())).trees()

    def notices(self, *, kept: bool) -> Iterator[Notice]:
        """Yield notices on words that differ, and on mentions not in the text of the key."""
        chains, places = self.response.mentions["chain"], self.response.mentions["line"]
        of_reason: dict[str, list[str]] = {_CHANGED: [], _BROKEN: [], _BEYOND: []}
        for reason, chain, line in zip(self.reasons, chains, places, strict=True):
            if reason:
                of_reason[reason].append(f"{chain} at {self.response.place(line)}")
        if self.differing:
            counts = ", ".join(f"{number:,} {_EDITS[name]}" for name, number in self.edits.items())
            message = f"words of the response differ from the key: {counts}"
            yield notice("words-differ", message, self.differing)
        if self.dropped:
            what = counted(len(self.dropped), "sentence is", "sentences are")
            yield notice("words-differ", f"{what} dropped from the text", self.dropped)
        for reason, cases in of_reason.items():
            if cases:
                what = counted(len(cases), "mention is", "mentions are")
                result = "twinless" if kept else "left out"
                yield notice("reading-assumed", f"{what} {result}: {reason}", cases)


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
