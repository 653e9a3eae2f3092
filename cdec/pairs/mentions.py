"""The mentions of a corpus as arrays, the input of every pairwise feature.

Rows are the event mentions in the order of ``corpus.mentions``. Bags of words are sparse matrices
with one row per mention, weighted by idf and scaled to unit length: the dot product of two rows is
their cosine. Input are text, mention spans and language annotations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

from cdec.arrays import Floats, Ints, Singles
from cdec.corpus.model import Corpus
from cdec.files.progress import Progress, silent
from cdec.language.heads import heads
from cdec.pairs.bags import bags, idf_of_heads
from cdec.pairs.tokens import TokenTable, tokenise
from cdec.pairs.words import Lexicon, roots, stems


@dataclass(frozen=True, eq=False)
class EncodedMentions:
    """Event mentions of a corpus part.

    ``codes``: integer columns, one value per mention: ``doc`` (row of the document), ``sentence``,
    ``head`` (token in the document), ``order`` (rank among the document's mentions), and codes of
    ``lemma``, ``form``, ``stem``, ``root``, ``pos``, ``text``.
    ``numbers``: ``idf`` of the head lemma over documents (about 1 in one document, 0 in all),
    ``light`` (a light verb), ``length`` in tokens, ``depth`` (0 in the first sentence, growing to
    1), ``repeats`` (log of 1 + other mentions of the lemma in the document).
    ``kinds``: class of part of speech (V, N, X) → its code in ``codes["pos"]``.
    ``lexicon``: compares head lemmas by code. ``bags``: name → sparse rows (see
    ``cdec.pairs.bags``). A system may add ``tables``: name → one row of numbers per mention.
    """

    index: pd.Index[Any] = field(repr=False)
    codes: Mapping[str, Ints] = field(repr=False)
    numbers: Mapping[str, Singles] = field(repr=False)
    kinds: Mapping[str, int]
    lexicon: Lexicon = field(repr=False)
    bags: Mapping[str, csr_matrix] = field(repr=False)
    tables: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.index)

    def part(self, rows: Ints) -> EncodedMentions:
        """Return the mentions of these rows, which are all mentions of their documents.

        Their numbers and bags are those that they have among all mentions.
        """
        sliced: dict[str, Any] = {
            f.name: {name: column[rows] for name, column in getattr(self, f.name).items()}
            for f in fields(self)
            if f.name not in _WHOLE
        }
        own = self.bags
        of_rows = own.part(rows) if isinstance(own, LazyBags) else {n: own[n][rows] for n in own}
        return replace(self, index=self.index[rows], bags=of_rows, **sliced)


# What ``part`` does not slice column by column.
_WHOLE = ("index", "kinds", "lexicon", "bags")


class LazyBags(Mapping[str, csr_matrix]):
    """The bags of all mentions, which are made when the first is used; or those of a part."""

    def __init__(self, table: pd.DataFrame, codes: Mapping[str, Ints], tokens: TokenTable) -> None:
        self._of = (table, codes, tokens)

    def part(self, rows: Ints) -> dict[str, csr_matrix]:
        """Return the bags of these rows (see ``EncodedMentions.part``)."""
        table, codes, tokens = self._of
        own = {name: column[rows] for name, column in codes.items()}
        return bags(table.iloc[rows], own, tokens, self._head_idf)

    def __getitem__(self, name: str) -> csr_matrix:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @cached_property
    def _all(self) -> dict[str, csr_matrix]:
        return bags(*self._of, self._head_idf)

    @cached_property
    def _head_idf(self) -> Floats:
        return idf_of_heads(self._of[1])


def encode(
    corpus: Corpus,
    pipeline: str = "hanta",
    progress: Progress = silent,
    tokens: TokenTable | None = None,
) -> EncodedMentions:
    """Return the event mentions of ``corpus`` as arrays; ``tokens`` are those of ``tokenise``.

    Raises LanguageError as ``heads`` does.
    """
    visible = ["doc", "sentence", "tokens", "text"]
    table = corpus.mentions[visible].join(heads(corpus, pipeline, progress))
    tokens = tokens or tokenise(corpus, pipeline, progress)
    lexicon = Lexicon.from_words(sorted(set(table["lemma"])))
    codes = _codes(table, tokens, lexicon)
    numbers = {name: np.asarray(x, np.float32) for name, x in _numbers(table, codes).items()}
    own_bags = LazyBags(table, codes, tokens)
    return EncodedMentions(table.index, codes, numbers, _KINDS, lexicon, own_bags)


def _codes(table: pd.DataFrame, tokens: TokenTable, lexicon: Lexicon) -> dict[str, Ints]:
    lemma = pd.Index(lexicon.words).get_indexer(pd.Index(table["lemma"]))
    return {
        "doc": tokens.rows(table["doc"]),
        "sentence": table["sentence"].to_numpy(np.int64),
        "head": table["head"].to_numpy(np.int64),
        "order": table.groupby("doc", sort=False).cumcount().to_numpy(np.int64),
        "lemma": lemma.astype(np.int64),
        "stem": _factor(stems(lexicon.words))[lemma],
        "root": _factor(roots(lexicon.words))[lemma],
        "form": _factor(table["form"].str.lower()),
        "text": _factor(table["text"].str.lower()),
        "pos": table["pos"].map(_COARSE).fillna("X").map(_KINDS).to_numpy(np.int64),
    }


def _factor(values: Iterable[str]) -> Ints:
    return pd.factorize(np.array(list(values), dtype=object))[0].astype(np.int64)


def _numbers(table: pd.DataFrame, codes: Mapping[str, Ints]) -> dict[str, Any]:
    places = pd.DataFrame({"doc": codes["doc"], "lemma": codes["lemma"]})
    count = places["doc"].nunique()
    spread = places.groupby("lemma")["doc"].transform("nunique")
    return {
        "idf": np.log((1 + count) / (1 + spread)) / np.log((1 + count) / 2 + 1),
        "light": table["lemma"].isin(_LIGHT),
        "length": table["tokens"].map(len),
        "depth": 1 - np.exp(-codes["sentence"] / 5),
        "repeats": np.log(places.groupby(["doc", "lemma"])["lemma"].transform("size")),
    }


_KINDS = {"V": 0, "N": 1, "X": 2}
_COARSE = {"VERB": "V", "AUX": "V", "NOUN": "N", "PROPN": "N"}
# Verbs with little meaning: the event is the word that they report or support.
_LIGHT = (
    *("be", "have", "do", "make", "take", "give", "get", "go", "come", "put", "say", "tell"),
    *("see", "set", "hold", "keep", "use", "report", "call", "add", "announce", "show"),
)
