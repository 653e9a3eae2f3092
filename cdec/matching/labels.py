"""The labels of a key or response, settled by the rule of ``cdec.labels``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cdec.formats.annotation import Annotation, Treebank, object_array
from cdec.labels import Chains, chains_of
from cdec.metadocument import Side


def labelled(annotation: Annotation, side: Side, noise: str | None) -> Annotation:
    """Return the annotation with settled labels, and with notices on them.

    Raises ScoringError for a label of no chain without ``noise``, FormatError for a missing one.

    >>> from cdec.formats import mention_table
    >>> table = mention_table(["d"] * 3, [0, 1, 2], [0, 1, 2], ["x", "-1", "-1"])
    >>> made = labelled(Annotation("mine", "csv", table, {"d": None}), "response", "absent")
    >>> made.mentions["chain"].tolist(), [notice.code for notice in made.notices]
    (['x'], ['missing-label'])
    """
    if noise is None:
        annotation.labelled()
    labels = annotation.mentions.set_index("line")["chain"]
    chains = chains_of(labels, side, noise, place=annotation.place)
    annotation = replace(annotation, notices=(*annotation.notices, *chains.notices))
    return _with_chains(annotation, chains) if chains.changed else annotation


def _with_chains(annotation: Annotation, chains: Chains) -> Annotation:
    """Return the annotation with these chains, without the mentions that have none."""
    rows = np.flatnonzero(chains.codes >= 0)
    texts, codes = object_array([*chains.texts]), chains.codes[rows]
    mentions = annotation.mentions.iloc[rows].assign(chain=texts[codes]).reset_index(drop=True)
    bank = annotation.trees
    if bank is not None:
        kept = replace(bank.entities.take(rows), names=tuple(chains.texts), code=codes)
        bank = Treebank(bank.trees, kept)
    return replace(annotation, mentions=mentions, trees=bank, gold=None)
