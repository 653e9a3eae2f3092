"""The pipelines of cdec, sentence by sentence: the HanTa tagger, and the stems of Snowball.

HanTa (Wartena 2019, "A Probabilistic Morphology Model for German Lemmatization", KONVENS) tags a
sentence by a trigram Viterbi search and lemmatises each word for its tag. The input and output of
HanTa are normalised; each case occurs in the training split of ECB+:

* Quotation and trade marks at the edges of a word ("'murder"', 'Oscars®') are removed.
* In a headline in title case, capitals are ignored; otherwise "Dies" and "Interdicts" are tagged
  as names. See ``is_headline``.
* HanTa capitalises the lemma of a name; here, all lemmas are lower case.
* A blank word, or one longer than ``LONGEST`` letters (the analysis takes quadratic time), is not
  passed to HanTa; its tag is that of an unknown word and its lemma the word itself.

In languages without a model of HanTa, the stems are the lemmas, and all parts of speech are X, so
that the head of a mention is its last token.

The tags of HanTa's models are mapped to universal parts of speech.

English
-------

HanTa's English model uses C5: see Leech, Garside & Bryant (1994), "CLAWS4: the tagging of the
British National Corpus". Universal parts of speech as in Universal Dependencies version 2.
Choices that are not obvious:

* ``AVP`` (particle of a phrasal verb) is ADP, as in UD: "took *over*", "broke *out*".
* ``VB*`` (be) and ``VM0`` (modals) are AUX; ``VD*`` (do) and ``VH*`` (have) are VERB, because an
  event mention is rarely an auxiliary and the head rule prefers lexical verbs.
* ``CRD`` and ``ORD``: NUM and ADJ, as in UD.
* ``NN`` is not in C5; HanTa uses it for nouns with a prefix ("non-party").
* ``UNC`` (unclassified) and HanTa's tags for unanalysed words are X.

Dutch
-----
HanTa's Dutch model uses the tags of the Corpus Gesproken Nederlands, as in ``WW(pv,verl,ev)``: see
Van Eynde (2004), "Part of speech tagging en lemmatisering van het CGN". Their beginning decides
(``DUTCH``). ``zijn``, ``worden`` and the modal verbs are AUX, as in English.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache

import snowballstemmer
from HanTa.HanoverTagger import HanoverTagger

from cdec.language import hanta_model
from cdec.language.hanta_model import ENGLISH
from cdec.language.pipeline import Sentence, Tagger

LONGEST = 100
HEADLINE_SHARE = 0.7  # scores on train vary by at most 0.05 for values from 0.6 to 0.9
HEADLINE_WORDS = 3

_MARKS = ' \t\r\n"“”„«»®™©'
_MEMO = 1 << 16


def tagger(language: str = ENGLISH) -> Tagger:
    """Return the function sentence → (lemma, tag, universal part of speech) of each word.

    HanTa's analyses of single words are pure functions, so they are memoised; this halves the time.
    """
    # A name would be looked up in the working folder.
    model = HanoverTagger("", hanta_model.load(language))
    model.strict = False  # as HanTa sets it for a model that it reads itself
    model._tag_word = cache(model._tag_word)
    model._analyze = cache(model._analyze)
    pos = OF_LANGUAGE[language]

    @lru_cache(maxsize=_MEMO)
    def tag(sentence: Sentence) -> Sequence[tuple[str, str, str]]:
        words = [bare(word) for word in sentence]
        seen = [i for i, word in enumerate(words) if 0 < len(word) <= LONGEST]
        answers = [(word.lower(), "UNC") for word in words]
        readable = [words[i] for i in seen]
        tagged = model.tag_sent(readable, casesensitive=not is_headline(readable))
        for i, (_, lemma, c5) in zip(seen, tagged, strict=True):
            answers[i] = (lemma.lower(), c5)
        return [(lemma, own, pos(lemma, own)) for lemma, own in answers]

    return tag


def bare(word: str) -> str:
    """Return the word without marks at its edges; a word of marks only is kept."""
    inner = word.strip(_MARKS)
    return inner if any(char.isalnum() for char in inner) else word.strip()


def is_headline(words: Sequence[str]) -> bool:
    """Return whether the sentence is in title case (or in capitals).

    Of the words after the first, those of four letters and more count: at least three, and at
    least 70 % of them capitalised.
    """
    content = [word for word in words[1:] if len(word) > 3 and word[0].isalpha()]
    capitals = sum(word[0].isupper() for word in content)
    return len(content) >= HEADLINE_WORDS and capitals >= HEADLINE_SHARE * len(content)


def stems(algorithm: str) -> Tagger:
    """Return the same function with the stems of an algorithm of Snowball, such as ``spanish``."""
    stem = cache(snowballstemmer.stemmer(algorithm).stemWord)
    return lambda sentence: [(stem(word.lower()), "X", "X") for word in sentence]


UNIVERSAL = {
    "AJ0": "ADJ",
    "AJC": "ADJ",
    "AJS": "ADJ",
    "AT0": "DET",
    "AV0": "ADV",
    "AVP": "ADP",
    "AVQ": "ADV",
    "CJC": "CCONJ",
    "CJS": "SCONJ",
    "CJT": "SCONJ",
    "CRD": "NUM",
    "DPS": "PRON",
    "DT0": "DET",
    "DTQ": "DET",
    "EX0": "PRON",
    "ITJ": "INTJ",
    "NN": "NOUN",
    "NN0": "NOUN",
    "NN1": "NOUN",
    "NN2": "NOUN",
    "NP0": "PROPN",
    "ORD": "ADJ",
    "PNI": "PRON",
    "PNP": "PRON",
    "PNQ": "PRON",
    "PNX": "PRON",
    "POS": "PART",
    "PRF": "ADP",
    "PRP": "ADP",
    "PUL": "PUNCT",
    "PUN": "PUNCT",
    "PUQ": "PUNCT",
    "PUR": "PUNCT",
    "TO0": "PART",
    "UNC": "X",
    "VBB": "AUX",
    "VBD": "AUX",
    "VBG": "AUX",
    "VBI": "AUX",
    "VBN": "AUX",
    "VBZ": "AUX",
    "VDB": "VERB",
    "VDD": "VERB",
    "VDG": "VERB",
    "VDI": "VERB",
    "VDN": "VERB",
    "VDZ": "VERB",
    "VHB": "VERB",
    "VHD": "VERB",
    "VHG": "VERB",
    "VHI": "VERB",
    "VHN": "VERB",
    "VHZ": "VERB",
    "VM0": "AUX",
    "VVB": "VERB",
    "VVD": "VERB",
    "VVG": "VERB",
    "VVI": "VERB",
    "VVN": "VERB",
    "VVZ": "VERB",
    "XX0": "PART",
    "ZZ0": "X",
}


DUTCH = {
    "ADJ(": "ADJ",
    "BW(": "ADV",
    "LET(": "PUNCT",
    "LID(": "DET",
    "N(eigen": "PROPN",
    "N(soort": "NOUN",
    "SPEC(symb": "SYM",
    "TSW(": "INTJ",
    "TW(hoofd": "NUM",
    "TW(rang": "ADJ",
    "VG(neven": "CCONJ",
    "VG(onder": "SCONJ",
    "VNW(": "PRON",
    "VZ(": "ADP",
    "WW(": "VERB",
}
_DUTCH_AUXILIARIES = frozenset({"zijn", "worden", "kunnen", "moeten", "mogen", "willen", "zullen"})


def universal(tag: str) -> str:
    """Return the universal part of speech of a C5 tag; X for an unknown tag."""
    return UNIVERSAL.get(tag, "X")


def universal_dutch(lemma: str, tag: str) -> str:
    """Return the universal part of speech of a Dutch word; X for an unknown tag."""
    pos = next((pos for prefix, pos in DUTCH.items() if tag.startswith(prefix)), "X")
    return "AUX" if pos == "VERB" and lemma in _DUTCH_AUXILIARIES else pos


OF_LANGUAGE: Mapping[str, Callable[[str, str], str]] = {
    "en": lambda _, tag: universal(tag),
    "nl": universal_dutch,
}
"""Language → the universal part of speech of a lemma and its tag."""
