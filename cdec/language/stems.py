"""The pipeline of languages without a tagger here: Snowball stems as lemmas.

All parts of speech are X, so that the head of a mention is its last token.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import snowballstemmer
import spacy
from spacy.language import Language
from spacy.tokens import Doc

COMPONENT = "cdec_stems"


def load(algorithm: str) -> Language:
    """Return the pipeline with an algorithm of Snowball, such as ``spanish``."""
    nlp = spacy.blank("xx")
    nlp.add_pipe(COMPONENT, config={"algorithm": algorithm})
    return nlp


@Language.factory(COMPONENT, assigns=["token.tag", "token.pos", "token.lemma"])
def component(nlp: Language, name: str, algorithm: str) -> Callable[[Doc], Doc]:
    """Return the component."""
    stem = cache(snowballstemmer.stemmer(algorithm).stemWord)

    def annotate(doc: Doc) -> Doc:
        for token in doc:
            token.lemma_, token.tag_, token.pos_ = stem(token.lower_), "X", "X"
        return doc

    return annotate
