"""The short-list of cases and its files: JSON Lines, complete, and CSV, for spreadsheets."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import pandas as pd
from pydantic import ConfigDict

from cdec.auditing.case import Case, CaseSide, letter_of
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, counted
from cdec.files.input import FileKind, TextFile
from cdec.files.models import FileModel, Schema, validated
from cdec.files.strict_json import parse_at
from cdec.pairs.sentences import marked_sentence
from cdec.records import Fields, Row

FORMAT = "cdec-audit-shortlist/1"
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
    about: Fields
    pairs: pd.DataFrame | None = None

    def select(
        self,
        *,
        kinds: Collection[str] = (),
        topics: Collection[str] = (),
        ids: Collection[str] = (),
        among: Collection[str] | None = None,
        top: int | None = None,
        reviewed: bool = False,
    ) -> ShortList:
        """Return the first ``top`` cases of these kinds, topics and ids; empty means all.

        Cases of one group count once. With ``among``, a case asks about one of these mentions;
        ``reviewed``: only cases in reviewed sentences. ``pairs`` are those of the topics with such
        a mention; None if kinds are chosen.
        """
        chosen = [
            case
            for case in self.cases
            if (not kinds or case.kind in kinds)
            and (not topics or case.topic in topics)
            if (not ids or case.id in ids) and (not reviewed or case.reviewed)
            if among is None or not {*among}.isdisjoint(case.asked)
        ]
        first = {*list(dict.fromkeys(case.group_id for case in chosen))[:top]}
        pairs = None if kinds else self.pairs
        if pairs is not None and topics:
            pairs = pairs[pairs["topic"].isin(topics)]
        if pairs is not None and among is not None:
            pairs = pairs[pairs["a"].isin(among) | pairs["b"].isin(among)]
        return replace(
            self, cases=tuple(c for c in chosen if c.group_id in first), pairs=pairs
        )

    def to_read(self) -> ShortList:
        """Return the first ``START`` cases, in reviewed sentences if these are known."""
        return self.select(reviewed=self.lists_reviewed, top=START)

    @property
    def lists_reviewed(self) -> bool:
        """Whether the corpus lists reviewed sentences."""
        return any(case.reviewed is not None for case in self.cases)

    @property
    def groups(self) -> list[list[Case]]:
        """The cases in order, those of one group, which are beside each other, together."""
        return [
            list(cases)
            for _, cases in groupby(self.cases, key=lambda case: case.group_id)
        ]


def to_jsonl(shortlist: ShortList, corpus: Corpus) -> Iterable[str]:
    """Yield the lines of the JSON Lines file: ``about``, then each case with its sentences."""
    yield json.dumps({"format": FORMAT, **shortlist.about}, ensure_ascii=False) + "\n"
    rows = corpus.mentions[["doc", "sentence"]].itertuples(name=None)
    words = {id_: corpus.documents[doc].sentences[number] for id_, doc, number in rows}
    for case in shortlist.cases:
        sentences = {id_: " ".join(words[id_]) for id_ in case.mentions}
        yield (
            json.dumps({**case.to_dict(), "sentences": sentences}, ensure_ascii=False)
            + "\n"
        )


def to_csv(shortlist: ShortList, corpus: Corpus) -> Iterable[str]:
    """Yield the text of the CSV file, one row for each case; or for each pair of the SVM."""
    if shortlist.pairs is not None:
        yield with_sentences(shortlist.pairs, corpus).to_csv(index=False)
        return
    sentences = marked(corpus)
    rows = []
    for case in shortlist.cases:
        sides = [(letter_of(at), side) for at, side in enumerate(case.sides)]
        quoted = (
            f"{name}: {sentences[m]}" for name, side in sides for m in side.mentions
        )
        chains = (f"{name}: {chain_words(case, side)}" for name, side in sides)
        fixes = (f"{n}. {fix.text}" for n, fix in enumerate(case.fixes, 1))
        row: Row = {
            "case": case.id,
            "kind": case.kind,
            "score": "" if case.score is None else f"{case.score:.4f}",
            "rank": case.rank,
            "group": case.group,
            "topic": case.topic,
            "reviewed": case.reviewed,
            "detectors": " ".join(case.detectors),
            "mentions": " ".join(case.mentions),
            "sentences": "\n".join(quoted),
            "chains": "\n".join(chains),
            "corrections": "\n".join(fixes),
            "reasons": "\n".join(case.reasons),
        }
        rows.append(row)
    yield pd.DataFrame(rows).to_csv(index=False)


def chain_words(case: Case, side: CaseSide) -> str:
    """Return the chain of a side for people: its descriptor, and its size."""
    if side.place:
        return f"no mention at {side.place}"
    same = [other for other in case.sides if other.chain == side.chain]
    size = len({id_ for other in same for id_ in (*other.mentions, *other.members)})
    name = f" '{side.descriptor}'" if side.descriptor else ""
    return (
        f"chain{name} of {counted(size, 'mention')}" if size > 1 else f"singleton{name}"
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
    both = {
        f"sentence_{end}": [sentences[id_] for id_ in pairs[end]] for end in ("a", "b")
    }
    return pairs.assign(**both)


WRITERS = {"jsonl": to_jsonl, "csv": to_csv}


class _Head(FileModel):
    """The first line: the signature of the audit, with any fields."""

    model_config = ConfigDict(extra="allow")


_HEAD = Schema(_KIND, _Head, FORMAT)


def read_shortlist(path: Path) -> ShortList:
    """Return the short-list of a JSON Lines file; raises FormatError if it is invalid."""
    source = TextFile(str(path), _KIND.read_text(path))
    values = (
        (source.place(number), parse_at(line, number, source.error))
        for number, line in enumerate(source.lines, start=1)
        if line.strip()
    )
    place, head = next(values)
    header = _HEAD.check(head, place)
    cases = {}
    for place, value in values:
        fields = value.items() if isinstance(value, dict) else ()
        own = {name: one for name, one in fields if name not in ("case", "sentences")}
        case = validated(Case, own or value, place, _KIND)
        if case.id in cases:
            raise _KIND.refuse(place, f"duplicate case {case.id}")
        cases[case.id] = case
    return ShortList(tuple(cases.values()), header.model_extra or {})
