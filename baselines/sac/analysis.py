"""Pages on training: scores by threshold, feature family and number of topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from cdec.baselines.sac.config import SacConfig
from cdec.baselines.sac.data import LabelledPairs, label
from cdec.baselines.sac.features import columns
from cdec.baselines.sac.model import Model, mean_logits
from cdec.baselines.sac.training import conll, threshold_curve, train
from cdec.corpus.model import Corpus, natural_key
from cdec.pairs.agglomeration import grow
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.render.table import Columns, Table
from cdec.signature import Signature, in_json

if TYPE_CHECKING:
    from cdec.baselines.sac.system import Sac

STEPS = 5
_SCORED: Columns = {"cv": ("Out of fold", percent), "dev": ("Dev", percent)}
_TITLE = "{learner} on {train}"
_LEGEND = "Mean CoNLL F1 under SIMPLE-CDEC and PURE-CDEC.\n"
_DEV = "dev: for information; nothing is chosen on it"
_CURVE = Table(
    _TITLE,
    {"marked": "Threshold", **_SCORED},
    f"{_LEGEND}*: chosen: the best out-of-fold mean of a threshold and its two neighbours; {_DEV}",
)
_ANALYSIS = Table(
    _TITLE,
    {
        "families": "Features",
        "topics": ("Topics", str),
        "threshold": ("Threshold", ".2f"),
        **_SCORED,
    },
    _LEGEND + _DEV,
)


def training_page(learner: Sac, part: Corpus, dev: Corpus) -> Page:
    """Return the scores of a trained system by threshold, out of fold and on ``dev``."""
    model = learner.fitting()
    dev_scores = _dev_curve(model, learner, dev)
    data = pd.DataFrame({"threshold": list(model.curve), "cv": list(model.curve.values())})
    data["dev"] = data["threshold"].map(dev_scores)
    data["chosen"] = data["threshold"] == model.threshold
    marks = data["chosen"].map({True: " *", False: ""})
    frame = data.assign(marked=data["threshold"].map("{:.2f}".format) + marks)
    return _page(learner, part, _CURVE, frame, data)


def ablation(learner: Sac, part: Corpus, dev: Corpus, *, jobs: int = 1) -> Page:
    """Return the scores with all feature families, and without each of them.

    ``cv``: CoNLL F1 of ``part``, out of fold, at the threshold chosen there; ``dev``: of ``dev``,
    with the model of all topics. Both are means over ``TUNED_UNDER``, in [0, 1].
    """
    choices = learner.chosen
    pairs, of_dev = (_label(learner, side) for side in (part, dev))
    sets = {"all": choices.families}
    sets |= {f"- {out}": tuple(f for f in choices.families if f != out) for out in choices.families}
    rows = []
    for name, families in sets.items():
        own, on_dev = (_only(side, choices.families, families) for side in (pairs, of_dev))
        scores = _train_and_score(own, on_dev, replace(choices, families=families), jobs)
        rows.append((name, _topics(part), *scores))
    return _analysis(learner, part, rows)


def learning_curve(learner: Sac, part: Corpus, dev: Corpus, *, jobs: int = 1) -> Page:
    """Return the scores for training on the first 1/5, 2/5 … of the topics of ``part``."""
    topics = sorted({d.topic for d in part.documents.values()}, key=natural_key)
    of_dev, rows = _label(learner, dev), []
    for step in range(1, STEPS + 1):
        used = set(topics[: max(2, len(topics) * step // STEPS)])
        ids = [document.id for document in part.documents.values() if document.topic in used]
        pairs = _label(learner, part.subset(ids, part.part))
        rows.append(("all", len(used), *_train_and_score(pairs, of_dev, learner.chosen, jobs)))
    return _analysis(learner, part, rows)


def _label(learner: Sac, part: Corpus) -> LabelledPairs:
    return label(part, learner.chosen, learner.pipeline, learner.progress)


def _dev_curve(model: Model, learner: Sac, dev: Corpus) -> dict[float, float]:
    """Return threshold → mean CoNLL F1 of a trained model on ``dev``, in [0, 1]."""
    data = label(dev, model.choices, learner.pipeline, learner.progress)
    p = model.calibration.probabilities(mean_logits(model.members, data.described.features))
    return threshold_curve(data, p, model.choices.link)


def _train_and_score(
    data: LabelledPairs, dev: LabelledPairs, choices: SacConfig, jobs: int
) -> tuple[float, float, float]:
    """Return the threshold, and the scores out of fold and on ``dev``."""
    result = train(data, choices, jobs)
    p = result.calibration.probabilities(mean_logits(result.members, dev.described.features))
    trees = grow(dev.described.pairs, p, len(dev.ids), result.threshold, choices.link)
    on_dev = conll(dev, trees.cut(result.threshold))
    return result.threshold, result.curve[result.threshold], on_dev


def _only(data: LabelledPairs, present: Sequence[str], families: Sequence[str]) -> LabelledPairs:
    """Return ``data``, which has the features of ``present``, with those of ``families`` only."""
    wanted = set(columns(families))
    kept = [at for at, name in enumerate(columns(present)) if name in wanted]
    described = replace(data.described, features=data.described.features[:, kept])
    return replace(data, described=described)


def _topics(part: Corpus) -> int:
    return len({document.topic for document in part.documents.values()})


def _analysis(learner: Sac, part: Corpus, rows: Iterable[tuple[object, ...]]) -> Page:
    data = pd.DataFrame(rows, columns=["families", "topics", "threshold", "cv", "dev"])
    return _page(learner, part, _ANALYSIS, data, data)


def _page(
    learner: Sac, train: Corpus, table: Table, frame: pd.DataFrame, data: pd.DataFrame
) -> Page:
    about = Signature.from_fields(**train.about, system=learner.name, **learner.parameters)
    names = {"learner": learner.name, "train": train.part}
    return table.page(frame, str(about), about=in_json(about), data=data, **names)
