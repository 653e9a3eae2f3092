"""The decisions of reviewers: one table of votes, from exports of the page and tables of answers.

A table of votes has a row for each reader and case: ``reader, case, kind, verdict, claims, reason,
comment, time`` and ``said``, a text that is equal for equal verdicts and corrections.

An answer in a table (CSV), or of Label Studio, names a correction by its number among those that
the case offers, from 1; 0 is an error that none of them corrects.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Self

import pandas as pd
from pydantic import BeforeValidator, ConfigDict, FailFast, Field, model_validator

from cdec.auditing.case import Claims, Kind
from cdec.auditing.label_studio import answers
from cdec.auditing.questions import ERROR, FINE, REASONS, UNSURE, VERDICTS
from cdec.auditing.shortlist import ShortList, read_shortlist
from cdec.corpus.claims import NOWHERE, About, Claim, Outcome, check_origin, not_there, origin_of
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UsageError, one_of
from cdec.files.input import FileKind, TextFile, integer
from cdec.files.models import FileModel, Schema, complaint, validated
from cdec.files.models import one_of as known
from cdec.files.strict_json import read_json
from cdec.formats.layouts import named_rows
from cdec.signature import Signature

FORMAT = "cdec-audit-decisions/2"
COLUMNS = ("case", "verdict", "correction", "reason")  # of a table of answers
_KIND = FileKind(
    "an audit decisions file",
    FormatError,
    "file-invalid",
    "export one from the page of `cdec audit review`, or from Label Studio as JSON; or give a CSV "
    f"file with the columns {', '.join(COLUMNS)}",
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
    time: Annotated[str, BeforeValidator(lambda time: time if isinstance(time, str) else "")] = ""

    @model_validator(mode="after")
    def _refuse_unknown_reason(self) -> Self:
        if self.verdict == FINE and self.reason and self.reason not in REASONS:
            raise complaint(f"has the reason '{self.reason}', not {', '.join(REASONS)}")
        return self


class _File(FileModel):
    """The export of the page; what older exports have of the key is not read."""

    model_config = ConfigDict(extra="ignore")
    about: About
    reviewer: str = ""
    decisions: Annotated[tuple[Decision, ...], Field(strict=False, min_length=1), FailFast()]


_SCHEMA = Schema(_KIND, _File, FORMAT)


def read_votes(
    paths: Sequence[Path], corpus: Corpus, list_: Path | None = None
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the votes of decisions files, and ``about`` of the first of them.

    A table of answers is of the reader after whom its file is named, an export of Label Studio of
    those that it names; both need the list that was judged. With it, the votes have its detectors
    as ``evidence``. Raises FormatError for an invalid file and for decisions on another corpus or
    key; UnknownNameError for a case that is not on the list; UsageError for answers without it, and
    if two files have the same reader or the same decisions.
    """
    about: dict[str, Any] = {}
    rows: list[dict[str, Any]] = []
    listed = read_shortlist(list_) if list_ else None
    if listed:
        check_list(listed, corpus, list_)
    for number, path in enumerate(paths):
        content = None if path.suffix.lower() == ".csv" else read_json(path, _KIND)
        if isinstance(content, list) or content is None:
            if listed is None:
                message, hint = "these answers need the list that was judged", "add --list CASES"
                raise UsageError("option-conflict", message, place=path, hint=hint)
            given = _answered(path, content, listed)
            about = about or origin(listed, corpus)
        else:
            file = _SCHEMA.check(content, path)
            check_origin(file.about, corpus, path)
            given = [(file.reviewer or path.stem, one) for one in file.decisions]
            about = about or file.about
        home = {"number": number, "file": str(path)}
        rows += [{"reader": reader, **home, **dict(one)} for reader, one in given]
    for row in rows:
        for mention in (mention for claim in row["claims"] for mention in claim.mentions):
            if mention not in corpus.mentions.index:
                raise not_there(f"mention '{mention}' is not in the corpus", row["file"])
    votes, chains = pd.DataFrame(rows), chains_of(corpus)
    _refuse_repeated(votes)
    flags = {case.id: tuple(case.detectors) for case in listed.cases} if listed else {}
    cases = [one_of("case", case, flags) if listed else case for case in votes["case"]]
    votes["evidence"] = [flags.get(case, ()) for case in cases]
    said = [meaning(claims, chains) for claims in votes["claims"]]
    votes["said"] = votes["verdict"] + pd.Series(said).where(votes["verdict"] == ERROR, "")
    return votes, about


def _refuse_repeated(votes: pd.DataFrame) -> None:
    """Raise FormatError for a case twice in a file; UsageError for a reader or decisions twice."""
    for case, file in votes.loc[
        votes.duplicated(["number", "reader", "case"]), ["case", "file"]
    ].to_numpy():
        raise _KIND.refuse(file, f"duplicate case {case}", "decide each case once")
    files = votes.groupby("reader")["number"].nunique()
    copied = votes[(votes["time"] != "") & votes.duplicated(["case", "verdict", "time"])]
    message = f"{files.max()} decisions files have the reader '{files.idxmax()}'"
    if files.max() == 1 and len(copied):
        same = f"{len(copied)} decisions in {copied['file'].iloc[0]}"
        message = f"{same} have the verdicts and times of another reader"
    if files.max() > 1 or len(copied):
        hint = "give each file once, and name its reader in it"
        raise UsageError("name-duplicate", message, hint=hint)


