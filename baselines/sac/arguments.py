"""Words of the gold arguments in a mention's sentence: participants, times and places.

Yang, Cardie & Frazier (2015), table 2, compare the participants, times and places found by a
semantic role labeller. Here they are the argument mentions annotated in the mention's sentence. The
annotation does not link arguments to events, so all events of a sentence share its arguments.
Intended for comparison with systems that use gold arguments; off by default.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

from cdec.arrays import Ints
from cdec.corpus.blind import arguments_of
from cdec.corpus.model import Corpus
from cdec.pairs.bags import matrix
from cdec.pairs.tokens import TokenTable

# The feature families that require gold arguments → the kind of argument: tags HUMAN_* and
# NON_HUMAN_* (YCF: Arg0, Arg1), TIME_* (YCF: time) and LOC_* (YCF: location).
KINDS = {"participants": "participant", "times": "time", "locations": "location"}
GOLD = tuple(KINDS)


def argument_bags(
    corpus: Corpus, codes: Mapping[str, Ints], tokens: TokenTable
) -> dict[str, csr_matrix]:
    """Return the bags ``participants``, ``times`` and ``locations``, one row per mention.

    A row has the content lemmas of the arguments of this kind in the mention's sentence. Raises
    UsageError if the corpus does not provide arguments.
    """
    arguments = arguments_of(corpus)
    idf, size = tokens.idf, (len(codes["doc"]), tokens.size)
    places = pd.DataFrame({"doc": codes["doc"], "sentence": codes["sentence"]})
    places = places.assign(row=np.arange(len(places)))
    result = {}
    for name, kind in KINDS.items():
        words = _words(arguments[arguments["kind"] == kind], tokens)
        pairs = places.merge(words, on=["doc", "sentence"])
        result[name] = matrix((pairs["row"].to_numpy(), pairs["lemma"].to_numpy()), idf, size)
    return result


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
