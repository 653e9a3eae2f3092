"""Scores against a corrected key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from cdec.audit.patches.apply import apply_patch
from cdec.audit.patches.model import Patch
from cdec.audit.shortlist import check_corpus
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.response import SystemRun


def patched(experiment: Experiment, patch: Patch) -> Experiment:
    """Return an experiment on files with the corrected key in each of its runs.

    The signature has file name and digest of the patch. Raises as ``apply_patch`` does.
    """
    local = all(setting.scope == "document" for setting in experiment.settings)
    runs = tuple(_patched_run(run, patch, local) for run in experiment.runs)
    about = {**experiment.task.about, **_fields(patch)}
    return replace(experiment, task=replace(experiment.task, about=about), runs=runs)


def patched_corpus(corpus: Corpus, patch: Patch) -> Corpus:
    """Return ``corpus`` with the corrected key of its event mentions.

    The signature of every score on it has file name and digest of the patch. Raises as
    ``apply_patch`` does, and FormatError if the patch is for another corpus.
    """
    check_corpus(patch.about, corpus, patch.name)
    key = apply_patch(corpus.gold, patch)
    chains = corpus.mentions["chain"].astype(object).copy()
    chains[key.labels.index] = key.labels
    mentions = corpus.mentions.assign(chain=chains)
    return replace(corpus, mentions=mentions, correction=_fields(patch))


def against(corrected: Corpus, experiment: Experiment) -> Experiment:
    """Return the experiment with the key of ``corrected`` in each of its runs.

    ``corrected`` is the evaluated part with the corrected key. No system is run again.
    """
    runs = tuple(replace(run, key=corrected.gold) for run in experiment.runs)
    task = replace(experiment.task, about=corrected.about)
    return replace(experiment, task=task, runs=runs)


def _fields(patch: Patch) -> dict[str, str]:
    return {"key_patch": patch.name, "key_patch_digest": patch.digest}


def _patched_run(run: SystemRun, patch: Patch, local: bool) -> SystemRun:
    key = run.key
    if local:  # equal labels in two documents are different chains
        documents = run.mentions["doc"].reindex(key.labels.index)
        pairs = zip(documents.astype(str), key.labels.astype(str), strict=True)
        key = Clustering(pd.Series([f"{d}/{c}" for d, c in pairs], index=key.labels.index))
    return replace(run, key=apply_patch(key, patch, _names(patch, key)))


def _names(patch: Patch, key: Clustering) -> Mapping[str, str]:
    """Return mention of the patch → mention of the key: by id, by tokens, or by first and last.

    A format such as CoNLL writes a discontinuous mention as the span from its first to last token.
    """
    names: dict[str, str] = {}
    for mention in patch.mentions:
        place = patch.places.get(mention, mention)
        document, _, tokens = place.rpartition("/")
        numbers = tokens.replace(",", "-").split("-")
        ends = f"{document}/{numbers[0]}-{numbers[-1]}"
        matches = (name for name in (mention, place, ends) if name in key.labels.index)
        names[mention] = next(matches, mention)
    return names
