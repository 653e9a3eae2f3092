"""The verb ``cdec.audit``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cdec.api import responses_of
from cdec.auditing.cases import audit as audited
from cdec.auditing.config import AuditConfig
from cdec.auditing.page import cases_page, pairs_page
from cdec.auditing.shortlist import ShortList
from cdec.corpus.model import Corpus
from cdec.errors import warn_of
from cdec.evaluation.experiment import check_corpus
from cdec.evaluation.response import Response, read_responses
from cdec.files.progress import notebook
from cdec.render.analysis import Analysis


def audit(
    corpus: Corpus,
    *,
    detectors: str | Iterable[str] | None = None,
    nlp: str = "hanta",
    responses: Response | Sequence[Response] | Mapping[str, Response] = (),
    **config: Any,
) -> Analysis[ShortList]:
    """List suspected errors in the key of ``corpus``, as ``cdec audit run --all`` does.

    ``value.cases`` are the cases, the most certain first; ``value.to_read()`` are those to start
    on, and the page shows the first of them. ``responses`` are chains of systems or of other
    annotators, as for ``evaluate``; ``config`` are fields of
    ``cdec.auditing.config.AuditConfig``. Raises UnknownNameError, UsageError, ScoringError.

    >>> from cdec import load_corpus
    >>> len(audit(load_corpus("sample"), detectors="companions").value.cases) > 0
    True
    """
    check_corpus(corpus)
    if detectors is not None:
        config["detectors"] = (detectors,) if isinstance(detectors, str) else tuple(detectors)
    chosen = AuditConfig(pipeline=nlp, **config)
    none = isinstance(responses, list | tuple) and not responses
    given = [] if none else read_responses(responses_of(responses))
    found = audited(corpus, chosen, notebook(), responses=given)
    warn_of(found.told)
    if found.pairs is not None:
        return Analysis(found, pairs_page(found, corpus, chosen.delta))
    return Analysis(found, cases_page(found.to_read(), corpus, len(found.cases)))
