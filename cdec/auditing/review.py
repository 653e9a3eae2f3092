"""The review page: a short-list as one HTML file that needs no server and no network.

Corpus text is in a block of JSON and enters the page as text nodes only, so that markup in a token
is never interpreted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files

from cdec.auditing.case import WORDS
from cdec.auditing.claims import origin_of, tokens_at
from cdec.auditing.decisions import FORMAT
from cdec.auditing.questions import QUESTIONS, REASONS
from cdec.auditing.shortlist import ShortList, chain_words
from cdec.corpus.model import Corpus
from cdec.records import Row
from cdec.render.html import digest_source


def own_file(name: str) -> str:
    """Return the text of a file of this room."""
    return (files(__package__) / name).read_text("utf-8")


def to_page(listed: ShortList, corpus: Corpus) -> str:
    """Return the page for the cases of a list as HTML."""
    data = json.dumps(_data(listed, corpus), ensure_ascii=False, separators=(",", ":"))
    page = own_file("review.html")
    for kind in ("css", "js"):
        text = own_file(f"review.{kind}")
        page = page.replace(f"{{{kind}-source}}", digest_source(text))
        page = page.replace(f"/*{kind}*/", text)
    # Only "<" can end a script element or open a comment in it.
    return page.replace("/*data*/", data.replace("<", "\\u003c"))


def _data(listed: ShortList, corpus: Corpus) -> Row:
    sides = [side for case in listed.cases for side in case.sides]
    ids = dict.fromkeys(
        id_ for side in sides for id_ in (*side.mentions, *side.members)
    )
    columns = ["doc", "sentence", "tokens", "tag", "reviewed", "text", "chain"]
    shown = corpus.mentions.loc[list(ids), columns]
    has_reviewed = corpus.mentions["reviewed"].astype(bool).any()

    def spot(doc: str, number: int, tokens: Iterable[int], *words: str) -> Row:
        """Return a sentence, positions in it, and words on it for people."""
        start = corpus.documents[doc].sentence_starts[number]
        where = " · ".join(filter(None, (f"{doc}, sentence {number}", *words)))
        return {"doc": doc, "number": number, "tokens": [int(t) - start for t in tokens],
                "where": where}  # fmt: skip

    places = {}
    for place in dict.fromkeys(side.place for side in sides if side.place):
        tokens, (doc, number) = tokens_at(corpus, place, place)
        places[place] = {
            **spot(doc, number, tokens, "no mention here"),
            "missing": True,
        }
    mentions = {}
    for id_, doc, number, tokens, tag, reviewed, text, chain in shown.itertuples(
        name=None
    ):
        unread = "sentence not reviewed" if has_reviewed and not reviewed else ""
        found = spot(doc, number, tokens, tag, unread)
        mentions[str(id_)] = {**found, "text": text, "chain": str(chain)}
    docs = dict.fromkeys([*shown["doc"], *(place["doc"] for place in places.values())])
    marks: dict[str, list[list[int]]] = {
        doc: [[] for _ in corpus.documents[doc].sentences] for doc in docs
    }
    events = corpus.selected[corpus.selected["doc"].isin(docs)]
    for doc, number, tokens in events[["doc", "sentence", "tokens"]].to_numpy():
        marks[doc][number] += spot(doc, number, tokens)["tokens"]
    return {
        "format": FORMAT,
        "about": origin_of(corpus),
        "cases": [
            {
                **case.to_dict(),
                "chains": [chain_words(case, side) for side in case.sides],
            }
            for case in listed.cases
        ],
        "words": WORDS,
        "questions": {kind: [one.ask, one.verdicts] for kind, one in QUESTIONS.items()},
        "mentions": mentions,
        "places": places,
        "documents": {
            doc: {
                "sentences": document.sentences,
                "date": document.attributes.get("date", ""),
                "marks": marks[doc],
            }
            for doc in docs
            for document in [corpus.documents[doc]]
        },
        "reasons": REASONS,
    }
