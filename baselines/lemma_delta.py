"""Lemma-δ: the head lemmas match, and the documents are similar.

The baseline that Upadhyay et al. (2016), section 5, recommend for comparison. Two mentions are
linked if their heads have the same lemma and the tf-idf cosine of their documents is at least δ;
the chains are the connected components of the links. Mentions of one lemma in one document are
always linked, even if the document has no text. δ = 0 is Lemma.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from cdec.arrays import Ints
from cdec.baselines.blocks import Blocks
from cdec.baselines.lemma import Lemma
from cdec.clustering import Clustering
from cdec.configs import read_toml
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError, UsageError
from cdec.language.similarity import DocumentPairs, Matrix, Tfidf, similar_pairs, vectors
from cdec.system import Tuned

_DEFAULT = read_toml("systems/lemma-delta.toml")
_TFIDF = Tfidf(**_DEFAULT["tfidf"])


@dataclass(frozen=True)
class LemmaDelta(Lemma):
    """One chain per connected component of mentions with one head lemma in similar documents.

    ``delta`` is δ, ``tfidf`` the parameters of the document vectors, ``tuned`` the data that both
    were tuned on, if a configuration names it. Raises UsageError for a δ outside [0, 1].
    """

    delta: float = _DEFAULT["delta"]
    tfidf: Tfidf = _TFIDF
    tuned: Tuned | None = None

    def __post_init__(self) -> None:
        number = isinstance(self.delta, int | float) and not isinstance(self.delta, bool)
        if not (number and 0 <= self.delta <= 1):
            message = f"δ must be a number from 0 to 1, got {self.delta!r}"
            hint = "as in delta = 0.3"
            raise UsageError("parameter-invalid", message, place=self.name, hint=hint)

    @property
    def name(self) -> str:
        """The system's id in results."""
        return "lemma-delta"

    @property
    def parameters(self) -> Mapping[str, object]:
        """The language pipeline, δ, the tf-idf parameters, and the data they were tuned on."""
        own = {"delta": float(self.delta), "tfidf": asdict(self.tfidf)}
        tuning = self.tuned.parameters if self.tuned else {}
        return {**super().parameters, **own, **tuning}

    def predict(self, corpus: Corpus) -> Clustering:
        """Return the chains, labelled ``"<lemma>/<k>"``.

        Raises LanguageError as ``heads`` does, CorpusError for a corpus without documents.
        """
        return next(self.curve(corpus, [self.delta]))

    def curve(self, corpus: Corpus, deltas: Sequence[float]) -> Iterator[Clustering]:
        """Yield the prediction for each of ``deltas``; heads and vectors are computed once."""
        systems = [replace(self, delta=delta) for delta in deltas]
        if not corpus.documents:
            place = f"{corpus.name} ({corpus.part})"
            hint = "choose another part"
            raise CorpusError("part-too-small", "no documents", place=place, hint=hint)
        blocks = Blocks.from_mentions(
            self.lemmas(corpus), corpus.mentions["doc"], list(corpus.documents)
        )
        rows = vectors(list(corpus.documents.values()), self.tfidf)
        for cluster in self._clusters(blocks, rows, [float(s.delta) for s in systems]):
            labels = blocks.labels(cluster)
            yield Clustering(labels.set_axis(corpus.mentions.index))

    def _clusters(self, blocks: Blocks, rows: Matrix, deltas: Sequence[float]) -> Iterator[Ints]:
        """Yield each mention's cluster for each δ; ``rows`` are the vectors of the documents."""
        pairs = self._pairs(rows, deltas)
        for delta in deltas:
            if delta > 0:
                yield blocks.by_links(chunk.reaching(delta) for chunk in pairs)
            else:
                yield blocks.lemma

    def _pairs(self, rows: Matrix, deltas: Sequence[float]) -> Iterable[DocumentPairs]:
        """Return the pairs for the lowest δ above 0: an iterator for one δ, a list for several."""
        lowest = min((delta for delta in deltas if delta > 0), default=None)
        pairs = similar_pairs(rows, lowest, self.progress) if lowest else iter(())
        return pairs if len(deltas) == 1 else list(pairs)
