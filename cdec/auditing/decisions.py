"""The decisions of reviewers: one table of votes, from three kinds of file.

A table of votes has a row for each reader and case: ``reader, file, place, case, kind, verdict,
claims, reason, comment, time, evidence`` (the detectors of the case), and ``said``, a text that is
equal for equal verdicts and corrections.

A file is an export of the page, an export of Label Studio, or a table of answers (CSV). An answer
of the last two names a correction by its number among those that the case offers, from 1; 0 is an
error that none of them corrects.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

import pandas as pd
from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from cdec.auditing.case import Case, Claims, Kind
from cdec.auditing.claims import (
    NEW,
    NOWHERE,
    Claim,
    Outcome,
    check_known,
    check_origin,
)
from cdec.auditing.questions import ERROR, FINE, REASONS, UNSURE, VERDICTS
from cdec.auditing.shortlist import ShortList, read_shortlist
from cdec.auditing.tasks import answers
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UnknownNameError, UsageError, notice, warn_of
from cdec.files.input import FileKind, TextFile, integer
from cdec.files.models import FileModel, Schema, complaint, validated
from cdec.files.models import one_of as known
from cdec.files.strict_json import read_json
from cdec.formats.fields import named_rows
from cdec.records import Fields, Row

FORMAT = "cdec-audit-decisions/1"
ANSWER = {
    "verdict": "",
    "correction": "",
    "reason": "",
}  # the columns of a table beside the case
_KIND = FileKind(
    "an audit decisions file",
    FormatError,
    "file-invalid",
    "export one from the page of `cdec audit review`, or from Label Studio as JSON; or give a CSV "
    f"file with the columns case, {', '.join(ANSWER)}",
)


class Decision(FileModel):
    """One reader's verdict on one case.

    ``claims`` correct the key if it is an error; if it is none, they are what the reader denies.
    ``reason`` is a code of ``REASONS`` if it is not an error, else any text.
    """

    case: str
    kind: Kind
    verdict: Annotated[str, known(VERDICTS)]
    claims: Claims = ()
    reason: str = ""
    comment: str = ""
    time: Annotated[
        str, BeforeValidator(lambda time: time if isinstance(time, str) else "")
    ] = ""

    @model_validator(mode="after")
    def _refuse_unknown_reason(self) -> Self:
        if self.verdict == FINE and self.reason and self.reason not in REASONS:
            raise complaint(f"has the reason '{self.reason}', not {', '.join(REASONS)}")
        return self


class _File(FileModel):
    """The export of the page; what older exports have of the key is not read."""

    model_config = ConfigDict(extra="ignore")
    about: Row
    reviewer: str = ""
    decisions: Annotated[list[Row], Field(min_length=1)]


_SCHEMA = Schema(_KIND, _File, FORMAT)


def read_votes(
    paths: Sequence[Path], corpus: Corpus, list_: Path | None = None
) -> pd.DataFrame:
    """Return the votes of decisions files.

    A table of answers is of the reader after whom its file is named, an export of Label Studio of
    those that it names; both need the list that was judged. Raises FormatError for an invalid file
    and for decisions on another corpus or key; UnknownNameError for a case that is not on the list;
    UsageError for answers without it, and if two files have the same reader or the same decisions.
    """
    rows = []
    chains = dict(corpus.selected["chain"])
    cases = {
        case.id: case for case in (listed_on(corpus, list_).cases if list_ else ())
    }
    for number, path in enumerate(paths):
        content = None if path.suffix.lower() == ".csv" else read_json(path, _KIND)
        if isinstance(content, dict):
            file = _SCHEMA.check(content, path)
            check_origin(file.about, corpus, path)
            reader = file.reviewer or path.stem
            given = [
                (reader, f"{path}: decision {at}", row)
                for at, row in enumerate(file.decisions, start=1)
            ]
        elif not list_:
            raise UsageError(
                "option-conflict",
                "these answers need the list that was judged",
                place=path,
                hint="add --list CASES",
            )
        elif content is None:
            table = named_rows(TextFile(str(path), _KIND.read_text(path)), {})
            given = [(path.stem, place, {**ANSWER, **row}) for place, row in table]
        elif isinstance(content, list):
            given = list(answers(content, path, _KIND))
        else:
            raise _KIND.refuse(path, "neither an object nor a list")
        if not given:
            raise _KIND.refuse(path, "no answer")
        for reader, place, row in given:
            case = cases.get(str(row.get("case")))
            if cases and not case:
                raise UnknownNameError("case", str(row.get("case")), cases).at(place)
            one = _corrected(row, case, place) if case and "correction" in row else row
            decision = validated(Decision, one, place, _KIND)
            for claim in decision.claims:
                check_known(claim.mentions, corpus.mentions.index, place)
            said = meaning(decision.claims, chains) if decision.verdict == ERROR else ""
            vote = {
                "reader": reader,
                "file": number,
                "place": place,
                "evidence": tuple(case.detectors if case else ()),
                **dict(decision),
                "said": decision.verdict + said,
            }
            rows.append(vote)
    votes = pd.DataFrame(rows)
    _refuse_repeated(votes)
    return votes


def _corrected(row: Fields, case: Case, place: str) -> Row:
    """Return an answer with the claims of its correction; raises FormatError for a wrong number."""
    number = row["correction"].strip()
    verdict = row["verdict"]
    # Of a case that is no error, the first correction is denied.
    at = integer(number) if verdict == ERROR else (-1 if number else 1)
    if verdict in VERDICTS and not 0 <= at <= len(case.fixes):
        raise _KIND.refuse(
            place,
            f"the correction of case {case.id} is '{number:.40}'",
            f"give a number from 0 to {len(case.fixes)} for an error, and none for others",
        )
    claims = case.fixes[at - 1].claims if at > 0 else ()
    fields = {name: value for name, value in row.items() if name != "correction"}
    return {**fields, "kind": case.kind, "claims": claims}


def _refuse_repeated(votes: pd.DataFrame) -> None:
    """Raise FormatError for a case twice in a file; UsageError for a reader or decisions twice."""
    others = votes["file"] != votes.groupby("reader")["file"].transform("first")
    copied = (votes["time"] != "") & votes.duplicated(["case", "verdict", "time"])
    twice = votes.duplicated(["reader", "file", "case"])
    for row in votes[twice].to_dict("records"):
        raise _KIND.refuse(
            row["place"], f"duplicate case {row['case']}", "decide each case once"
        )
    for same, message in (
        (others, "another file has the reader '{reader}', too"),
        (copied, "case {case} has the verdict and the time of another reader"),
    ):
        for row in votes[same].to_dict("records"):
            raise UsageError(
                "name-duplicate",
                message.format_map(row),
                place=row["place"],
                hint="give each file once, and name its reader in it",
            )
    answered = votes.groupby("reader", sort=False)[["case", "said", "reason"]].agg(
        tuple
    )
    if same_as := answered.index[answered.duplicated(keep=False)].tolist():
        message = "readers have the same answers: is one file a copy of the other?"
        warn_of([notice("name-duplicate", message, same_as)])


def listed_on(corpus: Corpus, path: Path) -> ShortList:
    """Return the list in a file; raises FormatError if it is of another corpus or key."""
    listed = read_shortlist(path)
    check_origin(listed.about, corpus, path, "key_patch_digest")
    # A mention that a correction names is on a side.
    for side in (side for case in listed.cases for side in case.sides):
        check_known((*side.mentions, *side.members), corpus.mentions.index, path)
    return listed


def meaning(claims: Sequence[Claim], chains: Mapping[str, str]) -> str:
    """Return what claims make of the key ``chains``, equal for claims with the same effect.

    >>> key = {"a": "1", "x": "2", "y": "2"}
    >>> one, two = ([Claim(mention="a", to=target)] for target in "xy")
    >>> meaning(one, key) == meaning(two, key)
    True
    """
    made = Outcome(claims, chains)
    groups: dict[object, set[str]] = defaultdict(set)
    for mention in (m for claim in claims for m in (claim.subject, *claim.mentions)):
        leaves = mention in made.moved and not made.is_lone(
            mention
        )  # others are their chain
        groups[made.of(mention)].add(mention if leaves else str(made.home(mention)))
    gone = sorted(groups.pop(NOWHERE, ()))
    forms = sorted((c.subject, c.tokens, c.tag) for c in claims if c.tokens or c.tag)
    return json.dumps([gone, sorted(map(sorted, groups.values())), forms])


def settled(votes: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the decision of the majority on each case, and the cases with a tie.

    Only *error* and *not-error* count, not *unsure*; of several errors, the claims of the majority
    decide. A case with a tie in either has no decision. A decision has ``readers``, who agree on
    verdict and claims, ``agreement``, such as "2 of 3", and ``claims`` that say all this.

    >>> case = {"case": "c", "kind": "no-event", "claims": (), "reason": "", "evidence": ()}
    >>> two = [{"reader": n, "verdict": v, "said": v, **case} for n, v in ("aE", "bF")]
    >>> settled(pd.DataFrame(two))[1], settled(pd.DataFrame(two[:1]))[0]["agreement"].tolist()
    (['c'], ['1 of 1'])
    """
    sure = votes[votes["verdict"] != UNSURE]
    agreed = _most_frequent(_most_frequent(sure, "verdict"), "said")
    by_case = agreed.groupby("case", sort=False)
    decided = by_case[["kind", "verdict", "claims", "evidence"]].first()
    decided["readers"] = by_case["reader"].agg(tuple)
    decided["reason"] = by_case["reason"].agg(
        lambda said: "; ".join(filter(None, said.unique()))
    )
    # Aligned, because an empty table would take the index of another one.
    total = votes["case"].value_counts().astype(str).reindex(decided.index)
    decided["agreement"] = by_case.size().astype(str) + " of " + total
    order = votes["case"].drop_duplicates()
    decided = decided.loc[order[order.isin(decided.index)]].reset_index()
    decided["claims"] = pd.Series(
        map(_signed, decided.to_dict("records")), dtype=object
    )
    ties = sure.loc[~sure["case"].isin(decided["case"]), "case"]
    return decided, order[order.isin(ties)].tolist()


def _signed(decision: Mapping[Any, Any]) -> list[Claim]:
    """Return the claims of a decision with its case, its readers and the name of a new chain."""
    names = ("case", "kind", "readers", "agreement", "reason", "evidence")
    who = {name: decision[name] for name in names}
    new = dict.fromkeys(claim.to for claim in decision["claims"] if claim.is_new)
    to = {}
    for number, name in enumerate(new, start=1):
        end = f"-{number}" if number > 1 else ""
        to[name] = f"{NEW}{decision['case']}{end}"
    return [
        claim.model_copy(update=who | {"to": to.get(claim.to, claim.to)})
        for claim in decision["claims"]
    ]


def _most_frequent(votes: pd.DataFrame, column: str) -> pd.DataFrame:
    counts = votes.groupby(["case", column])["reader"].transform("size")
    most = votes[counts == counts.groupby(votes["case"]).transform("max")]
    return most[most.groupby("case")[column].transform("nunique") == 1]
