"""Annotate documents: spaCy Docs with the tokens of the corpus, cached as a DocBin.

The cache key is the content of the documents (``fingerprint``), not their ids: a blind corpus, a
corpus in another order, or a copy under another name uses the same annotations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from cdec.corpus.fingerprint import fingerprint
from cdec.corpus.model import Corpus, Document
from cdec.errors import CorpusError, LanguageError
from cdec.io import cache
from cdec.io.progress import Progress, silent
from cdec.language.pipeline import Pipeline, pipeline

KIND = "annotations"
REVISION = "2"  # raise it when our own rules change an annotation

_FLAT = ("ORTH", "TAG", "POS", "LEMMA", "SENT_START")
_PARSED = ("ORTH", "TAG", "POS", "LEMMA", "HEAD", "DEP")  # sentence starts follow from the heads
_BLANK = " "  # replaces an empty token, which spaCy does not accept


def annotate(corpus: Corpus, name: str = "hanta", progress: Progress = silent) -> dict[str, Doc]:
    """Return document id → Doc with lemma, tag, universal part of speech and, with a parser, head.

    Doc and Document have the same number of tokens and the same sentences; an empty token is a
    blank in the Doc. Two documents with the same content share one Doc. Raises the errors of
    ``pipeline``, LanguageError for a model without lemmas or parts of speech, and CorpusError for
    a corpus without text.
    """
    if corpus.text == "none":
        message, hint = "the corpus has no text (its tokens are masked)", "score response files"
        raise CorpusError("text-missing", message, place=corpus.name, hint=hint)
    chosen = pipeline(name)
    texts = {fingerprint(document): document for document in corpus.documents.values()}
    texts = dict(sorted(texts.items()))
    key = cache.key(REVISION, version("spacy"), chosen.identity, *texts)
    docs = cache.parsed(KIND, key, lambda body: _parsed(body, texts))
    if docs is None:
        body = _annotated(texts.values(), chosen, progress)
        cache.write(KIND, key, body)
        # New docs are read back from the bytes too, so that they are identical to cached ones.
        docs = _parsed(body, texts)
    return {id_: docs[fingerprint(document)] for id_, document in corpus.documents.items()}


def to_doc(vocab: Vocab, document: Document) -> Doc:
    """Return the document as a Doc with the same tokens and sentences, without annotation."""
    words = [word or _BLANK for word in document.tokens]
    starts: list[bool | int | None] = [
        i == 0 for sentence in document.sentences for i in range(len(sentence))
    ]
    return Doc(vocab, words=words, sent_starts=starts)


def _parsed(body: bytes, texts: Mapping[str, Document]) -> dict[str, Doc]:
    """Return fingerprint → Doc. Raises ValueError if the Docs are not those of ``texts``."""
    docs = dict(zip(texts, DocBin().from_bytes(body).get_docs(Vocab()), strict=True))
    if any(len(doc) != len(texts[key].tokens) for key, doc in docs.items()):
        raise ValueError("annotations of other documents")
    return docs


def _annotated(texts: Iterable[Document], chosen: Pipeline, progress: Progress) -> bytes:
    nlp = chosen.load()
    bare = [to_doc(nlp.vocab, document) for document in texts]
    docs = list(progress(nlp.pipe(bare), len(bare), f"annotating with {chosen.name}"))
    _check(docs, chosen)
    parsed = any(doc.has_annotation("DEP") for doc in docs)
    return DocBin(_PARSED if parsed else _FLAT, docs=docs).to_bytes()


def _check(docs: Sequence[Doc], chosen: Pipeline) -> None:
    filled = [doc for doc in docs if len(doc)]
    for attribute, what in (("LEMMA", "lemmas"), ("POS", "parts of speech")):
        if filled and not any(doc.has_annotation(attribute) for doc in filled):
            raise LanguageError(
                "spacy-model-incomplete",
                f"the model does not provide {what}",
                place=chosen.name,
                hint="use a model with a tagger and a lemmatiser, or --nlp hanta",
            )
