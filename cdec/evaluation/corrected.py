"""Scores against a corrected key, of key and response files and of runs on a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.claims import Patch, assigned
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, counted, notice
from cdec.evaluation.experiment import Experiment
from cdec.matching.alignment import Alignment, chains_at
from cdec.matching.notices import left_out_by_patch


def patched(experiment: Experiment, patch: Patch) -> Experiment:
    """Return an experiment on files with the corrected key in each of its runs.

    The signature has file name and digest of the patch. Raises as ``assigned`` does.
    """
    if base := patch.about.get("base"):
        message = f"about the key that another patch (digest {str(base)[:12]}) corrects"
        hint = "use a patch for the original key"
        raise FormatError("input-mismatch", message, place=patch.name, hint=hint)
    local = all(setting.scope == "document" for setting in experiment.settings)
    runs = tuple(_patched(run, patch, local) for run in experiment.runs)
    fields = {"key_patch": patch.name, "key_patch_digest": patch.digest}
    return replace(experiment, about={**experiment.about, **fields}, runs=runs)


def against(corrected: Corpus, experiment: Experiment) -> Experiment:
    """Return the experiment with the key of ``corrected`` in each of its runs.

    ``corrected`` is the evaluated part with the corrected key. No system is run again: a removed
    mention leaves the responses, an added one is missing in them.
    """
    runs = tuple(_with_key(run, corrected) for run in experiment.runs)
    return replace(experiment, about=corrected.about, runs=runs)


def _patched(run: Alignment, patch: Patch, local: bool) -> Alignment:
    labels = run.key.labels
    if local:  # equal labels in two documents are different chains
        documents = run.mentions["doc"].reindex(labels.index)
        pairs = zip(documents.astype(str), labels.astype(str), strict=True)
        labels = pd.Series([f"{doc}/{chain}" for doc, chain in pairs], index=labels.index)
    key = assigned(Clustering(labels), patch, _names(patch, labels.index))
    added = counted(len(patch.added), "added mention")
    message = f"{added} ignored: key and response are files"
    code = "result-limited"
    unused = (notice(code, message, [*patch.added], warning=False),) if patch.added else ()
    run = replace(run, notices=(*run.notices, *unused))
    return _without(run, run.having("key", key).mentions, labels.index.difference(key.labels.index))


def _with_key(run: Alignment, corrected: Corpus) -> Alignment:
    events, known = corrected.selected, run.mentions["key"].notna()
    removed = run.mentions.index[known].difference(events.index)
    twinless = run.mentions[~known & ~run.mentions.index.isin(events.index)]
    mentions = pd.concat([events, twinless]) if len(twinless) else events
    mentions = mentions.assign(
        key=chains_at(mentions.index, corrected.gold),
        response=run.mentions["response"].reindex(mentions.index),
    )
    return _without(run, mentions, removed)


def _without(run: Alignment, mentions: pd.DataFrame, removed: pd.Index[str]) -> Alignment:
    """Return the run with other mentions, without those removed from the key, with a notice."""
    left = run.mentions.index[run.mentions["response"].notna()].intersection(removed, sort=False)
    notices = (*run.notices, *left_out_by_patch(left))
    return replace(run, mentions=mentions[~mentions.index.isin(left)], notices=notices)


def _names(patch: Patch, known: pd.Index[str]) -> Mapping[str, str]:
    """Return mention of the patch → mention of the key: by id, by tokens, or by first and last.

    A format such as CoNLL writes a discontinuous mention as the span from its first to last token.
    """
    names: dict[str, str] = {}
    for mention in (mention for claim in patch.claims for mention in claim.mentions):
        place = patch.places.get(mention, mention)
        document, _, tokens = place.rpartition("/")
        numbers = tokens.replace(",", "-").split("-")
        ends = f"{document}/{numbers[0]}-{numbers[-1]}"
        names[mention] = next((n for n in (mention, place, ends) if n in known), mention)
    return names
