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
from dataclasses import dataclass
from functools import cached_property
from itertools import chain as flat
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.auditing.case import UNMARKED as KIND
from cdec.auditing.case import CaseSide, Fix
from cdec.auditing.detector import ADD, Detector, Need
from cdec.auditing.detectors.copies import COPIES
from cdec.auditing.fit import bare_descriptor
from cdec.auditing.fixes import LETTERS
from cdec.corpus.claims import Claim
from cdec.corpus.model import EVENT, Corpus
from cdec.errors import counted
from cdec.files.progress import Progress, silent
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


def unmarked(corpus: Corpus, pipeline: str, progress: Progress = silent) -> pd.DataFrame:
    """Return the verbs and nouns without a mention whose lemma nearly always has one.

    Columns: ``doc``, ``sentence``, ``token`` (of the document), ``lemma``, ``pos``, ``modifier``
    (whether a noun follows, as in "murder suspect"), ``marked`` (how many of the ``seen``
    occurrences of the three in other documents have a mention). Raises the errors of ``annotate``.
    """
    word = ["lemma", "pos", "modifier"]
    names = ["doc", "sentence", "token", *word, "marked"]
    words = pd.DataFrame(_words(corpus, pipeline, progress), columns=names)
    every, own = (words.groupby(by)["marked"] for by in (word, ["doc", *word]))
    marked, seen = (every.transform(n) - own.transform(n) for n in ("sum", "size"))
    often = (seen >= _LEAST) & (marked >= _SHARE * seen)
    open_ = often & ~words["marked"].astype(bool)
    return words.assign(marked=marked, seen=seen)[open_].reset_index(drop=True)


def _words(corpus: Corpus, pipeline: str, progress: Progress) -> Iterator[tuple[Any, ...]]:
    """Yield the verbs and nouns of reviewed sentences that no argument covers."""
    events = corpus.selected[corpus.selected["kind"] == EVENT]
    marked, named = _tokens(events), _tokens(corpus.mentions)
    chosen = set(zip(events["doc"], events["sentence"], strict=True))
    chosen &= corpus.reviewed
    ids = list(corpus.documents)
    words = annotate(corpus, pipeline, progress, chosen)
    words["doc"] = [ids[row] for row in words["doc"]]
    groups: dict[Any, pd.DataFrame] = dict(list(words.groupby(["doc", "sentence"])))
    for doc, number in sorted(groups):
        sentence = groups[doc, number]
        nouns = [*sentence["pos"].isin(_NOUNS), False]
        columns = (sentence["token"], sentence["lemma"], sentence["pos"])
        for at, (token, lemma, pos) in enumerate(zip(*columns, strict=True)):
            place = doc, token
            if pos in _SPEECH and (place in marked or place not in named):
                modifier = nouns[at] and nouns[at + 1]
                yield doc, number, token, lemma, pos, modifier, place in marked


def _tokens(mentions: pd.DataFrame) -> set[tuple[str, int]]:
    listed = zip(mentions["doc"], mentions["tokens"], strict=True)
    return {(doc, token) for doc, tokens in listed for token in tokens}


