"""The default pipeline: a spaCy component on the HanTa tagger and its English model.

HanTa (Wartena 2019, "A Probabilistic Morphology Model for German Lemmatization", KONVENS) tags a
sentence by a trigram Viterbi search and lemmatises each word for the tag that it got. What it is
given and what is made of its answer, each seen on the training split of ECB+:

* Quotation and trade marks glued to a word ("'murder"', 'Oscars®') are no part of it.
* In a headline in title case capitals tell nothing: they are not held for a sign of a name, else
  "Dies" and "Interdicts" become names. See ``is_headline``.
* HanTa writes the lemma of a name with a capital; lemmas here are lower case throughout.
* A blank word, or one longer than ``LONGEST`` letters (the analysis is quadratic in them), is
  left out of the sentence that HanTa sees; its tag is UNC and its lemma the word itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

import spacy
from HanTa.HanoverTagger import HanoverTagger
from spacy.language import Language
from spacy.tokens import Doc

from cdec.language import hanta_model
from cdec.language.tags import universal

COMPONENT = "cdec_hanta"
LONGEST = 100
HEADLINE_SHARE = 0.7  # any value from 0.6 to 0.9 gives the same scores on train, within 0.05
HEADLINE_WORDS = 3

_MARKS = ' \t\r\n"“”„«»®™©'
_MEMO = 1 << 16

Tagged = tuple[str, str]  # lemma, C5 tag


def load() -> Language:
    """Return the pipeline: ``spacy.blank("en")`` with the component that tags and lemmatises."""
    nlp = spacy.blank("en")
    nlp.add_pipe(COMPONENT)
    return nlp


@Language.factory(COMPONENT, assigns=["token.tag", "token.pos", "token.lemma"])
def component(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """Return the component; the model is read when the pipeline is made."""
    tag = tagger()

    def annotate(doc: Doc) -> Doc:
        for sentence in doc.sents:
            answers = tag(tuple(token.text for token in sentence))
            for token, (lemma, c5) in zip(sentence, answers, strict=True):
                token.lemma_, token.tag_, token.pos_ = lemma, c5, universal(c5)
        return doc

    return annotate


def tagger() -> Callable[[tuple[str, ...]], Sequence[Tagged]]:
    """Return the function sentence → (lemma, tag) of each word; a repeated sentence costs nothing.

    HanTa's analyses of single words are pure functions of the word and are remembered too: this
    halves the time and changes no answer.
    """
    hanta = HanoverTagger("", hanta_model.load())  # a name would be looked up in the working folder
    hanta.strict = False  # as HanTa sets it for a model that it reads itself
    hanta._tag_word = cache(hanta._tag_word)
    hanta._analyze = cache(hanta._analyze)

    @lru_cache(maxsize=_MEMO)
    def tag(sentence: tuple[str, ...]) -> Sequence[Tagged]:
        words = [bare(word) for word in sentence]
        seen = [i for i, word in enumerate(words) if 0 < len(word) <= LONGEST]
        answers = [(word.lower(), "UNC") for word in words]
        readable = [words[i] for i in seen]
        found = hanta.tag_sent(readable, casesensitive=not is_headline(readable))
        for i, (_, lemma, c5) in zip(seen, found, strict=True):
            answers[i] = (lemma.lower(), c5)
        return answers

    return tag


def bare(word: str) -> str:
    """Return the word without marks at its edges; a word that is nothing but marks stays."""
    inner = word.strip(_MARKS)
    return inner if any(char.isalnum() for char in inner) else word.strip()


def is_headline(words: Sequence[str]) -> bool:
    """Return whether the sentence is in title case (or in capitals).

    That is: of the words of four letters and more after the first, at least three, at least 70 %
    begin with a capital.
    """
    content = [word for word in words[1:] if len(word) > 3 and word[0].isalpha()]
    capitals = sum(word[0].isupper() for word in content)
    return len(content) >= HEADLINE_WORDS and capitals >= HEADLINE_SHARE * len(content)
