"""A verb or noun without a mention is an error if its lemma nearly always has one.

Words are counted in the reviewed sentences with an event mention: elsewhere not all mentions are
annotated, and a corpus that lists no reviewed sentences has no case. The share of a lemma, with its
part of speech, is that in the other documents. A case needs a chain of the topic with the root and
part of speech of the word: of several, the one whose sentences have the words, sub-topic and
participants of this one is first.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.auditing.case import UNMARKED, CaseSide, Fix, letter_of
from cdec.auditing.claims import Claim
from cdec.auditing.detectors.copies import COPIES
from cdec.auditing.evidence import Evidence
from cdec.auditing.fit import bare_descriptor
from cdec.auditing.suspects import Suspect, detector
from cdec.corpus.model import EVENT, Corpus
from cdec.errors import counted
from cdec.language.annotate import annotate
from cdec.pairs.lexicon import roots

_SPEECH = ("VERB", "NOUN")
_NOUNS = ("NOUN", "PROPN")
_SHARE = 0.7  # of the occurrences elsewhere that have a mention, at least
_LEAST = 4  # occurrences elsewhere
# What a chain gains on the cosine of two sentences. Of 1,859 mentions removed from train and dev,
# 95 % have chains, 91 % of these their own first; of the 83 % with a suggestion, 96 %.
_SUBTOPIC = 0.3
_PARTICIPANT = 0.2
_FREQUENT = 0.2
_LEAST_FIT = 0.5  # a chain below it is rarely right
_GOOD = 1.2  # fit from which a chain is suggested
_CLOSE = 0.2  # difference to the next chain from which it is
_OFFERED = 3  # chains
_WORD = ["lemma", "pos", "modifier"]


@detector("unmarked", kind=UNMARKED)
def unmarked(evidence: Evidence) -> Iterator[Suspect]:
    """Yield the words that may lack a mention, with the chains that it may join."""
    if not evidence.corpus.reviewed:
        raise evidence.lacks("a list of fully annotated sentences")
    words = _suspicious_words(evidence)
    chains_of_word = dict(list(_possible_chains(evidence, words).groupby("word")))
    places_of_copies = _places_of_copies(evidence)
    for word in words.itertuples():
        place = f"{word.doc}/{word.token}"
        if word.Index not in chains_of_word or place in places_of_copies:
            continue
        chains = chains_of_word[word.Index]
        sides, fixes = _additions(evidence, place, chains)
        occurrences = f"{word.marked} of {word.seen} other occurrences"
        yield Suspect(
            sides,
            f"'{word.lemma}' has a mention in {occurrences}",
            fixes,
            score=word.marked / word.seen,
        )


def _places_of_copies(evidence: Evidence) -> set[str]:
    """Return the places that are cases of the detector of copies."""
    places: set[str] = set()
    if COPIES in evidence.detectors:
        for difference in evidence.differences:
            places.update(difference.places)
    return places


def _additions(
    evidence: Evidence, place: str, chains: pd.DataFrame
) -> tuple[list[CaseSide], tuple[Fix, ...]]:
    """Return the sides of a word without a mention, and the corrections that add it to chains."""
    fits = [*chains["fit"].tolist(), -inf]
    best, next_best = fits[:2]
    tied = best < _GOOD or best - next_best < _CLOSE
    sides = [CaseSide.missing_at(place)]
    fixes = []
    for position, row in enumerate(chains["row"][:_OFFERED]):
        side = evidence.side(evidence.ids[row])
        chain = counted(len(side.members) + 1, "mention")
        descriptor = bare_descriptor(side.descriptor)
        if descriptor:
            chain = f"{descriptor}, {chain}"
        add = Fix(
            fix="add",
            text=f"add A to the chain of {letter_of(position + 1)} ({chain})",
            claims=(Claim(add=place, to=side.mentions[0]),),
            tied=tied and position < 2,
        )
        sides.append(side)
        fixes.append(add)
    return sides, tuple(fixes)


# ---- words ----


def _suspicious_words(evidence: Evidence) -> Any:
    """Return the verbs and nouns without a mention whose lemma nearly always has one.

    Columns: ``doc``, ``sentence``, ``token`` (of the document), ``lemma``, ``pos``, ``modifier``
    (whether a noun follows, as in "murder suspect"), ``marked`` (how many of the ``seen``
    occurrences of the three in other documents have a mention). Raises the errors of ``annotate``.
    """
    corpus = evidence.corpus
    events = corpus.selected[corpus.selected["kind"] == EVENT]
    words = _words_of_annotated_sentences(evidence, events)
    has_event = _has_mention(words, events)
    has_mention = _has_mention(words, corpus.mentions)
    words = words.assign(marked=has_event, modifier=_is_modifier(words))
    # A word in a participant, place or time is no event.
    words = words[words["pos"].isin(_SPEECH) & (has_event | ~has_mention)]
    words = words.astype({"lemma": str, "pos": str})
    by_word = words.groupby(_WORD)["marked"]
    by_word_and_document = words.groupby(["doc", *_WORD])["marked"]
    marked = by_word.transform("sum") - by_word_and_document.transform("sum")
    seen = by_word.transform("size") - by_word_and_document.transform("size")
    is_event_elsewhere = (seen >= _LEAST) & (marked >= _SHARE * seen)
    suspicious = is_event_elsewhere & ~words["marked"]
    return words.assign(marked=marked, seen=seen)[suspicious]


def _words_of_annotated_sentences(
    evidence: Evidence, events: pd.DataFrame
) -> pd.DataFrame:
    """Return the words of the reviewed sentences with an event mention, in text order."""
    corpus: Corpus = evidence.corpus
    with_events = set(zip(events["doc"], events["sentence"], strict=True))
    sentences = with_events & corpus.reviewed
    words = annotate(corpus, evidence.nlp, evidence.progress, sentences)
    documents = np.array(list(corpus.documents), dtype=object)
    words["doc"] = documents[words["doc"].to_numpy()]
    return words.sort_values(
        ["doc", "sentence", "token"], kind="stable", ignore_index=True
    )


def _has_mention(words: pd.DataFrame, mentions: pd.DataFrame) -> Bools:
    """Return whether each word is in one of the mentions."""
    tokens = mentions[["doc", "tokens"]].explode("tokens")
    places = pd.MultiIndex.from_frame(words[["doc", "token"]])
    return np.asarray(places.isin(pd.MultiIndex.from_frame(tokens)))


def _is_modifier(words: pd.DataFrame) -> pd.Series[bool]:
    """Return whether each word is a noun before a noun of its sentence."""
    is_noun = words["pos"].isin(_NOUNS)
    sentence = words[["doc", "sentence"]]
    next_is_noun = is_noun.shift(-1, fill_value=False)
    next_is_in_sentence = sentence.eq(sentence.shift(-1)).all(axis=1)
    return is_noun & next_is_noun & next_is_in_sentence


# ---- chains ----


def _possible_chains(evidence: Evidence, words: pd.DataFrame) -> pd.DataFrame:
    """Return the chains to which the mentions of words may belong, of each word the best first.

    The index has the word and the chain code. Columns: ``row`` of the mention in the most similar
    sentence, and ``fit``.
    """
    pairs = _words_with_mentions(evidence, words)
    neighbour = pairs["neighbour"].to_numpy()
    row = pairs["row"].to_numpy()
    subtopic = evidence.corpus.selected["subtopic"].to_numpy()
    participants = _participants(evidence)
    bag = evidence.mentions.bags["sentence"]
    cosine = np.asarray(bag[neighbour].multiply(bag[row]).sum(axis=1)).ravel()
    common = [
        len(participants[first] & participants[second])
        for first, second in zip(neighbour, row, strict=True)
    ]
    pairs = pairs.assign(
        cosine=cosine,
        same=subtopic[neighbour] == subtopic[row],
        chain=evidence.chain[row],
        common=common,
    )
    pairs = pairs.sort_values(["word", "cosine", "row"], ascending=[True, False, True])
    by_chain = pairs.groupby(["word", "chain"])
    chains = by_chain[["cosine", "same", "common"]].max()
    chains["row"] = by_chain["row"].first()
    fit = chains["cosine"] + _SUBTOPIC * chains["same"]
    fit += _PARTICIPANT * chains["common"]
    chains["fit"] = fit + _FREQUENT * np.log(by_chain.size())
    return chains[fit >= _LEAST_FIT].sort_values("fit", ascending=False, kind="stable")


def _words_with_mentions(evidence: Evidence, words: pd.DataFrame) -> pd.DataFrame:
    """Return each word with each mention (``row``) of its topic, root and part of speech.

    ``neighbour`` is the first mention in the sentence of the word.
    """
    mentions = evidence.mentions
    unit = evidence.units[mentions.codes["doc"]]
    root_of_lemma = np.array(roots(mentions.lexicon.words), dtype=object)
    candidates = pd.DataFrame(
        {
            "row": np.arange(len(unit)),
            "unit": unit,
            "pos": mentions.codes["pos"],
            "root": root_of_lemma[mentions.codes["lemma"]],
        }
    )
    neighbour = _first_mentions(evidence, words)
    suspicious = pd.DataFrame(
        {
            "word": words.index,
            "neighbour": neighbour,
            "unit": unit[neighbour],
            "pos": words["pos"].str[0].map(mentions.kinds).to_numpy(),
            "root": roots(words["lemma"]),
        }
    )
    return suspicious.merge(candidates, on=["unit", "pos", "root"])


def _first_mentions(evidence: Evidence, words: pd.DataFrame) -> Ints:
    """Return the first event mention in the sentence of each word."""
    events = evidence.corpus.selected
    first: dict[tuple[str, int], int] = {}
    for row, sentence in enumerate(zip(events["doc"], events["sentence"], strict=True)):
        first.setdefault(sentence, row)
    sentences = zip(words["doc"], words["sentence"], strict=True)
    return np.array([first[sentence] for sentence in sentences], dtype=np.int64)


def _participants(evidence: Evidence) -> list[set[str]]:
    """Return the chains of other mentions than events in the sentence of each mention."""
    mentions = evidence.corpus.mentions
    events = evidence.corpus.selected
    others = mentions[mentions["kind"] != EVENT]
    chains = others.groupby(["doc", "sentence"])["chain"].agg(set).to_dict()
    sentences = zip(events["doc"], events["sentence"], strict=True)
    return [chains.get(sentence, set()) for sentence in sentences]
