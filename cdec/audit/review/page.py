"""The review page: a short-list as one HTML file that needs no server and no network.

Corpus text stands in a block of JSON and reaches the page as text nodes only: whatever a token
holds, it stays text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

import pandas as pd

from cdec.audit.review.decisions import FORMAT
from cdec.audit.shortlist import ShortList, check_corpus
from cdec.corpus.model import Corpus
from cdec.errors import FormatError
from cdec.matching.view import runs


def to_page(found: ShortList, corpus: Corpus, place: object = None) -> str:
    """Return the page for the cases of ``found``.

    Raises FormatError, naming ``place``, where the short-list is about another corpus.
    """
    check_corpus(found.about, corpus, place)
    _check_mentions(found, corpus, place)
    data = json.dumps(_data(found, corpus), ensure_ascii=False, separators=(",", ":"))
    # Inside a script element only "<" can end it or open a comment.
    pieces = {"css": _part("css"), "js": _part("js"), "data": data.replace("<", "\\u003c")}
    page = _part("html")
    for name, text in pieces.items():
        before, _, after = page.partition(f"/*{name}*/")
        page = before + text + after
    return page


def _check_mentions(found: ShortList, corpus: Corpus, place: object) -> None:
    known = set(corpus.mentions.index)
    for case in found.cases:
        sides = (id_ for side in case.sides for id_ in (*side.mentions, *side.members))
        for id_ in (*sides, *case.operation.merge, *case.operation.move):
            if id_ not in known:
                raise FormatError(
                    f"case {case.id} is about the mention '{id_}', which the corpus lacks",
                    place=place,
                    hint="write the cases again with `cdec audit run`",
                )


def _part(name: str) -> str:
    return (files("cdec.audit.review") / f"review.{name}").read_text("utf-8")


def _data(found: ShortList, corpus: Corpus) -> dict[str, Any]:
    sides = [side for case in found.cases for side in case.sides]
    ids = dict.fromkeys(id_ for side in sides for id_ in (*side.mentions, *side.members))
    shown = corpus.mentions.loc[list(ids)]
    return {
        "format": FORMAT,
        "about": {"corpus": corpus.name, "digest": corpus.digest},
        "cases": [case.to_dict() for case in found.cases],
        "mentions": _mentions(shown, corpus),
        "sentences": _sentences(shown, corpus),
        "places": _places(found, shown),
    }


def _mentions(shown: pd.DataFrame, corpus: Corpus) -> dict[str, Any]:
    columns = shown[["doc", "sentence", "tokens", "tag", "reviewed"]]
    return {
        str(id_): {
            "sentence": f"{doc}#{sentence}",
            "tokens": _inside(corpus, doc, sentence, tokens),
            "tag": tag,
            "reviewed": bool(reviewed),
        }
        for id_, doc, sentence, tokens, tag, reviewed in columns.itertuples(name=None)
    }


def _sentences(shown: pd.DataFrame, corpus: Corpus) -> dict[str, Any]:
    wanted = shown[["doc", "sentence"]].drop_duplicates()
    arguments = corpus.mentions[~corpus.mentions["is_event"]]
    columns = ["doc", "sentence", "tokens", "tag"]
    spans: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for doc, sentence, tokens, tag in arguments[columns].itertuples(index=False, name=None):
        inside = _inside(corpus, doc, sentence, tokens)
        spans.setdefault((doc, sentence), []).append({"tokens": inside, "tag": tag})
    return {
        f"{doc}#{number}": {
            "words": corpus.documents[doc].sentences[number],
            "spans": spans.get((doc, number), []),
        }
        for doc, number in wanted.itertuples(index=False, name=None)
    }


def _inside(corpus: Corpus, doc: str, sentence: int, tokens: Iterable[int]) -> list[int]:
    """Return the places of document tokens in a sentence."""
    start = corpus.documents[doc].sentence_starts[sentence]
    return [int(token) - start for token in tokens]


def _places(found: ShortList, shown: pd.DataFrame) -> Mapping[str, str]:
    """Return where the mentions of operations stand, as key files without ids name them."""
    operations = (case.operation for case in found.cases)
    named = dict.fromkeys(id_ for op in operations for id_ in (*op.merge, *op.move))
    rows = shown.loc[list(named), ["doc", "start", "end", "tokens"]].itertuples(name=None)
    return {
        str(id_): f"{doc}/{runs(tokens) if len(tokens) <= end - start else f'{start}-{end}'}"
        for id_, doc, start, end, tokens in rows
    }
