"""Map the tags of HanTa's models to universal parts of speech.

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

from collections.abc import Callable, Mapping

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
