"""A short-list as tasks for readers of plain text, such as language models: one JSON object a case.

The text has the question, the sides with their chains, the numbered corrections, and the whole
documents. It has neither score, rank, detector nor reasons: readers are to judge by the text.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from cdec.auditing.case import WORDS, Case
from cdec.auditing.decisions import ERROR, FINE
from cdec.auditing.fixes import LETTERS
from cdec.auditing.questions import QUESTIONS
from cdec.auditing.review import check_list
from cdec.auditing.shortlist import ShortList, marked_sentence
from cdec.corpus.claims import tokens_at
from cdec.corpus.model import Corpus
from cdec.errors import counted

_MEMBERS = 15  # sentences of a chain that are quoted besides the documents
_DOCUMENTS = (
    "Documents (capital letters: mentions in question; small letters: other mentions of their "
    "chains)"
)
_Marks = Mapping[str, Mapping[int, str]]


def to_tasks(shortlist: ShortList, corpus: Corpus, place: object = None) -> Iterator[str]:
    """Yield the JSON of the tasks, a list with one for each case.

    ``data`` of a task has ``case``, ``question``, ``text`` and ``corrections``. Raises FormatError
    at ``place`` as ``to_page`` does.
    """
    check_list(shortlist, corpus, place)
    rows = corpus.mentions[["doc", "sentence", "tokens"]].itertuples(name=None)
    spots = {str(id_): (str(doc), int(at), list(tokens)) for id_, doc, at, tokens in rows}
    yield "[\n"
    for number, case in enumerate(shortlist.cases):
        options = [f"{at}. {fix.text}" for at, fix in enumerate(case.fixes, start=1)]
        data = {
            "case": case.id,
            "question": _question(case),
            "text": _text(case, options, corpus, spots),
            "corrections": [{"value": text} for text in options],
        }
        yield (",\n" if number else "") + json.dumps({"data": data}, ensure_ascii=False)
    yield "\n]\n"


def _question(case: Case) -> str:
    question = QUESTIONS[case.kind]
    said = zip(question.answers, (question.yes, *({ERROR, FINE} - {question.yes})), strict=False)
    return f"{question.ask} {'; '.join(f'{word}: {verdict}' for word, verdict in said)}."


def _text(
    case: Case,
    options: Sequence[str],
    corpus: Corpus,
    spots: Mapping[str, tuple[str, int, list[int]]],
) -> str:
    """Return the text of a case; ``spots``: document, sentence and tokens of each mention."""
    named = [(LETTERS[at % len(LETTERS)], side) for at, side in enumerate(case.sides)]
    marks: dict[str, dict[int, str]] = defaultdict(dict)
    members = [(id_, letter.lower()) for letter, side in named for id_ in side.members]
    # A mention in question replaces another mark of its tokens.
    for id_, shown in (*members, *((m, letter) for letter, side in named for m in side.mentions)):
        doc, _, tokens = spots[id_]
        marks[doc] |= dict.fromkeys(tokens, shown)
    docs = [side.place.rpartition("/")[0] or spots[side.mentions[0]][0] for side in case.sides]
    for (letter, side), doc in zip(named, docs, strict=True):
        if side.place:
            marks[doc] |= dict.fromkeys(
                tokens_at(corpus, side.place, side.place)[0], f"{letter}, missing"
            )

    def quoted(ids: Sequence[str]) -> list[str]:
        every = (spots[id_][:2] for id_ in ids)
        return [
            f"  {doc}, sentence {at}: {marked_sentence(corpus, doc, at, marks[doc])}"
            for doc, at in every
        ]

    parts = [f"Case {case.id}, topic {case.topic}: {WORDS[case.kind]}", _question(case)]
    for letter, side in named:
        if side.place:
            spot = side.place.rpartition("/")[2]
            parts.append(f"{letter}: no mention at tokens {spot}; see document")
            continue
        same = [other for other in case.sides if other.chain == side.chain]
        size = len({id_ for other in same for id_ in (*other.mentions, *other.members)})
        name = f" '{side.descriptor}'" if side.descriptor else ""
        chain = f"chain{name} of {counted(size, 'mention')}" if size > 1 else f"singleton{name}"
        lines = [f"{letter}: {', '.join(side.mentions)}; {chain}", *quoted(side.mentions)]
        if others := list(dict.fromkeys(quoted(side.members))):
            lines += [f"Other mentions in the chain of {letter}:", *others[:_MEMBERS]]
        if (more := len(others) - _MEMBERS) > 0:
            lines.append(f"  and {more} more sentences")
        parts.append("\n".join(lines))
    parts += ["\n".join(["Corrections, if it is an error:", *options]), _DOCUMENTS]
    for doc in dict.fromkeys(docs):
        document = corpus.documents[doc]
        date = f" ({document.attributes['date']})" if "date" in document.attributes else ""
        numbers = range(len(document.sentences))
        lines = [f"{at}: {marked_sentence(corpus, doc, at, marks[doc])}" for at in numbers]
        parts.append("\n".join([f"== {doc}{date} ==", *lines]))
    return "\n\n".join(parts) + "\n"
