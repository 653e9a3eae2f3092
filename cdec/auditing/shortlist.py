"""The short-list of cases and its files: JSON Lines, complete, and CSV, for spreadsheets."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import ConfigDict

from cdec.auditing.case import Case, CaseSide, letter_of
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, counted
from cdec.files.input import FileKind, TextFile
from cdec.files.models import FileModel, Schema, validated
from cdec.files.strict_json import parse_at

FORMAT = "cdec-audit-shortlist/2"
_HINT = "write one with `cdec audit run -o FILE.jsonl`"
_KIND = FileKind("a short-list of cases", FormatError, "file-invalid", _HINT, 2**28)
START = 300  # cases of the list to start on


@dataclass(frozen=True)
class ShortList:
    """Cases in order; ``about``: the signature of the audit, with corpus and digest.

    ``pairs`` is the short-list of the SVM if it is the only detector: mentions ``a`` and ``b``,
    their ``anchor``, the largest first, whether it is ``above`` δ, whether they are ``linked``, and
    the ``topic``.
    """

    cases: tuple[Case, ...]
    about: Mapping[str, Any]
    pairs: pd.DataFrame | None = None

    def select(
        self,
        *,
        kinds: Collection[str] = (),
        topics: Collection[str] = (),
        ids: Collection[str] = (),
        mentions: Collection[str] | None = None,
        top: int | None = None,
        reviewed: bool = False,
    ) -> ShortList:
        """Return the first ``top`` cases of these kinds, topics and ids; empty means all.

        Cases of one group count once. With ``mentions``, a case asks about one of these;
        ``reviewed``: only cases in reviewed sentences. ``pairs`` are those of the topics with such
        a mention; None for a selection of kinds.
        """
        cases = list(self.cases)
        if kinds:
            cases = [case for case in cases if case.kind in kinds]
        if topics:
            cases = [case for case in cases if case.topic in topics]
        if ids:
            cases = [case for case in cases if case.id in ids]
        if reviewed:
            cases = [case for case in cases if case.reviewed]
        if mentions is not None:
            cases = [
                case
                for case in cases
                if not set(mentions).isdisjoint(case.mentions_in_question)
            ]
        groups = list(dict.fromkeys(case.group_id for case in cases))
        first_groups = set(groups[:top])
        return replace(
            self,
            cases=tuple(case for case in cases if case.group_id in first_groups),
            pairs=None if kinds else self._select_pairs(topics, mentions),
        )

    def _select_pairs(
        self, topics: Collection[str], mentions: Collection[str] | None
    ) -> pd.DataFrame | None:
        """Return the pairs of these topics with one of these mentions."""
        pairs = self.pairs
        if pairs is not None and topics:
            pairs = pairs[pairs["topic"].isin(topics)]
        if pairs is not None and mentions is not None:
            pairs = pairs[pairs["a"].isin(mentions) | pairs["b"].isin(mentions)]
        return pairs

    def to_read(self) -> ShortList:
        """Return the first ``START`` cases, in reviewed sentences if these are known."""
        return self.select(reviewed=self.lists_reviewed, top=START)

    @property
    def lists_reviewed(self) -> bool:
        """Whether the corpus lists reviewed sentences."""
        return any(case.reviewed is not None for case in self.cases)

    @property
    def groups(self) -> list[list[Case]]:
        """The cases in order, those of one group, which follow each other, together."""
        return [
            list(cases)
            for _, cases in groupby(self.cases, key=lambda case: case.group_id)
        ]


def to_jsonl(shortlist: ShortList, corpus: Corpus) -> Iterable[str]:
    """Yield the lines of the JSON Lines file: ``about``, then each case with its sentences."""
    yield json.dumps({"format": FORMAT, **shortlist.about}, ensure_ascii=False) + "\n"
    sentence_of = {}
    for mention, doc, number in corpus.mentions[["doc", "sentence"]].itertuples(
        name=None
    ):
        sentence_of[mention] = " ".join(corpus.documents[doc].sentences[number])
    for case in shortlist.cases:
        sentences = {mention: sentence_of[mention] for mention in case.mentions}
        yield (
            json.dumps({**case.to_dict(), "sentences": sentences}, ensure_ascii=False)
            + "\n"
        )


def to_csv(shortlist: ShortList, corpus: Corpus) -> Iterable[str]:
    """Yield the text of the CSV file, one row for each case; or for each pair of the SVM."""
    if shortlist.pairs is not None:
        yield with_sentences(shortlist.pairs, corpus).to_csv(index=False)
        return
    sentences = marked_sentences(corpus)
    rows = [_csv_row(case, sentences) for case in shortlist.cases]
    yield pd.DataFrame(rows).to_csv(index=False)


def _csv_row(case: Case, sentences: Mapping[str, str]) -> dict[str, Any]:
    """Return the row of a case; ``sentences``: of each mention."""
    quotes = []
    chains = []
    for position, side in enumerate(case.sides):
        letter = letter_of(position)
        chains.append(f"{letter}: {chain_words(case, side)}")
        quotes += [f"{letter}: {sentences[mention]}" for mention in side.mentions]
    corrections = [
        f"{number}. {fix.text}" for number, fix in enumerate(case.fixes, start=1)
    ]
    return {
        "case": case.id,
        "kind": case.kind,
        "score": "" if case.score is None else f"{case.score:.4f}",
        "rank": case.rank,
        "group": case.group,
        "topic": case.topic,
        "reviewed": case.reviewed,
        "detectors": " ".join(case.detectors),
        "mentions": " ".join(case.mentions),
        "sentences": "\n".join(quotes),
        "chains": "\n".join(chains),
        "corrections": "\n".join(corrections),
        "reasons": "\n".join(case.reasons),
    }


def chain_words(case: Case, side: CaseSide) -> str:
    """Return the chain of a side for people: its descriptor, and its size."""
    if side.place:
        return f"no mention at {side.place}"
    mentions: set[str] = set()
    for other in case.sides:
        if other.chain == side.chain:
            mentions.update(other.mentions, other.members)
    descriptor = f" '{side.descriptor}'" if side.descriptor else ""
    if len(mentions) > 1:
        return f"chain{descriptor} of {counted(len(mentions), 'mention')}"
    return f"singleton{descriptor}"


def marked_sentence(
    corpus: Corpus, doc: str, number: int, marks: Mapping[int, str]
) -> str:
    """Return a sentence with its marked tokens, by their positions, in brackets after the mark."""
    document = corpus.documents[doc]
    start = document.sentence_starts[number]
    positions = range(start, start + len(document.sentences[number]))
    pieces = []
    for mark, run in groupby(positions, key=marks.get):
        text = " ".join(document.tokens[position] for position in run)
        if mark is None:
            pieces.append(text)
        elif mark:
            pieces.append(f"[{mark}: {text}]")
        else:
            pieces.append(f"[{text}]")
    return " ".join(pieces)


def marked_sentences(corpus: Corpus) -> dict[str, str]:
    """Return the sentence of each mention, with the words of the mention in brackets."""
    sentences = {}
    columns = corpus.mentions[["doc", "sentence", "tokens"]]
    for mention, doc, number, tokens in columns.itertuples(name=None):
        marks = dict.fromkeys(tokens, "")
        sentences[str(mention)] = marked_sentence(corpus, doc, number, marks)
    return sentences


def with_sentences(pairs: pd.DataFrame, corpus: Corpus) -> pd.DataFrame:
    """Return pairs of mentions with the sentences of both."""
    sentences = marked_sentences(corpus)
    return pairs.assign(
        sentence_a=[sentences[mention] for mention in pairs["a"]],
        sentence_b=[sentences[mention] for mention in pairs["b"]],
    )


WRITERS = {"jsonl": to_jsonl, "csv": to_csv}


class _Head(FileModel):
    """The first line: the signature of the audit, with any fields."""

    model_config = ConfigDict(extra="allow")


_HEAD = Schema(_KIND, _Head, FORMAT)


def read_shortlist(path: Path) -> ShortList:
    """Return the short-list of a JSON Lines file; raises FormatError if it is invalid."""
    values = _values(TextFile(str(path), _KIND.read_text(path)))
    place, head = next(values)
    about = _HEAD.check(head, place)
    cases = {}
    for place, value in values:
        case = _read_case(value, place)
        if case.id in cases:
            raise _KIND.refuse(place, f"duplicate case {case.id}")
        cases[case.id] = case
    return ShortList(tuple(cases.values()), about.model_extra or {})


def _values(source: TextFile) -> Iterator[tuple[str, object]]:
    """Yield place and value of each line with text."""
    for number, line in enumerate(source.lines, start=1):
        if line.strip():
            yield source.place(number), parse_at(line, number, source.error)


def _read_case(value: object, place: str) -> Case:
    """Return the case of a line, of which its id and its sentences are not read."""
    if isinstance(value, dict):
        fields = {
            name: field
            for name, field in value.items()
            if name not in ("case", "sentences")
        }
        value = fields or value
    return validated(Case, value, place, _KIND)
