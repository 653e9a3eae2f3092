"""The patch that corrects a key: by the decisions of readers, or by a rule that needs none.

The rule is narrow. It links singletons at the same place of identical sentences, all of one
sub-topic with the same words and tag. A singleton whose copy is in a chain is left as it is: the
copy may be in the wrong chain. A correction with an indirect effect is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from cdec._version import __version__
from cdec.auditing.agreement import ALL, BOTH, agreement
from cdec.auditing.case import SPURIOUS
from cdec.auditing.decisions import chains_of, settled
from cdec.auditing.detectors.copies import differences, duplicates, recurring
from cdec.auditing.questions import ERROR, FINE, VERDICTS
from cdec.corpus.claims import (
    NEW,
    NOWHERE,
    Claim,
    Difference,
    Outcome,
    Patch,
    check_patch,
    contradiction,
    corrected,
    differing,
    listed,
    origin_of,
    tokens_at,
)
from cdec.corpus.model import Corpus
from cdec.errors import Notice, UsageError, counted, notice, one_of
from cdec.signature import Signature

# Two products of an audit, by --reviewed: corrections in reviewed sentences, and all others.
PRODUCTS = {"only": "A", "outside": "B"}
_IDENTITY = 1.0
_RULE = "singletons at the same place of identical sentences of two documents"
_CHECK = "same sub-topic, words and tag; no indirect effect"
Notify = Callable[[Iterable[Notice]], object]


def patch_of(
    votes: pd.DataFrame, about: Mapping[str, Any], corpus: Corpus, notify: Notify, *, skip: bool
) -> Patch:
    """Return the patch of the majority of ``votes``; ``notify`` gets what is left out of it.

    ``skip``: leave out cases whose claims exclude each other; otherwise they are a FormatError that
    names all of them, and ``notify`` gets each before.
    """
    decided, ties = settled(votes)
    decided["claims"] = pd.Series(map(claims_of, decided.to_dict("records")), dtype=object)
    found = conflicts(decided, chains_of(corpus))
    if found and not skip:
        # The message of the error may be too short for all of them.
        notify(Notice("patch-contradictory", len(one.cases), one.text) for one in found)
        raise contradiction(found)
    excluded = decided["case"].isin({case for conflict in found for case in conflict.cases})
    kept = decided[~excluded]
    errors = kept[kept["verdict"] == ERROR]
    notify(left_out(decided, ties, decided.loc[excluded, "case"]))
    if joined := joined_sentences(kept, corpus):
        pairs = counted(len(joined), "pair")
        message = f"{pairs} of mentions of one sentence are in one chain, by no single decision"
        notify([notice("patch-contradictory", message, [one.text for one in joined])])
    claims = tuple(claim for own in errors["claims"] for claim in own)
    return Patch(claims, _about(votes, about, corpus))


def claims_of(case: Mapping[Any, Any]) -> list[Claim]:
    """Return the claims of a decision with its case, its readers and the name of a new chain."""
    names = ("case", "kind", "readers", "agreement", "evidence")
    who = {name: case[name] for name in names} | {"reason": case["reasons"]}
    new = dict.fromkeys(claim.to for claim in case["claims"] if claim.is_new)
    ends = ("", *(f"-{number}" for number in range(2, len(new) + 1)))
    names_of = {to: f"{NEW}{case['case']}{end}" for to, end in zip(new, ends, strict=False)}
    return [
        claim.model_copy(update=who | {"to": names_of.get(claim.to, claim.to)})
        for claim in case["claims"]
    ]


def conflicts(decided: pd.DataFrame, chains: Mapping[str, str]) -> list[Difference]:
    """Return all conflicts: claims that differ on a mention, and claims that a decision denies.

    Without the cases of all conflicts, the rest has no conflict. ``chains`` maps mentions to their
    chains in the key.
    """
    found: list[Difference] = []
    while True:
        claims = _errors(decided)
        new = Outcome(claims, chains).differences or list(_denied(decided, claims, chains))
        if not new:
            return found
        found += new
        decided = decided[~decided["case"].isin({case for one in new for case in one.cases})]


def _errors(decided: pd.DataFrame) -> list[Claim]:
    return [c for own in decided.loc[decided["verdict"] == ERROR, "claims"] for c in own]


def _denied(
    decided: pd.DataFrame, claims: Sequence[Claim], chains: Mapping[str, str]
) -> Iterator[Difference]:
    """Yield the claims that bring about what a decision on another case denies."""
    made, plain = Outcome(claims, chains), Outcome((), chains)
    fine = decided[(decided["verdict"] == FINE) & (decided["kind"] != SPURIOUS)]
    for case, said in fine[["case", "claims"]].to_numpy():
        denied = [claim for claim in said if not claim.add]
        if _hold(denied, plain) or not _hold(denied, made):
            continue
        chains_ = {made.of(claim.subject) for claim in denied}
        near = [c for c in claims if chains_ & {made.of(m) for m in (c.subject, *c.mentions)}]
        alone = {
            one
            for one in {claim.case for claim in near}
            if not _hold(denied, Outcome([c for c in claims if c.case != one], chains))
        }
        names = listed(dict.fromkeys(m for claim in denied for m in claim.mentions))
        by = [claim for claim in near if not alone or claim.case in alone]
        yield differing(by, f"correct {names}, which case '{case}' calls no error")


def _hold(claims: Sequence[Claim], made: Outcome) -> bool:
    """Return whether the chains of an outcome are as claims say; no others make a new chain."""
    return bool(claims) and all(
        not claim.is_new
        and claim.to is not None
        and made.of(claim.subject) == (made.of(claim.target) if claim.target else NOWHERE)
        for claim in claims
    )


def joined_sentences(decided: pd.DataFrame, corpus: Corpus) -> list[Difference]:
    """Return the pairs of mentions of one sentence that claims bring into one chain.

    Pairs that a single decision names are left out.
    """
    claims = _errors(decided)
    made = Outcome(claims, chains_of(corpus))
    named = pd.DataFrame(
        {(c.case, m) for c in claims for m in (c.subject, *c.mentions)}, columns=["case", "id"]
    )
    touched = {made.of(mention) for mention in named["id"]} - {NOWHERE}
    events = corpus.selected.rename_axis("id").reset_index()[["id", "doc", "sentence", "chain"]]
    events["after"] = events["id"].map(made.of)
    events = events[events["after"].isin(touched)]
    pairs = events.merge(events, on=["doc", "sentence", "after"])
    pairs = pairs[(pairs["id_x"] < pairs["id_y"]) & (pairs["chain_x"] != pairs["chain_y"])]
    by_one = named.merge(named, on="case")[["id_x", "id_y"]].drop_duplicates()
    pairs = pairs.merge(by_one, how="left", on=["id_x", "id_y"], indicator=True)
    found = []
    for one, two in pairs.loc[pairs["_merge"] == "left_only", ["id_x", "id_y"]].to_numpy():
        near = dict.fromkeys(c.case for c in claims if made.of(c.subject) == made.of(one))
        found.append(Difference(tuple(near), f"'{one}' and '{two}' (cases {listed(near)})"))
    return found


def left_out(
    decided: pd.DataFrame, ties: Sequence[str], skipped: Iterable[str] = ()
) -> Iterator[Notice]:
    """Yield a notice on errors without a correction, on conflicts, and on ties."""
    bare = (decided["verdict"] == ERROR) & ~decided["claims"].map(bool)
    for one, rest, cases in (
        ("error", "without a correction: nothing changes", decided.loc[bare, "case"]),
        ("case", "with conflicting corrections left out", skipped),
        ("disputed case", "left out", ties),
    ):
        if ids := [*cases]:
            yield notice("patch-contradictory", f"{counted(len(ids), one)} {rest}", ids)


def _about(votes: pd.DataFrame, about: Mapping[str, Any], corpus: Corpus) -> dict[str, Any]:
    """Return who decided, when, with how many votes and what agreement, on which list."""
    times = sorted(filter(None, votes["time"]))
    table = agreement(votes)
    pairs = table[(table["kind"] == ALL) & (table["on"] == BOTH) & (table["cases"] > 0)]
    rows = pairs[["one", "two", "cases", "ac1", "low", "high"]].round(4).astype(object)
    counts = votes["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
    known = {
        "decided": [*times[:1], *times[-1:]],
        "agreement": rows.where(rows.notna(), None).to_dict("records"),
    }
    return {
        **origin_of(corpus),
        **{name: about[name] for name in ("list", "audit") if name in about},
        "cdec": __version__,
        "reviewers": votes["reader"].unique().tolist(),
        "votes": counts.to_dict(),
        **{name: value for name, value in known.items() if value},
    }


def products(patch: Patch, corpus: Corpus, scope: str = "all") -> dict[str, Patch]:
    """Return product → the patch of its cases; ``scope`` is a key of PRODUCTS, or ``all``.

    A: each mention of the case, and the sentence of an added one, is reviewed; B: all others.
    ``about`` of B has the number of cases ``across`` both. For ``all``, a product without a case is
    left out; a corpus without a list of reviewed sentences has one product, ''. Raises UsageError
    for another ``scope`` on such a corpus, FormatError if the patch is for another one.
    """
    one_of("review scope", scope, (*PRODUCTS, "all"))
    check_patch(patch, corpus)
    if not corpus.mentions["reviewed"].astype(bool).any():
        if scope == "all":
            return {"": patch}
        message, hint = "the corpus has no list of reviewed sentences", "leave out the restriction"
        raise UsageError("annotation-missing", message, hint=hint)
    reviewed = corpus.mentions["reviewed"].astype(bool)
    of = [claim.case or str(number) for number, claim in enumerate(patch.claims)]
    rows = []
    for case, claim in zip(of, patch.claims, strict=True):
        rows += [(case, bool(reviewed.get(mention))) for mention in claim.mentions]
        if claim.add:
            rows.append((case, tokens_at(corpus, claim.add, patch.name)[1] in corpus.reviewed))
    share = pd.DataFrame(rows, columns=["case", "inside"]).groupby("case")["inside"].mean()
    chosen = {}
    for own, product in PRODUCTS.items():
        inside = share[(share == 1) == (own == "only")]
        claims = tuple(c for case, c in zip(of, patch.claims, strict=True) if case in inside)
        mixed = int((inside > 0).sum()) if own == "outside" else 0
        if scope == own or (scope == "all" and claims):
            about = {**patch.about, "product": product} | ({"across": mixed} if mixed else {})
            chosen[product] = replace(patch, claims=claims, about=about)
    return chosen


def certain_patch(corpus: Corpus) -> tuple[Patch, dict[str, int]]:
    """Return the patch that links the duplicate singletons of ``corpus``.

    With it, the number of candidates, of those that are singletons, and of the corrections. Links
    that exclude each other, or join further mentions of a sentence, are left out.
    """
    events = corpus.selected
    chain = pd.factorize(events["chain"])[0].astype(np.int64)
    groups = [rows for rows, _ in recurring(duplicates(corpus, _IDENTITY), chain)]
    sizes = np.bincount(chain)[chain]
    single = [rows for rows in groups if (sizes[rows] == 1).all()]
    words = events[["subtopic", "tag"]].assign(words=events["text"].str.lower())
    equal = [rows for rows in single if len(words.iloc[rows].drop_duplicates()) == 1]
    ids = [[*map(str, events.index[rows])] for rows in equal]
    who: dict[str, Any] = {"reason": _RULE, "evidence": ("duplicate",)}
    links = [
        {
            "case": str(at),
            "kind": "",
            "verdict": ERROR,
            "claims": [Claim(mention=one, to=own[0], case=str(at), **who) for one in own],
        }
        for at, own in enumerate(ids)
    ]
    decided = pd.DataFrame(links, columns=["case", "kind", "verdict", "claims"])
    effects = (*conflicts(decided, chains_of(corpus)), *joined_sentences(decided, corpus))
    kept = decided[~decided["case"].isin({case for effect in effects for case in effect.cases})]
    claims = tuple(claim.model_copy(update={"case": ""}) for claim in _errors(kept))
    counts = {"candidates": len(groups), "singletons": len(single), "corrections": len(kept)}
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
    return Patch(claims, about), counts


def gate(corpus: Corpus, patch: Patch, identity: float = 0.8) -> list[str]:
    """Return what the copies of reviewed sentences show on the corrected key and not before.

    These are mentions at the same place of similar sentences that a patch divides, and mentions,
    spans and tags in which identical sentences differ since. A patch with any is not released.
    """
    after = corrected(corpus, patch)
    reviewed = after.mentions["reviewed"].astype(bool)
    inside = {str(mention) for mention in reviewed.index[reviewed]}

    def found(one: Corpus) -> set[str]:
        alike, events = duplicates(one, identity), one.selected
        ids, chains = events.index.to_numpy(), events["chain"].to_numpy()
        left, right = alike["left"].to_numpy(), alike["right"].to_numpy()
        apart = chains[left] != chains[right]
        pairs = {(a, b) for a, b in zip(ids[left[apart]], ids[right[apart]], strict=True)}
        every = (d for d in differences(one) if inside.issuperset(d.ids))
        return {f"copies divided: {a} and {b}" for a, b in pairs if inside >= {a, b}} | {
            f"{d.name} of copies: {place}" for d in every for place in (*d.places, *d.new)
        }

    return sorted(found(after) - found(corpus))
