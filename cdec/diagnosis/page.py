"""The page of `cdec diagnose`: a section for each system, and for each two neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.diagnosis.diagnosis import diagnose, side_by_side
from cdec.diagnosis.side_by_side_view import side_section
from cdec.diagnosis.view import diagnosis_section
from cdec.evaluation.experiment import Experiment, plugins
from cdec.render.page import Page, Section
from cdec.settings import signed
from cdec.signature import Signature, in_json


def diagnosis_page(
    experiment: Experiment, corpus: Corpus, lemmas: pd.Series[str], nlp: str, top: int
) -> Page:
    """Return the page on all answers under all settings; ``nlp`` names where ``lemmas`` are from.

    Raises UsageError as ``diagnose`` does.
    """
    about = Signature.from_fields(
        **experiment.task.about,
        setting=tuple(signed(setting) for setting in experiment.settings),
        system={run.system: dict(run.about) for run in experiment.runs},
        plugins=plugins(experiment.runs, ()),
        heads=nlp,
    )
    return Page(
        title="Diagnosis",
        sections=tuple(diagnosis_sections(experiment, corpus, lemmas, top)),
        intro=(str(about),),
        about=in_json(about),
    )


def diagnosis_sections(
    experiment: Experiment, corpus: Corpus, lemmas: pd.Series[str], top: int
) -> Iterator[Section]:
    """Yield, setting by setting, a section for each answer and for each two neighbours."""
    for setting in experiment.settings:
        for answer in experiment.runs:
            yield diagnosis_section(diagnose(answer, setting, corpus, lemmas, top))
        for pair in pairwise(experiment.runs):
            yield side_section(side_by_side(pair, setting, corpus, lemmas))
