"""The review page: a short-list as one HTML file that needs no server and no network.

Corpus text is in a block of JSON and enters the page as text nodes only, so that markup in a token
is never interpreted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any

from cdec.auditing.case import WORDS
from cdec.auditing.decisions import FORMAT, REASONS, Review, check_review
from cdec.auditing.questions import QUESTIONS
from cdec.auditing.shortlist import ShortList
from cdec.corpus.claims import check_origin, origin_of, tokens_at
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UsageError
from cdec.matching.names import runs
from cdec.signature import Signature


def to_page(
    shortlist: ShortList,
    corpus: Corpus,
    place: object = None,
    reviews: Sequence[Review] = (),
) -> str:
    """Return the page for the cases of ``shortlist`` as HTML.

    ``reviews``: the verdicts to show with each case. Raises FormatError at ``place`` if the
    short-list is for another corpus or another key, or if verdicts are; UsageError if they have
    none of its cases.
    """
    check_list(shortlist, corpus, place)
    for review in reviews:
        check_review(review, shortlist)
        if not any(case.id in review.by_case for case in shortlist.cases):
            message = f"the decisions of {review.reviewer} are on none of the cases of the page"
            hint = "give decisions on this list, or select other cases"
            raise UsageError("part-too-small", message, hint=hint)
    content = _data(shortlist, corpus)
    content |= {"reviews": [_votes(review, shortlist) for review in reviews]}
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    html, css, js = (
        (files(__package__) / f"review.{ending}").read_text("utf-8")
        for ending in ("html", "css", "js")
    )
    # Only "<" can end a script element or open a comment in it.
    page = html.replace("/*css*/", css).replace("/*js*/", js)
    return page.replace("/*data*/", data.replace("<", "\\u003c"))


def check_list(shortlist: ShortList, corpus: Corpus, place: object) -> None:
    """Raise FormatError at ``place`` for a list of another corpus or key, or unknown mentions."""
    check_origin(shortlist.about, corpus, place, "key_patch_digest")
    known = set(corpus.mentions.index)
    for case in shortlist.cases:
        # A mention that a correction names is on a side.
        for id_ in (id_ for side in case.sides for id_ in (*side.mentions, *side.members)):
            if id_ not in known:
                raise FormatError(
                    "input-mismatch",
                    f"case {case.id} has the mention '{id_}', which is not in the corpus",
                    place=place,
                    hint="write the short-list again with `cdec audit run`",
                )


def _data(shortlist: ShortList, corpus: Corpus) -> dict[str, Any]:
    sides = [side for case in shortlist.cases for side in case.sides]
    ids = dict.fromkeys(id_ for side in sides for id_ in (*side.mentions, *side.members))
    shown = corpus.mentions.loc[list(ids)]
    listed = corpus.mentions["reviewed"].astype(bool).any()

    def spot(doc: str, number: int, tokens: Iterable[int]) -> dict[str, Any]:
        """Return a sentence, and positions in it."""
        start = corpus.documents[doc].sentence_starts[number]
        return {"sentence": f"{doc}#{number}", "tokens": [int(token) - start for token in tokens]}

    places = {}
    for place in dict.fromkeys(side.place for side in sides if side.place):
        tokens, (doc, number) = tokens_at(corpus, place, place)
        places[place] = spot(doc, number, tokens)
    columns = shown[["doc", "sentence", "tokens", "tag", "reviewed", "text"]]
    mentions = {
        str(id_): {
            **spot(doc, number, tokens),
            "tag": tag,
            "reviewed": bool(reviewed) if listed else None,
            "text": text,
        }
        for id_, doc, number, tokens, tag, reviewed, text in columns.itertuples(name=None)
    }
    cards = shortlist.cards
    groups = {card[0].group: [case.id for case in card] for card in cards if len(card) > 1}
    every = ((case, case.to_dict()) for card in cards for case in card)
    docs = (*shown["doc"], *(place.rpartition("/")[0] for place in places))
    return {
        "format": FORMAT,
        "facts": origin(shortlist, corpus),
        "cases": [
            {**one, "group": case.group if case.group in groups else ""} for case, one in every
        ],
        "groups": groups,
        "words": WORDS,
        "questions": {
            kind: {**one._asdict(), "answers": one.answers} for kind, one in QUESTIONS.items()
        },
        "mentions": mentions,
        "places_of": places,
        "documents": {
            doc: {"sentences": document.sentences, "date": document.attributes.get("date", "")}
            for doc in dict.fromkeys(docs)
            for document in [corpus.documents[doc]]
        },
        "reasons": REASONS,
    }


def origin(shortlist: ShortList, corpus: Corpus) -> dict[str, Any]:
    """Return what decisions on the cases have of corpus and key, as fields of a ``Review``."""
    fixes = (fix for case in shortlist.cases for fix in case.fixes)
    named = {id_ for fix in fixes for claim in fix.claims for id_ in claim.mentions}
    events = corpus.selected
    near = events[events["chain"].isin(events.loc[events.index.isin(named), "chain"])]
    places = {}
    rows = near[near.index.isin(named)][["doc", "start", "end", "tokens"]]
    for id_, doc, start, end, tokens in rows.itertuples(name=None):
        place = runs(tokens) if len(tokens) <= end - start else f"{start}-{end}"
        places[str(id_)] = f"{doc}/{place}"
    ids = " ".join(case.id for case in shortlist.cases)
    own = {"list": sha256(ids.encode()).hexdigest()[:12], "audit": str(Signature(shortlist.about))}
    sentences = near["doc"] + "#" + near["sentence"].astype(str)
    return {
        "about": {**origin_of(corpus), **own},
        "places": places,
        "chains": {str(id_): str(chain) for id_, chain in near["chain"].items()},
        "sentences": {str(id_): str(place) for id_, place in sentences.items()},
    }


def _votes(review: Review, shortlist: ShortList) -> dict[str, Any]:
    """Return the reader, what the reader is if not a person, and the decisions on the cases."""
    ids = {case.id for case in shortlist.cases}
    votes = {d.case: d.model_dump(mode="json") for d in review.decisions if d.case in ids}
    readers = str(review.about.get("readers", ""))
    return {"reviewer": review.reviewer, "readers": readers, "decisions": votes}
