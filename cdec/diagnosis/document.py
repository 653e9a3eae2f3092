"""A document with its mentions: `corpus.show`, with key and response beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

import pandas as pd

from cdec.arrays import AnySeries
from cdec.clustering import SIDES
from cdec.corpus.model import Corpus, Document
from cdec.errors import one_of
from cdec.evaluation.experiment import prepare
from cdec.evaluation.response import Responses
from cdec.records import Row
from cdec.render.analysis import Analysis
from cdec.render.page import App, Listing, Page, Section, Table

_MENTIONS = Table(
    "Mentions",
    {"text": "Mention", "key": "Key", "response": "Response"},
    "The number of the chain in the text; – for a mention that the side does not have.",
)


def show(
    corpus: Corpus,
    document: str,
    response: Responses | None = None,
) -> Analysis[pd.DataFrame]:
    """Return a document with its mentions, marked by chain: see ``Corpus.show``.

    >>> from cdec import load_corpus
    >>> shown = load_corpus("sample", "test").show("4_1ecb", "lemma")
    >>> list(shown.to_frame().columns)
    ['section', 'mention', 'text', 'key', 'response']
    """
    from jinja2 import Environment  # noqa: PLC0415  slow

    one_of("document", document, corpus.documents)
    sides = SIDES
    if response is None:
        sides = SIDES[:1]
        mentions = corpus.selected.assign(key=corpus.selected["chain"])
    else:
        experiment = prepare(corpus, response, setting="simple")
        corpus = experiment.part
        mentions = experiment.runs[0].mentions
    rows = mentions[mentions["doc"] == document]
    rows = rows[rows["sentence"] >= 0]
    home = corpus.documents[document]
    blocks = []
    columns: list[Row] = []
    numbers = {}
    for side in sides:
        number, names = pd.factorize(rows[side])
        numbers[side] = pd.Series(number + 1, rows.index)
        sizes = mentions[side].value_counts()
        large = {code for code, name in enumerate(names, start=1) if sizes[name] > 1}
        sentences = list(_sentences(home, rows, numbers[side]))
        lines = map(_bracketed, sentences)
        blocks.append(Listing(f"Chains of the {side}", tuple(lines)))
        columns.append({"side": side, "sentences": sentences, "large": large})
    view = rows[["text"]].assign(**numbers)
    titles = {name: _MENTIONS.columns[name] for name in ("text", *sides)}
    grid = replace(_MENTIONS, columns=titles).grid(view.replace(0, "–").astype(object))
    data = rows[["text", *sides]].rename_axis("mention").reset_index()
    environment = Environment(autoescape=True, trim_blocks=True)
    template = environment.from_string(own_file("document.html"))
    page = Page(
        f"{document} of {corpus.name}",
        (Section("mentions", "Mentions", (*blocks, grid), data),),
        app=App(template.render(columns=columns), own_file("document.css"), "", dict),
    )
    return Analysis(data, page)


def own_file(name: str) -> str:
    """Return the text of a file of this room."""
    return (files(__package__) / name).read_text("utf-8")


# Of a sentence: the number of a chain, 0 if the side does not have the mention, None outside of
# mentions; and its words.
Piece: TypeAlias = tuple[int | None, str]


def _bracketed(sentence: Sequence[Piece]) -> str:
    """Return a sentence as text, its mentions in brackets before the number of their chain."""
    texts = []
    for number, words in sentence:
        texts.append(words if number is None else f"[{words}]{number or '–'}")
    return " ".join(texts)


def _sentences(
    document: Document, mentions: pd.DataFrame, numbers: AnySeries
) -> Iterator[list[Piece]]:
    """Yield the pieces of each sentence; a token belongs to its shortest mention."""
    owners: dict[int, str] = {}
    extents = []
    for mention, row in mentions.iterrows():
        tokens = row["tokens"] or range(int(row["start"]), int(row["end"]) + 1)
        extents.append((len(tokens), str(mention), tokens))
    for _, mention, tokens in sorted(extents, key=itemgetter(0), reverse=True):
        owners |= dict.fromkeys(tokens, mention)
    starts = document.sentence_starts
    for start, sentence in zip(starts, document.sentences, strict=True):
        tokens = [(owners.get(at), word) for at, word in enumerate(sentence, start)]
        pieces: list[Piece] = []
        for owner, group in groupby(tokens, key=itemgetter(0)):
            words = " ".join(word for _, word in group)
            pieces.append((None if owner is None else numbers[owner], words))
        yield pieces
