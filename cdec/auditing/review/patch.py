"""The patch that corrects a key: by the decisions of reviewers, or by a rule that needs none.

The rule is narrow. It links singletons at the same place of identical sentences, all of one
sub-topic with the same words and tag. A singleton whose copy is in a chain is left as it is: the
copy may be in the wrong chain. A correction with an indirect effect is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from cdec._version import __version__
from cdec.auditing.about import origin_of
from cdec.auditing.case import KINDS, Case, Operation
from cdec.auditing.detectors.duplicate import DUPLICATE, duplicates, recurring
from cdec.auditing.patches.model import Correction, Patch, contradiction
from cdec.auditing.review.agreement import ALL, BOTH, agreement
from cdec.auditing.review.conflicts import conflicts, joined_sentences
from cdec.auditing.review.decisions import (
    ERROR,
    VERDICTS,
    Decision,
    Known,
    Review,
    Settled,
    settled,
)
from cdec.corpus.model import Corpus
from cdec.errors import counted, one_of
from cdec.errors.notices import Notice, notice
from cdec.matching.view import runs
from cdec.signature import Signature

_IDENTITY = 1.0
_RULE = "singletons at the same place of identical sentences of two documents"
_CHECK = "same sub-topic, words and tag; no indirect effect"


def patch_of(
    reviews: Sequence[Review],
    known: Known,
    notify: Callable[[Iterable[Notice]], object],
    *,
    skip: bool,
    detectors: Mapping[str, Iterable[str]] | None = None,
) -> Patch:
    """Return the patch of the majority of the reviews; ``notify`` gets what is left out of it.

    ``skip``: leave out corrections that exclude each other; otherwise they are an error, see
    ``make_patch``, and ``notify`` gets each of them before. ``detectors``: those of the cases.
    """
    decided, disputed = settled(reviews)
    if not skip and len(found := conflicts(decided, known.chains)) > 1:
        each = (Notice("case-conflicting", len(one.cases), one.text) for one in found)
        notify(each)  # the message of the error may be too short for all of them
    patch, skipped = make_patch(
        decided, reviews, skip=skip, chains=known.chains, detectors=detectors
    )
    notify(left_out(reviews, decided, disputed, skipped))
    notify(_effects([d for d in decided if d.case not in skipped], patch, known))
    return patch


def detectors_of(reviews: Sequence[Review], cases: Sequence[Case]) -> dict[str, list[str]]:
    """Return case → the detectors that flagged it; empty without cases.

    Raises UnknownNameError for a decision on another case.
    """
    flagged = {case.id: [*case.detectors] for case in cases}
    for id_ in (id_ for review in reviews for id_ in review.by_case if cases):
        one_of("case", id_, flagged)
    return flagged


def left_out(
    reviews: Sequence[Review],
    decided: Sequence[Decision],
    disputed: Sequence[str],
    skipped: Sequence[str] = (),
) -> Iterator[Notice]:
    """Yield a notice on files without decisions, errors without a correction, and other cases.

    These are conflicting or disputed.
    """
    empty = [review.reviewer for review in reviews if not review.decisions]
    bare = [d.case for d in decided if d.verdict == ERROR and not d.operation.mentions]
    files, errors = counted(len(empty), "file has", "files have"), counted(len(bare), "error")
    conflicting, ties = counted(len(skipped), "case"), counted(len(disputed), "disputed case")
    for code, message, cases in (
        ("decisions-empty", f"{files} no decisions", empty),
        ("decisions-empty", f"{errors} without a correction: nothing is changed for them", bare),
        ("case-conflicting", f"{conflicting} with conflicting corrections left out", skipped),
        ("case-disputed", f"{ties} left out", disputed),
    ):
        if cases:
            yield notice(code, message, cases)


def _effects(decisions: Sequence[Decision], patch: Patch, known: Known) -> Iterator[Notice]:
    """Yield notices on effects that no decision names: found, and not to be found.

    Found are mentions of one sentence in one chain. Of mentions whose chains or sentences are
    unknown, nothing is found.
    """
    if joined := joined_sentences(decisions, known):
        pairs = counted(len(joined), "pair")
        message = f"{pairs} of mentions of one sentence are in one chain, by no single decision"
        yield notice("sentence-joined", message, [conflict.text for conflict in joined])
    if missing := sorted(patch.mentions - (known.chains.keys() & known.sentences.keys())):
        message = (
            f"chain or sentence of {counted(len(missing), 'mention')} unknown: effects that no "
            "decision names (moves undone, large chains fused, mentions of a sentence in one "
            "chain) cannot be found"
        )
        yield notice("moves-unchecked", message, missing)


def make_patch(
    decisions: Sequence[Settled],
    reviews: Sequence[Review],
    *,
    skip: bool = False,
    chains: Mapping[str, str] | None = None,
    detectors: Mapping[str, Iterable[str]] | None = None,
) -> tuple[Patch, tuple[str, ...]]:
    """Return the patch with the operations of all cases decided to be errors, and skipped cases.

    ``chains``: the chains of mentions, by default those that the reviews have; ``detectors``: those
    that flagged each case, the evidence of its operation. An error without an operation changes
    nothing. Raises FormatError that names all conflicts, unless ``skip``: then their cases are left
    out.
    """
    found = conflicts(decisions, Known.of_reviews(reviews).chains if chains is None else chains)
    if found and not skip:
        raise contradiction("; ".join(conflict.text for conflict in found))
    left_out = {case for conflict in found for case in conflict.cases}
    kept = [d for d in decisions if d.verdict == ERROR and d.case not in left_out]
    errors = [d for d in kept if d.operation.mentions]
    places = {id_: at for review in reviews for id_, at in review.places.items()}
    named = sorted({id_ for d in errors for id_ in d.operation.mentions} & places.keys())
    flags = detectors or {}
    operations = tuple(_correction(d, flags.get(d.case, ())) for d in errors)
    patch = Patch(operations, _about(reviews), {mention: places[mention] for mention in named})
    return patch, tuple(d.case for d in decisions if d.case in left_out)


def _correction(decision: Settled, detectors: Iterable[str]) -> Correction:
    """Return the operation of a case, with who chose it."""
    return Correction(
        **decision.operation.to_dict(),
        case=decision.case,
        kind=decision.kind,
        readers=decision.readers,
        agreement=decision.agreement,
        reason="; ".join(decision.reasons),
        evidence=tuple(detectors),
    )


def _about(reviews: Sequence[Review]) -> dict[str, Any]:
    """Return who decided, when, with how many votes and what agreement, on which list."""
    if not reviews:
        return {}
    names = ("corpus", "digest", "base", "list", "audit")
    origin = {name: reviews[0].about[name] for name in names if name in reviews[0].about}
    decided = [decision for review in reviews for decision in review.decisions]
    times = sorted(decision.time for decision in decided if decision.time)
    votes = Counter(decision.verdict for decision in decided)
    about = {
        **origin,
        "cdec": __version__,
        "reviewers": [review.reviewer for review in reviews],
        "votes": {verdict: votes[verdict] for verdict in VERDICTS},
    }
    table = agreement(reviews)
    pairs = table[(table["kind"] == ALL) & (table["on"] == BOTH) & (table["cases"] > 0)]
    rows = pairs[["one", "two", "cases", "ac1", "low", "high"]].round(4)
    listed = rows.astype(object).where(rows.notna(), None).to_dict("records")
    known = {
        "models": _models(reviews),
        "decided": [*times[:1], *times[-1:]],
        "agreement": listed,
    }
    return about | {name: value for name, value in known.items() if value}


def _models(reviews: Sequence[Review]) -> dict[str, dict[str, str]]:
    """Return the readers who are language models, with the model and the digest of its prompt."""
    names = ("model", "prompt_digest")
    return {
        one.reviewer: {name: str(one.about[name]) for name in names if name in one.about}
        for one in reviews
        if one.about.get("readers") == "model"
    }


def certain_patch(corpus: Corpus) -> tuple[Patch, dict[str, int]]:
    """Return the patch that links the duplicate singletons of ``corpus``.

    With it, the number of candidates, of those that are singletons, and of the corrections.
    """
    events = corpus.selected
    chain = pd.factorize(events["chain"])[0].astype(np.int64)
    groups = [list(rows) for rows in recurring(duplicates(corpus, _IDENTITY), chain)["rows"]]
    sizes = np.bincount(chain)[chain]
    single = [rows for rows in groups if (sizes[rows] == 1).all()]
    equal = [rows for rows in single if _equal(events.iloc[rows])]
    operations = [Operation(merge=tuple(map(str, events.index[rows]))) for rows in equal]
    kept = direct(corpus, operations)
    counts = {"candidates": len(groups), "singletons": len(single), "corrections": len(kept)}
    return _by_rule(corpus, kept, counts), counts


def direct(corpus: Corpus, operations: Sequence[Operation]) -> list[Operation]:
    """Return the operations without those that exclude each other or have indirect effects.

    Indirect: two chains of three or more mentions, or two mentions of a sentence, are in one chain
    although no single operation merges them.
    """
    kind = KINDS[0]  # of no importance here
    decisions = [
        Decision(case=str(at), kind=kind, verdict=ERROR, operation=operation)
        for at, operation in enumerate(operations)
    ]
    known = Known.of_corpus(corpus)
    effects = (*conflicts(decisions, known.chains), *joined_sentences(decisions, known))
    refused = {case for effect in effects for case in effect.cases}
    return [decision.operation for decision in decisions if decision.case not in refused]


def _equal(mentions: pd.DataFrame) -> bool:
    words = mentions.assign(words=mentions["text"].str.lower())
    return len(words[["subtopic", "words", "tag"]].drop_duplicates()) == 1


def _by_rule(corpus: Corpus, operations: list[Operation], counts: dict[str, int]) -> Patch:
    named = sorted({id_ for operation in operations for id_ in operation.mentions})
    rows = corpus.selected.loc[named, ["doc", "tokens"]].itertuples(name=None)
    places = {str(id_): f"{doc}/{runs(tokens)}" for id_, doc, tokens in rows}
    audit = Signature.from_fields(**corpus.about, detectors=[DUPLICATE.id], identity=_IDENTITY)
    about = {
        **origin_of(corpus),
        "audit": str(audit),
        "cdec": __version__,
        "decided": "by rule, not by a reviewer",
        "rule": _RULE,
        "check": _CHECK,
        "mentions": len(corpus.selected),
        **counts,
    }
    flags = (DUPLICATE.id,)
    each = (Correction(**o.to_dict(), reason=_RULE, evidence=flags) for o in operations)
    return Patch(tuple(each), about, places)
