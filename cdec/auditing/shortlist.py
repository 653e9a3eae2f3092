"""The short-list of cases and its files: JSON Lines, complete, and CSV, for spreadsheets."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import ConfigDict, Field, model_validator

from cdec.auditing.case import Case, CaseSide
from cdec.auditing.fixes import LETTERS
from cdec.corpus.claims import check_identity
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, UsageError, counted, one_of
from cdec.files.input import FileKind
from cdec.files.models import FileModel, Schema, validated
from cdec.files.strict_json import located, parse

FORMAT = "cdec-audit-shortlist/2"
SCOPES = ("only", "outside", "all")
_HINT = "write one with `cdec audit run -o FILE.jsonl`"
_KIND = FileKind("a short-list of cases", FormatError, "file-invalid", _HINT, 2**28)
COLUMNS = (
    *("case", "kind", "score", "rank", "group", "topic", "detectors", "mentions", "sentences"),
    *("chains", "corrections", "reasons"),
)
START = 300  # cases of the list to start on


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

    ``expected`` holds for the complete list only; it is empty without probabilities. ``pairs`` is
    the short-list of the SVM if it is the only detector: mentions ``a`` and ``b``, their
    ``anchor``, the largest first, whether it is ``above`` δ, whether they are ``linked``, and the
    ``topic``.
    """

    cases: tuple[Case, ...]
    about: Mapping[str, Any]
    expected: tuple[Expected, ...] = ()
    pairs: pd.DataFrame | None = None

    def select(
        self,
        *,
        kinds: Collection[str] = (),
        topics: Collection[str] = (),
        reviewed: str = "all",
        ids: Collection[str] = (),
        top: int | None = None,
        among: Collection[str] | None = None,
    ) -> ShortList:
        """Return the first ``top`` cases of these kinds, topics and ids; empty means all.

        Cases of one group count once. ``reviewed`` is one of ``SCOPES``; with ``among``, a case
        asks about one of these mentions. ``pairs`` are those of the topics with such a mention.
        Raises UsageError if the corpus has no list of reviewed sentences, UnknownNameError for an
        unknown case.
        """
        if reviewed != "all" and not self.lists_reviewed:
            message = "the corpus has no list of reviewed sentences"
            raise UsageError("annotation-missing", message, hint="leave out the restriction")
        known = {case.id for case in self.cases} if ids else set()
        for id_ in ids:
            one_of("case", id_, known)
        chosen = [
            case
            for case in self.cases
            if (not kinds or case.kind in kinds) and (not topics or case.topic in topics)
            if reviewed == "all" or case.reviewed is (reviewed == "only")
            if not ids or case.id in ids
            if among is None or not set(among).isdisjoint(case.asked)
        ]
        cards = list(dict.fromkeys(case.group or case.id for case in chosen))[:top]
        first = {*cards}
        pairs = self.pairs
        if pairs is not None and topics:
            pairs = pairs[pairs["topic"].isin(topics)]
        if pairs is not None and among is not None:
            pairs = pairs[pairs["a"].isin(among) | pairs["b"].isin(among)]
        part = kinds or topics or ids or among is not None
        return replace(
            self,
            cases=tuple(case for case in chosen if (case.group or case.id) in first),
            expected=tuple(e for e in self.expected if not part and reviewed in ("all", e.scope)),
            pairs=pairs,
        )

    @property
    def lists_reviewed(self) -> bool:
        """Whether the corpus lists reviewed sentences."""
        return any(case.reviewed is not None for case in self.cases)

    @property
    def cards(self) -> list[list[Case]]:
        """The cases in order, those of one group together."""
        groups: dict[str, list[Case]] = {}
        for case in self.cases:
            groups.setdefault(case.group or case.id, []).append(case)
        return list(groups.values())

    def to_read(self, **choice: Any) -> ShortList:
        """Return the list to start on: the first ``START`` cases, in reviewed sentences if known.

        ``choice`` is as for ``select``, and replaces these two.
        """
        usual = {"reviewed": "only" if self.lists_reviewed else "all", "top": START}
        return self.select(**{**usual, **choice})


