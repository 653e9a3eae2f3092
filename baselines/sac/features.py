"""The features of SAC: those that it shares with the audit, and words of gold arguments.

Yang, Cardie & Frazier (2015), table 2, compare the participants, times and places found by a
semantic role labeller. Here they are the argument mentions annotated in the mention's sentence. The
annotation does not link arguments to events, so all events of a sentence share its arguments.
Intended for comparison with systems that use gold arguments; off by default.

A saved model is valid for the columns of its families in the order of ``FAMILIES``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

from cdec.arrays import Ints
from cdec.corpus.blind import arguments_of
from cdec.corpus.model import Corpus
from cdec.files.progress import Progress, silent
from cdec.pairs import features as shared
from cdec.pairs import mentions as encoding
from cdec.pairs.bags import Words
from cdec.pairs.features import Family, overlap
from cdec.pairs.mentions import EncodedMentions, words_of

REVISION = "1"  # increase it when a feature changes: older models are then rejected
# The families that require gold arguments → the kind of argument: tags HUMAN_* and NON_HUMAN_*
# (YCF: Arg0, Arg1), TIME_* (YCF: time) and LOC_* (YCF: location).
GOLD = {"participants": "participant", "times": "time", "locations": "location"}
FAMILIES: dict[str, Family] = {
    **shared.FAMILIES,
    **{
        name: Family(
            (f"{kind}_cosine", f"{name}_known", f"other_{name}"),
            lambda m, c, name=name: overlap(m.bags[name], c),  # type: ignore[misc]
        )
        for name, kind in GOLD.items()
    },
}


def chosen(families: Iterable[str]) -> dict[str, Family]:
    """Return these families in the order of ``FAMILIES``."""
    names = set(families)
    return {name: family for name, family in FAMILIES.items() if name in names}


def encode(
    corpus: Corpus, pipeline: str, families: Collection[str], progress: Progress = silent
) -> EncodedMentions:
    """Return the event mentions of ``corpus`` as arrays, with the input of the ``families``.

    Raises LanguageError as ``heads`` does, UsageError if the corpus does not provide arguments.
    """
    words = words_of(corpus, pipeline, progress)
    mentions = encoding.encode(corpus, pipeline, progress, words)
    if GOLD.keys().isdisjoint(families):
        return mentions
    return replace(mentions, bags={**mentions.bags, **_bags(corpus, mentions.codes, words)})


def _bags(corpus: Corpus, codes: Mapping[str, Ints], words: Words) -> dict[str, csr_matrix]:
    """Return a bag of each kind of argument: the content lemmas in the mention's sentence."""
    spans = arguments_of(corpus)[["doc", "kind", "tokens"]].explode("tokens")
    doc = pd.Index(list(corpus.documents)).get_indexer(pd.Index(spans["doc"]))
    at = words.first[doc] + spans["tokens"].to_numpy(np.int64)
    found = pd.DataFrame({"kind": spans["kind"].to_numpy(), "at": at}).merge(words.content, on="at")
    places = pd.DataFrame({"doc": codes["doc"], "sentence": codes["sentence"]})
    size = len(places)
    pairs = places.assign(row=np.arange(size)).merge(found, on=["doc", "sentence"])
    kinds = {name: pairs[pairs["kind"] == kind] for name, kind in GOLD.items()}
    return {name: words.bag(part["row"], part["lemma"], size) for name, part in kinds.items()}
