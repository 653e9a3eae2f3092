"""The patch of the corrections that are certain: mentions of identical sentences, unlinked.

The first rule chooses the operation, as for a case: singletons are linked, a singleton joins the
chain of its copy, and of two mentions in two chains the one that fits the other chain better moves.
The second rule must confirm it: the mentions are in one sub-topic with the same words, tag and
polarity; a chain that is joined fits its own mention; and a mention moves only if it fits clearly
better there than in its own chain. What it does not confirm is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from cdec._version import __version__
from cdec.audit.cases import CaseBuilder
from cdec.audit.config import AuditConfig
from cdec.audit.find import Finds, find, prepare
from cdec.audit.fixes import Votes
from cdec.audit.operation import Operation
from cdec.audit.patches.apply import undone_moves
from cdec.audit.patches.model import Patch
from cdec.audit.review.conflicts import conflicts
from cdec.audit.review.decisions import ERROR, Decision
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent
from cdec.language.pipeline import identity
from cdec.matching.view import runs
from cdec.signature import Signature

_CLEARLY = 0.5  # by how much a mention fits the other chain better (see Votes.fit)
_FITS = 0.25  # how well a mention at least fits the chain that its copy joins
_RULE = "mentions at the same place of identical sentences of two documents, not linked"
_CHECK = (
    "same sub-topic, words, tag and polarity; the joined chain fits its own mention; a moved "
    "mention fits the other chain clearly better"
)


@dataclass(frozen=True)
class Certain:
    """The patch, and the number of candidates by what became of them."""

    patch: Patch
    counts: dict[str, int]


def certain_patch(corpus: Corpus, progress: Progress = silent, pipeline: str = "hanta") -> Certain:
    """Return the patch of the certain corrections of ``corpus``.

    Raises LanguageError and CorpusError as ``prepare`` does.
    """
    config = AuditConfig(detectors=("duplicate",), pipeline=pipeline, identity=1.0)
    prepared = prepare(corpus, config, progress)
    finds = find(corpus, prepared, config, progress)
    builder = CaseBuilder.from_finds(corpus, prepared, finds)
    votes, decisions = builder.fixes.votes, []
    for number, rows in enumerate(finds.groups["rows"]):
        fix = builder.fixes.link(rows)[0]
        if _confirmed(rows, fix.name, fix.operation, votes, builder.ids):
            kind = "missing-singleton-singleton"  # of no importance here
            decisions.append(Decision(str(number), kind, ERROR, fix.operation))
    excluded = {case for conflict in conflicts(decisions) for case in conflict.cases}
    consistent = [decision.operation for decision in decisions if decision.case not in excluded]
    kept = _lasting(corpus, consistent)
    counts = {
        "candidates": len(finds.groups),
        "confirmed": len(decisions),
        "conflicting": len(decisions) - len(kept),
        "corrections": len(kept),
    }
    return Certain(_patch(corpus, kept, counts, config, finds), counts)


def _lasting(corpus: Corpus, operations: list[Operation]) -> list[Operation]:
    """Return the operations without those whose mentions others return to their chain."""
    kept = operations
    while undone := set(undone_moves(corpus.gold, Patch.from_operations(kept, {}, {}))):
        kept = [operation for operation in kept if undone.isdisjoint(operation.mentions)]
    return kept


def _confirmed(
    rows: tuple[int, ...], name: str, operation: Operation, votes: Votes, ids: pd.Index[Any]
) -> bool:
    """Return whether the second rule confirms the correction of these mentions."""
    events = votes.corpus.selected.iloc[list(rows)]
    equal = events.assign(words=events["text"].str.lower())[["subtopic", "words", "tag"]]
    if len(equal.drop_duplicates()) > 1:
        return False
    large = [row for row in rows if len(votes.members[int(votes.chain[row])]) > 1]
    if name == "merge" and len(large) < 2:
        return all(votes.fit(row, int(votes.chain[row])) >= _FITS for row in large)
    if name != "move":
        return False
    moved = int(ids.get_indexer(pd.Index(operation.move))[0])
    stays = rows[0] if rows[1] == moved else rows[1]
    own, other = int(votes.chain[moved]), int(votes.chain[stays])
    better = votes.fit(moved, other) - votes.fit(moved, own) >= _CLEARLY
    return better and votes.fit(stays, other) >= _FITS


def _patch(
    corpus: Corpus,
    operations: list[Operation],
    counts: dict[str, int],
    config: AuditConfig,
    finds: Finds,
) -> Patch:
    named = sorted({id_ for operation in operations for id_ in operation.mentions})
    rows = corpus.selected.loc[named, ["doc", "tokens"]].itertuples(name=None)
    places = {str(id_): f"{doc}/{runs(tokens)}" for id_, doc, tokens in rows}
    nlp = identity(config.pipeline, corpus)
    signature = Signature.from_fields(**corpus.about, nlp=nlp, **config.about)
    about = {
        "corpus": corpus.name,
        "digest": corpus.digest,
        "audit": str(signature),
        "cdec": __version__,
        "decided": "by rule, not by a reviewer",
        "rule": _RULE,
        "check": _CHECK,
        "mentions": len(finds.chain),
        **counts,
    }
    return Patch.from_operations(operations, about, places)
