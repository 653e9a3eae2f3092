"""The short-list of cases and its files: JSON Lines, complete, and CSV, for spreadsheets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import ConfigDict, Field, model_validator

from cdec.auditing.case import KINDS, Case
from cdec.auditing.detectors import needs_of
from cdec.corpus.claims import check_identity
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UsageError, one_of
from cdec.errors.notices import Notice, notice
from cdec.files.input import FileKind
from cdec.files.models import FileModel, Schema, validated
from cdec.files.strict_json import located, parse

FORMAT = "cdec-audit-shortlist/2"
DEPTHS = (300, 1000, 3000)  # of the table of expected errors
ELSEWHERE = "calibration_corpus"  # field of the signature, if the calibration is not of the corpus
LEFT_OUT = "left_out"  # field of the signature: detectors that do not apply to the corpus
WITHIN = "linked_within"  # field of the signature: the level that limits links, if any
SCOPES = ("only", "outside", "all")
_HINT = "write one with `cdec audit run -o FILE.jsonl`"
_KIND = FileKind("a short-list of cases", FormatError, "file-invalid", _HINT, 2**28)
_COLUMNS = ("case", "kind", "score", "rank", "topic", "detectors", "mentions", "texts", "sentences")


class Expected(FileModel):
    """The expected number of errors among the ``first`` cases, with its 95 % interval.

    ``scope``: ``all``, or the cases inside (``only``) or outside the reviewed sentences.
    """

    scope: str
    first: int
    errors: float
    low: float
    high: float


@dataclass(frozen=True)
class ShortList:
    """Cases in order; ``about``: the signature of the audit, with corpus and digest.

    ``expected`` holds for the complete list only; it is empty without probabilities. ``told`` are
    the notices on other readers, of the audit itself only: no file has them.
    """

    cases: tuple[Case, ...]
    about: Mapping[str, Any]
    expected: tuple[Expected, ...] = ()
    told: tuple[Notice, ...] = ()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The notices of readers, limits of links, detectors left out, missing probabilities."""
        limits = (notice(*limit, (), warning=False) for limit in self._limits())
        facts = (*self.told, *limits)
        if ELSEWHERE not in self.about:
            return facts
        fitted = self.about[ELSEWHERE]
        message = (
            f"cases have ranks but no probabilities: their order was fitted to judged cases of "
            f"'{fitted}', not of this corpus and key"
        )
        return (*facts, notice("probabilities-elsewhere", message, (), warning=False))

    def _limits(self) -> Iterator[tuple[str, str]]:
        """Yield the code and the text of what the audit leaves out."""
        if level := self.about.get(WITHIN):
            message = (
                f"mentions of two {level}s are not compared: the corpus has links inside one only"
            )
            yield "annotation-missing", message
        names = str(self.about.get(LEFT_OUT, "")).split(",")
        needs = needs_of(names)
        if lacking := ", ".join(f"{name} ({words})" for name, words in needs.items()):
            message = f"detectors left out, as the corpus lacks what they need: {lacking}"
            yield "annotation-missing", message
        if small := ",".join(name for name in names if name not in needs):
            message = "detectors left out, as there are too few pairs or topics to train them: "
            yield "part-too-small", message + small

    def select(
        self,
        *,
        kinds: Sequence[str] = (),
        topics: Sequence[str] = (),
        reviewed: str = "all",
        ids: Sequence[str] = (),
        top: int | None = None,
    ) -> ShortList:
        """Return the first ``top`` cases of these kinds, topics and ids; empty means all.

        ``reviewed`` is one of ``SCOPES``. Raises UsageError as ``check_choice`` does, if the list
        has no such case, and if the corpus has no list of reviewed sentences.
        """
        check_choice(kinds, reviewed, top)
        if reviewed != "all" and all(case.reviewed is None for case in self.cases):
            message = "the corpus has no list of reviewed sentences"
            raise UsageError("annotation-missing", message, hint="leave out the restriction")
        known = {case.id for case in self.cases} if ids else set()
        for id_ in ids:
            one_of("case", id_, known)
        selection = (
            case
            for case in self.cases
            if (not kinds or case.kind in kinds) and (not topics or case.topic in topics)
            if reviewed == "all" or case.reviewed is (reviewed == "only")
            if not ids or case.id in ids
        )
        whole = not (kinds or topics or ids)
        expected = tuple(e for e in self.expected if whole and reviewed in ("all", e.scope))
        return ShortList(tuple(selection)[:top], self.about, expected, self.told)


