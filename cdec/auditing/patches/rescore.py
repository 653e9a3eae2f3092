"""Scores against a corrected key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from cdec.auditing.about import check_origin
from cdec.auditing.patches.apply import apply_patch, edited
from cdec.auditing.patches.model import Patch, read_patch
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.corpus.splits import part_of
from cdec.errors import FormatError, counted
from cdec.errors.notices import Notice, notice
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.results import Results
from cdec.matching.alignment import Alignment, chains_at
from cdec.matching.corpus import left_out_notice


def patched(experiment: Experiment, patch: Patch) -> Experiment:
    """Return an experiment on files with the corrected key in each of its runs.

    The signature has file name and digest of the patch. Raises as ``apply_patch`` does.
    """
    if base := patch.about.get("base"):
        message = f"about the key that another patch (digest {str(base)[:12]}) corrects"
        hint = "use a patch for the original key"
        raise FormatError("input-mismatch", message, place=patch.name, hint=hint)
    local = all(setting.scope == "document" for setting in experiment.settings)
    runs = tuple(_patched_run(run, patch, local) for run in experiment.runs)
    about = {**experiment.task.about, **_fields(patch)}
    return replace(experiment, task=replace(experiment.task, about=about), runs=runs)


def patched_corpus(corpus: Corpus, patch: Patch) -> Corpus:
    """Return ``corpus`` with the corrected key of its event mentions, and its corrected mentions.

    The signature of every score on it has file name and digest of the patch. Raises as
    ``apply_patch`` does, and FormatError if the patch is for another corpus or key.
    """
    check_origin(patch.about, corpus, patch.name)
    changed = replace(corpus, mentions=edited(corpus, patch)) if patch.edits else corpus
    key = apply_patch(changed.gold, patch)
    chains = changed.mentions["chain"].astype(object).copy()
    chains[key.labels.index] = key.labels
    mentions = changed.mentions.assign(chain=chains)
    removed = pd.concat([corpus.removed, corpus.mentions[corpus.mentions.index.isin(patch.remove)]])
    base = {"key_patch_base": base} if (base := patch.about.get("base")) else {}
    fields = {**_fields(patch), **base}
    return replace(corpus, mentions=mentions, removed=removed, correction=fields)


def correction(path: str | Path) -> Callable[[Corpus], Corpus]:
    """Return ``patched_corpus`` with the patch in this file, which is read when it is called."""
    return lambda corpus: patched_corpus(corpus, read_patch(path))


def against(corrected: Corpus, experiment: Experiment) -> Experiment:
    """Return the experiment with the key of ``corrected`` in each of its runs.

    ``corrected`` is the evaluated part with the corrected key. No system is run again: a removed
    mention leaves the responses, an added one is missing in them.
    """
    runs = tuple(_with_key(run, corrected) for run in experiment.runs)
    task = replace(experiment.task, about=corrected.about)
    return replace(experiment, task=task, runs=runs)


def before_and_after(
    whole: Corpus, patch: Patch, experiment: Experiment, split: str | None
) -> tuple[Results, Results]:
    """Return the results on the part ``split`` of ``whole`` before and after the correction."""
    corrected = part_of(patched_corpus(whole, patch), split)
    both = (experiment.results(), against(corrected, experiment).results())
    before, after = (replace(results, notices=()) for results in both)
    return before, after


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


def _without(
    run: Alignment, mentions: pd.DataFrame, removed: pd.Index[str] | list[str]
) -> Alignment:
    """Return the run with other mentions, without those removed from the key, with a notice."""
    left = run.mentions.index[run.mentions["response"].notna()].intersection(removed, sort=False)
    notices = (*run.notices, *left_out_notice(left.tolist()))
    return replace(run, mentions=mentions[~mentions.index.isin(left)], notices=notices)


def _fields(patch: Patch) -> dict[str, str]:
    return {"key_patch": patch.name, "key_patch_digest": patch.digest}


def _patched_run(run: Alignment, patch: Patch, local: bool) -> Alignment:
    key = run.key
    if local:  # equal labels in two documents are different chains
        documents = run.mentions["doc"].reindex(key.labels.index)
        pairs = zip(documents.astype(str), key.labels.astype(str), strict=True)
        key = Clustering(pd.Series([f"{d}/{c}" for d, c in pairs], index=key.labels.index))
    names = _names(patch, key)
    removed = [names[mention] for mention in patch.remove]
    corrected = apply_patch(key, patch, names).labels
    key = Clustering(corrected[~corrected.index.isin(removed)])
    run = replace(run, notices=(*run.notices, *_unused(patch)))
    return _without(run, run.having("key", key).mentions, removed)


def _unused(patch: Patch) -> tuple[Notice, ...]:
    """Return the notice on operations that need the corpus; scores of files do not use them."""
    if not patch.add:
        return ()
    message = f"{counted(len(patch.add), 'added mention')} ignored: key and response are files"
    return (notice("patch-additions-ignored", message, list(patch.add), warning=False),)


def _names(patch: Patch, key: Clustering) -> Mapping[str, str]:
    """Return mention of the patch → mention of the key: by id, by tokens, or by first and last.

    A format such as CoNLL writes a discontinuous mention as the span from its first to last token.
    """
    names: dict[str, str] = {}
    for mention in {*patch.mentions, *patch.remove}:
        place = patch.places.get(mention, mention)
        document, _, tokens = place.rpartition("/")
        numbers = tokens.replace(",", "-").split("-")
        ends = f"{document}/{numbers[0]}-{numbers[-1]}"
        matches = (name for name in (mention, place, ends) if name in key.labels.index)
        names[mention] = next(matches, mention)
    return names
