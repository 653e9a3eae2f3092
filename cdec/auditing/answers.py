"""The decisions of reviewers in files: exports of the page and of Label Studio, tables of answers.

An answer names a correction by its number among those that the case offers, from 1; 0 is an error
that none of them corrects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from cdec.auditing.case import Case, Claims, Kind
from cdec.auditing.decisions import ERROR, FORMAT, REASONS, Decision, Facts, Review
from cdec.auditing.review.page import check_list, origin
from cdec.auditing.shortlist import ShortList
from cdec.corpus.claims import check_key
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UsageError
from cdec.files.input import FileKind, integer
from cdec.files.models import FileModel, Schema, validated
from cdec.files.strict_json import read_json
from cdec.formats.layouts import records

COLUMNS = ("case", "verdict", "correction", "reason")
TASK_FORMAT = "cdec-audit-task/2"
_COPIED = 5  # equal decisions, with equal times, that show that a part of a file was copied
_HINT = "export one from the page that `cdec audit review` makes, or from Label Studio as JSON"
_KIND = FileKind("an audit decisions file", FormatError, "file-invalid", _HINT)
_SCHEMA = Schema(_KIND, Review, FORMAT)
_OPTIONAL = ("comment", "time")
_TABLE = FileKind(
    "a table of answers",
    FormatError,
    "file-invalid",
    f"give a CSV file with the columns {', '.join(COLUMNS)}, one row for each case",
)


class Asked(FileModel):
    """A case, and the corrections that it offers."""

    case: str
    kind: Kind
    offered: Annotated[tuple[Claims, ...], Field(strict=False, min_length=1)]

    @classmethod
    def of(cls, case: Case) -> Asked:
        """Return what is asked of a case."""
        return cls(case=case.id, kind=case.kind, offered=tuple(fix.claims for fix in case.fixes))


class _Origin(Asked, Facts):
    """What a task has besides its texts, so that an export can be read without the list."""


_TASK = Schema(_KIND, _Origin, TASK_FORMAT)


class _Exported(FileModel):
    """An object of an export, whose other fields are not read."""

    model_config = ConfigDict(extra="ignore")


class _Data(_Exported):
    cdec: dict[str, Any]  # of the schema ``_TASK``


class _Value(_Exported):
    choices: list[str] = Field(default_factory=list)
    text: list[str] | str = ""


class _Result(_Exported):
    """The choice, or the text, that an annotator gave to the control ``from_name``."""

    from_name: str
    value: _Value


class _Annotation(_Exported):
    completed_by: int | str | dict[str, Any] | None = None
    was_cancelled: bool = False
    updated_at: str = ""
    result: list[_Result]

    @property
    def reader(self) -> str:
        """The address or the number of the annotator."""
        who = self.completed_by
        named = who.get("email") or who.get("id") if isinstance(who, dict) else who
        return named if isinstance(named, str) else f"annotator {named or 'unknown'}"

    @property
    def answer(self) -> dict[str, str]:
        """The value of each control that was used."""
        texts = {"time": self.updated_at}
        for one in self.result:
            written = one.value.text
            lines = one.value.choices or ([written] if isinstance(written, str) else written)
            texts[one.from_name] = "\n".join(lines)
        # Controls that are hidden after a change of the verdict keep their values.
        texts.pop("reason" if texts.get("verdict") == ERROR else "correction", None)
        words = texts.get("reason", "")
        code = next((code for code in REASONS if words in (code, REASONS[code])), words)
        # A correction is exported as its text, which begins with its number.
        return texts | {"correction": texts.get("correction", "").partition(".")[0], "reason": code}


class _Task(_Exported):
    data: _Data
    annotations: list[_Annotation] = Field(default_factory=list)


def read_reviews(
    paths: Sequence[Path], shortlist: ShortList | None = None, corpus: Corpus | None = None
) -> tuple[Review, ...]:
    """Return the reviews of decisions files, exports of Label Studio and tables of answers (CSV).

    A table is of the reader after whom its file is named; it needs ``shortlist``, the list that was
    judged, and its ``corpus``. Raises FormatError for an invalid file and for decisions on a
    corrected key without its digest, UsageError for a table without its list, and if two files have
    the same reviewer, are copies of each other, or are about different corpora or keys.
    """
    reviews = [review for path in paths for review in _read(path, shortlist, corpus)]
    names = Counter(review.reviewer for review in reviews)
    for name, count in names.items():
        if count > 1:
            raise UsageError(
                "name-duplicate",
                f"{count} decisions files have the reviewer '{name}'",
                hint='import them into one review page, or change "reviewer" in one of them',
            )
    for one, two in combinations(reviews, 2):
        _refuse_copy(one, two)
    if len({(review.about.get("digest"), review.about.get("base")) for review in reviews}) > 1:
        raise UsageError(
            "input-mismatch",
            "the decisions files are about corpora with different content",
            hint="give decisions on one corpus only",
        )
    return tuple(reviews)


def _refuse_copy(one: Review, two: Review) -> None:
    """Raise UsageError if decisions have the same times: at least five, or all of a reviewer."""
    equal = [own for own in one.decisions if own.time and own == two.by_case.get(own.case)]
    shortest = min(len(one.decisions), len(two.decisions))
    if equal and len(equal) >= min(_COPIED, shortest):
        raise UsageError(
            "name-duplicate",
            f"{len(equal)} decisions of '{one.reviewer}' and '{two.reviewer}' are equal, with "
            "equal times: one file is a copy of the other",
            hint="give each file once",
        )


def _read(path: Path, shortlist: ShortList | None, corpus: Corpus | None) -> tuple[Review, ...]:
    if path.suffix.lower() == ".csv":
        if shortlist is None or corpus is None:
            message, hint = "a table of answers needs the list that was judged", "add --list CASES"
            raise UsageError("option-conflict", message, place=path, hint=hint)
        check_list(shortlist, corpus, path)
        answers = read_answers(path, shortlist.cases)
        return (Review(reviewer=path.stem, decisions=answers, **origin(shortlist, corpus)),)
    content = read_json(path, _KIND)
    if isinstance(content, list):
        return tuple(_exported(content, path))
    review = _SCHEMA.check(content, path)
    check_key(review.about, path)
    return (review.model_copy(update={"reviewer": review.reviewer or path.stem}),)


def _exported(content: list[object], path: Path) -> Iterator[Review]:
    """Yield a review for each annotator of an export of Label Studio."""
    decisions: dict[str, list[Decision]] = {}
    facts: dict[str, dict[str, Any]] = {"places": {}, "chains": {}, "sentences": {}}
    about: dict[str, Any] = {}
    for number, item in enumerate(content, start=1):
        place = f"{path}: task {number}"
        task = validated(_Task, item, place, _KIND)
        origin = _TASK.check(task.data.cdec, place)
        check_key(origin.about, place)
        if about and origin.about != about:
            raise _KIND.refuse(place, "made from another list than the tasks before")
        about = origin.about
        facts = {name: known | getattr(origin, name) for name, known in facts.items()}
        for one in task.annotations:
            if not one.was_cancelled:  # skipped
                decision = _decision(origin, one.answer, place, _KIND)
                decisions.setdefault(one.reader, []).append(decision)
    if not decisions:
        raise _KIND.refuse(path, "no task has an annotation")
    for reader, own in decisions.items():
        value = {"reviewer": reader, "decisions": own, "about": about, **facts}
        yield validated(Review, value, path, _KIND)


def _decision(asked: Asked, answer: Mapping[str, str], place: object, file: FileKind) -> Decision:
    """Return the decision of an answer; raises the error of ``file`` for an invalid one."""
    case, offered = asked.case, asked.offered
    verdict, number = answer.get("verdict", ""), answer.get("correction", "").strip()
    claims = offered[0]  # a verdict that the case is no error is about the first correction
    if verdict == ERROR:
        if not 0 <= (chosen := integer(number)) <= len(offered):
            wanted = f"a number from 0 to {len(offered)}"
            message = f"the correction of case {case} is '{number:.40}', not {wanted}"
            raise file.refuse(place, message)
        claims = offered[chosen - 1] if chosen else ()
    elif number:
        message = f"case {case} has a correction, but is not an error"
        raise file.refuse(place, message, "leave the correction empty")
    rest = {name: answer.get(name, "") for name in ("reason", "comment", "time")}
    value = {"case": case, "kind": asked.kind, "verdict": verdict, "claims": claims, **rest}
    return validated(Decision, value, place, file)


def read_answers(path: Path, cases: Sequence[Case]) -> tuple[Decision, ...]:
    """Return the decisions of a CSV file with the columns ``case, verdict, correction, reason``.

    ``correction`` is the number of the correction in ``case.fixes``, from 1, or 0 for none of them;
    it is empty unless the verdict is ``error``. ``comment`` and ``time`` are optional columns.
    Raises FormatError with the line of an unknown case, a case twice, or an invalid value.
    """
    known = {case.id: case for case in cases}
    decisions: dict[str, Decision] = {}
    for place, row in records(path, _TABLE, COLUMNS, _OPTIONAL):
        id_ = row["case"]
        if id_ not in known:
            raise _TABLE.refuse(place, f"the list has no case '{id_}'")
        if id_ in decisions:
            raise _TABLE.refuse(place, f"duplicate case {id_}")
        decisions[id_] = _decision(Asked.of(known[id_]), row, place, _TABLE)
    if not decisions:
        raise _TABLE.refuse(path, "no answer")
    return tuple(decisions.values())
