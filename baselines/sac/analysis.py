"""Feature ablation and learning curve of SAC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from cdec.baselines.sac.agglomeration import grow
from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.data import LabelledPairs, label
from cdec.baselines.sac.features import columns
from cdec.baselines.sac.model import Model, mean_logits
from cdec.baselines.sac.training import TrainingResult, conll, threshold_curve, train
from cdec.corpus.model import Corpus, natural_key
from cdec.io.progress import Progress, silent

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
    """Return ``COLUMNS``: a row with all feature families, and a row without each of them.

    ``cv``: CoNLL F1 of ``part``, out of fold, at the threshold chosen there; ``dev``: of ``dev``,
    with the model of all topics. Both are means over ``TUNED_UNDER``, in [0, 1].
    """
    train_pairs, dev_pairs = (label(side, choices, pipeline, progress) for side in (part, dev))
    sets = [choices.families]
    sets += [tuple(f for f in choices.families if f != removed) for removed in choices.families]
    names = ["all", *(f"- {removed}" for removed in choices.families)]
    rows = []
    for name, families in zip(names, sets, strict=True):
        result, value = _train_and_score(
            _only(train_pairs, choices.families, families),
            _only(dev_pairs, choices.families, families),
            replace(choices, families=families),
            jobs,
        )
        rows.append([name, _topics(part), result.threshold, result.curve[result.threshold], value])
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
    """Return ``COLUMNS`` for training on the first 1/5, 2/5 … of the topics of ``part``."""
    topics = sorted({d.topic for d in part.documents.values()}, key=natural_key)
    dev_pairs = label(dev, choices, pipeline, progress)
    rows = []
    for step in range(1, STEPS + 1):
        used = set(topics[: max(2, len(topics) * step // STEPS)])
        ids = [document.id for document in part.documents.values() if document.topic in used]
        pairs = label(part.subset(ids, part.part), choices, pipeline, progress)
        result, value = _train_and_score(pairs, dev_pairs, choices, jobs)
        rows.append(["all", len(used), result.threshold, result.curve[result.threshold], value])
    return pd.DataFrame(rows, columns=list(COLUMNS))


def dev_curve(
    model: Model, dev: Corpus, pipeline: str, progress: Progress = silent
) -> dict[float, float]:
    """Return threshold → mean CoNLL F1 of a trained model on ``dev``, in [0, 1]."""
    data = label(dev, model.choices, pipeline, progress)
    p = model.calibration.probabilities(mean_logits(model.members, data.described.features))
    return threshold_curve(data, p, model.choices.link)


def _train_and_score(
    data: LabelledPairs, dev: LabelledPairs, choices: SacConfig, jobs: int
) -> tuple[TrainingResult, float]:
    result = train(data, choices, jobs)
    p = result.calibration.probabilities(mean_logits(result.members, dev.described.features))
    trees = grow(dev.described.pairs, p, len(dev.ids), result.threshold, choices.link)
    return result, conll(dev, trees.cut(result.threshold))


def _only(data: LabelledPairs, present: Sequence[str], families: Sequence[str]) -> LabelledPairs:
    """Return ``data``, which has the features of ``present``, with those of ``families`` only."""
    wanted = set(columns(families))
    kept = [at for at, name in enumerate(columns(present)) if name in wanted]
    described = replace(data.described, features=data.described.features[:, kept])
    return replace(data, described=described)


def _topics(part: Corpus) -> int:
    return len({document.topic for document in part.documents.values()})
