"""The taggers of cdec, a sentence at a time: HanTa, and the stems of Snowball.

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

HanTa looks for a model in the working directory first, and loads it as a pickle, which can run any
code. Here only the file of the installed package is read, and only containers, text and numbers in
it are allowed.
"""

from __future__ import annotations

import gzip
import io
import pickle
import struct
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from cdec.errors import LanguageError

Sentence = tuple[str, ...]
Word = tuple[str, str, str]  # lemma, tag, universal part of speech
Tagger = Callable[[Sentence], Sequence[Word]]
ENGLISH = "en"  # not from cdec.corpus.model, with which workers would import pandas
MODELS = {ENGLISH: "morphmodel_en.pgz", "nl": "morphmodel_dutch.pgz"}
"""Language → the file of HanTa's model."""
# SHA-256 of the models of each release; signatures give only the version of these.
RELEASED = {
    "1.2.1": {
        "en": "99ddc9b14b3fe604b245e2d7a3aef59ab1bdd06b1bae4f4ce74738902e2a0265",
        "nl": "f374e2200fb555eb1bea392af0c1c7b276971b89044ecbcedcbf2293d3edbe4b",
    }
}
LONGEST = 100
_MARKS = ' \t\r\n"“”„«»®™©'
_MEMO = 1 << 16
_SHORT = 12
_HINT = "install HanTa again: `pip install --force-reinstall HanTa`"

# C5, the tags of the English model: Leech, Garside & Bryant (1994), "CLAWS4: the tagging of the
# British National Corpus". AVP, the particle of a phrasal verb, is ADP as in UD: "took *over*".
# VD* (do) and VH* (have) are VERB, because an event mention is rarely an auxiliary and the head
# rule prefers lexical verbs. NN is HanTa's own, for nouns with a prefix ("non-party").
_OF_C5 = {
    "ADJ": "AJ0 AJC AJS ORD",
    "ADP": "AVP PRF PRP",
    "ADV": "AV0 AVQ",
    "AUX": "VBB VBD VBG VBI VBN VBZ VM0",
    "CCONJ": "CJC",
    "DET": "AT0 DT0 DTQ",
    "INTJ": "ITJ",
    "NOUN": "NN NN0 NN1 NN2",
    "NUM": "CRD",
    "PART": "POS TO0 XX0",
    "PRON": "DPS EX0 PNI PNP PNQ PNX",
    "PROPN": "NP0",
    "PUNCT": "PUL PUN PUQ PUR",
    "SCONJ": "CJS CJT",
    "VERB": "VDB VDD VDG VDI VDN VDZ VHB VHD VHG VHI VHN VHZ VVB VVD VVG VVI VVN VVZ",
}
_C5 = {tag: pos for pos, tags in _OF_C5.items() for tag in tags.split()}
# Beginnings of the tags of the Dutch model, as in WW(pv,verl,ev): Van Eynde (2004), "Part of speech
# tagging en lemmatisering van het CGN". The auxiliaries are those of English.
_CGN = {
    **{"ADJ(": "ADJ", "BW(": "ADV", "LET(": "PUNCT", "LID(": "DET", "N(eigen": "PROPN"},
    **{"N(soort": "NOUN", "SPEC(symb": "SYM", "TSW(": "INTJ", "TW(hoofd": "NUM"},
    **{"TW(rang": "ADJ", "VG(neven": "CCONJ", "VG(onder": "SCONJ", "VNW(": "PRON"},
    **{"VZ(": "ADP", "WW(": "VERB"},
}
_DUTCH_AUXILIARIES = {"zijn", "worden", "kunnen", "moeten", "mogen", "willen", "zullen"}


def universal(language: str, lemma: str, tag: str) -> str:
    """Return the universal part of speech (UD 2) of a word; X for an unknown tag.

    >>> universal("en", "over", "AVP"), universal("nl", "zijn", "WW(pv,tgw,ev)")
    ('ADP', 'AUX')
    """
    if language == ENGLISH:
        return _C5.get(tag, "X")
    pos = next((pos for start, pos in _CGN.items() if tag.startswith(start)), "X")
    return "AUX" if pos == "VERB" and lemma in _DUTCH_AUXILIARIES else pos


