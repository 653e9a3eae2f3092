"""The mentions of a corpus as arrays, the input of every pairwise feature.

Rows are the event mentions in the order of ``corpus.mentions``. Input are text, mention spans and
language annotations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

from cdec.arrays import Ints, Singles
from cdec.configs import read_toml
from cdec.corpus.model import Corpus
from cdec.files.progress import Progress, silent
from cdec.language.annotate import annotate
from cdec.language.heads import heads
from cdec.language.stems import stems
from cdec.pairs.bags import Words, bags
from cdec.pairs.lexicon import Lexicon, roots

_COARSE = {"VERB": "V", "AUX": "V", "NOUN": "N", "PROPN": "N"}


@dataclass(frozen=True, eq=False)
class EncodedMentions:
    """Event mentions of a corpus part.

    ``codes``: integer columns, one value per mention: ``doc`` (row of the document), ``sentence``,
    ``head`` (token in the document), ``order`` (rank among the document's mentions), and codes of
    ``lemma``, ``form``, ``stem``, ``root``, ``pos`` (see ``kinds``), ``text``.
    ``numbers``: ``idf`` of the head lemma over documents (about 1 in one document, 0 in all),
    ``light`` (a light verb), ``length`` in tokens, ``depth`` (0 in the first sentence, growing to
    1), ``repeats`` (log of 1 + other mentions of the lemma in the document).
    ``lexicon``: compares head lemmas by code. ``bags``: name → sparse rows (see
    ``cdec.pairs.bags``).
    """

    kinds: ClassVar[Mapping[str, int]] = {"V": 0, "N": 1, "X": 2}
    index: pd.Index[Any] = field(repr=False)
    codes: Mapping[str, Ints] = field(repr=False)
    numbers: Mapping[str, Singles] = field(repr=False)
    lexicon: Lexicon = field(repr=False)
    bags: Mapping[str, csr_matrix] = field(repr=False)

    def __len__(self) -> int:
        return len(self.index)


def encode(
    corpus: Corpus, pipeline: str = "hanta", progress: Progress = silent
) -> EncodedMentions:
    """Return the event mentions of ``corpus`` as arrays.

    Raises LanguageError as ``heads`` does.
    """
    visible = ["doc", "sentence", "tokens", "text"]
    table = corpus.mentions[visible].join(heads(corpus, pipeline, progress))
    starts = [document.text_start for document in corpus.documents.values()]
    words = Words.of(annotate(corpus, pipeline, progress), starts)
    lexicon = Lexicon.from_words(sorted(set(table["lemma"])))
    lemma = (
        pd.Index(lexicon.words).get_indexer(pd.Index(table["lemma"])).astype(np.int64)
    )
    doc = (
        pd.Index(list(corpus.documents))
        .get_indexer(pd.Index(table["doc"]))
        .astype(np.int64)
    )
    kind = table["pos"].map(_COARSE).fillna("X").map(EncodedMentions.kinds)
    codes = {
        "doc": doc,
        "sentence": table["sentence"].to_numpy(np.int64),
        "head": table["head"].to_numpy(np.int64),
        "order": table.groupby("doc", sort=False).cumcount().to_numpy(np.int64),
        "lemma": lemma,
        "stem": _codes(stems(lexicon.words))[lemma],
        "root": _codes(roots(lexicon.words))[lemma],
        "form": _codes(table["form"].str.lower()),
        "text": _codes(table["text"].str.lower()),
        "pos": kind.to_numpy(np.int64),
    }
    places = pd.DataFrame({"doc": doc, "lemma": lemma})
    count = places["doc"].nunique()
    spread = places.groupby("lemma")["doc"].transform("nunique")
    numbers = {
        "idf": np.log((1 + count) / (1 + spread)) / np.log((1 + count) / 2 + 1),
        "light": table["lemma"].isin(read_toml("language.toml")["light_verbs"]),
        "length": table["tokens"].map(len),
        "depth": 1 - np.exp(-codes["sentence"] / 5),
        "repeats": np.log(places.groupby(["doc", "lemma"])["lemma"].transform("size")),
    }
    singles = {name: np.asarray(column, np.float32) for name, column in numbers.items()}
    return EncodedMentions(
        table.index, codes, singles, lexicon, bags(table["tokens"], codes, words)
    )


def _codes(values: Iterable[str]) -> Ints:
    return pd.factorize(np.array(list(values), dtype=object))[0].astype(np.int64)
