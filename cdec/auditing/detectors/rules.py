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
from typing import Any

import numpy as np
import pandas as pd

from cdec.auditing.case import (
    CONTRADICTING,
    NO_EVENT,
    TWO_EVENTS,
    UNMARKED,
    CaseSide,
    Fix,
    letter_of,
)
from cdec.auditing.claims import Claim
from cdec.auditing.copies import scopes
from cdec.auditing.detectors.copies import COPIES
from cdec.auditing.evidence import Evidence
from cdec.auditing.fit import bare_descriptor
from cdec.auditing.fixes import correction, removals
from cdec.auditing.suspects import Suspect, detector
from cdec.configs import read_toml
from cdec.corpus.model import ENTITY, EVENT
from cdec.errors import counted
from cdec.language.annotate import annotate
from cdec.language.heads import heads
from cdec.pairs.lexicon import roots

RULE = "rule"  # the group of suspects that the construction of the corpus decides: all are errors
# Universal parts of speech without an event. Pronouns such as "it" and "which" may refer to one;
# possessives may not.
_FUNCTION = ("ADP", "SCONJ", "CCONJ", "DET", "PUNCT")
_WORDS = read_toml("language.toml")
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
def tags(evidence: Evidence) -> Iterator[Suspect]:
    """Yield chains of events that share chain or descriptor with arguments."""
    if set(evidence.corpus.kinds) != {EVENT, ENTITY}:
        raise evidence.lacks("mentions of events and of participants, places or times")
    mentions = evidence.corpus.mentions
    mentions = mentions.assign(
        name=mentions["descriptor"].astype(str).map(bare_descriptor)
    )
    events, arguments = (mentions[mentions["kind"] == kind] for kind in (EVENT, ENTITY))
    sizes = evidence.corpus.selected["chain"].value_counts()

    def suspect(
        part: pd.DataFrame, others: pd.DataFrame, group: str, reason: str
    ) -> Suspect:
        ids = tuple(part.index)
        tags = ", ".join(sorted(set(others["tag"])))
        leave = correction("split", "A leaves the chain", ids)
        whole = len(ids) == sizes.get(
            part["chain"].iloc[0], 0
        )  # then it would only be renamed
        sides = evidence.part(ids), evidence.part(others.index[:1], others.index[1:])
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
def no_event(evidence: Evidence) -> Iterator[Suspect]:
    """Yield the event mentions of one token that is a function word."""
    corpus = evidence.corpus
    events = corpus.selected[corpus.selected["kind"] == EVENT]  # "its" may be an entity
    if events.empty:
        raise evidence.lacks("mentions of events")
    tagged = heads(corpus, evidence.nlp, evidence.progress)
    pos = tagged.loc[events.index, "pos"]
    word = events["text"].str.lower()
    may_be_event = word.isin(_WORDS["event_words"])
    function = pos.isin(_FUNCTION) & ~may_be_event
    function |= word.isin(_WORDS["possessives"])
    for id_ in map(str, events.index[function & (events["tokens"].map(len) == 1)]):
        yield Suspect(
            (id_,), f"'{word[id_]}' is a function word ({pos[id_]})", removals((id_,))
        )


@detector(TWO_EVENTS, kind=TWO_EVENTS)
def two_events(evidence: Evidence) -> Iterator[Suspect]:
    """Yield the chains of several units; A is the smallest unit, B the others."""
    corpus = evidence.corpus
    if not corpus.linked_within:
        raise evidence.lacks("a level that limits the links")
    level = corpus.levels[corpus.linked_within]
    reason = f"A and B are of two {level}s, and the corpus has links inside one only"
    unit = corpus.selected["doc"].map(scopes(corpus))
    for _, units in unit.groupby(evidence.chain, sort=True):
        if units.nunique() < 2:
            continue
        smallest = units == units.value_counts(sort=False).idxmin()
        ids = [*map(str, units.index[smallest])]
        larger_units = [*map(str, units.index[~smallest])]
        if len(ids) == 1:
            fixes = evidence.fixes.member(evidence.rows[ids[0]], None)
        else:
            mentions = counted(len(ids), "mention")
            text = f"split the chain: {mentions} of A become a chain of their own"
            fixes = (correction("split", text, ids),)
        sides = (
            evidence.part(ids[:1], ids[1:]),
            evidence.part(larger_units[:1], larger_units[1:]),
        )
        yield Suspect(sides, reason, fixes, RULE)


