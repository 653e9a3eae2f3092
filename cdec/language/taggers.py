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
code. Here only the file of the installed package is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from cdec.configs import read_toml
from cdec.errors import LanguageError
from cdec.language.stems import stemmer
from cdec.records import Words

Sentence = Words
Word = tuple[str, str, str]  # lemma, tag, universal part of speech
Tagger = Callable[[Sentence], Sequence[Word]]
ENGLISH = "en"  # not from cdec.corpus.model, with which workers would import pandas
MODELS = {ENGLISH: "morphmodel_en.pgz", "nl": "morphmodel_dutch.pgz"}
"""Language → the file of HanTa's model."""
LONGEST = 100
_MARKS = ' \t\r\n"“”„«»®™©'
_MEMO = 1 << 16
_HINT = "install HanTa again: `pip install --force-reinstall HanTa`"

_TAGS = read_toml("language.toml")
_C5: dict[str, str] = {
    tag: pos for pos, tags in _TAGS["c5"].items() for tag in tags.split()
}
_DUTCH_AUXILIARIES = {"zijn", "worden", "kunnen", "moeten", "mogen", "willen", "zullen"}


def universal(language: str, lemma: str, tag: str) -> str:
    """Return the universal part of speech (UD 2) of a word; X for an unknown tag.

    >>> universal("en", "over", "AVP"), universal("nl", "zijn", "WW(pv,tgw,ev)")
    ('ADP', 'AUX')
    """
    if language == ENGLISH:
        return _C5.get(tag, "X")
    # By the beginning of a tag.
    pos = next(
        (pos for start, pos in _TAGS["cgn"].items() if tag.startswith(start)), "X"
    )
    return "AUX" if pos == "VERB" and lemma in _DUTCH_AUXILIARIES else pos


def hanta(language: str) -> Tagger:
    """Return HanTa's tagger. Raises LanguageError if its model is missing or damaged.

    HanTa's analyses of single words are pure functions, so they are memoised; this halves the time.
    """
    from HanTa import HanoverTagger  # noqa: PLC0415  a warm cache does not need it

    # By its path: HanTa looks for a name in the working directory first, and models are pickles.
    file = Path(HanoverTagger.__file__).absolute().with_name(MODELS[language])
    try:
        model = HanoverTagger.HanoverTagger(str(file))
    except Exception as error:  # noqa: BLE001  a damaged pickle can raise any
        raise LanguageError(
            "package-missing", f"not a model of HanTa: {error}", place=file, hint=_HINT
        ) from None
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
    stem = cache(stemmer(algorithm))
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
    return len(content) >= 3 and sum(w[0].isupper() for w in content) >= 0.7 * len(
        content
    )


def hanta_version() -> str:
    """Return the version of HanTa. Raises LanguageError if it is missing."""
    try:
        return version("HanTa")
    except PackageNotFoundError:
        raise LanguageError(
            "package-missing", "HanTa is not installed", hint="pip install HanTa"
        ) from None
