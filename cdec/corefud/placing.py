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
from pathlib import Path

import numpy as np

from cdec.arrays import Bools, Ints
from cdec.corefud.conllu import over_nodes
from cdec.corefud.crac import token_of
from cdec.corefud.heads import tree_heads, written_order
from cdec.corefud.nodes import WIDTH, Nodes, read_nodes
from cdec.corefud.spans import Spans
from cdec.corefud.treebank import Treebank
from cdec.errors import FormatError, Log, Notice, ScoringError, counted, notice
from cdec.files.input import TextFile
from cdec.formats.annotation import Annotation, object_array
from cdec.formats.registry import read, write

LEAST = 0.9
"""The share of the words of a document that must be aligned, of the longer of the two texts."""

# The numbers of empty nodes that the key lacks, and of the nodes of mentions that no key has.
_NEW = WIDTH // 4
_CHANGED = WIDTH // 2
_BARE = 7 * "\t_"
_EDITS = {"delete": "dropped", "insert": "added", "replace": "replaced"}
_HINT = "give the whole text of each document, in the order of the key"


def on_key(response: Annotation, key: Treebank, *, changed: bool = True) -> Annotation:
    """Return the response on the words of the key, with notices on what differs.

    Without ``changed``, mentions that are not in the text of the key are left out. A response that
    is not a model's text is returned as it is. Raises ScoringError for other documents than those
    of the key, and for one with too few aligned words.
    """
    bank: Treebank | None = response.trees
    if bank is None or response.broken is None:
        return response
    log = Log()
    place, new_place = _places(response, key.nodes, bank.nodes, log)
    reasons = []
    for row, is_broken in enumerate(response.broken.tolist()):
        nodes = bank.spans.places[slice(*bank.spans.bounds[row : row + 2])]
        is_word = bank.nodes.is_word[nodes]
        reasons.append(_reason(key.nodes, place[nodes], is_word, is_broken=is_broken))
    is_on_key = np.array(reasons, object) == ""
    cases = []
    for row in np.flatnonzero(~is_on_key).tolist():
        mention = response.mentions.iloc[row]
        at_line = response.place(int(mention["line"]))
        cases.append(f"{mention['chain']} at {at_line}: {reasons[row]}")
    log.report(
        "reading-assumed",
        cases,
        "mention",
        f"not on words of the key: {'twinless' if changed else 'left out'}",
    )

    rows = np.flatnonzero(is_on_key | changed)
    is_on_key = is_on_key[rows]
    spans = bank.spans.take(rows)
    row_of_node = spans.rows()
    places = np.where(
        is_on_key[row_of_node], place[spans.places], new_place[spans.places]
    )
    in_order = np.lexsort((places, row_of_node))
    places = places[in_order]
    new_nodes = _with_nodes(response.name, key.nodes, places.tolist())
    spans = Spans(spans.bounds, np.searchsorted(new_nodes.place, places), spans.head)
    head = np.where(is_on_key, tree_heads(new_nodes, spans), spans.first)
    placed = Treebank(new_nodes, replace(spans, head=head), changed=~is_on_key)
    mentions = response.mentions.iloc[rows]
    # The heads are found in the trees of the key.
    of_response = [
        notice for notice in response.notices if notice.code != "heads-assumed"
    ]
    return replace(
        response,
        mentions=placed.table(mentions["chain"].tolist()).assign(
            line=mentions["line"].to_numpy()
        ),
        documents=new_nodes.texts,
        notices=(*log, *of_response),
        trees=placed,
        broken=None,
    )


def _reason(key: Nodes, place: Ints, is_word: Bools, *, is_broken: bool) -> str:
    """Return why a mention is not on the words of the key; '' if it is.

    ``place`` has the places of its nodes in the key, −1 for none.
    """
    if is_broken:
        return "a bracket has no partner"
    nodes = np.searchsorted(key.place, place, "right") - 1
    if place.min() < 0 or (np.diff(key.before[nodes[is_word]]) != 1).any():
        return "its words have changed"
    if np.ptp(key.sentence[nodes]) > 0:
        return "it goes beyond a sentence of the key"
    return ""


