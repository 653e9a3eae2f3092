"""Place a response, of which a model may have changed the text, on the text of a CoNLL-U key.

The words of each document are aligned by edit distance. A mention whose words are all aligned, with
consecutive words of one sentence of the key, is placed on these. Any other mention is twinless: it
gets nodes that no key has. An empty node is written after its parent, so the first that follows an
aligned word is the first empty node of that word in the key, and so on; if the key has no more, it
is a new one with this parent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from cdec.arrays import Ints
from cdec.corefud.conllu import over_nodes
from cdec.corefud.crac import token_of
from cdec.corefud.heads import tree_heads, written_order
from cdec.corefud.nodes import WIDTH, Nodes, read_nodes
from cdec.corefud.spans import Spans
from cdec.corefud.treebank import Treebank
from cdec.errors import FormatError, Notice, ScoringError, counted, notice
from cdec.files.input import TextFile
from cdec.formats.annotation import Annotation, object_array
from cdec.formats.registry import read, write
from cdec.matching.notices import said

LEAST = 0.9
"""The share of the words of a document that must be aligned, of the longer of the two texts."""

# The numbers of empty nodes that the key lacks, and of the nodes of mentions that no key has.
_NEW, _OWN = WIDTH // 4, WIDTH // 2
_BARE = 7 * "\t_"
_EDITS = {"delete": "dropped", "insert": "added", "replace": "replaced"}
# Why a mention is not on the words of the key.
_REASONS = (
    "its words have changed",
    "a bracket has no partner",
    "it goes beyond a sentence of the key",
)
_HINT = "give the whole text of each document, in the order of the key"


def on_key(response: Annotation, key: Treebank, *, changed: bool = True) -> Annotation:
    """Return the response on the words of the key, with notices on what differs.

    Without ``changed``, mentions that are not in the text of the key are left out. A response that
    is not a model's text is returned as it is. Raises ScoringError for other documents than those
    of the key, and for one with too few aligned words.
    """
    bank, broken = response.trees, response.broken
    if bank is None or broken is None:
        return response
    ours, theirs = key.nodes, bank.nodes
    place, own, notices = _places(response, ours, theirs)
    words = ours.place[ours.is_word]
    reasons, sets = list[int](), list[Ints]()
    for is_broken, (start, stop) in zip(broken, pairwise(bank.spans.bounds), strict=True):
        nodes = bank.spans.places[start:stop]
        at, at_words = np.sort(place[nodes]), place[nodes[theirs.is_word[nodes]]]
        is_changed = at[0] < 0 or (np.diff(np.searchsorted(words, at_words)) != 1).any()
        is_beyond = np.ptp(ours.sentence[np.searchsorted(ours.place, at, "right") - 1]) > 0
        reasons.append(1 if is_broken else 0 if is_changed else 2 if is_beyond else -1)
        sets.append(at if reasons[-1] < 0 else own[nodes])
    why = np.array(reasons, np.int64)
    out = response.mentions[why >= 0]
    columns = zip(out["chain"], map(response.place, out["line"]), why[why >= 0], strict=True)
    cases = [f"{chain} at {line}: {_REASONS[reason]}" for chain, line, reason in columns]
    rest = f"not on words of the key: {'twinless' if changed else 'left out'}"
    notices += said("reading-assumed", cases, "mention", rest)
    rows = np.flatnonzero((why < 0) | changed)
    nodes = _with_nodes(response.name, ours, [sets[row] for row in rows])
    spans = Spans.of(np.searchsorted(nodes.place, sets[row]) for row in rows)
    heads = np.where(why[rows] >= 0, spans.first, tree_heads(nodes, spans))
    placed = Treebank(nodes, replace(spans, head=heads), changed=why[rows] >= 0)
    kept = response.mentions.iloc[rows]
    return replace(
        response,
        mentions=placed.table(kept["chain"].tolist()).assign(line=kept["line"].to_numpy()),
        documents=nodes.texts,
        # The heads are found in the trees of the key.
        notices=(*notices, *(n for n in response.notices if n.code != "heads-assumed")),
        trees=placed,
        broken=None,
    )


def _places(response: Annotation, ours: Nodes, theirs: Nodes) -> tuple[Ints, Ints, list[Notice]]:
    """Return two places of each node of a response, and notices on words that differ.

    One is its place in the key, −1 for none, the other a place that no key has. Raises ScoringError
    for other documents than those of the key, and if too few words of one are aligned.
    """
    place, own = np.full(len(theirs), -1), np.zeros(len(theirs), np.int64)
    order, forms = written_order(ours), theirs.forms
    edits, dropped, differing = Counter[str](), list[str](), list[str]()
    for number, other in enumerate(_documents(response, theirs.names, ours.names)):
        name = ours.names[number]
        known = order[slice(*ours.starts[number : number + 2])]
        nodes = np.arange(*theirs.starts[other : other + 2])
        is_word, left = ours.is_word[known], theirs.is_word[nodes]
        words, right = known[is_word], nodes[left]
        text = [token_of(ours.forms[node]) for node in words.tolist()]
        at, edited = aligned_words(text, [forms[node] for node in right.tolist()])
        share = float((at >= 0).sum()) / max(len(words), len(at), 1)
        if share < LEAST:
            message = f"{100 * share:.1f} % of the words of '{name}' are those of the key"
            message += f", at least {100 * LEAST:.0f} % must be"
            place_of = response.place(_line(response, other))
            raise ScoringError("text-mismatch", message, place=place_of, hint=_HINT)
        if edited:
            edits.update(edited)
            sentence = ours.sentence[words] - ours.sentence[ours.starts[number]] + 1
            gone = np.setdiff1d(sentence, sentence[at[at >= 0]])
            dropped += [f"sentence {number} of '{name}'" for number in gone]
            differing.append(f"'{name}' ({100 * share:.1f} % aligned)")
        place[right[at >= 0]] = ours.place[words[at[at >= 0]]]
        # Tokens of no key are spread over the words of the key.
        near = np.arange(len(nodes)) * len(words) // len(nodes)
        new = _OWN + np.arange(len(nodes)) - np.searchsorted(near, near)
        own[nodes] = ours.place[words[near]] + new
        waiting: defaultdict[int, list[int]] = defaultdict(list)  # empty nodes after n words
        for node, before in zip(known[~is_word], np.cumsum(is_word)[~is_word], strict=True):
            waiting[int(before)].insert(0, int(node))
        own_words = [int(nodes[0]) - 1, *right.tolist()]
        for node, before in zip(nodes[~left], np.cumsum(left)[~left], strict=True):
            after = int(at[before - 1]) if before else -1
            if after >= 0 or not before:  # else it follows a word that the key lacks
                free, word = waiting[after + 1], int(ours.place[words[max(after, 0)]])
                beyond = word + _NEW + node - own_words[before]
                place[node] = ours.place[free.pop()] if free else beyond
    counts = ", ".join(f"{edits[name]:,} {what}" for name, what in _EDITS.items())
    message = f"words of the response differ from the key: {counts}"
    notices = [notice("text-mismatch", message, differing)] if differing else []
    notices += said("text-mismatch", dropped, "sentence", "dropped from the text")
    return place, own, notices


def _line(response: Annotation, document: int) -> int:
    """Return the line of a document of the response; 0 if its lines are not known."""
    lines, spans = response.mentions["line"].to_numpy(), response.trees.spans
    first = int(response.trees.nodes.document[spans.places[0]]) if len(spans) else 0
    return int(lines[0]) + document - first if lines.any() else 0


def _with_nodes(name: str, key: Nodes, sets: Iterable[Ints]) -> Nodes:
    """Return the nodes of the key, with those of these places that it lacks."""
    lacking: defaultdict[int, set[int]] = defaultdict(set)  # word → numbers of empty nodes
    for place in (place for places in sets for place in places.tolist()):
        if place % WIDTH >= _NEW:
            lacking[place - place % WIDTH].add(place % WIDTH)
    if not lacking:
        return key
    node_of = dict(zip(key.line.tolist(), range(len(key)), strict=True))
    lines, waiting = list[str](), list[str]()
    for line, text in enumerate(key.lines, start=1):
        node = node_of.get(line, -1)
        if node < 0 or key.is_word[node]:
            subs = sorted(lacking[int(key.place[node])]) if node >= 0 else []
            ends = [(sub, f"{key.number[node]}:_" if sub < _OWN else "_") for sub in subs]
            lines += waiting
            waiting = [f"{key.number[node]}.{sub}{_BARE}\t{deps}\t_" for sub, deps in ends]
        lines.append(text)
    return read_nodes(TextFile(name, "\n".join([*lines, *waiting, ""])))


def aligned_words(ours: Sequence[str], theirs: Sequence[str]) -> tuple[Ints, Counter[str]]:
    """Return the word of ``ours`` that each of ``theirs`` is (−1: none), and the edits by kind.

    >>> aligned_words(["a", "b", "c"], ["a", "a", "c"])
    (array([ 0, -1,  2]), Counter({'replace': 1}))
    """
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415  # scoring of other files needs none

    codes = np.unique(object_array([*ours, *theirs]), return_inverse=True)[1].tolist()
    at, edits = np.full(len(theirs), -1), Counter[str]()
    for step in Levenshtein.opcodes(codes[: len(ours)], codes[len(ours) :]):
        here, there = slice(step.dest_start, step.dest_end), range(step.src_start, step.src_end)
        if step.tag == "equal":
            at[here] = there
        else:
            edits[step.tag] += max(len(there), step.dest_end - step.dest_start)
    return at, edits


def _documents(response: Annotation, names: Sequence[str], key: Sequence[str]) -> list[int]:
    """Return the document of the response that is each document of the key.

    They are known by their names, or else, if the names are numbers, by their order.
    """
    numbers = [str(number) for number in range(1, len(key) + 1)]
    for known in (list(key), numbers, ["0", *numbers[:-1]]):
        if {*names} == {*known}:
            return [names.index(name) for name in known]
    expected = numbers if response.format == "crac" else list(key)
    odd = next(name for name in [*expected, *names] if (name in names) != (name in expected))
    where = "the response has no text for it" if odd in expected else "the key does not have it"
    what = f"{counted(len(names), 'document')} in the response, {len(key)} in the key"
    message = f"{what}; the first that differs is '{odd[:60]}': {where}"
    raise ScoringError("text-mismatch", message, place=response.name, hint=_HINT)


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
        bank, own = read(over).trees, annotation.trees
        if bank is None or (own is not None and annotation.broken is None):
            message = "it is not CoNLL-U" if bank is None else "the mentions have a text with trees"
            hint = "give --over a CoNLL-U file, and mentions without trees of their own"
            place = over if bank is None else path
            raise FormatError("format-unsuitable", message, place=place, hint=hint)
        if own is None:
            annotation = replace(annotation, trees=over_nodes(annotation, bank.nodes))
        else:
            annotation = on_key(annotation, bank, changed=False)
    notify(annotation.notices)
    write(annotation, target, format, notify)
