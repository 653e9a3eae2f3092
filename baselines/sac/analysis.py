"""What SAC owes to its features, and what more training topics would bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from cdec.baselines.sac.agglomeration import grow
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.data import LabelledPairs, label
from cdec.baselines.sac.model import Model, mean_logits
from cdec.baselines.sac.training import TrainingResult, conll, threshold_curve, train
from cdec.corpus.model import Corpus, natural_key
from cdec.io.progress import Progress, silent
from cdec.pairs.features import columns

STEPS = 5
COLUMNS = ("families", "topics", "threshold", "cv", "dev")


def ablation(
    part: Corpus,
    dev: Corpus,
    choices: SacConfig,
    pipeline: str,
    *,
    jobs: int = 1,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Return a row with all families, and one without each, with the columns of ``COLUMNS``.

    ``cv``: mean CoNLL F1 over the folds of ``part`` at the threshold chosen there; ``dev``: the
    same on ``dev`` with the model of all topics. Both in [0, 1].
    """
    whole, look = (label(one, choices, pipeline, progress) for one in (part, dev))
    sets = [choices.families]
    sets += [tuple(f for f in choices.families if f != gone) for gone in choices.families]
    names = ["all", *(f"- {gone}" for gone in choices.families)]
    rows = []
    for name, families in zip(names, sets, strict=True):
        learnt, value = _measured(
            _only(whole, choices.families, families),
            _only(look, choices.families, families),
            replace(choices, families=families),
            jobs,
        )
        rows.append([name, _topics(part), learnt.threshold, learnt.curve[learnt.threshold], value])
    return pd.DataFrame(rows, columns=list(COLUMNS))


def learning_curve(
    part: Corpus,
    dev: Corpus,
    choices: SacConfig,
    pipeline: str,
    *,
    jobs: int = 1,
    progress: Progress = silent,
) -> pd.DataFrame:
    """Return a row for each fifth of the topics of ``part``, the first in natural order."""
    topics = sorted({d.topic for d in part.documents.values()}, key=natural_key)
    look = label(dev, choices, pipeline, progress)
    rows = []
    for step in range(1, STEPS + 1):
        held = set(topics[: max(2, len(topics) * step // STEPS)])
        some = part.subset([d.id for d in part.documents.values() if d.topic in held], part.part)
        learnt, value = _measured(label(some, choices, pipeline, progress), look, choices, jobs)
        rows.append(["all", len(held), learnt.threshold, learnt.curve[learnt.threshold], value])
    return pd.DataFrame(rows, columns=list(COLUMNS))


def dev_curve(
    model: Model, dev: Corpus, pipeline: str, progress: Progress = silent
) -> dict[float, float]:
    """Return threshold → mean CoNLL F1 of a trained model on ``dev``, in [0, 1]."""
    look = label(dev, model.choices, pipeline, progress)
    p = model.calibration.probabilities(mean_logits(model.members, look.described.features))
    return threshold_curve(look, p, model.choices.link)


def _measured(
    data: LabelledPairs, look: LabelledPairs, choices: SacConfig, jobs: int
) -> tuple[TrainingResult, float]:
    learnt = train(data, choices, jobs)
    p = learnt.calibration.probabilities(mean_logits(learnt.members, look.described.features))
    trees = grow(look.described.pairs, p, len(look.ids), learnt.threshold, choices.link)
    return learnt, conll(look, trees.cut(learnt.threshold))


def _only(data: LabelledPairs, had: Sequence[str], families: Sequence[str]) -> LabelledPairs:
    """Return ``data`` with the features of ``families`` alone; it has those of ``had``."""
    wanted = set(columns(families))
    kept = [at for at, name in enumerate(columns(had)) if name in wanted]
    described = replace(data.described, features=data.described.features[:, kept])
    return replace(data, described=described)


def _topics(part: Corpus) -> int:
    return len({document.topic for document in part.documents.values()})