def check_choice(kinds: Sequence[str], reviewed: str, top: int | None) -> None:
    """Raise UnknownNameError for an unknown kind or scope, UsageError for a ``top`` below 1."""
    one_of("review scope", reviewed, SCOPES)
    for kind in kinds:
        one_of("case kind", kind, KINDS)
    if top is not None and top < 1:
        raise UsageError("parameter-invalid", f"top is {top}", hint="use 1 or more")


def to_jsonl(shortlist: ShortList, corpus: Corpus) -> Iterable[str]:
    """Yield the lines of the JSON Lines file: ``about``, then each case with its sentences."""
    expected = {"expected": [row.model_dump() for row in shortlist.expected]}
    yield json.dumps({"format": FORMAT, **shortlist.about, **expected}, ensure_ascii=False) + "\n"
    sentences = _sentences(corpus)
    for case in shortlist.cases:
        record = {**case.to_dict(), "sentences": {id_: sentences[id_] for id_ in case.mentions}}
        yield json.dumps(record, ensure_ascii=False) + "\n"


def to_csv(shortlist: ShortList, corpus: Corpus) -> Iterable[str]:
    """Yield the text of the CSV file, one row for each case."""
    sentences, texts = _sentences(corpus), corpus.mentions["text"].astype(str)
    rows = []
    for case in shortlist.cases:
        score = "" if case.score is None else f"{case.score:.4f}"
        quoted = " | ".join(sentences[id_] for id_ in dict.fromkeys(case.mentions))
        row = (case.id, case.kind, score, case.rank, case.topic, " ".join(case.detectors))
        named = (" ".join(case.mentions), " | ".join(texts[case.mentions]), quoted)
        rows.append((*row, *named, "; ".join(case.reasons)))
    yield pd.DataFrame(rows, columns=[*_COLUMNS, "reasons"]).to_csv(index=False)


WRITERS = {"jsonl": to_jsonl, "csv": to_csv}


class _Head(FileModel):
    """The first line: the signature of the audit, with any fields."""

    model_config = ConfigDict(extra="allow")
    expected: list[Expected] = Field(default_factory=list)

    _identified = model_validator(mode="before")(check_identity)


_HEAD = Schema(_KIND, _Head, FORMAT)


def read_shortlist(path: Path) -> ShortList:
    """Return the short-list of a JSON Lines file; raises FormatError if it is invalid."""
    lines = list(enumerate(_KIND.read_text(path).split("\n"), start=1))
    (first, head), *rest = [(number, line) for number, line in lines if line.strip()]
    if head.startswith(",".join(_COLUMNS[:3])):
        message = "this is the CSV export of a short-list and cannot be read back"
        raise FormatError("file-invalid", message, place=path, hint="use the .jsonl file")
    header = _HEAD.check(_parsed(f"{path}:{first}", head), f"{path}:{first}")
    cases: dict[str, Case] = {}
    for number, line in rest:
        place = f"{path}:{number}"
        case = validated(Case, _parsed(place, line), place, _KIND)
        if case.id in cases:
            raise _KIND.refuse(place, f"duplicate case {case.id}")
        cases[case.id] = case
    return ShortList(tuple(cases.values()), header.model_extra or {}, tuple(header.expected))


def _parsed(place: str, line: str) -> Any:
    try:
        return parse(line)
    except ValueError as error:
        raise _KIND.refuse(place, f"invalid JSON: {located(error, line)[1]}") from None


def _sentences(corpus: Corpus) -> dict[str, str]:
    """Return the sentence of each mention as text."""
    places = corpus.mentions[["doc", "sentence"]].itertuples(name=None)
    return {
        str(id_): " ".join(corpus.documents[doc].sentences[number]) for id_, doc, number in places
    }
