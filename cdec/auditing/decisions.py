"""The decisions of reviewers: one table of votes, from three kinds of file.

A table of votes has a row for each reader and case: ``reader, file, place, case, kind, verdict,
claims, reason, comment, time, evidence`` (the detectors of the case), and ``answer``, a text that
is equal for equal verdicts and corrections.

A file is an export of the page, an export of Label Studio, or a table of answers (CSV). An answer
of the last two names a correction by its number among those that the case offers, from 1; 0 is an
error that none of them corrects.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self, TypeAlias

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
from cdec.auditing.tasks import answers_of_label_studio
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UnknownNameError, UsageError, notice, warn_of
from cdec.files.input import FileKind, TextFile, integer
from cdec.files.models import FileModel, Schema, complaint, validated
from cdec.files.models import one_of as is_one_of
from cdec.files.strict_json import read_json
from cdec.formats.fields import named_rows

FORMAT = "cdec-audit-decisions/2"
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


def _text_or_blank(value: object) -> str:
    return value if isinstance(value, str) else ""


class Decision(FileModel):
    """One reader's verdict on one case.

    ``claims`` correct the key if it is an error; if it is none, they are what the reader denies.
    ``reason`` is a code of ``REASONS`` if it is not an error, else any text.
    """

    case: str
    kind: Kind
    verdict: Annotated[str, is_one_of(VERDICTS)]
    claims: Claims = ()
    reason: str = ""
    comment: str = ""
    time: Annotated[str, BeforeValidator(_text_or_blank)] = ""

    @model_validator(mode="after")
    def _refuse_unknown_reason(self) -> Self:
        if self.verdict == FINE and self.reason and self.reason not in REASONS:
            raise complaint(f"has the reason '{self.reason}', not {', '.join(REASONS)}")
        return self


class _File(FileModel):
    """The export of the page; what older exports have of the key is not read."""

    model_config = ConfigDict(extra="ignore")
    about: dict[str, Any]
    reviewer: str = ""
    decisions: Annotated[list[dict[str, Any]], Field(min_length=1)]


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
    cases = {}
    if list_:
        cases = {case.id: case for case in listed_on(corpus, list_).cases}
    for number, path in enumerate(paths):
        for reader, place, answer in _answers(path, corpus, list_):
            case = _case_of(answer, cases, place)
            decision = _decision(answer, case, place)
            for claim in decision.claims:
                check_known(claim.mentions, corpus.mentions.index, place)
            answer_text = decision.verdict
            if decision.verdict == ERROR:
                answer_text += meaning(decision.claims, chains)
            row: dict[str, Any] = {"reader": reader, "file": number, "place": place}
            row["evidence"] = tuple(case.detectors) if case else ()
            row |= dict(decision)
            row["answer"] = answer_text
            rows.append(row)
    votes = pd.DataFrame(rows)
    _refuse_repeated(votes)
    _warn_of_copies(votes)
    return votes


# Reader, place and fields of an answer.
Answer: TypeAlias = tuple[str, str, Mapping[str, Any]]


def _answers(path: Path, corpus: Corpus, list_: Path | None) -> list[Answer]:
    """Return the answers of a file."""
    if path.suffix.lower() == ".csv":
        _check_list(path, list_)
        answers = list(_answers_of_table(path))
    else:
        content = read_json(path, _KIND)
        if isinstance(content, dict):
            answers = list(_answers_of_page(content, path, corpus))
        else:
            _check_list(path, list_)
            if not isinstance(content, list):
                raise _KIND.refuse(path, "neither an object nor a list")
            answers = list(answers_of_label_studio(content, path, _KIND))
    if not answers:
        raise _KIND.refuse(path, "no answer")
    return answers


def _check_list(path: Path, list_: Path | None) -> None:
    """Raise UsageError without the list that numbers the corrections of a file."""
    if list_ is None:
        raise UsageError(
            "option-conflict",
            "these answers need the list that was judged",
            place=path,
            hint="add --list CASES",
        )


def _answers_of_page(content: object, path: Path, corpus: Corpus) -> Iterator[Answer]:
    """Yield the decisions of an export of the page. Raises FormatError for another corpus."""
    file = _SCHEMA.check(content, path)
    check_origin(file.about, corpus, path)
    reader = file.reviewer or path.stem
    for number, decision in enumerate(file.decisions, start=1):
        yield reader, f"{path}: decision {number}", decision


def _answers_of_table(path: Path) -> Iterator[Answer]:
    """Yield the rows of a table of answers."""
    source = TextFile(str(path), _KIND.read_text(path))
    for place, row in named_rows(source, {}):
        yield path.stem, place, {**ANSWER, **row}


def _case_of(
    answer: Mapping[str, Any], cases: Mapping[str, Case], place: str
) -> Case | None:
    """Return the case of an answer; None without a list. Raises UnknownNameError."""
    name = str(answer.get("case"))
    if cases and name not in cases:
        raise UnknownNameError("case", name, cases).at(place)
    return cases.get(name)


def _decision(answer: Mapping[str, Any], case: Case | None, place: str) -> Decision:
    """Return the decision of an answer; raises FormatError if it is invalid."""
    if case is None or "correction" not in answer:
        return validated(Decision, answer, place, _KIND)
    fields = {name: value for name, value in answer.items() if name != "correction"}
    fields["kind"] = case.kind
    fields["claims"] = _claims(answer, case, place)
    return validated(Decision, fields, place, _KIND)


def _claims(answer: Mapping[str, Any], case: Case, place: str) -> tuple[Claim, ...]:
    """Return the claims of the correction of an answer; raises FormatError for a wrong number."""
    text = answer["correction"].strip()
    verdict = answer["verdict"]
    if verdict == ERROR:
        number = integer(text)
    elif text:
        number = -1
    else:
        number = 1  # of a case that is no error, the first correction is denied
    if verdict in VERDICTS and not 0 <= number <= len(case.fixes):
        raise _KIND.refuse(
            place,
            f"the correction of case {case.id} is '{text:.40}'",
            f"give a number from 0 to {len(case.fixes)} for an error, and none for others",
        )
    if number <= 0:
        return ()
    return case.fixes[number - 1].claims


def _refuse_repeated(votes: pd.DataFrame) -> None:
    """Raise FormatError for a case twice in a file; UsageError for a reader or decisions twice."""
    repeated = votes[votes.duplicated(["reader", "file", "case"])]
    if len(repeated):
        vote = repeated.iloc[0]
        raise _KIND.refuse(
            vote["place"], f"duplicate case {vote['case']}", "decide each case once"
        )
    hint = "give each file once, and name its reader in it"
    file_of_reader = votes.groupby("reader")["file"].transform("first")
    of_another_file = votes[votes["file"] != file_of_reader]
    if len(of_another_file):
        vote = of_another_file.iloc[0]
        raise UsageError(
            "name-duplicate",
            f"another file has the reader '{vote['reader']}', too",
            place=vote["place"],
            hint=hint,
        )
    is_copy = (votes["time"] != "") & votes.duplicated(["case", "verdict", "time"])
    copies = votes[is_copy]
    if len(copies):
        vote = copies.iloc[0]
        raise UsageError(
            "name-duplicate",
            f"case {vote['case']} has the verdict and the time of another reader",
            place=vote["place"],
            hint=hint,
        )


def _warn_of_copies(votes: pd.DataFrame) -> None:
    """Warn of readers with the same answers."""
    answers = votes.groupby("reader", sort=False)[["case", "answer", "reason"]].agg(
        tuple
    )
    readers = answers.index[answers.duplicated(keep=False)].tolist()
    if readers:
        warn_of(
            [
                notice(
                    "name-duplicate",
                    "readers have the same answers: is one file a copy of the other?",
                    readers,
                )
            ]
        )


def listed_on(corpus: Corpus, path: Path) -> ShortList:
    """Return the list in a file; raises FormatError if it is of another corpus or key."""
    listed = read_shortlist(path)
    check_origin(listed.about, corpus, path, "key_patch_digest")
    # A mention that a correction names is on a side.
    for case in listed.cases:
        for side in case.sides:
            check_known((*side.mentions, *side.members), corpus.mentions.index, path)
    return listed


def meaning(claims: Sequence[Claim], chains: Mapping[str, str]) -> str:
    """Return what claims make of the key ``chains``, equal for claims with the same effect.

    >>> key = {"a": "1", "x": "2", "y": "2"}
    >>> to_x = [Claim(mention="a", to="x")]
    >>> to_y = [Claim(mention="a", to="y")]
    >>> meaning(to_x, key) == meaning(to_y, key)
    True
    """
    outcome = Outcome(claims, chains)
    groups: dict[object, set[str]] = defaultdict(set)
    for claim in claims:
        for mention in (claim.subject, *claim.mentions):
            # A mention that is alone in its chain, or stays, stands for its chain.
            leaves = mention in outcome.moved and not outcome.is_lone(mention)
            name = mention if leaves else str(outcome.home(mention))
            groups[outcome.of(mention)].add(name)
    removed = sorted(groups.pop(NOWHERE, ()))
    chains_after = sorted(sorted(group) for group in groups.values())
    forms = [(claim.subject, claim.tokens, claim.tag) for claim in claims]
    changed_forms = sorted(form for form in forms if form[1] or form[2])
    return json.dumps([removed, chains_after, changed_forms])


def majority(votes: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the decision of the majority on each case, and the cases with a tie.

    Only *error* and *not-error* count, not *unsure*; of several errors, the claims of the majority
    decide. A case with a tie in either has no decision. A decision has ``readers``, who agree on
    verdict and claims, ``agreement``, such as "2 of 3", and ``claims`` that say all this.

    >>> case = {"case": "c", "kind": "no-event", "claims": (), "reason": "", "evidence": ()}
    >>> two = [{"reader": n, "verdict": v, "answer": v, **case} for n, v in ("aE", "bF")]
    >>> majority(pd.DataFrame(two))[1], majority(pd.DataFrame(two[:1]))[0]["agreement"].tolist()
    (['c'], ['1 of 1'])
    """
    sure = votes[votes["verdict"] != UNSURE]
    agreed = _most_frequent(_most_frequent(sure, "verdict"), "answer")
    by_case = agreed.groupby("case", sort=False)
    decided = by_case[["kind", "verdict", "claims", "evidence"]].first()
    decided["readers"] = by_case["reader"].agg(tuple)
    decided["reason"] = by_case["reason"].agg(_joined_reasons)
    # Aligned, because an empty table would take the index of another one.
    total = votes["case"].value_counts().astype(str).reindex(decided.index)
    decided["agreement"] = by_case.size().astype(str) + " of " + total
    order = votes["case"].drop_duplicates()
    decided = decided.loc[order[order.isin(decided.index)]].reset_index()
    claims = [_signed_claims(decision) for decision in decided.to_dict("records")]
    decided["claims"] = pd.Series(claims, dtype=object)
    ties = sure.loc[~sure["case"].isin(decided["case"]), "case"]
    return decided, order[order.isin(ties)].tolist()


def _joined_reasons(reasons: pd.Series[str]) -> str:
    return "; ".join(reason for reason in reasons.unique() if reason)


def _signed_claims(decision: Mapping[Any, Any]) -> list[Claim]:
    """Return the claims of a decision with its case, its readers and the name of a new chain."""
    names = ("case", "kind", "readers", "agreement", "reason", "evidence")
    signature = {name: decision[name] for name in names}
    new_names: dict[str | None, str] = {}
    for claim in decision["claims"]:
        if claim.is_new and claim.to not in new_names:
            ending = f"-{len(new_names) + 1}" if new_names else ""
            new_names[claim.to] = f"{NEW}{decision['case']}{ending}"
    claims = []
    for claim in decision["claims"]:
        target = new_names.get(claim.to, claim.to)
        claims.append(claim.model_copy(update={**signature, "to": target}))
    return claims


def _most_frequent(votes: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the votes of each case with its most frequent value; none of a case with a tie."""
    counts = votes.groupby(["case", column])["reader"].transform("size")
    highest = counts.groupby(votes["case"]).transform("max")
    frequent = votes[counts == highest]
    values = frequent.groupby("case")[column].transform("nunique")
    return frequent[values == 1]
