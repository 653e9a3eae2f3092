"""Corpora: their data model, their formats, splits, where copies live, the sample."""

from cdec.corpus.build import build
from cdec.corpus.model import Corpus, Document
from cdec.corpus.source import CORPORA, CorpusFormat, Source

__all__ = ["CORPORA", "Corpus", "CorpusFormat", "Document", "Source", "build"]