@dataclass(frozen=True, eq=False)
class _Chains:
    """The chains of a key in which a mention may be missing."""

    key: Key

    def best(self, doc: str, sentence: int, lemma: str, pos: str) -> pd.DataFrame:
        """Return the chains of the topic to which a missing mention may belong, the best first.

        The index is the chain code. Columns: ``row`` of the mention in the most similar sentence,
        and ``fit``.
        """
        beside = self._sentences[doc, sentence]
        pool, events = self.key.prepared.pool, self.key.corpus.selected
        alike = self._roots[pool.mentions.codes["lemma"]] == roots([lemma])[0]
        alike &= pool.mentions.codes["pos"] == pool.mentions.kinds[pos[0]]
        rows = np.flatnonzero(alike & (pool.topics == pool.topics[beside]))
        bag, subtopics = pool.mentions.bags["sentence"], events["subtopic"].to_numpy()
        own = self._participants[doc, sentence]
        places = zip(events["doc"].iloc[rows], events["sentence"].iloc[rows], strict=True)
        table = pd.DataFrame(
            {
                "row": rows,
                "cosine": (bag[rows] @ bag[[beside]].T).toarray()[:, 0],
                "subtopic": subtopics[rows] == subtopics[beside],
                "common": [len(own & self._participants[place]) for place in places],
            }
        ).sort_values("cosine", ascending=False, kind="stable")
        chains = table.groupby(self.key.chain[table["row"]])
        most = chains.max().assign(row=chains["row"].first())
        fit = most["cosine"] + _SUBTOPIC * most["subtopic"] + _PARTICIPANT * most["common"]
        known = most.assign(fit=fit + _FREQUENT * np.log(chains.size()))[fit >= _LEAST_FIT]
        return known.sort_values("fit", ascending=False, kind="stable")

    @cached_property
    def _roots(self) -> npt.NDArray[np.object_]:
        return np.array(roots(self.key.prepared.pool.mentions.lexicon.words), dtype=object)

    @cached_property
    def _sentences(self) -> dict[tuple[str, int], int]:
        """The row of the first mention in each sentence."""
        events = self.key.corpus.selected
        places = list(zip(events["doc"], events["sentence"], strict=True))
        return {place: row for row, place in reversed(list(enumerate(places)))}

    @cached_property
    def _participants(self) -> dict[tuple[str, int], set[str]]:
        """The chains of the arguments in each sentence."""
        mentions, chains = self.key.corpus.mentions, defaultdict(set)
        columns = mentions.loc[mentions["kind"] != EVENT, ["doc", "sentence", "chain"]]
        for doc, number, chain in columns.itertuples(index=False, name=None):
            chains[doc, number].add(chain)
        return chains


def _find(key: Key) -> pd.DataFrame:
    chains, rows = _Chains(key), []
    copies = key.prepared.facts.get(COPIES.id)
    known = set() if copies is None else set(flat.from_iterable(copies["places"]))
    for one in key.prepared.facts[UNMARKED.id].itertuples():
        place = f"{one.doc}/{one.token}"
        best = chains.best(one.doc, one.sentence, one.lemma, one.pos)
        if best.empty or place in known:
            continue
        sides = [key.side(key.ids[row]) for row in best["row"][:_OFFERED]]
        first, second = (*best["fit"].tolist(), -np.inf)[:2]
        fixes = _fixes(place, sides, tied=first < _GOOD or first - second < _CLOSE)
        here, share = CaseSide(mentions=(), chain="", place=place), one.marked / one.seen
        often = f"'{one.lemma}' has a mention in {one.marked} of {one.seen} other occurrences"
        rows.append(((here, *sides), share, often, fixes))
    return pd.DataFrame(rows, columns=["mentions", "score", "reason", "fix"])


def _fixes(place: str, sides: list[CaseSide], tied: bool) -> tuple[Fix, ...]:
    """Return the corrections: the mention that is missing at A joins the chain of a later side."""
    return tuple(
        Fix(
            fix="add",
            text=f"add A to the chain of {letter} ({', '.join(filter(None, _named(side)))})",
            claims=(Claim(add=place, to=side.mentions[0]),),
            tied=tied and at < 2,
        )
        for at, (letter, side) in enumerate(zip(LETTERS[1:], sides, strict=False))
    )


def _named(side: CaseSide) -> tuple[str, str]:
    return bare_descriptor(side.descriptor), counted(len(side.members) + 1, "mention")


UNMARKED = Detector(
    id="unmarked",
    words="a word without a mention whose lemma nearly always has one elsewhere",
    kind=KIND,
    find=_find,
    proposes=ADD,
    prepare=lambda corpus, config, progress: unmarked(corpus, config.pipeline, progress),
    needs=Need("a list of fully annotated sentences", lambda corpus: bool(corpus.reviewed)),
)