def _answered(path: Path, content: Any, listed: ShortList) -> list[tuple[str, Decision]]:
    """Return reader and decision of each row of a table, or of an export of Label Studio.

    Raises FormatError with the place of an unknown case or an invalid value.
    """
    if content is None:
        blank, rows = dict.fromkeys((*COLUMNS, "comment", "time"), ""), []
        for place, row in named_rows(TextFile(str(path), _KIND.read_text(path)), {}):
            if unknown := [name for name in row if name not in blank]:
                raise _KIND.refuse(place, f"unknown column '{unknown[0]}'")
            rows.append((path.stem, place, {**blank, **row}))
    else:
        rows = list(answers(content, path, _KIND))
    cases = {case.id: case for case in listed.cases}
    found = []
    for reader, place, row in rows:
        case, number = cases.get(row["case"]), row["correction"].strip()
        if case is None:
            raise _KIND.refuse(place, f"the list has no case '{row['case']}'", "give its list")
        if row["verdict"] not in VERDICTS:
            message = f"the verdict of case {case.id} is '{row['verdict']:.40}'"
            raise _KIND.refuse(place, message, f"write {', '.join(VERDICTS)}")
        chosen = integer(number) if row["verdict"] == ERROR else 1  # what is no error is the first
        if not 0 <= chosen <= len(case.fixes) or (row["verdict"] != ERROR and number):
            message = f"the correction of case {case.id} is '{number:.40}'"
            hint = f"give a number from 0 to {len(case.fixes)} for an error, and none for others"
            raise _KIND.refuse(place, message, hint)
        value: dict[str, Any] = {
            n: row.get(n, "") for n in ("verdict", "reason", "comment", "time")
        }
        value |= {"case": case.id, "kind": case.kind}
        value["claims"] = case.fixes[chosen - 1].claims if chosen else ()
        found.append((reader, validated(Decision, value, place, _KIND)))
    if not found:
        raise _KIND.refuse(path, "no answer")
    return found


def check_list(listed: ShortList, corpus: Corpus, place: object) -> None:
    """Raise FormatError at ``place`` for a list of another corpus or key, or unknown mentions."""
    check_origin(listed.about, corpus, place, "key_patch_digest")
    # A mention that a correction names is on a side.
    sides = [(case, side) for case in listed.cases for side in case.sides]
    named = ((case, id_) for case, side in sides for id_ in (*side.mentions, *side.members))
    known_ids = {*corpus.mentions.index}
    for case, id_ in ((case, id_) for case, id_ in named if id_ not in known_ids):
        message = f"case {case.id} has the mention '{id_}', which is not in the corpus"
        hint = "write the short-list again with `cdec audit run`"
        raise FormatError("input-mismatch", message, place=place, hint=hint)


def origin(listed: ShortList, corpus: Corpus) -> dict[str, str]:
    """Return what decisions on a list are about: corpus, key, list and audit."""
    ids = " ".join(case.id for case in listed.cases)
    own = {"list": sha256(ids.encode()).hexdigest()[:12], "audit": str(Signature(listed.about))}
    return {**origin_of(corpus), **own}


def chains_of(corpus: Corpus) -> dict[str, str]:
    """Return event mention → chain in the key."""
    chains = corpus.selected["chain"]
    return dict(zip(map(str, chains.index), map(str, chains), strict=True))


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
        leaves = mention in made.moved and not made.is_lone(mention)  # others are their chain
        groups[made.of(mention)].add(mention if leaves else str(made.home(mention)))
    gone = sorted(groups.pop(NOWHERE, ()))
    forms = sorted((claim.subject, claim.tokens, claim.tag) for claim in claims)
    return json.dumps(
        [gone, sorted(map(sorted, groups.values())), [f for f in forms if any(f[1:])]]
    )


def settled(votes: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the decision of the majority on each case, and the cases with a tie.

    Only *error* and *not-error* count, not *unsure*; of several errors, the claims of the majority
    decide. A case with a tie in either has no decision. A decision has ``readers``, who agree on
    verdict and claims, ``agreement``, such as "2 of 3", and the ``reasons`` of its readers.

    >>> case = {"case": "c", "kind": "no-event", "claims": (), "reason": "", "evidence": ()}
    >>> two = [{"reader": n, "verdict": v, "said": v, **case} for n, v in ("aE", "bF")]
    >>> settled(pd.DataFrame(two))[1], settled(pd.DataFrame(two[:1]))[0]["agreement"].tolist()
    (['c'], ['1 of 1'])
    """
    sure = votes[votes["verdict"] != UNSURE]
    agreed = _most_frequent(_most_frequent(sure, "verdict"), "said")
    order = votes["case"].unique()
    by_case = agreed.groupby("case", sort=False)
    decided = by_case[["kind", "verdict", "claims", "evidence"]].first()
    decided["readers"] = by_case["reader"].agg(tuple)
    decided["reasons"] = by_case["reason"].agg(lambda said: "; ".join(filter(None, said.unique())))
    decided["agreement"] = (
        by_case.size().astype(str) + " of " + votes["case"].value_counts().astype(str)
    )
    decided = decided.loc[[case for case in order if case in decided.index]]
    ties = sure.loc[~sure["case"].isin(decided.index), "case"]
    return decided.reset_index(), [case for case in order if case in {*ties}]


def _most_frequent(votes: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the votes of each case with its most frequent value; none of a case with a tie."""
    counts = votes.groupby(["case", column])["reader"].transform("size")
    most = votes[counts == counts.groupby(votes["case"]).transform("max")]
    return most[most.groupby("case")[column].transform("nunique") == 1]


def disputed(votes: pd.DataFrame, listed: ShortList) -> list[str]:
    """Return the cases of a list on which readers differ in verdict or correction.

    Raises UsageError if there is none.
    """
    several = {*votes.drop_duplicates(["case", "said"])[lambda v: v.duplicated("case")]["case"]}
    found = [case.id for case in listed.cases if case.id in several]
    if not found:
        message, hint = "no case of the list is disputed", "leave out --disputed"
        raise UsageError("part-too-small", message, hint=hint)
    return found
