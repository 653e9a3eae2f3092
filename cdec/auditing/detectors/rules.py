"""Errors by rule: of tags, of words, and of how the corpus was made.

An action is not in the chain of a participant, a function word ("without", "its") is no event, and
no chain is of two units where annotators linked mentions inside one (``Corpus.linked_within``).

A verb or noun without a mention is an error if its lemma nearly always has one. Words are counted
in the reviewed sentences with an event mention: elsewhere not all mentions are annotated, and a
corpus that lists no reviewed sentences has no case. The share of a lemma, with its part of speech,
is that in the other documents. A case needs a chain of the topic with the root and part of speech
of the word: of several, the one whose sentences have the words, sub-topic and participants of this
one is first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cdec.auditing.case import (
    CONTRADICTING,
    NO_EVENT,
    TWO_EVENTS,
    UNMARKED,
    CaseSide,
    Fix,
    Suspect,
    detector,
)
from cdec.auditing.claims import Claim
from cdec.auditing.detectors.copies import COPIES, scopes
from cdec.auditing.fit import bare_descriptor
from cdec.auditing.fixes import LETTERS, new, put, removals
from cdec.corpus.model import ENTITY, EVENT
from cdec.errors import counted
from cdec.language.annotate import annotate
from cdec.language.heads import heads
from cdec.pairs.lexicon import roots

if TYPE_CHECKING:
    from cdec.auditing.key import Key

RULE = "rule"  # the group of suspects that the construction of the corpus decides: all are errors
# Universal parts of speech without an event. Pronouns such as "it" and "which" may refer to one;
# possessives may not.
_FUNCTION = ("ADP", "SCONJ", "CCONJ", "DET", "PUNCT")
_POSSESSIVES = ("its", "his", "her", "their", "my", "your", "our", "whose")
# What refers, predicates ("the power is out") and words that stand for one ("a former player").
_EVENTS = (
    *("this", "that", "these", "those", "which", "such", "both"),
    *(
        "out",
        "over",
        "back",
        "down",
        "up",
        "off",
        "away",
        "in",
        "on",
        "under",
        "behind",
    ),
    *("former", "given", "worth", "inside"),
)
_SPEECH = ("VERB", "NOUN")
_NOUNS = ("NOUN", "PROPN")
# of the occurrences elsewhere that have a mention, and their number
_SHARE = 0.7
_LEAST = 4
# What a chain gains on the cosine of two sentences. Of 1,859 mentions removed from train and dev,
# 95 % have chains, 91 % of these their own first; of the 83 % with a suggestion, 96 %.
_SUBTOPIC = 0.3
_PARTICIPANT = 0.2
_FREQUENT = 0.2
_LEAST_FIT = 0.5  # a chain below it is rarely right
# fit from which, and difference to the next from which one is suggested
_GOOD = 1.2
_CLOSE = 0.2
_OFFERED = 3  # chains
_WORD = ["lemma", "pos", "modifier"]


@detector("tags", kind=CONTRADICTING)
def tags(key: Key) -> Iterator[Suspect]:
    """Yield chains of events that share chain or descriptor with arguments."""
    if set(key.corpus.kinds) != {EVENT, ENTITY}:
        raise key.lacks("mentions of events and of participants, places or times")
    mentions = key.corpus.mentions
    mentions = mentions.assign(
        name=mentions["descriptor"].astype(str).map(bare_descriptor)
    )
    events, arguments = (mentions[mentions["kind"] == kind] for kind in (EVENT, ENTITY))
    sizes = key.corpus.selected["chain"].value_counts()

    def suspect(
        part: pd.DataFrame, others: pd.DataFrame, group: str, reason: str
    ) -> Suspect:
        ids = tuple(part.index)
        tags = ", ".join(sorted(set(others["tag"])))
        leave = Fix(fix="split", text="A leaves the chain", claims=put(ids, new(ids)))
        whole = len(ids) == sizes.get(
            part["chain"].iloc[0], 0
        )  # then it would only be renamed
        sides = key.part(ids), key.part(others.index[:1], others.index[1:])
        fixes = removals(ids) if whole else (leave, *removals(ids))
        return Suspect(sides, f"{reason} mentions tagged {tags}", fixes, group)

    in_chain = dict(list(arguments.groupby("chain")))
    for label, part in events.groupby("chain", sort=False):
        if label in in_chain:
            yield suspect(part, in_chain[label], "shared-chain", "the chain also has")
    named = dict(
        list(arguments[arguments["descriptor"] != ""].groupby(["topic", "name"]))
    )
    described = events[events["descriptor"] != ""]
    for (chain, topic, name), part in described.groupby(
        ["chain", "topic", "name"], sort=False
    ):
        others = named.get((topic, name))
        if others is not None and set(others["chain"]) != {chain}:
            reason = f"the descriptor of the chain, '{name}', is also used for"
            yield suspect(part, others[:8], "shared-descriptor", reason)


@detector(NO_EVENT, kind=NO_EVENT)
def no_event(key: Key) -> Iterator[Suspect]:
    """Yield the event mentions of one token that is a function word."""
    events = key.corpus.selected[
        key.corpus.selected["kind"] == EVENT
    ]  # "its" may be an entity
    if events.empty:
        raise key.lacks("mentions of events")
    pos = heads(key.corpus, key.nlp, key.progress).loc[events.index, "pos"]
    word = events["text"].str.lower()
    function = (pos.isin(_FUNCTION) & ~word.isin(_EVENTS)) | word.isin(_POSSESSIVES)
    for id_ in map(str, events.index[function & (events["tokens"].map(len) == 1)]):
        yield Suspect(
            (id_,), f"'{word[id_]}' is a function word ({pos[id_]})", removals((id_,))
        )


@detector(TWO_EVENTS, kind=TWO_EVENTS)
def two_events(key: Key) -> Iterator[Suspect]:
    """Yield the chains of several units; A is the smallest unit, B the others."""
    if not key.corpus.linked_within:
        raise key.lacks("a level that limits the links")
    level = key.corpus.levels[key.corpus.linked_within]
    reason = f"A and B are of two {level}s, and the corpus has links inside one only"
    unit = key.corpus.selected["doc"].map(scopes(key.corpus))
    for _, units in unit.groupby(key.chain, sort=True):
        if units.nunique() < 2:
            continue
        smallest = units == units.value_counts(sort=False).idxmin()
        ids, rest = (
            units.index[rows].astype(str).tolist() for rows in (smallest, ~smallest)
        )
        text = f"split the chain: {counted(len(ids), 'mention')} of A become a chain of their own"
        fixes: tuple[Fix, ...] = (
            Fix(fix="split", text=text, claims=put(ids, new(ids))),
        )
        if len(ids) == 1:
            row = key.rows[ids[0]]
            fixes = key.fixes.member(row, key.fixes.rival(row, None))
        sides = key.part(ids[:1], ids[1:]), key.part(rest[:1], rest[1:])
        yield Suspect(sides, reason, fixes, RULE)


def _words(key: Key) -> Any:
    """Return the verbs and nouns without a mention whose lemma nearly always has one.

    Columns: ``doc``, ``sentence``, ``token`` (of the document), ``lemma``, ``pos``, ``modifier``
    (whether a noun follows, as in "murder suspect"), ``marked`` (how many of the ``seen``
    occurrences of the three in other documents have a mention). Raises the errors of ``annotate``.
    """
    corpus = key.corpus
    events = corpus.selected[corpus.selected["kind"] == EVENT]
    chosen = set(zip(events["doc"], events["sentence"], strict=True)) & corpus.reviewed
    words = annotate(corpus, key.nlp, key.progress, chosen)
    words["doc"] = np.array(list(corpus.documents), dtype=object)[
        words["doc"].to_numpy()
    ]
    words = words.sort_values(
        ["doc", "sentence", "token"], kind="stable", ignore_index=True
    )
    places = pd.MultiIndex.from_frame(words[["doc", "token"]])
    marked, named = (
        places.isin(
            pd.MultiIndex.from_frame(table[["doc", "tokens"]].explode("tokens"))
        )
        for table in (events, corpus.mentions)
    )
    noun = words["pos"].isin(_NOUNS)
    place = words[["doc", "sentence"]]
    followed = noun.shift(-1, fill_value=False) & place.eq(place.shift(-1)).all(axis=1)
    words = words.assign(marked=marked, modifier=noun & followed)
    words = words[words["pos"].isin(_SPEECH) & (marked | ~named)]
    words = words.astype({"lemma": str, "pos": str})
    every, own = (words.groupby(by)["marked"] for by in (_WORD, ["doc", *_WORD]))
    count, seen = (every.transform(n) - own.transform(n) for n in ("sum", "size"))
    often = (seen >= _LEAST) & (count >= _SHARE * seen)
    return words.assign(marked=count, seen=seen)[often & ~words["marked"]]


def _chains(key: Key, words: pd.DataFrame) -> pd.DataFrame:
    """Return the chains to which the mentions of words may belong, of each word the best first.

    The index has the word and the chain code. Columns: ``row`` of the mention in the most similar
    sentence, and ``fit``.
    """
    events = key.corpus.selected
    mentions = key.corpus.mentions
    codes = key.mentions.codes
    places = [*zip(events["doc"], events["sentence"], strict=True)]
    others = (
        mentions[mentions["kind"] != EVENT]
        .groupby(["doc", "sentence"])["chain"]
        .agg(set)
    )
    participants = [others.get(place, set()) for place in places]
    first = {place: row for row, place in reversed([*enumerate(places)])}
    of_words = zip(words["doc"], words["sentence"], strict=True)
    beside = np.array(
        [first[place] for place in of_words], np.int64
    )  # there can be no word
    unit = key.units[codes["doc"]]
    subtopic = events["subtopic"].to_numpy()
    held = pd.DataFrame(
        {"row": np.arange(len(events)), "unit": unit, "pos": codes["pos"]}
    )
    held["root"] = np.array(roots(key.mentions.lexicon.words), dtype=object)[
        codes["lemma"]
    ]
    asked = pd.DataFrame({"word": words.index, "beside": beside, "unit": unit[beside]})
    asked["pos"] = words["pos"].str[0].map(key.mentions.kinds).to_numpy()
    found = asked.assign(root=roots(words["lemma"])).merge(
        held, on=["unit", "pos", "root"]
    )
    one = found["beside"].to_numpy()
    two = found["row"].to_numpy()
    bag = key.mentions.bags["sentence"]
    found["cosine"] = np.asarray(bag[one].multiply(bag[two]).sum(axis=1)).ravel()
    found["same"] = subtopic[one] == subtopic[two]
    found["chain"] = key.chain[two]
    found["common"] = [
        len(participants[a] & participants[b]) for a, b in zip(one, two, strict=True)
    ]
    found = found.sort_values(["word", "cosine", "row"], ascending=[True, False, True])
    chains = found.groupby(["word", "chain"])
    most = chains[["cosine", "same", "common"]].max().assign(row=chains["row"].first())
    fit = most["cosine"] + _SUBTOPIC * most["same"] + _PARTICIPANT * most["common"]
    known = most.assign(fit=fit + _FREQUENT * np.log(chains.size()))[fit >= _LEAST_FIT]
    return known.sort_values("fit", ascending=False, kind="stable")


@detector("unmarked", kind=UNMARKED)
def unmarked(key: Key) -> Iterator[Suspect]:
    """Yield the words that may lack a mention, with the chains that it may join."""
    if not key.corpus.reviewed:
        raise key.lacks("a list of fully annotated sentences")
    words = _words(key)
    chains = dict(list(_chains(key, words).groupby("word")))
    listed = key.copies if COPIES in key.chosen else ()
    known = {place for one in listed for place in one.places}
    for word in words.itertuples():
        place = f"{word.doc}/{word.token}"
        if word.Index not in chains or place in known:
            continue
        best = chains[word.Index]
        first, second = (*best["fit"].tolist(), -np.inf)[:2]
        tied = first < _GOOD or first - second < _CLOSE
        sides = [CaseSide.missing_at(place)]
        fixes = list[Fix]()
        for letter, row in zip(LETTERS[1:], best["row"][:_OFFERED], strict=False):
            side = key.side(key.ids[row])
            named = (
                bare_descriptor(side.descriptor),
                counted(len(side.members) + 1, "mention"),
            )
            text = f"add A to the chain of {letter} ({', '.join(filter(None, named))})"
            claims = (Claim(add=place, to=side.mentions[0]),)
            fixes.append(
                Fix(fix="add", text=text, claims=claims, tied=tied and len(fixes) < 2)
            )
            sides.append(side)
        yield Suspect(
            sides,
            f"'{word.lemma}' has a mention in {word.marked} of {word.seen} other occurrences",
            tuple(fixes),
            score=word.marked / word.seen,
        )
