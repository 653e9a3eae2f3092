"""Lemma and Lemma-WD: mentions corefer if their heads have the same lemma.

The baselines of Upadhyay et al. (2016), section 5: Lemma over all documents, Lemma-WD (their
"within document" variant) inside each document only. Nothing is learned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from cdec.arrays import AnySeries
from cdec.clustering import Clustering, is_no_chain
from cdec.corpus.model import Corpus
from cdec.files.progress import Progress, silent
from cdec.language.heads import heads
from cdec.language.pipeline import pipeline


@dataclass(frozen=True)
class Lemma:
    """One chain per head lemma. ``pipeline`` is the name of the language pipeline."""

    name: ClassVar[str] = "lemma"  # the system's id in results
    pipeline: str = "hanta"
    progress: Progress = field(default=silent, repr=False, compare=False)

    @property
    def parameters(self) -> Mapping[str, object]:
        """The language pipeline with its version."""
        return {"nlp": pipeline(self.pipeline).identity}

    def predict(self, corpus: Corpus) -> Clustering:
        """Return the chains, labelled by their lemma. Raises LanguageError as ``heads`` does."""
        labels = self.lemmas(corpus)
        return Clustering(labels.mask(labels.map(is_no_chain), "lemma:" + labels))

    def lemmas(self, corpus: Corpus) -> AnySeries:
        """Return each mention's head lemma, or the mention's id if the head is blank.

        A blank head then matches nothing. Raises LanguageError as ``heads`` does.
        """
        lemmas = heads(corpus, self.pipeline, self.progress)["lemma"]
        return lemmas.where(lemmas.str.strip() != "", lemmas.index.to_series())


@dataclass(frozen=True)
class LemmaWD(Lemma):
    """One chain per head lemma and document."""

    name = "lemma-wd"

    def predict(self, corpus: Corpus) -> Clustering:
        """Return the chains, labelled ``"<document>/<lemma>"``."""
        lemmas = super().predict(corpus).labels
        return Clustering(corpus.mentions["doc"] + "/" + lemmas)
