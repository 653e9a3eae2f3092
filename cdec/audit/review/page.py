"""The review page: a short-list as one HTML file that needs no server and no network.

Corpus text is in a block of JSON and enters the page as text nodes only, so that markup in a token
is never interpreted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

import pandas as pd

from cdec.audit.review.decisions import FORMAT
from cdec.audit.shortlist import ShortList, check_corpus
from cdec.corpus.model import ENTITY, Corpus
from cdec.errors import FormatError
from cdec.matching.view import runs


def to_page(shortlist: ShortList, corpus: Corpus, place: object = None) -> str:
    """Return the page for the cases of ``shortlist`` as HTML.

    Raises FormatError at ``place`` if the short-list is for another corpus.
    """
    check_corpus(shortlist.about, corpus, place)
    _check_mentions(shortlist, corpus, place)
    data = json.dumps(_data(shortlist, corpus), ensure_ascii=False, separators=(",", ":"))
    # Only "<" can end a script element or open a comment in it.
    pieces = {"css": _part("css"), "js": _part("js"), "data": data.replace("<", "\\u003c")}
    page = _part("html")
    for name, text in pieces.items():
        before, _, after = page.partition(f"/*{name}*/")
        page = before + text + after
    return page


def _check_mentions(shortlist: ShortList, corpus: Corpus, place: object) -> None:
    known = set(corpus.mentions.index)
    for case in shortlist.cases:
        sides = (id_ for side in case.sides for id_ in (*side.mentions, *side.members))
        for id_ in (*sides, *case.operation.merge, *case.operation.move):
            if id_ not in known:
                raise FormatError(
                    "case-mention-unknown",
                    f"case {case.id} has the mention '{id_}', which is not in the corpus",
                    place=place,
                    hint="write the short-list again with `cdec audit run`",
                )


def _part(name: str) -> str:
    return (files("cdec.audit.review") / f"review.{name}").read_text("utf-8")


def _data(shortlist: ShortList, corpus: Corpus) -> dict[str, Any]:
    sides = [side for case in shortlist.cases for side in case.sides]
    ids = dict.fromkeys(id_ for side in sides for id_ in (*side.mentions, *side.members))
    shown = corpus.mentions.loc[list(ids)]
    return {
        "format": FORMAT,
        "about": {"corpus": corpus.name, "digest": corpus.digest},
        "cases": [case.to_dict() for case in shortlist.cases],
        "mentions": _mentions(shown, corpus),
        "sentences": _sentences(shown, corpus),
        "places": _places(shortlist, shown),
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
    arguments = corpus.mentions[corpus.mentions["kind"] == ENTITY]
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
    """Return positions of document tokens as positions in the sentence."""
    start = corpus.documents[doc].sentence_starts[sentence]
    return [int(token) - start for token in tokens]


def _places(shortlist: ShortList, shown: pd.DataFrame) -> Mapping[str, str]:
    """Return mention id → ``document/tokens`` for the operations, for key files without ids."""
    operations = (case.operation for case in shortlist.cases)
    named = dict.fromkeys(id_ for op in operations for id_ in (*op.merge, *op.move))
    rows = shown.loc[list(named), ["doc", "start", "end", "tokens"]].itertuples(name=None)
    return {
        str(id_): f"{doc}/{runs(tokens) if len(tokens) <= end - start else f'{start}-{end}'}"
        for id_, doc, start, end, tokens in rows
    }