def _places(
    response: Annotation, key: Nodes, nodes: Nodes, log: Log
) -> tuple[Ints, Ints]:
    """Return two places of each node of a response; report words that differ.

    One is its place in the key, −1 for none, the other a place that no key has. Raises ScoringError
    for other documents than those of the key, and if too few words of one are aligned.
    """
    place = np.full(len(nodes), -1)
    new_place = np.zeros(len(nodes), np.int64)
    order = written_order(key)
    edits: Counter[str] = Counter()
    dropped = []
    differing = []
    for number, of_response in enumerate(_documents(response, nodes.names, key.names)):
        name = key.names[number]
        key_document = order[slice(*key.starts[number : number + 2])]
        document = np.arange(*nodes.starts[of_response : of_response + 2])
        key_words = key_document[key.is_word[key_document]]
        words = document[nodes.is_word[document]]
        partner, edits_of_document = aligned_words(
            [token_of(key.forms[node]) for node in key_words.tolist()],
            [nodes.forms[node] for node in words.tolist()],
        )
        aligned = partner[partner >= 0]
        share = len(aligned) / max(len(key_words), len(words), 1)
        if share < LEAST:
            raise ScoringError(
                "text-mismatch",
                f"{100 * share:.1f} % of the words of '{name}' are those of the key, at least "
                f"{100 * LEAST:.0f} % must be",
                place=response.place(_line(response, of_response)),
                hint=_HINT,
            )
        if edits_of_document:
            edits.update(edits_of_document)
            differing.append(f"'{name}' ({100 * share:.1f} % aligned)")
            sentence = key.sentence[key_words] - key.sentence[key.starts[number]] + 1
            without_word = np.setdiff1d(sentence, sentence[aligned])
            dropped += [f"sentence {sentence} of '{name}'" for sentence in without_word]
        place[words[partner >= 0]] = key.place[key_words[aligned]]
        # Tokens of no key are spread over the words of the key.
        positions = np.arange(len(document))
        near = positions * len(key_words) // len(document)
        after_word = positions - np.searchsorted(near, near)
        new_place[document] = key.place[key_words[near]] + _CHANGED + after_word
        empty_places = _places_of_empty(key, key_document, nodes, document, partner)
        place[[*empty_places]] = [*empty_places.values()]
    if differing:
        counts = ", ".join(f"{edits[name]:,} {edit}" for name, edit in _EDITS.items())
        log.append(
            notice(
                "text-mismatch",
                f"words of the response differ from the key: {counts}",
                differing,
            )
        )
    log.report("text-mismatch", dropped, "sentence", "dropped from the text")
    return place, new_place


def _places_of_empty(
    key: Nodes,
    key_document: Ints,
    nodes: Nodes,
    document: Ints,
    partner: Ints,
) -> dict[int, int]:
    """Return empty node → place, in a document; ``partner`` has the key word of each word.

    An empty node after a word that the key lacks has no place.
    """
    key_words = key_document[key.is_word[key_document]]
    # Number of words → the empty nodes of the key after them, the last first.
    of_key: defaultdict[int, list[int]] = defaultdict(list)
    words_before = np.cumsum(key.is_word[key_document])
    for node, number in zip(
        key_document[::-1].tolist(), words_before[::-1].tolist(), strict=True
    ):
        if not key.is_word[node]:
            of_key[number].append(node)
    partners = iter(partner.tolist())
    places = {}
    last_word = int(document[0]) - 1
    key_word = -1
    is_aligned = True
    for node in document.tolist():
        if nodes.is_word[node]:
            last_word = node
            key_word = next(partners)
            is_aligned = key_word >= 0
        elif is_aligned:
            empty = of_key[key_word + 1]
            if empty:
                places[node] = int(key.place[empty.pop()])
            else:
                word = key_words[max(key_word, 0)]
                places[node] = int(key.place[word]) + _NEW + node - last_word
    return places