def _words(evidence: Evidence) -> Any:
    """Return the verbs and nouns without a mention whose lemma nearly always has one.

    Columns: ``doc``, ``sentence``, ``token`` (of the document), ``lemma``, ``pos``, ``modifier``
    (whether a noun follows, as in "murder suspect"), ``marked`` (how many of the ``seen``
    occurrences of the three in other documents have a mention). Raises the errors of ``annotate``.
    """
    corpus = evidence.corpus
    events = corpus.selected[corpus.selected["kind"] == EVENT]
    chosen = set(zip(events["doc"], events["sentence"], strict=True)) & corpus.reviewed
    words = annotate(corpus, evidence.nlp, evidence.progress, chosen)
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


def _chains(evidence: Evidence, words: pd.DataFrame) -> pd.DataFrame:
    """Return the chains to which the mentions of words may belong, of each word the best first.

    The index has the word and the chain code. Columns: ``row`` of the mention in the most similar
    sentence, and ``fit``.
    """
    events = evidence.corpus.selected
    mentions = evidence.mentions
    codes = mentions.codes
    first_row: dict[tuple[str, int], int] = {}  # of a sentence
    for number, place in enumerate(zip(events["doc"], events["sentence"], strict=True)):
        first_row.setdefault(place, number)
    of_words = zip(words["doc"], words["sentence"], strict=True)
    beside = np.array([first_row[place] for place in of_words], dtype=np.int64)
    unit = evidence.units[codes["doc"]]
    root_of_lemma = np.array(roots(mentions.lexicon.words), dtype=object)
    targets = pd.DataFrame(
        {
            "row": np.arange(len(events)),
            "unit": unit,
            "pos": codes["pos"],
            "root": root_of_lemma[codes["lemma"]],
        }
    )
    unmarked_words = pd.DataFrame(
        {
            "word": words.index,
            "beside": beside,
            "unit": unit[beside],
            "pos": words["pos"].str[0].map(mentions.kinds).to_numpy(),
            "root": roots(words["lemma"]),
        }
    )
    pairs = unmarked_words.merge(targets, on=["unit", "pos", "root"])
    neighbour = pairs["beside"].to_numpy()
    row = pairs["row"].to_numpy()
    bag = mentions.bags["sentence"]
    subtopic = events["subtopic"].to_numpy()
    every_kind = evidence.corpus.mentions
    participants = evidence.chains_beside(every_kind[every_kind["kind"] != EVENT])
    pairs["cosine"] = np.asarray(bag[neighbour].multiply(bag[row]).sum(axis=1)).ravel()
    pairs["same"] = subtopic[neighbour] == subtopic[row]
    pairs["chain"] = evidence.chain[row]
    pairs["common"] = [
        len(participants[first] & participants[second])
        for first, second in zip(neighbour, row, strict=True)
    ]
    pairs = pairs.sort_values(["word", "cosine", "row"], ascending=[True, False, True])
    chains = pairs.groupby(["word", "chain"])
    best = chains[["cosine", "same", "common"]].max().assign(row=chains["row"].first())
    fit = best["cosine"] + _SUBTOPIC * best["same"] + _PARTICIPANT * best["common"]
    best["fit"] = fit + _FREQUENT * np.log(chains.size())
    return best[fit >= _LEAST_FIT].sort_values("fit", ascending=False, kind="stable")


@detector("unmarked", kind=UNMARKED)
def unmarked(evidence: Evidence) -> Iterator[Suspect]:
    """Yield the words that may lack a mention, with the chains that it may join."""
    if not evidence.corpus.reviewed:
        raise evidence.lacks("a list of fully annotated sentences")
    words = _words(evidence)
    chains = dict(list(_chains(evidence, words).groupby("word")))
    listed = evidence.differences if COPIES in evidence.detectors else ()
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
        for row in best["row"][:_OFFERED]:
            side = evidence.side(evidence.ids[row])
            chain = counted(len(side.members) + 1, "mention")
            descriptor = bare_descriptor(side.descriptor)
            if descriptor:
                chain = f"{descriptor}, {chain}"
            text = f"add A to the chain of {letter_of(len(sides))} ({chain})"
            claims = (Claim(add=place, to=side.mentions[0]),)
            fix = Fix(fix="add", text=text, claims=claims, tied=tied and len(fixes) < 2)
            fixes.append(fix)
            sides.append(side)
        yield Suspect(
            sides,
            f"'{word.lemma}' has a mention in {word.marked} of {word.seen} other occurrences",
            tuple(fixes),
            score=word.marked / word.seen,
        )
