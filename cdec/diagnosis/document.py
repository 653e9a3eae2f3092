"""A document with its mentions: `corpus.show`, with key and response beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from typing import Any

import pandas as pd

from cdec.arrays import AnySeries
from cdec.clustering import SIDES
from cdec.corpus.model import Corpus, Document
from cdec.errors import one_of
from cdec.evaluation.experiment import prepare
from cdec.evaluation.response import Responses
from cdec.matching.identify import is_invented
from cdec.render.analysis import Analysis
from cdec.render.page import App, Listing, Page, Section, Table

_HUES = 12  # of document.css
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
    rows = rows[~is_invented(rows, corpus.documents)]
    home = corpus.documents[document]
    blocks = []
    columns = []
    numbers = {}
    for side in sides:
        number, names = pd.factorize(rows[side])
        numbers[side] = pd.Series(number + 1, rows.index)
        sizes = mentions[side].value_counts()
        large = {code for code, name in enumerate(names, start=1) if sizes[name] > 1}
        lines = _sentences(home, rows, numbers[side], _bracketed, str)
        blocks.append(Listing(f"Chains of the {side}", tuple(lines)))
        columns.append(_column(home, rows, numbers[side], side, large))
    view = rows[["text"]].assign(**numbers)
    titles = {name: _MENTIONS.columns[name] for name in ("text", *sides)}
    grid = Table(_MENTIONS.title, titles, _MENTIONS.legend).grid(
        view.replace(0, "–").astype(object)
    )
    data = rows[["text", *sides]].rename_axis("mention").reset_index()
    style = (files(__package__) / "document.css").read_text("utf-8")
    markup = f'<div class="sides">{"".join(columns)}</div>'
    page = Page(
        f"{document} of {corpus.name}",
        (Section("mentions", "Mentions", (*blocks, grid), data),),
        app=App(markup, style, "", dict),
    )
    return Analysis(data, page)


def _column(
    document: Document,
    mentions: pd.DataFrame,
    numbers: AnySeries,
    side: str,
    large: set[int],
) -> str:
    """Return the document as HTML; chains of several mentions, ``large``, have a colour."""
    from markupsafe import Markup  # noqa: PLC0415  only HTML needs it

    def marked(words: str, number: int) -> str:
        if number == 0:
            return Markup('<mark class="absent">{}</mark>').format(words)
        hue = "single"
        if number in large:
            hue = f"h{number % _HUES}"
        template = Markup('<mark class="{}">{}<sub>{}</sub></mark>')
        return template.format(hue, words, number)

    lines = _sentences(document, mentions, numbers, marked, Markup.escape)
    body = "".join(f'<p dir="auto">{line}</p>' for line in lines)
    return f"<section><h2>Chains of the {side}</h2>{body}</section>"


def _bracketed(words: str, number: int) -> str:
    return f"[{words}]{number or '–'}"


def _sentences(
    document: Document,
    mentions: pd.DataFrame,
    numbers: AnySeries,
    mark: Callable[[str, int], str],
    escape: Callable[[Any], str],
) -> Iterator[str]:
    """Yield the sentences with their mentions marked; a token belongs to its shortest mention."""
    owners: dict[int, str] = {}
    extents = []
    for mention, row in mentions.iterrows():
        tokens = row["tokens"] or range(int(row["start"]), int(row["end"]) + 1)
        extents.append((len(tokens), str(mention), tokens))
    for _, mention, tokens in sorted(extents, key=itemgetter(0), reverse=True):
        owners |= dict.fromkeys(tokens, mention)
    starts = document.sentence_starts
    for start, sentence in zip(starts, document.sentences, strict=True):
        pieces = []
        tokens = [(owners.get(at), word) for at, word in enumerate(sentence, start)]
        for owner, group in groupby(tokens, key=itemgetter(0)):
            words = " ".join(word for _, word in group)
            if owner is None:
                pieces.append(escape(words))
            else:
                pieces.append(mark(words, numbers[owner]))
        yield " ".join(pieces)
