"""The patch that corrects a key: by the decisions of reviewers, or by a rule that needs none.

The rule is narrow. It links singletons at the same place of identical sentences, all of one
sub-topic with the same words and tag. A singleton whose copy is in a chain is left as it is: the
copy may be in the wrong chain. A correction with an indirect effect is refused.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from cdec._version import __version__
from cdec.auditing.agreement import ALL, BOTH, agreement
from cdec.auditing.case import KINDS, Case
from cdec.auditing.decisions import (
    ERROR,
    VERDICTS,
    Decision,
    Known,
    Majority,
    Review,
    claims_of,
    conflicts,
    joined_sentences,
    settled,
)
from cdec.auditing.detectors.copies import differences
from cdec.auditing.detectors.duplicate import duplicates, recurring
from cdec.corpus.claims import (
    Claim,
    Patch,
    check_origin,
    contradiction,
    corrected,
    not_there,
    origin_of,
    tokens_at,
)
from cdec.corpus.model import Corpus
from cdec.errors import Notice, UsageError, counted, notice, one_of
from cdec.matching.names import runs
from cdec.signature import Signature

# Two products of an audit, by --reviewed: corrections in reviewed sentences, and all others.
PRODUCTS = {"only": "A", "outside": "B"}
_IDENTITY = 1.0
_RULE = "singletons at the same place of identical sentences of two documents"
_CHECK = "same sub-topic, words and tag; no indirect effect"
Notify = Callable[[Iterable[Notice]], object]


def patch_of(
    reviews: Sequence[Review],
    known: Known,
    notify: Notify,
    *,
    skip: bool,
    detectors: Mapping[str, Iterable[str]] | None = None,
) -> Patch:
    """Return the patch of the majority of the reviews; ``notify`` gets what is left out of it.

    ``skip``: leave out cases whose claims exclude each other; otherwise they are a FormatError that
    names all of them, and ``notify`` gets each before. ``detectors``: those of the cases.
    """
    decided, disputed = settled(reviews, known)
    found = conflicts(decided, known.chains)
    if found and not skip:
        if len(found) > 1:  # the message of the error may be too short for all of them
            notify(Notice("patch-contradictory", len(one.cases), one.text) for one in found)
        raise contradiction("; ".join(conflict.text for conflict in found))
    skipped = {case for conflict in found for case in conflict.cases}
    kept = [decision for decision in decided if decision.case not in skipped]
    errors = [decision for decision in kept if decision.verdict == ERROR]
    flags = detectors or {}
    claims = tuple(c for one in errors for c in claims_of(one, flags.get(one.case, ())))
    places = {id_: place for review in reviews for id_, place in review.places.items()}
    named = sorted({mention for claim in claims for mention in claim.mentions})
    patch = Patch(claims, _about(reviews), {id_: places[id_] for id_ in named if id_ in places})
    notify(left_out(reviews, decided, disputed, [d.case for d in decided if d.case in skipped]))
    notify(_effects(kept, named, known))
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
    decided: Sequence[Majority],
    disputed: Sequence[str],
    skipped: Sequence[str] = (),
) -> Iterator[Notice]:
    """Yield a notice on files without decisions, errors without a correction, and other cases."""
    empty = [review.reviewer for review in reviews if not review.decisions]
    bare = [d.case for d in decided if d.verdict == ERROR and not d.claims]
    files, errors = counted(len(empty), "file has", "files have"), counted(len(bare), "error")
    conflicting, ties = counted(len(skipped), "case"), counted(len(disputed), "disputed case")
    for code, message, cases in (
        ("patch-contradictory", f"{files} no decisions", empty),
        (
            "patch-contradictory",
            f"{errors} without a correction: nothing changes",
            bare,
        ),
        ("patch-contradictory", f"{conflicting} with conflicting corrections left out", skipped),
        ("patch-contradictory", f"{ties} left out", disputed),
    ):
        if cases:
            yield notice(code, message, cases)


def _effects(
    decisions: Sequence[Majority], mentions: Sequence[str], known: Known
) -> Iterator[Notice]:
    """Yield notices on effects that no decision names: found, and not to be found.

    Found are mentions of one sentence in one chain. Of mentions whose chains or sentences are
    unknown, nothing is found.
    """
    if joined := joined_sentences(decisions, known):
        pairs = counted(len(joined), "pair")
        message = f"{pairs} of mentions of one sentence are in one chain, by no single decision"
        yield notice("patch-contradictory", message, [difference.text for difference in joined])
    unknown = [m for m in mentions if m not in known.chains or m not in known.sentences]
    if unknown:
        message = (
            f"chain or sentence of {counted(len(unknown), 'mention')} unknown: effects that no "
            "decision names (chains joined through a third, mentions of a sentence in one chain) "
            "cannot be found"
        )
        yield notice("patch-contradictory", message, unknown)


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
    models = {  # the readers who are language models
        one.reviewer: {n: str(one.about[n]) for n in ("model", "prompt_digest") if n in one.about}
        for one in reviews
        if one.about.get("readers") == "model"
    }
    table = agreement(reviews)
    pairs = table[(table["kind"] == ALL) & (table["on"] == BOTH) & (table["cases"] > 0)]
    rows = pairs[["one", "two", "cases", "ac1", "low", "high"]].round(4)
    listed = rows.astype(object).where(rows.notna(), None).to_dict("records")
    known = {"models": models, "decided": [*times[:1], *times[-1:]], "agreement": listed}
    return about | {name: value for name, value in known.items() if value}


def products(patch: Patch, corpus: Corpus, scope: str = "all") -> dict[str, Patch]:
    """Return product → the patch of its cases; ``scope`` is a key of PRODUCTS, or ``all``.

    A: each mention of the case, and the sentence of an added one, is reviewed; B: all others.
    ``about`` of B has the number of cases ``across`` both. For ``all``, a product without a case is
    left out; a corpus without a list of reviewed sentences has one product, ''. Raises UsageError
    for another ``scope`` on such a corpus, FormatError if the patch is for another one.
    """
    one_of("review scope", scope, (*PRODUCTS, "all"))
    check_origin(patch.about, corpus, patch.name)
    if not corpus.mentions["reviewed"].astype(bool).any():
        if scope == "all":
            return {"": patch}
        message, hint = "the corpus has no list of reviewed sentences", "leave out the restriction"
        raise UsageError("annotation-missing", message, hint=hint)
    inside: dict[str, list[bool]] = defaultdict(list)
    case_of = [claim.case or str(number) for number, claim in enumerate(patch.claims)]
    for case, claim in zip(case_of, patch.claims, strict=True):
        inside[case] += _reviewed(claim, corpus, patch.name)
    chosen = {}
    for own, product in PRODUCTS.items():
        cases = {case for case, each in inside.items() if all(each) == (own == "only")}
        pairs = zip(case_of, patch.claims, strict=True)
        claims = tuple(claim for case, claim in pairs if case in cases)
        mixed = sum(any(each) and not all(each) for each in inside.values())
        across = {"across": mixed} if mixed and own == "outside" else {}
        if scope == own or (scope == "all" and claims):
            about = {**patch.about, "product": product, **across}
            chosen[product] = replace(patch, claims=claims, about=about)
    return chosen


def _reviewed(claim: Claim, corpus: Corpus, name: str) -> list[bool]:
    """Return whether each mention that a claim names, or adds, is in a reviewed sentence."""
    mentions = corpus.mentions
    for mention in claim.mentions:
        if mention not in mentions.index:
            raise not_there(f"mention '{mention}' is not in the corpus", name)
    added = [tokens_at(corpus, claim.add, name)[1] in corpus.reviewed] if claim.add else []
    return [*mentions.loc[[*claim.mentions], "reviewed"].astype(bool), *added]


def certain_patch(corpus: Corpus) -> tuple[Patch, dict[str, int]]:
    """Return the patch that links the duplicate singletons of ``corpus``.

    With it, the number of candidates, of those that are singletons, and of the corrections.
    """
    events = corpus.selected
    chain = pd.factorize(events["chain"])[0].astype(np.int64)
    groups = [rows for rows, _ in recurring(duplicates(corpus, _IDENTITY), chain)]
    sizes = np.bincount(chain)[chain]
    single = [rows for rows in groups if (sizes[rows] == 1).all()]
    words = events[["subtopic", "tag"]].assign(words=events["text"].str.lower())
    equal = [rows for rows in single if len(words.iloc[rows].drop_duplicates()) == 1]
    ids = [tuple(map(str, events.index[rows])) for rows in equal]
    links = [tuple(Claim(mention=one, to=own[0]) for one in own) for own in ids]
    kept = direct(corpus, links)
    counts = {"candidates": len(groups), "singletons": len(single), "corrections": len(kept)}
    claims = tuple(claim for one in kept for claim in one)
    named = sorted({mention for claim in claims for mention in claim.mentions})
    rows = events.loc[named, ["doc", "tokens"]].itertuples(name=None)
    places = {str(id_): f"{doc}/{runs(tokens)}" for id_, doc, tokens in rows}
    audit = Signature.from_fields(**corpus.about, detectors=["duplicate"], identity=_IDENTITY)
    about = {
        **origin_of(corpus),
        "audit": str(audit),
        "cdec": __version__,
        "decided": "by rule, not by a reviewer",
        "rule": _RULE,
        "check": _CHECK,
        "mentions": len(events),
        **counts,
    }
    who = {"reason": _RULE, "evidence": ("duplicate",)}
    return Patch(tuple(claim.model_copy(update=who) for claim in claims), about, places), counts


def direct(corpus: Corpus, links: Sequence[tuple[Claim, ...]]) -> list[tuple[Claim, ...]]:
    """Return the links without those that exclude each other or have indirect effects.

    Indirect: chains, or two mentions of a sentence, are in one chain although no single link says
    so.
    """
    decisions = [
        Decision(case=str(at), kind=KINDS[0], verdict=ERROR, claims=claims)
        for at, claims in enumerate(links)
    ]
    known = Known.of_corpus(corpus)
    effects = (*conflicts(decisions, known.chains), *joined_sentences(decisions, known))
    refused = {case for effect in effects for case in effect.cases}
    return [decision.claims for decision in decisions if decision.case not in refused]


def gate(corpus: Corpus, patch: Patch, identity: float = 0.8) -> list[str]:
    """Return what the copies of reviewed sentences show on the corrected key and not before.

    These are mentions at the same place of similar sentences that a patch divides, and mentions,
    spans and tags in which identical sentences differ since. A patch with any is not released.
    """
    after = corrected(corpus, patch)
    reviewed = after.mentions["reviewed"].astype(bool)

    def divided(one: Corpus) -> set[tuple[str, str]]:
        events = one.selected
        alike = duplicates(one, identity)
        ends = [events.index[alike[side]] for side in ("left", "right")]
        chains = [events["chain"].reindex(end).to_numpy() for end in ends]
        pairs = zip(*(end[chains[0] != chains[1]] for end in ends), strict=True)
        return {(str(a), str(b)) for a, b in pairs if reviewed.get(a) and reviewed.get(b)}

    def differ(one: Corpus) -> set[str]:
        every = (d for d in differences(one) if all(reviewed.get(id_, False) for id_ in d.ids))
        named = ((d.name, place) for d in every for place in (*d.places, *d.new))
        return {f"{name} of copies: {place}" for name, place in named}

    links = (f"copies divided: {a} and {b}" for a, b in sorted(divided(after) - divided(corpus)))
    return [*links, *sorted(differ(after) - differ(corpus))]
