"""The review page: a short-list as one HTML file that needs no server and no network.

Corpus text is in a block of JSON and enters the page as text nodes only, so that markup in a token
is never interpreted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any

import pandas as pd
from scipy.cluster.hierarchy import DisjointSet

from cdec.auditing.about import check_base, check_corpus
from cdec.auditing.case import Case
from cdec.auditing.detector import Detector
from cdec.auditing.detectors import DETECTORS
from cdec.auditing.patches.apply import token_numbers
from cdec.auditing.review.decisions import ERROR, FORMAT, Decision, Known, Review
from cdec.auditing.shortlist import ShortList
from cdec.corpus.model import EVENT, Corpus
from cdec.errors import FormatError
from cdec.matching.view import runs
from cdec.signature import Signature


def to_page(
    shortlist: ShortList, corpus: Corpus, place: object = None, reviews: Sequence[Review] = ()
) -> str:
    """Return the page for the cases of ``shortlist`` as HTML.

    ``reviews``: the verdicts to show with each case, for adjudication. Raises FormatError at
    ``place`` if the short-list is for another corpus, or another key.
    """
    check_corpus(shortlist.about, corpus, place)
    check_base(shortlist.about.get("key_patch_digest"), corpus, place)
    _check_mentions(shortlist, corpus, place)
    data = json.dumps(_data(shortlist, corpus, reviews), ensure_ascii=False, separators=(",", ":"))
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
        sides = [id_ for side in case.sides for id_ in (*side.mentions, *side.members)]
        named = [id_ for fix in case.fixes for id_ in fix.operation.mentions]
        for id_ in (*sides, *named):
            if id_ not in known:
                raise FormatError(
                    "input-mismatch",
                    f"case {case.id} has the mention '{id_}', which is not in the corpus",
                    place=place,
                    hint="write the short-list again with `cdec audit run`",
                )


def _part(name: str) -> str:
    return (files("cdec.auditing.review") / f"review.{name}").read_text("utf-8")


def _data(shortlist: ShortList, corpus: Corpus, reviews: Sequence[Review]) -> dict[str, Any]:
    sides = [side for case in shortlist.cases for side in case.sides]
    ids = dict.fromkeys(id_ for side in sides for id_ in (*side.mentions, *side.members))
    shown = corpus.mentions.loc[list(ids)]
    places = dict.fromkeys(side.place for side in sides if side.place)
    places_of = {place: _place(place, corpus) for place in places}
    named = _named(shortlist, corpus)
    cases, groups, numbers = in_batches(shortlist.cases, corpus)
    docs = [*shown["doc"], *(place.rpartition("/")[0] for place in places)]
    return {
        "format": FORMAT,
        "about": _about(shortlist, corpus),
        "cases": [{**case.to_dict(), "group": numbers.get(case.id, "")} for case in cases],
        "groups": groups,
        "mentions": _mentions(shown, corpus),
        "places_of": places_of,
        "documents": {doc: _document(corpus, doc) for doc in dict.fromkeys(docs)},
        "spans": _spans(shown, corpus),
        "places": _places(named),
        **_key(named, corpus),
        "reviews": [_votes(review, shortlist) for review in reviews],
    }


def _about(shortlist: ShortList, corpus: Corpus) -> dict[str, Any]:
    """Return the origin of the decisions: corpus, list and the signature of the audit."""
    ids = " ".join(case.id for case in shortlist.cases)
    origin = {"corpus": corpus.name, "digest": corpus.digest}
    base = corpus.correction.get("key_patch_digest")
    origin |= {"base": base} if base else {}
    own = {"list": sha256(ids.encode()).hexdigest()[:12]}
    sample = {"sample": shortlist.about["sample"]} if "sample" in shortlist.about else {}
    plain = {k: v for k, v in shortlist.about.items() if k != "sample"}
    return {**origin, **own, "audit": str(Signature(plain)), **sample}


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
    doc, _, text = place.rpartition("/")
    tokens = token_numbers(text)
    starts = corpus.documents[doc].sentence_starts
    number = max(n for n, start in enumerate(starts) if start <= tokens[0])
    return {"sentence": f"{doc}#{number}", "tokens": _inside(corpus, doc, number, tokens)}


def _document(corpus: Corpus, doc: str) -> dict[str, Any]:
    document = corpus.documents[doc]
    date = {"date": document.attributes["date"]} if "date" in document.attributes else {}
    return {"sentences": document.sentences, "start": document.text_start, **date}


def _spans(shown: pd.DataFrame, corpus: Corpus) -> dict[str, list[dict[str, Any]]]:
    """Return the arguments in the sentences of the mentions."""
    wanted = set(zip(shown["doc"], shown["sentence"], strict=True))
    arguments = corpus.mentions[corpus.mentions["kind"] != EVENT]
    columns = ["doc", "sentence", "tokens", "tag"]
    spans: dict[str, list[dict[str, Any]]] = {}
    for doc, sentence, tokens, tag in arguments[columns].itertuples(index=False, name=None):
        if (doc, sentence) in wanted:
            inside = _inside(corpus, doc, sentence, tokens)
            spans.setdefault(f"{doc}#{sentence}", []).append({"tokens": inside, "tag": tag})
    return spans


def _inside(corpus: Corpus, doc: str, sentence: int, tokens: Iterable[int]) -> list[int]:
    """Return positions of document tokens as positions in the sentence."""
    start = corpus.documents[doc].sentence_starts[sentence]
    return [int(token) - start for token in tokens]


def _named(shortlist: ShortList, corpus: Corpus) -> pd.DataFrame:
    """Return the mentions that the corrections name."""
    operations = (fix.operation for case in shortlist.cases for fix in case.fixes)
    named = dict.fromkeys(id_ for operation in operations for id_ in operation.mentions)
    return corpus.mentions.loc[list(named)]


def _places(named: pd.DataFrame) -> Mapping[str, str]:
    """Return mention id → ``document/tokens``, for key files without ids."""
    table = named[["doc", "start", "end", "tokens"]]
    return {
        str(id_): f"{doc}/{runs(tokens) if len(tokens) <= end - start else f'{start}-{end}'}"
        for id_, doc, start, end, tokens in table.itertuples(name=None)
    }


def _key(named: pd.DataFrame, corpus: Corpus) -> dict[str, dict[str, str]]:
    """Return chain and sentence of all members of the chains that the corrections name."""
    known = Known.of_corpus(corpus)
    wanted = set(named["chain"].astype(str))
    chains = {id_: chain for id_, chain in known.chains.items() if chain in wanted}
    return {"chains": chains, "sentences": {id_: known.sentences[id_] for id_ in chains}}


def _votes(review: Review, shortlist: ShortList) -> dict[str, Any]:
    """Return the verdicts of a reviewer on the cases, with the text of the chosen fix."""
    cases = {case.id: case for case in shortlist.cases}
    votes = {
        decision.case: {
            "verdict": decision.verdict,
            "comment": decision.comment,
            "fix": _fix_text(cases[decision.case], decision),
        }
        for decision in review.decisions
        if decision.case in cases
    }
    return {"reviewer": review.reviewer, "decisions": votes}


def _fix_text(case: Case, decision: Decision) -> str:
    texts = (fix.text for fix in case.fixes if fix.operation == decision.operation)
    return next(texts, "another correction") if decision.verdict == ERROR else ""


def in_batches(
    cases: Iterable[Case], corpus: Corpus
) -> tuple[list[Case], dict[str, list[str]], dict[str, str]]:
    """Return the cases with those of one batch together, the batches, and the batch of each case.

    A batch are cases whose sentences are connected by such cases, if their detector asks for that.
    It is at the place of its first case. Batches map name → case ids in order.
    """
    listed = list(cases)
    groups = _connected([case for case in listed if any(map(_batched, case.detectors))], corpus)
    batch = {case.id: group for group in groups for case in group}
    firsts = [case for case in listed if batch.get(case.id, [case])[0] is case]
    ordered = [one for case in firsts for one in batch.get(case.id, [case])]
    named = {f"g{number}": [case.id for case in group] for number, group in enumerate(groups)}
    large = {name: ids for name, ids in named.items() if len(ids) > 1}
    return ordered, large, {id_: name for name, ids in large.items() for id_ in ids}


def _batched(name: str) -> bool:
    detector = DETECTORS.get(name)  # a short-list may be of a package that is not installed here
    return isinstance(detector, Detector) and detector.batched


def _connected(cases: list[Case], corpus: Corpus) -> list[list[Case]]:
    """Return the groups of cases that common sentences connect, each in order."""
    columns = (corpus.mentions[name] for name in ("doc", "sentence"))
    sentence = dict(zip(corpus.mentions.index, zip(*columns, strict=True), strict=True))
    sets = DisjointSet()
    for case in cases:
        sets.add(case.id)
        for place in (sentence[id_] for side in case.sides for id_ in side.mentions[:1]):
            sets.add(place)
            sets.merge(case.id, place)
    groups: dict[object, list[Case]] = {}
    for case in cases:
        groups.setdefault(sets[case.id], []).append(case)
    return list(groups.values())
