"""Missing mentions: a verb or noun without one, although its lemma nearly always has one.

Words are counted in the reviewed sentences with an event mention: elsewhere not all mentions are
annotated, and a corpus that lists no reviewed sentences has no case. The share of a lemma, with its
part of speech, is that in the other documents. A case needs a chain of the topic with the root and
part of speech of the word: of several, the one whose sentences have the words, sub-topic and
participants of this one is first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cdec.auditing.case import UNMARKED as KIND
from cdec.auditing.case import CaseSide, Fix
from cdec.auditing.fit import bare_descriptor
from cdec.auditing.fixes import LETTERS
from cdec.auditing.suspect import Need, Suspect, detector
from cdec.corpus.claims import Claim
from cdec.corpus.model import EVENT
from cdec.errors import counted
from cdec.language.annotate import annotate
from cdec.pairs.lexicon import roots

if TYPE_CHECKING:
    from cdec.auditing.key import Key

_SPEECH, _NOUNS = frozenset({"VERB", "NOUN"}), frozenset({"NOUN", "PROPN"})
_SHARE, _LEAST = 0.7, 4  # of the occurrences elsewhere that have a mention, and their number
# What a chain gains on the cosine of two sentences. Of 1,859 mentions removed from train and dev,
# 95 % have chains, 91 % of these their own first; of the 83 % with a suggestion, 96 %.
_SUBTOPIC, _PARTICIPANT, _FREQUENT = 0.3, 0.2, 0.2
_LEAST_FIT = 0.5  # a chain below it is rarely right
_GOOD, _CLOSE = 1.2, 0.2  # fit from which, and difference to the next from which one is suggested
_OFFERED = 3  # chains


def _unmarked(key: Key) -> pd.DataFrame:
    """Return the verbs and nouns without a mention whose lemma nearly always has one.

    Columns: ``doc``, ``sentence``, ``token`` (of the document), ``lemma``, ``pos``, ``modifier``
    (whether a noun follows, as in "murder suspect"), ``marked`` (how many of the ``seen``
    occurrences of the three in other documents have a mention). Raises the errors of ``annotate``.
    """
    corpus = key.corpus
    events = corpus.selected[corpus.selected["kind"] == EVENT]
    chosen = set(zip(events["doc"], events["sentence"], strict=True)) & corpus.reviewed
    words = annotate(corpus, key.config.pipeline, key.progress, chosen)
    words["doc"] = np.array(list(corpus.documents), dtype=object)[words["doc"].to_numpy()]
    words = words.sort_values(["doc", "sentence", "token"], kind="stable", ignore_index=True)
    marked, named = (
        {(d, token) for d, own in zip(t["doc"], t["tokens"], strict=True) for token in own}
        for t in (events, corpus.mentions)
    )
    places = list(zip(words["doc"], words["token"], strict=True))
    words["marked"] = [place in marked for place in places]
    noun = words["pos"].isin(_NOUNS)
    same = words[["doc", "sentence"]].eq(words[["doc", "sentence"]].shift(-1)).all(axis=1)
    words["modifier"] = noun & noun.shift(-1, fill_value=False) & same
    free = np.array([place not in named for place in places], dtype=bool)
    words = words[words["pos"].isin(_SPEECH) & (words["marked"] | free)]
    words = words.astype({"lemma": str, "pos": str})
    word = ["lemma", "pos", "modifier"]
    every, own = (words.groupby(by)["marked"] for by in (word, ["doc", *word]))
    count, seen = (every.transform(n) - own.transform(n) for n in ("sum", "size"))
    often = (seen >= _LEAST) & (count >= _SHARE * seen)
    return words.assign(marked=count, seen=seen)[often & ~words["marked"].astype(bool)]


class _Chains:
    """The chains of a key in which a mention may be missing."""

    def __init__(self, key: Key) -> None:
        self.key = key
        events, mentions = key.corpus.selected, key.corpus.mentions
        self.roots = np.array(roots(key.mentions.lexicon.words), dtype=object)
        places = list(zip(events["doc"], events["sentence"], strict=True))
        self.first = {place: row for row, place in reversed(list(enumerate(places)))}
        self.places = places
        others = mentions[mentions["kind"] != EVENT]
        self.participants: dict[tuple[str, int], set[str]] = defaultdict(set)
        for doc, number, chain in others[["doc", "sentence", "chain"]].itertuples(index=False):
            self.participants[doc, number].add(chain)

    def best(self, doc: str, sentence: int, lemma: str, pos: str) -> pd.DataFrame:
        """Return the chains of the topic to which a missing mention may belong, the best first.

        The index is the chain code. Columns: ``row`` of the mention in the most similar sentence,
        and ``fit``.
        """
        key, beside = self.key, self.first[doc, sentence]
        alike = self.roots[key.mentions.codes["lemma"]] == roots([lemma])[0]
        alike &= key.mentions.codes["pos"] == key.mentions.kinds[pos[0]]
        rows = np.flatnonzero(alike & (key.topics == key.topics[beside]))
        bag, subtopics = key.mentions.bags["sentence"], key.corpus.selected["subtopic"].to_numpy()
        own = self.participants[doc, sentence]
        table = pd.DataFrame(
            {
                "row": rows,
                "cosine": (bag[rows] @ bag[[beside]].T).toarray()[:, 0],
                "subtopic": subtopics[rows] == subtopics[beside],
                "common": [len(own & self.participants[self.places[row]]) for row in rows],
            }
        ).sort_values("cosine", ascending=False, kind="stable")
        chains = table.groupby(key.chain[table["row"]])
        most = chains.max().assign(row=chains["row"].first())
        fit = most["cosine"] + _SUBTOPIC * most["subtopic"] + _PARTICIPANT * most["common"]
        known = most.assign(fit=fit + _FREQUENT * np.log(chains.size()))[fit >= _LEAST_FIT]
        return known.sort_values("fit", ascending=False, kind="stable")


@detector(
    "unmarked",
    "a word without a mention whose lemma nearly always has one elsewhere",
    kind=KIND,
    needs=Need("a list of fully annotated sentences", lambda corpus: bool(corpus.reviewed)),
)
def unmarked(key: Key) -> Iterator[Suspect]:
    """Yield the words that may lack a mention, with the chains that it may join."""
    chains = _Chains(key)
    listed = key.copies if "copies" in key.config.detectors else ()
    known = {place for one in listed for place in one.places}
    rows: Any = _unmarked(key).itertuples()
    for one in rows:
        place = f"{one.doc}/{one.token}"
        best = chains.best(one.doc, one.sentence, one.lemma, one.pos)
        if best.empty or place in known:
            continue
        sides = [key.side(key.ids[row]) for row in best["row"][:_OFFERED]]
        first, second = (*best["fit"].tolist(), -np.inf)[:2]
        tied = first < _GOOD or first - second < _CLOSE
        reason = f"'{one.lemma}' has a mention in {one.marked} of {one.seen} other occurrences"
        share = float(one.marked) / float(one.seen)
        here = CaseSide(mentions=(), chain="", place=place)
        fixes = tuple(
            _joins(place, letter, side, tied=tied and at < 2)
            for at, (letter, side) in enumerate(zip(LETTERS[1:], sides, strict=False))
        )
        yield Suspect((here, *sides), reason, fixes, score=share)


def _joins(place: str, letter: str, side: CaseSide, tied: bool) -> Fix:
    """Return the correction: the mention that is missing at A joins the chain of a later side."""
    named: list[Any] = [bare_descriptor(side.descriptor), counted(len(side.members) + 1, "mention")]
    text = f"add A to the chain of {letter} ({', '.join(filter(None, named))})"
    return Fix(fix="add", text=text, claims=(Claim(add=place, to=side.mentions[0]),), tied=tied)
