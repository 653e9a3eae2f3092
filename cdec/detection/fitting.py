"""Fit a finder of mentions on train, and choose its threshold on dev by the F1 of mentions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corpus.model import Corpus
from cdec.detection.finders import Lexicon, Tagger
from cdec.detection.tokens import Agreement, Cut, agreement, annotated, gold_spans, labels, spans
from cdec.errors import CorpusError

Finder = Lexicon | Tagger
FINDERS: Mapping[str, type[Lexicon] | type[Tagger]] = {
    "detector-lexicon": Lexicon,
    "detector-tagger": Tagger,
}
THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))


@dataclass(frozen=True, eq=False)
class Fitted:
    """A finder and its cut; ``curve``: threshold → agreement on dev with the chosen merge."""

    finder: Finder
    cut: Cut
    curve: Mapping[float, Agreement] = field(default_factory=dict, repr=False)


def fit_kind(
    name: str, train: Corpus, dev: Corpus, train_table: pd.DataFrame, dev_table: pd.DataFrame
) -> Fitted:
    """Return the finder ``name`` for the selected mentions, trained on ``train``.

    The tables are those of ``token_table``. The cut is the one with the best F1 of mentions on dev;
    of equal ones the first merge, and then the highest threshold. Raises CorpusError if the
    annotated sentences of a part have no mention, or nothing else.
    """
    inside = annotated(train, train_table)
    marks = labels(train, train_table)
    kept = train_table[inside].reset_index(drop=True)
    _check(train, marks[inside])
    finder = FINDERS[name].fit(kept, marks[inside])
    shown = annotated(dev, dev_table)
    _check(dev, labels(dev, dev_table)[shown])
    scores = finder.scores(dev_table)
    gold = gold_spans(dev, *(dev_table.loc[shown, column] for column in ("doc", "token")))
    curves: dict[Cut, Agreement] = {}
    for merge in finder.MERGES:
        for threshold in THRESHOLDS:
            found = spans(dev_table, scores, Cut(threshold, merge))
            curves[Cut(threshold, merge)] = agreement(gold, _within(found, dev_table, shown))
    order = {merge: -place for place, merge in enumerate(finder.MERGES)}
    best = max(curves, key=lambda cut: (curves[cut].f1, order[cut.merge], cut.threshold))
    curve = {cut.threshold: value for cut, value in curves.items() if cut.merge == best.merge}
    return Fitted(finder, best, curve)


def _within(found: pd.DataFrame, table: pd.DataFrame, shown: Bools) -> pd.DataFrame:
    """Return the spans that begin at a token of ``table`` that is ``shown``."""
    inside = pd.MultiIndex.from_frame(table.loc[shown, ["doc", "token"]])
    return found[pd.MultiIndex.from_frame(found[["doc", "start"]]).isin(inside)]


def _check(part: Corpus, marks: Ints) -> None:
    if not marks.any() or marks.all():
        raise CorpusError(
            "part-too-small",
            "no sentences with both mentions and other words to train the detector on",
            place=f"{part.name} ({part.part})",
            hint="train on another part",
        )
