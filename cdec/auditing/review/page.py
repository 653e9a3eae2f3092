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

import pandas as pd

from cdec.auditing.case import WORDS
from cdec.auditing.decisions import FORMAT, REASONS, Review, check_review
from cdec.auditing.questions import QUESTIONS
from cdec.auditing.shortlist import ShortList
from cdec.corpus.claims import check_origin, origin_of, tokens_at
from cdec.corpus.model import EVENT, Corpus
from cdec.errors import FormatError, UsageError
from cdec.matching.names import runs
from cdec.signature import Signature

# The script, one file for each noun; all are one function.
SCRIPTS = (
    *("state", "claims", "text", "case", "corrections", "progress", "verdicts"),
    *("readers", "files", "search", "start"),
)


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
    script = "\n".join(_part(f"script/{name}.js") for name in SCRIPTS)
    # Only "<" can end a script element or open a comment in it.
    pieces = {"css": _part("review.css"), "js": script, "data": data.replace("<", "\\u003c")}
    page = _part("review.html")
    for name, text in pieces.items():
        before, _, after = page.partition(f"/*{name}*/")
        page = before + text + after
    return page


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


def _part(name: str) -> str:
    return (files("cdec.auditing.review") / name).read_text("utf-8")


def _data(shortlist: ShortList, corpus: Corpus) -> dict[str, Any]:
    sides = [side for case in shortlist.cases for side in case.sides]
    ids = dict.fromkeys(id_ for side in sides for id_ in (*side.mentions, *side.members))
    shown = corpus.mentions.loc[list(ids)]
    places = dict.fromkeys(side.place for side in sides if side.place)
    places_of = {place: _place(place, corpus) for place in places}
    cards = {card[0].group: [case.id for case in card] for card in shortlist.cards}
    groups = {name: ids for name, ids in cards.items() if len(ids) > 1}
    docs = [*shown["doc"], *(place.rpartition("/")[0] for place in places)]
    return {
        "format": FORMAT,
        "about": _about(shortlist, corpus),
        "cases": [
            {**case.to_dict(), "group": case.group if case.group in groups else ""}
            for card in shortlist.cards
            for case in card
        ],
        "groups": groups,
        "words": WORDS,
        "questions": {
            kind: {**one._asdict(), "answers": one.answers} for kind, one in QUESTIONS.items()
        },
        "mentions": _mentions(shown, corpus),
        "places_of": places_of,
        "documents": {doc: _document(corpus, doc) for doc in dict.fromkeys(docs)},
        "spans": _spans(shown, corpus),
        "chains": _chains(shortlist, corpus),
        "reasons": REASONS,
    }


def origin(shortlist: ShortList, corpus: Corpus) -> dict[str, Any]:
    """Return what decisions on the cases have of corpus and key, as fields of a ``Review``."""
    named = _named(shortlist)
    chains = [one for one in _chains(shortlist, corpus) if named & {m[0] for m in one["members"]}]
    members = [(one["chain"], *member) for one in chains for member in one["members"]]
    return {
        "about": _about(shortlist, corpus),
        "places": {id_: f"{doc}/{place}" for _, id_, doc, _, place, _ in members if id_ in named},
        "chains": {id_: chain for chain, id_, *_ in members},
        "sentences": {id_: f"{doc}#{number}" for _, id_, doc, number, *_ in members},
    }


def _named(shortlist: ShortList) -> set[str]:
    """Return the mentions that the corrections name."""
    fixes = (fix for case in shortlist.cases for fix in case.fixes)
    return {id_ for fix in fixes for claim in fix.claims for id_ in claim.mentions}


def _about(shortlist: ShortList, corpus: Corpus) -> dict[str, Any]:
    """Return the origin of the decisions: corpus, list and the signature of the audit."""
    ids = " ".join(case.id for case in shortlist.cases)
    own = {"list": sha256(ids.encode()).hexdigest()[:12]}
    return {**origin_of(corpus), **own, "audit": str(Signature(shortlist.about))}


def _mentions(shown: pd.DataFrame, corpus: Corpus) -> dict[str, Any]:
    listed = corpus.mentions["reviewed"].astype(bool).any()
    columns = shown[["doc", "sentence", "tokens", "tag", "reviewed", "text"]]
    return {
        str(id_): {
            "sentence": f"{doc}#{sentence}",
            "tokens": _inside(corpus, doc, sentence, tokens),
            "tag": tag,
            "reviewed": bool(reviewed) if listed else None,
            "text": text,
        }
        for id_, doc, sentence, tokens, tag, reviewed, text in columns.itertuples(name=None)
    }


def _place(place: str, corpus: Corpus) -> dict[str, Any]:
    """Return sentence and token positions of ``document/tokens``."""
    tokens, (doc, number) = tokens_at(corpus, place, place)
    return {"sentence": f"{doc}#{number}", "tokens": _inside(corpus, doc, number, tokens)}


def _document(corpus: Corpus, doc: str) -> dict[str, Any]:
    document = corpus.documents[doc]
    date = {"date": document.attributes["date"]} if "date" in document.attributes else {}
    content = {"topic": document.topic, "sentences": document.sentences}
    return {**content, "start": document.text_start, **date}


def _spans(shown: pd.DataFrame, corpus: Corpus) -> dict[str, list[dict[str, Any]]]:
    """Return the arguments in the sentences of the mentions."""
    wanted = set(zip(shown["doc"], shown["sentence"], strict=True))
    arguments = corpus.mentions[corpus.mentions["kind"] != EVENT]
    columns = arguments[["doc", "sentence", "tokens", "tag"]]
    spans: dict[str, list[dict[str, Any]]] = {}
    for doc, sentence, tokens, tag in columns.itertuples(index=False, name=None):
        if (doc, sentence) in wanted:
            inside = _inside(corpus, doc, sentence, tokens)
            spans.setdefault(f"{doc}#{sentence}", []).append({"tokens": inside, "tag": tag})
    return spans


def _inside(corpus: Corpus, doc: str, sentence: int, tokens: Iterable[int]) -> list[int]:
    """Return positions of document tokens as positions in the sentence."""
    start = corpus.documents[doc].sentence_starts[sentence]
    return [int(token) - start for token in tokens]


def _chains(shortlist: ShortList, corpus: Corpus) -> list[dict[str, Any]]:
    """Return the chains that a correction can name: of the topics, and of the mentions in fixes.

    A member is its id, document, sentence, tokens in the document, and text.
    """
    events = corpus.selected
    topics = {case.topic for case in shortlist.cases}
    near = events["topic"].isin(topics) | events.index.isin(_named(shortlist))
    of_chains = events[events["chain"].isin(events.loc[near, "chain"])]
    chains: dict[str, dict[str, Any]] = {}
    for row in of_chains.reset_index(names="id").to_dict("records"):
        new = {**{name: row[name] for name in ("chain", "topic", "descriptor")}, "members": []}
        start, end, tokens = row["start"], row["end"], row["tokens"]
        place = runs(tokens) if len(tokens) <= end - start else f"{start}-{end}"
        member = [row["id"], row["doc"], row["sentence"], place, row["text"]]
        chains.setdefault(row["chain"], new)["members"].append(member)
    return list(chains.values())


def _votes(review: Review, shortlist: ShortList) -> dict[str, Any]:
    """Return the reader, what the reader is if not a person, and the decisions on the cases."""
    ids = {case.id for case in shortlist.cases}
    votes = {d.case: d.model_dump(mode="json") for d in review.decisions if d.case in ids}
    readers = str(review.about.get("readers", ""))
    return {"reviewer": review.reviewer, "readers": readers, "decisions": votes}
