"""Annotate documents: spaCy Docs with the tokens of the corpus, cached as a DocBin.

The cache key is the content of the documents (``fingerprint``), not their ids: a blind corpus, a
corpus in another order, or a copy under another name uses the same annotations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from itertools import chain
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from cdec.errors import LanguageError
from cdec.files import cache
from cdec.files.jobs import mapped
from cdec.files.progress import Progress, silent
from cdec.language.pipeline import (
    BLANK,
    WORTH,
    Pipeline,
    Sentence,
    check_text,
    chosen,
    loaded,
    pipeline,
    tagged,
)

# A worker imports this module and the tagger: no pandas, which takes as long as spaCy.
if TYPE_CHECKING:
    from cdec.corpus.model import Corpus, Document

Sentences = tuple[Sentence, ...]
KIND = "annotations"
REVISION = "2"  # raise it when our own rules change an annotation

_FLAT = ("ORTH", "TAG", "POS", "LEMMA", "SENT_START")
_PARSED = ("ORTH", "TAG", "POS", "LEMMA", "HEAD", "DEP")  # sentence starts follow from the heads
_BLOCK = 32  # documents that one worker annotates at a time


def annotate(corpus: Corpus, name: str = "hanta", progress: Progress = silent) -> dict[str, Doc]:
    """Return document id → Doc with lemma, tag, universal part of speech and, with a parser, head.

    Doc and Document have the same number of tokens and the same sentences; an empty token is a
    blank in the Doc. Two documents with the same content share one Doc. Raises the errors of
    ``pipeline``, LanguageError for a model without lemmas or parts of speech, and CorpusError for
    a corpus without text.
    """
    check_text(corpus)
    groups: dict[str, dict[str, Document]] = {}
    for document in corpus.documents.values():
        groups.setdefault(chosen(name, document), {})[document.fingerprint] = document
    docs: dict[str, Doc] = {}
    for each, texts in groups.items():
        docs |= _docs(dict(sorted(texts.items())), pipeline(each), progress)
    return {id_: docs[document.fingerprint] for id_, document in corpus.documents.items()}


def _docs(texts: dict[str, Document], nlp: Pipeline, progress: Progress) -> dict[str, Doc]:
    """Return fingerprint → Doc of these documents."""
    key = cache.key(REVISION, version("spacy"), nlp.identity, *texts)
    docs = cache.parsed(KIND, key, lambda body: _parsed(body, texts))
    if docs is None:
        body = _annotated(texts.values(), nlp, progress)
        # New docs are read back from the bytes too, so that they are identical to cached ones.
        docs = _parsed(body, texts)
        _check(list(docs.values()), nlp)
        cache.write(KIND, key, body)
    return docs


def to_doc(vocab: Vocab, sentences: Sentences, **annotation: Any) -> Doc:
    """Return a Doc with the same tokens and sentences; ``annotation``: further arguments of Doc."""
    words = [word or BLANK for word in chain.from_iterable(sentences)]
    starts: list[bool | int | None] = [
        i == 0 for sentence in sentences for i in range(len(sentence))
    ]
    return Doc(vocab, words=words, sent_starts=starts, **annotation)


def _parsed(body: bytes, texts: Mapping[str, Document]) -> dict[str, Doc]:
    """Return fingerprint → Doc. Raises ValueError if the Docs are not those of ``texts``."""
    docs = dict(zip(texts, DocBin().from_bytes(body).get_docs(Vocab()), strict=True))
    if any(len(doc) != len(texts[key].tokens) for key, doc in docs.items()):
        raise ValueError("annotations of other documents")
    return docs


def _annotated(texts: Iterable[Document], nlp: Pipeline, progress: Progress) -> bytes:
    documents = [document.sentences for document in texts]
    blocks = [documents[at : at + _BLOCK] for at in range(0, len(documents), _BLOCK)]
    worth = sum(map(len, chain.from_iterable(documents))) >= WORTH
    made = mapped(_annotated_block, blocks, (nlp.name, nlp.identity), worth=worth)
    parts = progress(made, len(blocks), f"annotating with {nlp.name}")
    packs = [DocBin().from_bytes(body) for body in parts]
    loaded.cache_clear()
    if len({tuple(pack.attrs) for pack in packs}) > 1:  # some blocks have no word to parse
        vocab = Vocab()
        return _packed([doc for pack in packs for doc in pack.get_docs(vocab)])
    whole = packs[0]
    for pack in packs[1:]:
        whole.merge(pack)
    return whole.to_bytes()


def _annotated_block(documents: Sequence[Sentences], name: str, identity: str) -> bytes:
    nlp = loaded(name, identity)
    if not isinstance(nlp, Language):
        vocab = Vocab()
        return _packed([_tagged_doc(vocab, one, name, identity) for one in documents])
    return _packed(list(nlp.pipe(to_doc(nlp.vocab, sentences) for sentences in documents)))


def _tagged_doc(vocab: Vocab, sentences: Sentences, name: str, identity: str) -> Doc:
    words = list(chain.from_iterable(tagged(sentences, name, identity)))
    lemmas, tags, pos = map(list, zip(*words, strict=True)) if words else ([], [], [])
    return to_doc(vocab, sentences, lemmas=lemmas, tags=tags, pos=pos)


def _packed(docs: list[Doc]) -> bytes:
    parsed = any(doc.has_annotation("DEP") for doc in docs)
    return DocBin(_PARSED if parsed else _FLAT, docs=docs).to_bytes()


def _check(docs: Sequence[Doc], nlp: Pipeline) -> None:
    filled = [doc for doc in docs if len(doc)]
    for attribute, what in (("LEMMA", "lemmas"), ("POS", "parts of speech")):
        if filled and not any(doc.has_annotation(attribute) for doc in filled):
            raise LanguageError(
                "language-model-invalid",
                f"the model does not provide {what}",
                place=nlp.name,
                hint="use a model with a tagger and a lemmatiser, or the pipeline hanta",
            )
