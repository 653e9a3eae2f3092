"""The features of SAC: those that it shares with the audit, and families of its own.

A saved model is valid for the columns of its families in the order of ``FAMILIES``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from cdec.arrays import Ints, Singles
from cdec.baselines.sac.arguments import GOLD, argument_bags
from cdec.baselines.sac.centrality import CENTRALITY, DENSITY, Sentences, centrality, density
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent
from cdec.language.similarity import NO_PAIRS, DocumentPairs
from cdec.pairs import features as shared
from cdec.pairs import mentions as encoding
from cdec.pairs.candidates import Candidates
from cdec.pairs.embedding import embed
from cdec.pairs.features import Columns, Family, both, cosine, letters, same
from cdec.pairs.mentions import EncodedMentions
from cdec.pairs.tokens import tokenise

REVISION = "1"  # increase it when a feature changes: older models are then rejected
RIVALS = (
    *("rank_document_low", "rank_document_high", "margin_document_low", "margin_document_high"),
    *("rank_all_low", "rank_all_high", "margin_all_low", "margin_all_high"),
)


def rivals(document: Ints, c: Candidates, similarity: Singles) -> list[Singles]:
    """Return the columns ``RIVALS`` of all candidate pairs ``c``.

    ``document`` is the document row of each mention, ``similarity`` orders the pairs. For each end
    of a pair the rivals are the end's other pairs with the same document, or all its other pairs.
    Rank: log of 1 + the number of rivals with a higher similarity; margin: the similarity minus the
    highest of the rivals (0 without rivals). Of both ends the lower and the higher value.
    """
    ends = np.concatenate([c.left, c.right])
    others = document[np.concatenate([c.right, c.left])]
    values = np.tile(similarity, 2)
    size = int(document.max(initial=-1)) + 1
    columns: list[Singles] = []
    for group in (ends * size + others, ends):
        for numbers in _standing(group, values):
            left, right = numbers[: len(c)], numbers[len(c) :]
            columns += [np.minimum(left, right), np.maximum(left, right)]
    return columns


def _standing(group: Ints, values: Singles) -> tuple[Singles, Singles]:
    """Return for each entry its rank (log) and its margin in its group."""
    order = np.lexsort((-values, group))
    ordered, sizes = values[order], np.unique(group, return_counts=True)[1]
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    place = np.arange(len(order))
    # Entries of equal value have the rank of the first of them.
    new = np.ones(len(order), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]) | (first[1:] != first[:-1])
    rank = np.maximum.accumulate(np.where(new, place, 0)) - first
    second = np.minimum(first + 1, max(len(order) - 1, 0))
    best = np.where(place == first, ordered[second], ordered[first])
    margin = np.where(np.repeat(sizes, sizes) > 1, ordered - best, 0)
    result = np.empty((2, len(order)), dtype=np.float32)
    result[:, order] = np.stack([np.log1p(rank), margin])
    return result[0], result[1]


def embedding(m: EncodedMentions, c: Candidates) -> Columns:
    """Cosines of the vectors of the mentions and of their sentences (see ``embedding.embed``)."""
    mention, sentence = (dot(m.vectors[name], c) for name in ("mention", "sentence"))
    return [mention, sentence, same(m, c, "stem") * mention]


def of_both(m: EncodedMentions, c: Candidates, name: str) -> Columns:
    """Return the lower and the higher value of both mentions, of each column of a table."""
    return [side for column in m.tables[name].T for side in both(column, c)]


def rivalry(m: EncodedMentions, c: Candidates) -> Columns:
    """Rank and margin among the other pairs of both mentions (see ``rivals``)."""
    return list(rivals(m.codes["doc"], c, likeness(m, c)))


def likeness(m: EncodedMentions, c: Candidates) -> Singles:
    """Return the similarity that orders the pairs for ``rivalry``.

    It is the cosine of the vectors of the mentions, or without vectors the mean of the letter
    n-gram cosine of the heads and the idf cosine of the sentences.
    """
    parts = []
    for block in c.blocks():
        if "mention" in m.vectors:
            parts.append(dot(m.vectors["mention"], block))
        else:
            grams = letters(m, block)[0].astype(np.float32)
            parts.append((grams + cosine(m.bags["sentence"], block)) / np.float32(2))
    return np.concatenate(parts) if parts else np.zeros(0, np.float32)


def overlap(m: EncodedMentions, c: Candidates, name: str) -> Columns:
    """Return the cosine of the bags, whether both have words, and whether these are disjoint."""
    present = np.diff(m.tables[name].indptr) > 0
    similarity, known = cosine(m.tables[name], c), present[c.left] & present[c.right]
    return [similarity, known, known & (similarity == 0)]


def dot(rows: Singles, c: Candidates) -> Singles:
    """Return the dot product of the two dense rows of each pair."""
    return np.asarray(np.einsum("ij,ij->i", rows[c.left], rows[c.right]), dtype=np.float32)


def _ends(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{name}_{side}" for name in names for side in ("low", "high"))


def _words_of(arguments: str) -> Family:
    """Return the family of the words of gold arguments of a kind (see ``arguments``)."""
    one = arguments.removesuffix("s")
    names = (f"{one}_cosine", f"{arguments}_known", f"other_{arguments}")
    return Family(names, partial(overlap, name=arguments))


FAMILIES: dict[str, Family] = {
    **shared.FAMILIES,
    "embedding": Family(("mention_vectors", "sentence_vectors", "same_stem_vectors"), embedding),
    "centrality": Family(_ends(CENTRALITY), partial(of_both, name="centrality")),
    "rivals": Family(RIVALS, rivalry, whole=True),
    "density": Family(_ends(DENSITY), partial(of_both, name="density")),
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
    near: DocumentPairs | None = None,
) -> EncodedMentions:
    """Return the event mentions of ``corpus`` as arrays, with the input of the ``families``.

    ``near`` are the pairs of similar documents, without which no sentence is central (see
    ``centrality``). Raises LanguageError as ``heads`` does, and if a family's package is missing;
    UsageError as ``argument_bags`` does.
    """
    tokens = tokenise(corpus, pipeline, progress)
    mentions = encoding.encode(corpus, pipeline, progress, tokens)
    codes, tables = mentions.codes, dict(mentions.tables)
    if not set(GOLD).isdisjoint(families):
        tables |= argument_bags(corpus, codes, tokens)
    central = "centrality" in families
    vectors = embed(corpus, progress, central) if "embedding" in families else {}
    if not {"centrality", "density"}.isdisjoint(families):
        sentences = Sentences.of(corpus, tokens, vectors.pop("sentences", None))
        tables["density"] = density(codes, sentences)
        if central:
            tables["centrality"] = centrality(codes, near or NO_PAIRS, sentences)
    return replace(mentions, vectors=vectors, tables=tables)