def _line(response: Annotation, document: int) -> int:
    """Return the line of a document of the response; 0 if its lines are not known."""
    lines = response.mentions["line"].tolist()
    if not any(lines):
        return 0
    bank: Treebank = response.trees
    return int(lines[0]) + document - int(bank.nodes.document[bank.spans.places[0]])


def _with_nodes(name: str, key: Nodes, places: Iterable[int]) -> Nodes:
    """Return the nodes of the key, with those of these places that it lacks."""
    new_nodes: defaultdict[int, set[int]] = defaultdict(
        set
    )  # place of a word → empty nodes
    for place in places:
        if place % WIDTH >= _NEW:
            new_nodes[place - place % WIDTH].add(place % WIDTH)
    if not new_nodes:
        return key
    new_lines = {}  # line → the lines after it
    for place, empty in new_nodes.items():
        # The word, or the last of its empty nodes.
        node = int(np.searchsorted(key.place, place + WIDTH)) - 1
        number = key.number[node]
        rows = []
        for sub in sorted(empty):
            deps = f"{number}:_" if sub < _CHANGED else "_"
            rows.append(f"{number}.{sub}{_BARE}\t{deps}\t_")
        new_lines[int(key.line[node])] = rows
    lines = []
    for line, text in enumerate(key.lines, start=1):
        lines.append(text)
        lines += new_lines.get(line, ())
    return read_nodes(TextFile(name, "\n".join([*lines, ""])))


def aligned_words(
    key: Sequence[str], response: Sequence[str]
) -> tuple[Ints, Counter[str]]:
    """Return the key word that each word of the response is (−1: none), and the edits by kind.

    >>> aligned_words(["a", "b", "c"], ["a", "a", "c"])
    (array([ 0, -1,  2]), Counter({'replace': 1}))
    """
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415  # scoring of other files needs none

    codes = np.unique(object_array([*key, *response]), return_inverse=True)[1].tolist()
    partner = np.full(len(response), -1)
    edits: Counter[str] = Counter()
    for step in Levenshtein.opcodes(codes[: len(key)], codes[len(key) :]):
        key_words = range(step.src_start, step.src_end)
        words = range(step.dest_start, step.dest_end)
        if step.tag == "equal":
            partner[words] = key_words
        else:
            edits[step.tag] += max(len(key_words), len(words))
    return partner, edits


def _documents(
    response: Annotation, names: Sequence[str], key: Sequence[str]
) -> list[int]:
    """Return the document of the response that is each document of the key.

    They are known by their names, or else, if the names are numbers, by their order.
    """
    from_one = [str(number) for number in range(1, len(key) + 1)]
    from_zero = [str(number) for number in range(len(key))]
    for names_of_key in (key, from_one, from_zero):
        if {*names} == {*names_of_key}:
            return [names.index(name) for name in names_of_key]
    expected = from_one if response.format == "crac" else key
    odd = next(
        name for name in [*expected, *names] if (name in names) != (name in expected)
    )
    fault = "the key does not have it"
    if odd in expected:
        fault = "the response has no text for it"
    raise ScoringError(
        "text-mismatch",
        f"{counted(len(names), 'document')} in the response, {len(key)} in the key; "
        f"the first that differs is '{odd[:60]}': {fault}",
        place=response.name,
        hint=_HINT,
    )


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
        hint = "give --over a CoNLL-U file, and mentions without trees of their own"
        bank: Treebank | None = read(over).trees
        if bank is None:
            raise FormatError(
                "format-unsuitable", "it is not CoNLL-U", place=over, hint=hint
            )
        if annotation.trees is None:
            annotation = replace(annotation, trees=over_nodes(annotation, bank.nodes))
        elif annotation.broken is None:
            raise FormatError(
                "format-unsuitable",
                "the mentions have a text with trees",
                place=path,
                hint=hint,
            )
        else:
            annotation = on_key(annotation, bank, changed=False)
    notify(annotation.notices)
    write(annotation, target, format, notify)
