"""The patch of the key by the decisions of readers, and the gate that a released patch passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from cdec._version import __version__
from cdec.auditing.case import SPURIOUS
from cdec.auditing.claims import (
    NOWHERE,
    Claim,
    Difference,
    Outcome,
    Patch,
    contradiction,
    corrected,
    origin_of,
    quoted,
)
from cdec.auditing.copies import differences, duplicates
from cdec.auditing.decisions import majority
from cdec.auditing.questions import ERROR, FINE, VERDICTS
from cdec.auditing.report import BOTH, agreement
from cdec.corpus.model import Corpus
from cdec.errors import Notice, counted, notice, warn_of

_IDENTITY = (
    0.8  # share of common tokens of the sentences that the gate compares, at least
)


def patch_of(votes: pd.DataFrame, corpus: Corpus, *, skip: bool = False) -> Patch:
    """Return the patch of the majority of ``votes``, and warn of what is left out of it.

    ``skip``: leave out cases whose claims exclude each other; otherwise they are a FormatError.
    """
    decided, ties = majority(votes)
    contradictions = conflicts(decided, dict(corpus.selected["chain"]))
    if contradictions and not skip:
        raise contradiction(contradictions)
    excluded = decided["case"].isin(_cases_of(contradictions))
    warn_of(omissions(decided, ties, decided.loc[excluded, "case"]))
    claims = _claims_of_errors(decided[~excluded])
    return Patch(tuple(claims), _about(votes, corpus))


# ---- decisions that exclude each other ----


def conflicts(decided: pd.DataFrame, chains: Mapping[str, str]) -> list[Difference]:
    """Return all conflicts: claims that differ on a mention, and claims that a decision denies.

    Without the cases of all conflicts, the others have no conflict. ``chains`` maps mentions to
    their chains in the key.
    """
    differences = []
    further = _conflicts_of(decided, chains)
    while further:
        differences += further
        decided = decided[~decided["case"].isin(_cases_of(further))]
        further = _conflicts_of(decided, chains)
    return differences


def _conflicts_of(decided: pd.DataFrame, chains: Mapping[str, str]) -> list[Difference]:
    """Return the claims that differ; if none do, those that a decision denies."""
    claims = _claims_of_errors(decided)
    return Outcome(claims, chains).differences or list(
        _denied_claims(decided, claims, chains)
    )


def _cases_of(differences: Iterable[Difference]) -> set[str]:
    return {case for difference in differences for case in difference.cases}


def _claims_of_errors(decided: pd.DataFrame) -> list[Claim]:
    claims = []
    for claims_of_case in decided.loc[decided["verdict"] == ERROR, "claims"]:
        claims += claims_of_case
    return claims


def _denied_claims(
    decided: pd.DataFrame, claims: Sequence[Claim], chains: Mapping[str, str]
) -> Iterator[Difference]:
    """Yield the claims that bring about what a decision on another case denies."""
    before = Outcome((), chains)
    after = Outcome(claims, chains)
    fine = decided[(decided["verdict"] == FINE) & (decided["kind"] != SPURIOUS)]
    for case, claims_of_case in zip(fine["case"], fine["claims"], strict=True):
        denied = [claim for claim in claims_of_case if not claim.add]
        if _hold(denied, after) and not _hold(denied, before):
            mentions = [mention for claim in denied for mention in claim.mentions]
            causes = _causes(denied, claims, chains)
            text = f"correct {quoted(mentions)}, which case '{case}' calls no error"
            yield Difference.of(causes, text)


def _causes(
    denied: Sequence[Claim], claims: Sequence[Claim], chains: Mapping[str, str]
) -> list[Claim]:
    """Return the claims that bring about what is denied.

    They are about the same chains: those of cases without which it would not hold, or all if it
    would hold without any one case.
    """
    after = Outcome(claims, chains)
    chains_of_denied = {after.of(claim.subject) for claim in denied}
    near = []
    for claim in claims:
        chains_of_claim = {
            after.of(mention) for mention in (claim.subject, *claim.mentions)
        }
        if chains_of_claim & chains_of_denied:
            near.append(claim)
    necessary = set()
    for case in {claim.case for claim in near}:
        without = [claim for claim in claims if claim.case != case]
        if not _hold(denied, Outcome(without, chains)):
            necessary.add(case)
    if not necessary:
        return near
    return [claim for claim in near if claim.case in necessary]


def _hold(claims: Sequence[Claim], outcome: Outcome) -> bool:
    """Return whether the chains of an outcome are as claims say; no others make a new chain."""
    return bool(claims) and all(_holds(claim, outcome) for claim in claims)


def _holds(claim: Claim, outcome: Outcome) -> bool:
    if claim.is_new or claim.to is None:
        return False
    target = outcome.of(claim.target) if claim.target else NOWHERE
    return outcome.of(claim.subject) == target


def omissions(
    decided: pd.DataFrame, ties: Sequence[str], skipped: Iterable[str] = ()
) -> Iterator[Notice]:
    """Yield a notice on errors without a correction, on conflicts, and on ties."""
    without_claims = (decided["verdict"] == ERROR) & ~decided["claims"].map(bool)
    uncorrected = decided.loc[without_claims, "case"].tolist()
    if uncorrected:
        errors = counted(len(uncorrected), "error")
        text = f"{errors} without a correction: nothing changes"
        yield notice("patch-contradictory", text, uncorrected)
    conflicting = list(skipped)
    if conflicting:
        cases = counted(len(conflicting), "case")
        text = f"{cases} with conflicting corrections left out"
        yield notice("patch-contradictory", text, conflicting)
    if ties:
        text = f"{counted(len(ties), 'disputed case')} left out"
        yield notice("patch-contradictory", text, ties)


# ---- who decided ----


def _about(votes: pd.DataFrame, corpus: Corpus) -> dict[str, Any]:
    """Return who decided, when, with how many votes and what agreement."""
    about: dict[str, Any] = {
        **origin_of(corpus),
        "cdec": __version__,
        "reviewers": votes["reader"].unique().tolist(),
        "votes": votes["verdict"]
        .value_counts()
        .reindex(VERDICTS, fill_value=0)
        .to_dict(),
    }
    times = sorted(time for time in votes["time"] if time)
    if times:
        about["decided"] = [times[0], times[-1]]
    pairs = agreement(votes)
    pairs = pairs[(pairs["on"] == BOTH) & (pairs["cases"] > 0)]
    if len(pairs):
        rows = (
            pairs[["one", "two", "cases", "ac1", "low", "high"]].round(4).astype(object)
        )
        about["agreement"] = rows.where(rows.notna(), None).to_dict("records")
    return about


# ---- the gate ----


def gate(corpus: Corpus, patch: Patch, identity: float = _IDENTITY) -> list[str]:
    """Return what the copies of reviewed sentences show on the corrected key and not before.

    These are mentions at the same place of similar sentences that a patch divides, and mentions,
    spans and tags in which identical sentences differ since. A patch with any is not released.
    """
    after = corrected(corpus, patch)
    is_reviewed = after.mentions["reviewed"].astype(bool)
    reviewed = {str(mention) for mention in is_reviewed.index[is_reviewed]}
    faults = _faults_of_copies(after, reviewed, identity)
    faults -= _faults_of_copies(corpus, reviewed, identity)
    return sorted(faults)


def _faults_of_copies(corpus: Corpus, reviewed: set[str], identity: float) -> set[str]:
    """Return where copies are divided or differ; only of mentions in reviewed sentences."""
    faults = set()
    pairs = duplicates(corpus, identity)
    ids = corpus.selected.index.to_numpy()
    chains = corpus.selected["chain"].to_numpy()
    for left, right in zip(pairs["left"], pairs["right"], strict=True):
        mentions = {ids[left], ids[right]}
        if chains[left] != chains[right] and mentions <= reviewed:
            faults.add(f"copies divided: {ids[left]} and {ids[right]}")
    for difference in differences(corpus):
        if reviewed.issuperset(difference.mentions):
            for place in (*difference.places, *difference.new):
                faults.add(f"{difference.name} of copies: {place}")
    return faults
