"""The patch of unlinked duplicates: singletons at the same place of identical sentences.

No reviewer decides, so the rule is narrow. All mentions of a correction are singletons of one
sub-topic with the same words and tag. A singleton whose copy is in a chain is left as it is: the
copy may be in the wrong chain. A correction with an indirect effect is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cdec._version import __version__
from cdec.audit.detectors.duplicate import DUPLICATE, duplicates, recurring
from cdec.audit.operation import Operation
from cdec.audit.patches.model import Patch
from cdec.audit.review.conflicts import conflicts
from cdec.audit.review.decisions import ERROR, Decision
from cdec.audit.review.effects import Known, joined_sentences
from cdec.corpus.model import Corpus
from cdec.matching.view import runs
from cdec.signature import Signature

_IDENTITY = 1.0
_RULE = "singletons at the same place of identical sentences of two documents"
_CHECK = "same sub-topic, words and tag; no indirect effect"


@dataclass(frozen=True)
class Duplicates:
    """The patch, and the number of candidates by what became of them."""

    patch: Patch
    counts: dict[str, int]


def duplicates_patch(corpus: Corpus) -> Duplicates:
    """Return the patch that links the duplicate singletons of ``corpus``."""
    events = corpus.selected
    chain = pd.factorize(events["chain"])[0].astype(np.int64)
    groups = [list(rows) for rows in recurring(duplicates(corpus, _IDENTITY), chain)["rows"]]
    sizes = np.bincount(chain)[chain]
    single = [rows for rows in groups if (sizes[rows] == 1).all()]
    equal = [rows for rows in single if _equal(events.iloc[rows])]
    operations = [Operation(merge=tuple(map(str, events.index[rows]))) for rows in equal]
    kept = direct(corpus, operations)
    counts = {"candidates": len(groups), "singletons": len(single), "corrections": len(kept)}
    return Duplicates(_patch(corpus, kept, counts), counts)


def direct(corpus: Corpus, operations: Sequence[Operation]) -> list[Operation]:
    """Return the operations without those that exclude each other or have indirect effects.

    Indirect: two chains of three or more mentions, or two mentions of a sentence, are in one chain
    although no single operation merges them.
    """
    kind = "missing-singleton-singleton"  # of no importance here
    numbered = enumerate(operations)
    decisions = [Decision(str(at), kind, ERROR, operation) for at, operation in numbered]
    known = Known.of_corpus(corpus)
    effects = (*conflicts(decisions, known.chains), *joined_sentences(decisions, known))
    refused = {case for effect in effects for case in effect.cases}
    return [decision.operation for decision in decisions if decision.case not in refused]


def _equal(mentions: pd.DataFrame) -> bool:
    words = mentions.assign(words=mentions["text"].str.lower())
    return len(words[["subtopic", "words", "tag"]].drop_duplicates()) == 1


def _patch(corpus: Corpus, operations: list[Operation], counts: dict[str, int]) -> Patch:
    named = sorted({id_ for operation in operations for id_ in operation.mentions})
    rows = corpus.selected.loc[named, ["doc", "tokens"]].itertuples(name=None)
    places = {str(id_): f"{doc}/{runs(tokens)}" for id_, doc, tokens in rows}
    audit = Signature.from_fields(**corpus.about, detectors=[DUPLICATE.id], identity=_IDENTITY)
    about = {
        "corpus": corpus.name,
        "digest": corpus.digest,
        "audit": str(audit),
        "cdec": __version__,
        "decided": "by rule, not by a reviewer",
        "rule": _RULE,
        "check": _CHECK,
        "mentions": len(corpus.selected),
        **counts,
    }
    return Patch.from_operations(operations, about, places)
