"""A short-list as tasks for Label Studio or readers of plain text, such as language models.

The text of a task has the question, the sides with their chains, the numbered corrections, and the
whole documents. It has neither score, rank, detector nor reasons: readers are to judge by the text.
``label_studio.xml`` is the interface for them; ``answers`` reads its export.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from cdec.auditing.case import WORDS, Case, letter_of
from cdec.auditing.claims import tokens_at
from cdec.auditing.questions import ERROR, QUESTIONS, REASONS
from cdec.auditing.shortlist import ShortList, chain_words
from cdec.corpus.model import Corpus
from cdec.files.input import FileKind
from cdec.files.models import FileModel, validated
from cdec.pairs.sentences import marked_sentence
from cdec.records import Row

_MEMBERS = 15  # sentences of a chain that are quoted besides the documents
_DOCUMENTS = (
    "Documents (capital letters: mentions in question; small letters: other mentions of their "
    "chains)"
)


def to_tasks(listed: ShortList, corpus: Corpus) -> Iterator[str]:
    """Yield the JSON of the tasks of a list: one object a case."""
    spots = (
        corpus.mentions[["doc", "sentence", "tokens"]].astype(object).T.to_dict("list")
    )
    for number, case in enumerate(listed.cases):
        asked = QUESTIONS[case.kind]
        yes, no, _ = (f"{word}: {verdict}" for verdict, word in asked.verdicts.items())
        question = f"{asked.ask} {yes}; {no}."
        options = [f"{at}. {fix.text}" for at, fix in enumerate(case.fixes, start=1)]
        data = {
            "case": case.id,
            "question": question,
            "text": "\n\n".join(_parts(case, question, options, corpus, spots)) + "\n",
            "corrections": [{"value": text} for text in options],
        }
        yield (",\n" if number else "[\n") + json.dumps(
            {"data": data}, ensure_ascii=False
        )
    yield "\n]\n"


def _parts(
    case: Case,
    question: str,
    options: Sequence[str],
    corpus: Corpus,
    spots: Mapping[Any, Any],
) -> Iterator[str]:
    """Yield the parts of the text of a case; ``spots``: document, sentence, tokens of mentions."""
    named = [(letter_of(at), side) for at, side in enumerate(case.sides)]
    marks: dict[str, dict[int, str]] = defaultdict(dict)
    # A mention in question replaces another mark of its tokens.
    for ids, form in (("members", str.lower), ("mentions", str.upper)):
        for letter, side in named:
            for doc, _, tokens in (spots[id_] for id_ in getattr(side, ids)):
                marks[doc] |= dict.fromkeys(tokens, form(letter))
    for letter, side in named:
        if side.place:
            tokens, (doc, _) = tokens_at(corpus, side.place, side.place)
            marks[doc] |= dict.fromkeys(tokens, f"{letter}, missing")

    def quoted(ids: Sequence[str]) -> list[str]:
        return [
            f"  {doc}, sentence {at}: {marked_sentence(corpus, doc, at, marks[doc])}"
            for doc, at, _ in (spots[id_] for id_ in ids)
        ]

    yield f"Case {case.id}, topic {case.topic}: {WORDS[case.kind]}"
    yield question
    for letter, side in named:
        if side.place:
            spot = side.place.rpartition("/")[2]
            yield f"{letter}: no mention at tokens {spot}; see document"
            continue
        chain = chain_words(case, side)
        lines = [
            f"{letter}: {', '.join(side.mentions)}; {chain}",
            *quoted(side.mentions),
        ]
        if others := list(dict.fromkeys(quoted(side.members))):
            lines += [f"Other mentions in the chain of {letter}:", *others[:_MEMBERS]]
        if (more := len(others) - _MEMBERS) > 0:
            lines.append(f"  and {more} more sentences")
        yield "\n".join(lines)
    yield "\n".join(["Corrections, if it is an error:", *options])
    yield _DOCUMENTS
    docs = (s.place.rpartition("/")[0] or spots[s.mentions[0]][0] for s in case.sides)
    for doc in dict.fromkeys(docs):
        document = corpus.documents[doc]
        date = (
            f" ({document.attributes['date']})" if "date" in document.attributes else ""
        )
        numbers = range(len(document.sentences))
        lines = [
            f"{at}: {marked_sentence(corpus, doc, at, marks[doc])}" for at in numbers
        ]
        yield "\n".join([f"== {doc}{date} ==", *lines])


# ---- answers in Label Studio ----


class _Exported(FileModel):
    """An object of an export, whose other fields are not read."""

    model_config = ConfigDict(extra="ignore")


class _Result(_Exported):
    from_name: str
    value: Row


class _Annotation(_Exported):
    completed_by: int | str | Row | None = None
    was_cancelled: bool = False
    updated_at: str = ""
    result: list[_Result]


class _Task(_Exported):
    data: Row
    annotations: list[_Annotation] = Field(default_factory=list)


def answers(
    content: list[Any], path: Path, file: FileKind
) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the annotator, the place and the fields of each answer; skipped tasks are left out.

    An annotator is named by address, else by number. Raises the error of ``file`` for an object
    that is no task of an export.
    """
    codes = {words: code for code, words in REASONS.items()}
    for number, item in enumerate(content, start=1):
        place = f"{path}: task {number}"
        task = validated(_Task, item, place, file)
        for one in task.annotations:
            if one.was_cancelled:
                continue
            who: Any = one.completed_by
            who = who.get("email") or who.get("id") if isinstance(who, dict) else who
            row = dict.fromkeys(("verdict", "correction", "reason", "comment"), "")
            for result in one.result:
                if result.from_name not in row:
                    continue
                given = result.value.get("choices") or result.value.get("text") or ""
                texts = given if isinstance(given, list) else [given]
                row[result.from_name] = "\n".join(map(str, texts))
            # A control that is hidden after a change of the verdict keeps its value.
            row["reason" if row["verdict"] == ERROR else "correction"] = ""
            # A correction is exported as its text, which begins with its number.
            row["correction"] = row["correction"].partition(".")[0]
            row["reason"] = codes.get(row["reason"], row["reason"])
            row |= {"case": str(task.data.get("case")), "time": one.updated_at}
            yield (
                who if isinstance(who, str) else f"annotator {who or 'unknown'}",
                place,
                row,
            )
