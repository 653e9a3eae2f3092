"""The audit from corpus to short-list."""

from __future__ import annotations

from cdec.audit.cases import CaseBuilder
from cdec.audit.config import AuditConfig
from cdec.audit.find import find, prepare
from cdec.audit.ranking import ranking
from cdec.audit.shortlist import ShortList
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent
from cdec.language.pipeline import pipeline
from cdec.signature import Signature


def run(corpus: Corpus, choice: AuditConfig, progress: Progress = silent) -> ShortList:
    """Return every case that the detectors of ``choice`` find in the key of ``corpus``.

    Raises LanguageError as ``heads`` does, and CorpusError for a corpus on which a detector
    cannot work.
    """
    signature = Signature.from_fields(
        **corpus.about,
        nlp=pipeline(choice.pipeline).identity,
        **choice.about,
    )
    prepared = prepare(corpus, choice, progress)
    finds = find(corpus, prepared, choice, progress)
    cases = CaseBuilder.from_finds(corpus, prepared, finds).cases(ranking(finds, choice))
    return ShortList(tuple(cases), signature.to_dict())
