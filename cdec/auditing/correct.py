"""The patch of the key by the decisions of readers, and the gate that a released patch passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

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
from cdec.auditing.decisions import settled
from cdec.auditing.questions import ERROR, FINE, VERDICTS
from cdec.auditing.report import BOTH, agreement
from cdec.corpus.model import Corpus
from cdec.errors import Log, warn_of
from cdec.records import Row


def patch_of(votes: pd.DataFrame, corpus: Corpus, *, skip: bool = False) -> Patch:
    """Return the patch of the majority of ``votes``, and warn of what is left out of it.

    ``skip``: leave out cases whose claims exclude each other; otherwise they are a FormatError.
    """
    decided, ties = settled(votes)
    found = conflicts(decided, dict(corpus.selected["chain"]))
    if found and not skip:
        raise contradiction(found)
    excluded = decided["case"].isin(
        {case for conflict in found for case in conflict.cases}
    )
    warn_of(left_out(decided, ties, decided.loc[excluded, "case"]))
    return Patch(tuple(_errors(decided[~excluded])), _about(votes, corpus))


def conflicts(decided: pd.DataFrame, chains: Mapping[str, str]) -> list[Difference]:
    """Return all conflicts: claims that differ on a mention, and claims that a decision denies.

    Without the cases of all conflicts, the rest has no conflict. ``chains`` maps mentions to their
    chains in the key.
    """
    found: list[Difference] = []
    while True:
        claims = _errors(decided)
        new = Outcome(claims, chains).differences or list(
            _denied(decided, claims, chains)
        )
        if not new:
            return found
        found += new
        decided = decided[
            ~decided["case"].isin({case for one in new for case in one.cases})
        ]


def _errors(decided: pd.DataFrame) -> list[Claim]:
    return [
        c for own in decided.loc[decided["verdict"] == ERROR, "claims"] for c in own
    ]


def _denied(
    decided: pd.DataFrame, claims: Sequence[Claim], chains: Mapping[str, str]
) -> Iterator[Difference]:
    """Yield the claims that bring about what a decision on another case denies."""
    made = Outcome(claims, chains)
    plain = Outcome((), chains)
    fine = decided[(decided["verdict"] == FINE) & (decided["kind"] != SPURIOUS)]
    for case, said in fine[["case", "claims"]].to_numpy():
        denied = [claim for claim in said if not claim.add]
        if _hold(denied, plain) or not _hold(denied, made):
            continue
        there = {made.of(claim.subject) for claim in denied}
        near = [
            c for c in claims if there & {made.of(m) for m in (c.subject, *c.mentions)}
        ]
        alone = {
            one
            for one in {claim.case for claim in near}
            if not _hold(denied, Outcome([c for c in claims if c.case != one], chains))
        }
        names = quoted(mention for claim in denied for mention in claim.mentions)
        by = [claim for claim in near if not alone or claim.case in alone]
        yield Difference.of(by, f"correct {names}, which case '{case}' calls no error")


def _hold(claims: Sequence[Claim], made: Outcome) -> bool:
    """Return whether the chains of an outcome are as claims say; no others make a new chain."""
    return bool(claims) and all(
        not claim.is_new
        and claim.to is not None
        and made.of(claim.subject)
        == (made.of(claim.target) if claim.target else NOWHERE)
        for claim in claims
    )


def left_out(
    decided: pd.DataFrame, ties: Sequence[str], skipped: Iterable[str] = ()
) -> Log:
    """Return the notices on errors without a correction, on conflicts, and on ties."""
    bare = (decided["verdict"] == ERROR) & ~decided["claims"].map(bool)
    log = Log()
    for noun, rest, cases in (
        ("error", "without a correction: nothing changes", decided.loc[bare, "case"]),
        ("case", "with conflicting corrections left out", skipped),
        ("disputed case", "left out", ties),
    ):
        log.report("patch-contradictory", cases, noun, rest)
    return log


def _about(votes: pd.DataFrame, corpus: Corpus) -> Row:
    """Return who decided, when, with how many votes and what agreement."""
    times = sorted(filter(None, votes["time"]))
    pairs = agreement(votes)
    pairs = pairs[(pairs["on"] == BOTH) & (pairs["cases"] > 0)]
    rows = pairs[["one", "two", "cases", "ac1", "low", "high"]].round(4).astype(object)
    known = {
        "decided": [*times[:1], *times[-1:]],
        "agreement": rows.where(rows.notna(), None).to_dict("records"),
    }
    return {
        **origin_of(corpus),
        "cdec": __version__,
        "reviewers": votes["reader"].unique().tolist(),
        "votes": votes["verdict"]
        .value_counts()
        .reindex(VERDICTS, fill_value=0)
        .to_dict(),
        **{name: value for name, value in known.items() if value},
    }


def gate(corpus: Corpus, patch: Patch) -> list[str]:
    """Return what the copies of reviewed sentences show on the corrected key and not before.

    These are mentions at the same place of similar sentences that a patch divides, and mentions,
    spans and tags in which identical sentences differ since. A patch with any is not released.
    """
    after = corrected(corpus, patch)
    reviewed = after.mentions["reviewed"].astype(bool)
    inside = {str(mention) for mention in reviewed.index[reviewed]}

    def found(one: Corpus) -> set[str]:
        ends = duplicates(one)[["left", "right"]].to_numpy()
        left, right = one.selected["chain"].to_numpy()[ends].T
        divided = one.selected.index.to_numpy()[ends[left != right]]
        texts = {
            f"copies divided: {a} and {b}"
            for a, b in divided.tolist()
            if inside >= {a, b}
        }
        for difference in differences(one):
            if inside.issuperset((*difference.first, *difference.new)):
                for place in (*difference.places, *difference.new):
                    texts.add(f"{difference.name} of copies: {place}")
        return texts

    return sorted(found(after) - found(corpus))
