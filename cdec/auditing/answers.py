"""The decisions of reviewers in files: exports of the page and Label Studio, tables of answers.

An answer names a correction by its number among those that the case offers, from 1; 0 is an error
that none of them corrects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from cdec.auditing.case import Case
from cdec.auditing.decisions import ERROR, FORMAT, Decision, Review
from cdec.auditing.label_studio import answers
from cdec.auditing.review import check_list, origin
from cdec.auditing.shortlist import ShortList
from cdec.corpus.claims import check_key
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UsageError
from cdec.files.input import FileKind, integer
from cdec.files.models import Schema, validated
from cdec.files.strict_json import read_json
from cdec.formats.layouts import records

COLUMNS = ("case", "verdict", "correction", "reason")
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


def read_reviews(
    paths: Sequence[Path], shortlist: ShortList | None = None, corpus: Corpus | None = None
) -> tuple[Review, ...]:
    """Return the reviews of decisions files, exports of Label Studio and tables of answers (CSV).

    A table is of the reader after whom its file is named, an export of those that it names; both
    need ``shortlist``, the list that was judged, and its ``corpus``. Raises FormatError for an
    invalid file and for decisions on a corrected key without its digest, UsageError for answers
    without their list, and if two files have the same reviewer, are copies of each other, or are
    about different corpora or keys.
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


def needs_list(path: Path) -> bool:
    """Return whether a file is a table of answers, or an export of Label Studio: a list."""
    return path.suffix.lower() == ".csv" or isinstance(read_json(path, _KIND), list)


def _read(path: Path, shortlist: ShortList | None, corpus: Corpus | None) -> list[Review]:
    if not needs_list(path):
        review = _SCHEMA.check(read_json(path, _KIND), path)
        check_key(review.about, path)
        return [review.model_copy(update={"reviewer": review.reviewer or path.stem})]
    if shortlist is None or corpus is None:
        message, hint = "these answers need the list that was judged", "add --list CASES"
        raise UsageError("option-conflict", message, place=path, hint=hint)
    check_list(shortlist, corpus, path)
    rows: Mapping[str, Iterable[tuple[object, Mapping[str, str]]]]
    if path.suffix.lower() == ".csv":
        rows = {path.stem: records(path, _TABLE, COLUMNS, _OPTIONAL)}
    else:
        rows = answers(read_json(path, _KIND), path, _KIND)
    facts, cases = origin(shortlist, corpus), shortlist.cases
    return [
        Review(reviewer=reader, decisions=decisions(own, cases, path), **facts)
        for reader, own in rows.items()
    ]


def decisions(
    rows: Iterable[tuple[object, Mapping[str, str]]], cases: Sequence[Case], path: Path
) -> tuple[Decision, ...]:
    """Return the decisions of rows of ``case, verdict, correction, reason``, each with its place.

    ``correction`` is the number of the correction in ``case.fixes``, from 1, or 0 for none of them;
    it is empty unless the verdict is ``error``. ``comment`` and ``time`` are optional columns.
    Raises FormatError with the line of an unknown case, a case twice, or an invalid value.
    """
    known = {case.id: case for case in cases}
    found: dict[str, Decision] = {}
    for place, row in rows:
        id_, verdict, number = row["case"], row["verdict"], row["correction"].strip()
        if id_ not in known:
            raise _TABLE.refuse(place, f"the list has no case '{id_}'")
        if id_ in found:
            raise _TABLE.refuse(place, f"duplicate case {id_}")
        fixes = known[id_].fixes
        claims = fixes[0].claims  # a verdict that the case is no error is about the first
        if verdict == ERROR:
            if not 0 <= (chosen := integer(number)) <= len(fixes):
                wanted = f"a number from 0 to {len(fixes)}"
                message = f"the correction of case {id_} is '{number:.40}', not {wanted}"
                raise _TABLE.refuse(place, message)
            claims = fixes[chosen - 1].claims if chosen else ()
        elif number:
            message = f"case {id_} has a correction, but is not an error"
            raise _TABLE.refuse(place, message, "leave the correction empty")
        rest = {name: row.get(name, "") for name in ("reason", "comment", "time")}
        value = {"case": id_, "kind": known[id_].kind, "verdict": verdict, "claims": claims, **rest}
        found[id_] = validated(Decision, value, place, _TABLE)
    if not found:
        raise _TABLE.refuse(path, "no answer")
    return tuple(found.values())
