"""Fit a calibration to files of judged cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from cdec.audit.config import AuditConfig
from cdec.audit.find import find, prepare
from cdec.audit.order.features import LINKS, MEMBERS
from cdec.audit.order.judged import calibrated, read_judged
from cdec.audit.order.model import Calibration, Logistic, key_of
from cdec.audit.order.planted import planted_samples
from cdec.audit.order.ranking import ranking
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent


def calibration_of(
    corpus: Corpus, config: AuditConfig, judged: Sequence[Path], progress: Progress = silent
) -> Calibration:
    """Return the probabilities fitted to the judged cases of these files.

    Raises FormatError for an invalid file, UsageError if too few of its cases are in the corpus.
    """
    table = read_judged(judged)
    prepared = prepare(corpus, config, progress)
    finds = find(corpus, prepared, config, progress)
    ranked = ranking(corpus, prepared, finds, config, _uniform())
    planted = planted_samples(corpus, prepared, config, progress)
    fit = calibrated(corpus, prepared, finds, ranked, table, planted)
    return replace(fit, about={"corpus": corpus.name, **key_of(corpus.about), **fit.about})


def _uniform() -> Calibration:
    """Return the calibration in which every case has the probability ½."""
    links, members = (_zero(names) for names in (LINKS, MEMBERS))
    return Calibration(links, members, {})


def _zero(names: tuple[str, ...]) -> Logistic:
    size = len(names)
    return Logistic(names, np.zeros(size), np.ones(size), np.zeros(size + 1), np.eye(size + 1))
