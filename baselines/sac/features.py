"""The features of SAC: those that it shares with the audit, and families of its own.

A saved model is valid for the columns of its families in the order of ``FAMILIES``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from cdec.arrays import Singles
from cdec.baselines.sac.arguments import GOLD, argument_bags
from cdec.corpus.model import Corpus
from cdec.files.progress import Progress, silent
from cdec.pairs import features as shared
from cdec.pairs import mentions as encoding
from cdec.pairs.candidates import Candidates
from cdec.pairs.features import Columns, Family, cosine
from cdec.pairs.mentions import EncodedMentions
from cdec.pairs.tokens import tokenise

REVISION = "1"  # increase it when a feature changes: older models are then rejected


def overlap(m: EncodedMentions, c: Candidates, name: str) -> Columns:
    """Return the cosine of the bags, whether both have words, and whether these are disjoint."""
    present = np.diff(m.tables[name].indptr) > 0
    similarity, known = cosine(m.tables[name], c), present[c.left] & present[c.right]
    return [similarity, known, known & (similarity == 0)]


def _words_of(arguments: str) -> Family:
    """Return the family of the words of gold arguments of a kind (see ``arguments``)."""
    one = arguments.removesuffix("s")
    names = (f"{one}_cosine", f"{arguments}_known", f"other_{arguments}")
    return Family(names, partial(overlap, name=arguments))


FAMILIES: dict[str, Family] = {
    **shared.FAMILIES,
    "participants": _words_of("participants"),
    "times": _words_of("times"),
    "locations": _words_of("locations"),
}


def _chosen(families: Iterable[str]) -> dict[str, Family]:
    names = set(families)
    return {name: family for name, family in FAMILIES.items() if name in names}


def features(
    m: EncodedMentions, c: Candidates, families: Iterable[str], progress: Progress = silent
) -> Singles:
    """Return pairs × columns of ``families``, in the order of ``FAMILIES``."""
    return shared.features(m, c, _chosen(families), progress)


def columns(families: Iterable[str]) -> list[str]:
    """Return the column names of ``features``.

    >>> columns(["times", "documents"])
    ['document_cosine', 'time_cosine', 'times_known', 'other_times']
    """
    return shared.columns(_chosen(families))


def encode(
    corpus: Corpus,
    pipeline: str = "hanta",
    progress: Progress = silent,
    families: Sequence[str] = (),
) -> EncodedMentions:
    """Return the event mentions of ``corpus`` as arrays, with the input of the ``families``.

    Raises LanguageError as ``heads`` does, UsageError as ``argument_bags`` does.
    """
    tokens = tokenise(corpus, pipeline, progress)
    mentions = encoding.encode(corpus, pipeline, progress, tokens)
    if set(GOLD).isdisjoint(families):
        return mentions
    return replace(mentions, tables=argument_bags(corpus, mentions.codes, tokens))
