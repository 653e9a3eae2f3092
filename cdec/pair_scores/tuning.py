"""Threshold and clustering chosen by the scored pairs of a part other than test."""

from __future__ import annotations

import numpy as np

from cdec.corpus.model import Corpus
from cdec.corpus.splits import overlap_with_test
from cdec.errors import UsageError, check_number, one_of
from cdec.matching.alignment import Alignment
from cdec.pair_scores.clusterings import CLOSURE, CLUSTERINGS, Linking
from cdec.pair_scores.curves import curves
from cdec.pairs.mention_pairs import MentionPairs
from cdec.render.numbers import percent
from cdec.settings import Setting

_NOTE = "Clustering and threshold: the best CoNLL F1 ({f1}) of {tried} tried on {part}, {setting}."


def linking(pairs: MentionPairs, threshold: float | None, clustering: str | None) -> Linking:
    """Return where pairs link; by default at 0.5, or 0 for log-odds, and closed to chains.

    Raises UsageError for a threshold that is not a finite number, UnknownNameError for another
    clustering.
    """
    if threshold is None:
        threshold = 0.0 if pairs.log_odds else 0.5
    code, hint = "argument-invalid", "use a finite number, such as 0.5"
    check_number(code, "threshold", threshold, -1e30, 1e30, whole=False, hint=hint)
    return Linking(float(threshold), one_of("clustering", clustering or CLOSURE, CLUSTERINGS))


def chosen(
    dev: MentionPairs,
    evaluated: MentionPairs,
    split: str,
    setting: Setting,
    clustering: str | None = None,
) -> Linking:
    """Return the clustering and threshold with the highest CoNLL F1 on the corpus of ``dev``.

    ``split`` is the part of ``dev``, as [SPLIT/]PART; ``clustering`` the only one to try. In a tie
    the earlier clustering wins, then the higher threshold. Raises UsageError if ``dev`` has test
    data or documents of ``evaluated``, scores of another scale, or none that ``clustering`` links.
    """
    _refuse(dev, evaluated, split)
    clusterings = [one_of("clustering", clustering, CLUSTERINGS)] if clustering else CLUSTERINGS
    corpus, tried, best = dev.corpus, 0, (-1.0, 0.0, "")
    run = Alignment.of(corpus.selected, corpus.gold, corpus.gold, dev.name)
    for name in clusterings:
        cut = CLUSTERINGS[name](dev)
        over = curves(run, setting, cut, ["conll"], "conll")
        finite = over[np.isfinite(over["threshold"])]
        if finite.empty:
            continue
        tried += len(finite)
        row = finite.loc[finite["f1"].idxmax()]
        best = max(best, (float(row["f1"]), float(row["threshold"]), name), key=lambda one: one[0])
    f1, threshold, name = best
    if not name:
        message = f"no pair has a probability above 0, which {clustering} needs"
        raise UsageError("input-mismatch", message, place=dev.name, hint="give other scores")
    note = _NOTE.format(f1=percent(f1), tried=tried, part=corpus.part, setting=setting.label)
    return Linking(threshold, name, corpus.part, dev.digest, note)


def _refuse(dev: MentionPairs, evaluated: MentionPairs, split: str) -> None:
    reason = overlap_with_test(dev.corpus, split)
    if _texts(dev.corpus) & _texts(evaluated.corpus):
        reason = reason or "it has documents of the evaluated part"
    if reason:
        message = f"cannot tune on '{dev.corpus.part}': {reason}"
        raise UsageError("tuning-on-test", message, place=dev.name, hint="give pairs of dev")
    for pairs in (dev, evaluated):
        if not len(pairs.scored()):
            message, hint = "the pairs have no scores", "add the column score"
            raise UsageError("input-mismatch", message, place=pairs.name, hint=hint)
    if dev.log_odds != evaluated.log_odds:
        message = "scores in [0, 1] and log-odds have no threshold in common"
        raise UsageError("input-mismatch", message, place=dev.name, hint="give both in one scale")


def _texts(corpus: Corpus) -> set[str]:
    return {document.fingerprint for document in corpus.documents.values()}
