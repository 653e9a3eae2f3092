"""A short-list as tasks for Label Studio or readers of plain text, such as language models.

The text of a task has the question, the sides with their chains, the numbered corrections, and the
whole documents. It has neither score, rank, detector nor reasons: readers are to judge by the text.
``label_studio.xml`` is the interface for them; ``answers_of_label_studio`` reads its export.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import ConfigDict, Field

from cdec.auditing.case import WORDS, Case, CaseSide, letter_of
from cdec.auditing.claims import tokens_at
from cdec.auditing.questions import ERROR, QUESTIONS, REASONS
from cdec.auditing.shortlist import ShortList, chain_words, marked_sentence
from cdec.corpus.model import Corpus
from cdec.files.input import FileKind
from cdec.files.models import FileModel, validated

_MEMBERS = 15  # sentences of a chain that are quoted besides the documents
# Document, sentence and tokens of each mention.
Spots: TypeAlias = Mapping[str, tuple[str, int, tuple[int, ...]]]
Marks: TypeAlias = dict[str, dict[int, str]]  # document → token → its mark
_DOCUMENTS = (
    "Documents (capital letters: mentions in question; small letters: other mentions of their "
    "chains)"
)


def to_tasks(listed: ShortList, corpus: Corpus) -> Iterator[str]:
    """Yield the JSON of the tasks of a list: one object a case."""
    spots = _spots(corpus)
    for number, case in enumerate(listed.cases):
        question = _question(case)
        corrections = [
            f"{number}. {fix.text}" for number, fix in enumerate(case.fixes, start=1)
        ]
        parts = _parts(case, question, corrections, corpus, spots)
        data = {
            "case": case.id,
            "question": question,
            "text": "\n\n".join(parts) + "\n",
            "corrections": [{"value": text} for text in corrections],
        }
        yield "[\n" if number == 0 else ",\n"
        yield json.dumps({"data": data}, ensure_ascii=False)
    yield "\n]\n"


def _spots(corpus: Corpus) -> Spots:
    columns = corpus.mentions[["doc", "sentence", "tokens"]]
    return {
        mention: (doc, number, tokens)
        for mention, doc, number, tokens in columns.itertuples(name=None)
    }


def _question(case: Case) -> str:
    """Return the question about a case, with the verdicts that its answers are."""
    question = QUESTIONS[case.kind]
    answers = [f"{word}: {verdict}" for verdict, word in question.verdicts.items()]
    yes, no, _ = answers
    return f"{question.text} {yes}; {no}."


def _parts(
    case: Case, question: str, corrections: Sequence[str], corpus: Corpus, spots: Spots
) -> Iterator[str]:
    """Yield the parts of the text of a case."""
    marks = _marks(case, corpus, spots)
    yield f"Case {case.id}, topic {case.topic}: {WORDS[case.kind]}"
    yield question
    for position, side in enumerate(case.sides):
        letter = letter_of(position)
        if side.place:
            tokens = side.place.rpartition("/")[2]
            yield f"{letter}: no mention at tokens {tokens}; see document"
        else:
            chain = chain_words(case, side)
            heading = f"{letter}: {', '.join(side.mentions)}; {chain}"
            yield "\n".join([heading, *_quotes(side, letter, corpus, spots, marks)])
    yield "\n".join(["Corrections, if it is an error:", *corrections])
    yield _DOCUMENTS
    for doc in _documents_of(case, spots):
        document = corpus.documents[doc]
        heading = doc
        if "date" in document.attributes:
            heading += f" ({document.attributes['date']})"
        sentences = [
            f"{number}: {marked_sentence(corpus, doc, number, marks[doc])}"
            for number in range(len(document.sentences))
        ]
        yield "\n".join([f"== {heading} ==", *sentences])


def _marks(case: Case, corpus: Corpus, spots: Spots) -> Marks:
    """Return the marks of a case: the letter of a side, small for the members of its chain."""
    marks: Marks = defaultdict(dict)
    for position, side in enumerate(case.sides):
        for member in side.members:
            doc, _, tokens = spots[member]
            marks[doc] |= dict.fromkeys(tokens, letter_of(position).lower())
    # A mention in question replaces another mark of its tokens.
    for position, side in enumerate(case.sides):
        for mention in side.mentions:
            doc, _, tokens = spots[mention]
            marks[doc] |= dict.fromkeys(tokens, letter_of(position))
    for position, side in enumerate(case.sides):
        if side.place:
            tokens, (doc, _) = tokens_at(corpus, side.place, side.place)
            marks[doc] |= dict.fromkeys(tokens, f"{letter_of(position)}, missing")
    return marks


def _quotes(
    side: CaseSide, letter: str, corpus: Corpus, spots: Spots, marks: Marks
) -> Iterator[str]:
    """Yield the sentences of the mentions in question, then of other members of the chain."""

    def quote(mention: str) -> str:
        doc, number, _ = spots[mention]
        return f"  {doc}, sentence {number}: {marked_sentence(corpus, doc, number, marks[doc])}"

    for mention in side.mentions:
        yield quote(mention)
    further = list(dict.fromkeys(quote(member) for member in side.members))
    if further:
        yield f"Other mentions in the chain of {letter}:"
        yield from further[:_MEMBERS]
    if len(further) > _MEMBERS:
        yield f"  and {len(further) - _MEMBERS} more sentences"


def _documents_of(case: Case, spots: Spots) -> list[str]:
    """Return the documents of the sides of a case, each once."""
    documents: dict[str, None] = {}
    for side in case.sides:
        if side.place:
            doc = side.place.rpartition("/")[0]
        else:
            doc, *_ = spots[side.mentions[0]]
        documents[doc] = None
    return list(documents)


# ---- answers in Label Studio ----


class _Exported(FileModel):
    """An object of an export, whose other fields are not read."""

    model_config = ConfigDict(extra="ignore")


class _Result(_Exported):
    from_name: str
    value: dict[str, Any]


class _Annotation(_Exported):
    completed_by: int | str | dict[str, Any] | None = None
    was_cancelled: bool = False
    updated_at: str = ""
    result: list[_Result]


class _Task(_Exported):
    data: dict[str, Any]
    annotations: list[_Annotation] = Field(default_factory=list)


def answers_of_label_studio(
    content: Sequence[object], path: Path, file: FileKind
) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the annotator, the place and the fields of each answer; skipped tasks are left out.

    Raises the error of ``file`` for an object that is no task of an export.
    """
    for number, item in enumerate(content, start=1):
        place = f"{path}: task {number}"
        task = validated(_Task, item, place, file)
        for annotation in task.annotations:
            if not annotation.was_cancelled:
                answer = _answer(annotation)
                answer["case"] = str(task.data.get("case"))
                yield _annotator(annotation), place, answer


def _annotator(annotation: _Annotation) -> str:
    """Return the annotator by address, else by number."""
    who: object = annotation.completed_by
    if isinstance(who, dict):
        who = who.get("email") or who.get("id")
    if isinstance(who, str):
        return who
    return f"annotator {who or 'unknown'}"


def _answer(annotation: _Annotation) -> dict[str, str]:
    """Return the fields of an answer."""
    answer = dict.fromkeys(("verdict", "correction", "reason", "comment"), "")
    for result in annotation.result:
        if result.from_name in answer:
            texts = result.value.get("choices") or result.value.get("text") or ""
            if not isinstance(texts, list):
                texts = [texts]
            answer[result.from_name] = "\n".join(map(str, texts))
    # A control that is hidden after a change of the verdict keeps its value.
    hidden = "reason" if answer["verdict"] == ERROR else "correction"
    answer[hidden] = ""
    # A correction is exported as its text, which begins with its number.
    answer["correction"] = answer["correction"].partition(".")[0]
    code_of = {words: code for code, words in REASONS.items()}
    answer["reason"] = code_of.get(answer["reason"], answer["reason"])
    answer["time"] = annotation.updated_at
    return answer
