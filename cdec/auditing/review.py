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

from cdec.auditing.case import WORDS, Case
from cdec.auditing.decisions import FORMAT, chains_of, check_list, meaning, origin
from cdec.auditing.questions import ERROR, QUESTIONS, REASONS
from cdec.auditing.shortlist import ShortList, chain_words
from cdec.corpus.claims import tokens_at
from cdec.corpus.model import Corpus


def to_page(
    listed: ShortList, corpus: Corpus, place: object = None, votes: pd.DataFrame | None = None
) -> str:
    """Return the page for the cases of a list as HTML; ``votes`` are shown with their cases.

    Raises FormatError at ``place`` if the list is for another corpus or another key.
    """
    check_list(listed, corpus, place)
    content = _data(listed, corpus, votes if votes is not None else pd.DataFrame({"case": []}))
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    html, css, js = (
        (files(__package__) / f"review.{ending}").read_text("utf-8")
        for ending in ("html", "css", "js")
    )
    # Only "<" can end a script element or open a comment in it.
    page = html.replace("/*css*/", css).replace("/*js*/", js)
    return page.replace("/*data*/", data.replace("<", "\\u003c"))


def _data(listed: ShortList, corpus: Corpus, votes: pd.DataFrame) -> dict[str, Any]:
    sides = [side for case in listed.cases for side in case.sides]
    ids = dict.fromkeys(id_ for side in sides for id_ in (*side.mentions, *side.members))
    columns = ["doc", "sentence", "tokens", "tag", "reviewed", "text", "chain"]
    shown = corpus.mentions.loc[list(ids), columns]
    has_reviewed = corpus.mentions["reviewed"].astype(bool).any()

    def spot(doc: str, number: int, tokens: Iterable[int], *words: str) -> dict[str, Any]:
        """Return a sentence, positions in it, and words on it for people."""
        start = corpus.documents[doc].sentence_starts[number]
        where = " · ".join(filter(None, (f"{doc}, sentence {number}", *words)))
        return {"doc": doc, "number": number, "tokens": [int(t) - start for t in tokens],
                "where": where}  # fmt: skip

    places = {}
    for place in dict.fromkeys(side.place for side in sides if side.place):
        tokens, (doc, number) = tokens_at(corpus, place, place)
        places[place] = {**spot(doc, number, tokens, "no mention here"), "missing": True}
    mentions = {}
    for id_, doc, number, tokens, tag, reviewed, text, chain in shown.itertuples(name=None):
        unread = "sentence not reviewed" if has_reviewed and not reviewed else ""
        found = spot(doc, number, tokens, tag, unread)
        mentions[str(id_)] = {**found, "text": text, "chain": str(chain)}
    docs = dict.fromkeys([*shown["doc"], *(place["doc"] for place in places.values())])
    chains = chains_of(corpus)

    def shown_case(case: Case) -> dict[str, Any]:
        """Return a case with what the page says of it, and the text in which it searches."""
        flags = ", ".join(f"{name} {score:.2f}" for name, score in case.detectors.items())
        why = [*case.reasons, f"flagged by: {flags}", f"rank in the whole list: {case.rank}"]
        if case.score is not None:
            why.append(f"probability of an error: {case.score:.2f}")
        ids = [id_ for side in case.sides for id_ in (*side.mentions, side.place)]
        texts = [mentions[id_]["text"] for id_ in ids if id_ in mentions]
        words = [case.id, f"topic {case.topic}", WORDS[case.kind], *ids, *texts]
        return {
            **case.to_dict(),
            "chains": [chain_words(case, side) for side in case.sides],
            "votes": [
                _vote(case, vote, chains)
                for vote in votes[votes["case"] == case.id].to_dict("records")
            ],
            "why": why,
            "found": " ".join([*words, *(side.descriptor for side in case.sides)]).lower(),
        }

    return {
        "format": FORMAT,
        "about": origin(listed, corpus),
        "cases": [shown_case(case) for card in listed.cards for case in card],
        "words": WORDS,
        "questions": {kind: [one.ask, one.verdicts] for kind, one in QUESTIONS.items()},
        "mentions": mentions,
        "places": places,
        "documents": {
            doc: {"sentences": document.sentences, "date": document.attributes.get("date", "")}
            for doc in docs
            for document in [corpus.documents[doc]]
        },
        "reasons": REASONS,
    }


def _vote(case: Case, vote: Mapping[Any, Any], chains: Mapping[str, str]) -> str:
    """Return a reader's vote as a line: the answer, the correction, the reason."""
    fixes = (fix.text for fix in case.fixes if ERROR + meaning(fix.claims, chains) == vote["said"])
    fix = f", {next(fixes, 'another correction')}" if vote["verdict"] == ERROR else ""
    why = "; ".join(filter(None, (REASONS.get(vote["reason"], vote["reason"]), vote["comment"])))
    answer = QUESTIONS[case.kind].verdicts[vote["verdict"]]
    return f"{vote['reader']}: {answer}{fix}{why and f' ({why})'}"