def to_jsonl(shortlist: ShortList, corpus: Corpus) -> Iterable[str]:
    """Yield the lines of the JSON Lines file: ``about``, then each case with its sentences."""
    expected = {"expected": [row.model_dump() for row in shortlist.expected]}
    yield json.dumps({"format": FORMAT, **shortlist.about, **expected}, ensure_ascii=False) + "\n"
    rows = corpus.mentions[["doc", "sentence"]].itertuples(name=None)
    words = {id_: corpus.documents[doc].sentences[number] for id_, doc, number in rows}
    for case in shortlist.cases:
        sentences = {id_: " ".join(words[id_]) for id_ in case.mentions}
        yield json.dumps({**case.to_dict(), "sentences": sentences}, ensure_ascii=False) + "\n"


def to_csv(shortlist: ShortList, corpus: Corpus) -> Iterable[str]:
    """Yield the text of the CSV file, one row for each case; or for each pair of the SVM."""
    if shortlist.pairs is not None:
        yield with_sentences(shortlist.pairs, corpus).to_csv(index=False)
        return
    sentences, rows = marked(corpus), []
    for case in shortlist.cases:
        sides = [(LETTERS[at % 26], side) for at, side in enumerate(case.sides)]
        lines = {
            "sentences": [f"{name}: {sentences[m]}" for name, side in sides for m in side.mentions],
            "chains": [f"{name}: {chain_words(side)}" for name, side in sides],
            "corrections": [f"{n}. {fix.text}" for n, fix in enumerate(case.fixes, 1)],
            "reasons": case.reasons,
        }
        row = {name: getattr(case, name) for name in ("kind", "rank", "group", "topic")}
        row |= {"case": case.id, "score": "" if case.score is None else f"{case.score:.4f}"}
        row |= {name: " ".join(getattr(case, name)) for name in ("detectors", "mentions")}
        rows.append(row | {name: "\n".join(texts) for name, texts in lines.items()})
    yield pd.DataFrame(rows, columns=list(COLUMNS)).to_csv(index=False)


def chain_words(side: CaseSide) -> str:
    """Return the chain of a side for people: its descriptor, and its size."""
    if side.place:
        return f"no mention at {side.place}"
    size = len(side.mentions) + len(side.members)
    name = f"{side.descriptor.strip()}, " if side.descriptor.strip() else ""
    return f"{name}{counted(size, 'mention') if size > 1 else 'singleton'}"


def marked_sentence(corpus: Corpus, doc: str, number: int, marks: Mapping[int, str]) -> str:
    """Return a sentence with its marked tokens, by their positions, in brackets after the mark."""
    document = corpus.documents[doc]
    words = enumerate(document.sentences[number], document.sentence_starts[number])
    runs = groupby(words, key=lambda word: marks.get(word[0]))
    pieces = ((mark, " ".join(word for _, word in run)) for mark, run in runs)
    return " ".join(
        text if mark is None else f"[{mark and f'{mark}: '}{text}]" for mark, text in pieces
    )


def marked(corpus: Corpus) -> dict[str, str]:
    """Return the sentence of each mention, with the words of the mention in brackets."""
    rows = corpus.mentions[["doc", "sentence", "tokens"]].itertuples(name=None)
    return {
        str(id_): marked_sentence(corpus, doc, number, dict.fromkeys(tokens, ""))
        for id_, doc, number, tokens in rows
    }


def with_sentences(pairs: pd.DataFrame, corpus: Corpus) -> pd.DataFrame:
    """Return pairs of mentions with the sentences of both."""
    sentences = marked(corpus)
    both = {f"sentence_{end}": [sentences[id_] for id_ in pairs[end]] for end in ("a", "b")}
    return pairs.assign(**both)


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
