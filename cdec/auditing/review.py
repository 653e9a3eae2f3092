"""The review page: a short-list as one HTML file that needs no server and no network.

Corpus text is in a block of JSON and enters the page as text nodes only, so that markup in a token
is never interpreted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any, TypeAlias

from cdec.auditing.case import WORDS, Case, CaseSide
from cdec.auditing.claims import origin_of, tokens_at
from cdec.auditing.decisions import FORMAT
from cdec.auditing.questions import QUESTIONS, REASONS
from cdec.auditing.shortlist import ShortList, chain_words
from cdec.corpus.model import Corpus

Spot: TypeAlias = dict[str, Any]  # where a mention is, in the JSON of the page


def file_of_room(name: str) -> str:
    """Return the text of a file in the folder of this module."""
    return (files(__package__) / name).read_text("utf-8")


def to_page(listed: ShortList, corpus: Corpus) -> str:
    """Return the page for the cases of a list as HTML."""
    data = json.dumps(_data(listed, corpus), ensure_ascii=False, separators=(",", ":"))
    page = file_of_room("review.html")
    page = page.replace("/*css*/", file_of_room("review.css"))
    page = page.replace("/*js*/", file_of_room("review.js"))
    # Only "<" can end a script element or open a comment in it.
    return page.replace("/*data*/", data.replace("<", "\\u003c"))


def _data(listed: ShortList, corpus: Corpus) -> dict[str, Any]:
    """Return the data of the page."""
    sides = [side for case in listed.cases for side in case.sides]
    mentions = _mentions(sides, corpus)
    places = _places(sides, corpus)
    return {
        "format": FORMAT,
        "about": origin_of(corpus),
        "cases": [_case(case) for group in listed.groups for case in group],
        "words": WORDS,
        "questions": {
            kind: [question.text, question.verdicts]
            for kind, question in QUESTIONS.items()
        },
        "mentions": mentions,
        "places": places,
        "documents": _documents([*mentions.values(), *places.values()], corpus),
        "reasons": REASONS,
    }


def _case(case: Case) -> dict[str, Any]:
    """Return the data of a case, with its chains for people."""
    return {
        **case.to_dict(),
        "chains": [chain_words(case, side) for side in case.sides],
    }


def _mentions(sides: Iterable[CaseSide], corpus: Corpus) -> dict[str, Spot]:
    """Return the data of each mention on the sides."""
    ids: dict[str, None] = {}
    for side in sides:
        ids |= dict.fromkeys((*side.mentions, *side.members))
    columns = ["doc", "sentence", "tokens", "tag", "reviewed", "text", "chain"]
    lists_reviewed = corpus.mentions["reviewed"].astype(bool).any()
    mentions: dict[str, Spot] = {}
    rows = corpus.mentions.loc[list(ids), columns].itertuples(name=None)
    for mention, doc, number, tokens, tag, reviewed, text, chain in rows:
        words = [tag]
        if lists_reviewed and not reviewed:
            words.append("sentence not reviewed")
        spot = _spot(corpus, doc, number, tokens, words)
        mentions[str(mention)] = {**spot, "text": text, "chain": str(chain)}
    return mentions


def _places(sides: Iterable[CaseSide], corpus: Corpus) -> dict[str, Spot]:
    """Return the data of each place where a mention may be missing."""
    places: dict[str, Spot] = {}
    for side in sides:
        if side.place and side.place not in places:
            tokens, (doc, number) = tokens_at(corpus, side.place, side.place)
            spot = _spot(corpus, doc, number, tokens, ["no mention here"])
            places[side.place] = {**spot, "missing": True}
    return places


def _spot(
    corpus: Corpus, doc: str, number: int, tokens: Iterable[int], words: Iterable[str]
) -> Spot:
    """Return a sentence, positions in it, and words on it for people."""
    start = corpus.documents[doc].sentence_starts[number]
    facts = [f"{doc}, sentence {number}", *words]
    return {
        "doc": doc,
        "number": number,
        "tokens": [int(token) - start for token in tokens],
        "where": " · ".join(fact for fact in facts if fact),
    }


def _documents(spots: Iterable[Spot], corpus: Corpus) -> dict[str, Any]:
    """Return the sentences and the date of the document of each spot."""
    documents: dict[str, Any] = {}
    for spot in spots:
        doc = spot["doc"]
        document = corpus.documents[doc]
        date = document.attributes.get("date", "")
        documents[doc] = {"sentences": document.sentences, "date": date}
    return documents
