"""A short-list as tasks for readers of plain text, such as language models: one JSON object a case.

The text has the question, the sides with their chains, the numbered corrections, and the whole
documents. It has neither score, rank, detector nor reasons: readers are to judge by the text.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cdec.auditing.case import WORDS, Case
from cdec.auditing.decisions import check_list
from cdec.auditing.fixes import LETTERS
from cdec.auditing.questions import QUESTIONS
from cdec.auditing.shortlist import ShortList, chain_words, marked_sentence
from cdec.corpus.claims import tokens_at
from cdec.corpus.model import Corpus

_MEMBERS = 15  # sentences of a chain that are quoted besides the documents
_DOCUMENTS = (
    "Documents (capital letters: mentions in question; small letters: other mentions of their "
    "chains)"
)


def to_tasks(listed: ShortList, corpus: Corpus, place: object = None) -> Iterator[str]:
    """Yield the JSON of the tasks, a list with one for each case.

    ``data`` of a task has ``case``, ``question``, ``text`` and ``corrections``. Raises FormatError
    at ``place`` as ``to_page`` does.
    """
    check_list(listed, corpus, place)
    spots = corpus.mentions[["doc", "sentence", "tokens"]].astype(object).T.to_dict("list")
    yield "[\n"
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
        yield (",\n" if number else "") + json.dumps({"data": data}, ensure_ascii=False)
    yield "\n]\n"


def _parts(
    case: Case, question: str, options: Iterable[str], corpus: Corpus, spots: Mapping[Any, Any]
) -> Iterator[str]:
    """Yield the parts of the text of a case; ``spots``: document, sentence, tokens of mentions."""
    named = [(LETTERS[at % len(LETTERS)], side) for at, side in enumerate(case.sides)]
    members = [(id_, letter.lower()) for letter, side in named for id_ in side.members]
    marks: dict[str, dict[int, str]] = defaultdict(dict)
    # A mention in question replaces another mark of its tokens.
    for id_, mark in (*members, *((m, letter) for letter, side in named for m in side.mentions)):
        marks[spots[id_][0]] |= dict.fromkeys(spots[id_][2], mark)
    for letter, side in (one for one in named if one[1].place):
        tokens, (doc, _) = tokens_at(corpus, side.place, side.place)
        marks[doc] |= dict.fromkeys(tokens, f"{letter}, missing")

    def quoted(ids: Iterable[str]) -> list[str]:
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
        lines = [f"{letter}: {', '.join(side.mentions)}; {chain}", *quoted(side.mentions)]
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
        date = f" ({document.attributes['date']})" if "date" in document.attributes else ""
        numbers = range(len(document.sentences))
        lines = [f"{at}: {marked_sentence(corpus, doc, at, marks[doc])}" for at in numbers]
        yield "\n".join([f"== {doc}{date} ==", *lines])