def hanta(language: str = ENGLISH) -> Tagger:
    """Return HanTa's tagger. Raises LanguageError if its model is damaged or names code.

    HanTa's analyses of single words are pure functions, so they are memoised; this halves the time.
    """
    from HanTa.HanoverTagger import HanoverTagger  # noqa: PLC0415  a warm cache does not need it

    model = HanoverTagger("", _parameters(language))  # a name would be looked up in the folder
    model.strict = False  # as HanTa sets it for a model that it reads itself
    model._tag_word = cache(model._tag_word)
    model._analyze = cache(model._analyze)

    @lru_cache(maxsize=_MEMO)
    def tag(sentence: Sentence) -> Sequence[Word]:
        words = [bare(word) for word in sentence]
        seen = [i for i, word in enumerate(words) if 0 < len(word) <= LONGEST]
        answers = [(word.lower(), "UNC") for word in words]
        readable = [words[i] for i in seen]
        tagged = model.tag_sent(readable, casesensitive=not is_headline(readable))
        for i, (_, lemma, own) in zip(seen, tagged, strict=True):
            answers[i] = (lemma.lower(), own)
        return [(lemma, own, universal(language, lemma, own)) for lemma, own in answers]

    return tag


def snowball(algorithm: str) -> Tagger:
    """Return the stems of an algorithm of Snowball, such as ``spanish``, as a tagger."""
    import snowballstemmer  # noqa: PLC0415  a warm cache does not need it

    stem = cache(snowballstemmer.stemmer(algorithm).stemWord)
    return lambda sentence: [(stem(word.lower()), "X", "X") for word in sentence]


def bare(word: str) -> str:
    """Return the word without marks at its edges; a word of marks only is kept."""
    inner = word.strip(_MARKS)
    return inner if any(char.isalnum() for char in inner) else word.strip()


def is_headline(words: Sequence[str]) -> bool:
    """Return whether the sentence is in title case (or in capitals).

    Of the words after the first, those of four letters and more count: at least three, and at
    least 70 % of them capitalised. Scores on train vary by at most 0.05 for 60 to 90 %.
    """
    content = [word for word in words[1:] if len(word) > 3 and word[0].isalpha()]
    return len(content) >= 3 and sum(w[0].isupper() for w in content) >= 0.7 * len(content)


def hanta_version(language: str = ENGLISH) -> str:
    """Return the version of HanTa, or ``VERSION@DIGEST`` if the file of the model was changed.

    Raises LanguageError if HanTa or its model is missing.
    """
    try:
        release = version("HanTa")
    except PackageNotFoundError:
        message = "HanTa is not installed"
        raise LanguageError("package-missing", message, hint="pip install HanTa") from None
    digest = _digest(_model_file(language))
    known = RELEASED.get(release, {}).get(language) == digest
    return release if known else f"{release}@{digest[:_SHORT]}"


@cache
def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def _model_file(language: str) -> Path:
    spec = find_spec("HanTa")
    places = (spec and spec.submodule_search_locations) or []
    file = next((Path(place).absolute() / MODELS[language] for place in places), None)
    if file is None or not file.is_file():
        message = "the model is missing from the installed package"
        raise LanguageError("package-missing", message, place=file or MODELS[language], hint=_HINT)
    return file


def _parameters(language: str) -> tuple[Any, ...]:
    file = _model_file(language)
    try:
        return tuple(_Parameters(io.BytesIO(gzip.decompress(file.read_bytes()))).load())
    except Exception as error:  # noqa: BLE001  a damaged pickle can raise any
        message = f"not a model of HanTa: {error}"
        raise LanguageError("package-missing", message, place=file, hint=_HINT) from None


class _Parameters(pickle.Unpickler):
    """An unpickler that refuses every class and function but numpy's 64-bit number."""

    def find_class(self, module: str, name: str, /) -> Callable[..., Any]:
        """Return a safe replacement of the class or function. Raises UnpicklingError for others."""
        if (module, name) == ("numpy", "dtype"):
            return _Float64
        if module in ("numpy.core.multiarray", "numpy._core.multiarray") and name == "scalar":
            return lambda _, data: np.float64(*struct.unpack("<d", data))
        raise pickle.UnpicklingError(f"the file names the code {module}.{name}")


class _Float64:
    """In place of numpy's type: its name and byte order must be those of ``<d``."""

    def __init__(self, code: str, *_: object) -> None:
        if code != "f8":
            raise pickle.UnpicklingError(f"the file has numbers of the type {code!r:.20}")

    def __setstate__(self, state: tuple[object, ...]) -> None:
        if state[1] != "<":
            raise pickle.UnpicklingError(f"the file has the byte order {state[1]!r:.20}")
