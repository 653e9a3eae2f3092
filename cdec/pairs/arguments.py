"""Words of the gold arguments beside a mention: who takes part, when, and where.

Yang, Cardie & Frazier (2015), table 2, compare the participants, times and places that a semantic
role labeller finds. Here they are the argument markables of the mention's sentence, as an annotator
marked them: which event an argument belongs to is not annotated, so that the events of a sentence
share its arguments. For comparison with systems that see gold arguments; off by default.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

from cdec.arrays import Ints
from cdec.corpus.blind import arguments_of
from cdec.corpus.model import Corpus
from cdec.pairs.bags import matrix, token_idf
from cdec.pairs.tokens import TokenTable

# The families of features that need them.
GOLD = ("participants", "times", "locations")


def argument_bags(
    corpus: Corpus, codes: Mapping[str, Ints], tokens: TokenTable
) -> dict[str, csr_matrix]:
    """Return ``participants``, ``times`` and ``locations``: a row a mention, as ``bags`` has them.

    A row holds the content lemmas of the arguments of its kind in the mention's sentence. Raises
    UsageError for a corpus that shows no arguments.
    """
    arguments = arguments_of(corpus)
    idf, size = token_idf(tokens), (len(codes["doc"]), tokens.size)
    places = pd.DataFrame({"doc": codes["doc"], "sentence": codes["sentence"]})
    places = places.assign(row=np.arange(len(places)))
    made = {}
    for name, chosen in zip(GOLD, (participants, times, locations), strict=True):
        words = _words(chosen(arguments), tokens)
        pairs = places.merge(words, on=["doc", "sentence"])
        made[name] = matrix((pairs["row"].to_numpy(), pairs["lemma"].to_numpy()), idf, size)
    return made


def participants(arguments: pd.DataFrame) -> pd.DataFrame:
    """Return the arguments that take part: tags HUMAN_* and NON_HUMAN_* (YCF: Arg0, Arg1)."""
    return arguments[arguments["kind"] == "participant"]


def times(arguments: pd.DataFrame) -> pd.DataFrame:
    """Return the arguments that say when: tags TIME_* (YCF: time)."""
    return arguments[arguments["kind"] == "time"]


def locations(arguments: pd.DataFrame) -> pd.DataFrame:
    """Return the arguments that say where: tags LOC_* (YCF: location)."""
    return arguments[arguments["kind"] == "location"]


def _words(arguments: pd.DataFrame, tokens: TokenTable) -> pd.DataFrame:
    """Return (doc, sentence, lemma) of each content word of the arguments, as codes."""
    doc = tokens.rows(arguments["doc"])
    lengths = arguments["tokens"].map(len).to_numpy(np.int64)
    flat = [token for at in arguments["tokens"] for token in at]
    at = np.array(flat, dtype=np.int64) + np.repeat(tokens.first[doc], lengths)
    at = at[tokens.content[at]]
    return pd.DataFrame(
        {"doc": tokens.doc[at], "sentence": tokens.sentence[at], "lemma": tokens.lemma[at]}
    )
