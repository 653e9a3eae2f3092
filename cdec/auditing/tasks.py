"""A short-list as tasks for Label Studio, each with all a reader needs as plain text.

The text has the question, both sides with their chains, the numbered corrections, and the whole
documents. It has neither score, rank, detector nor reasons: readers are to judge by the text.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from cdec.auditing.answers import TASK_FORMAT
from cdec.auditing.case import WORDS, Case, CaseSide
from cdec.auditing.decisions import ERROR, FINE, REASONS, VERDICTS
from cdec.auditing.fixes import LETTERS
from cdec.auditing.questions import QUESTIONS
from cdec.auditing.review.page import check_list, origin
from cdec.auditing.shortlist import ShortList
from cdec.corpus.claims import tokens_at
from cdec.corpus.model import Corpus
from cdec.errors import counted

_MEMBERS = 15  # sentences of a chain that are quoted besides the documents


def to_tasks(shortlist: ShortList, corpus: Corpus, place: object = None) -> Iterator[str]:
    """Yield the JSON of the tasks, a list with one for each case.

    ``data`` of a task has ``case``, ``question``, ``text`` and ``corrections``, and in ``cdec``
    what an export needs to be read without the list. Raises FormatError at ``place`` as ``to_page``
    does.
    """
    check_list(shortlist, corpus, place)
    texts, facts = _Texts(corpus), origin(shortlist, corpus)
    about = facts["about"]
    yield "[\n"
    for number, case in enumerate(shortlist.cases):
        asked = {"format": TASK_FORMAT, "case": case.id, "kind": case.kind, "about": about}
        data = {
            "case": case.id,
            "question": _question(case),
            "text": texts.of(case),
            "corrections": [{"value": text} for text in corrections(case)],
            "cdec": {**asked, **_corrected(case, facts)},
        }
        yield (",\n" if number else "") + json.dumps({"data": data}, ensure_ascii=False)
    yield "\n]\n"


def _corrected(case: Case, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the corrections of a case, and what decisions on it have of the key."""
    claims = [claim for fix in case.fixes for claim in fix.claims]
    named = dict.fromkeys(id_ for claim in claims for id_ in claim.mentions)
    wanted = {facts["chains"].get(id_) for id_ in named}
    chains = {id_: chain for id_, chain in facts["chains"].items() if chain in wanted}
    return {
        "offered": [[claim.to_dict() for claim in fix.claims] for fix in case.fixes],
        "places": {id_: facts["places"][id_] for id_ in named},
        "chains": chains,
        "sentences": {id_: facts["sentences"][id_] for id_ in chains},
    }


def corrections(case: Case) -> list[str]:
    """Return the numbered corrections of a case."""
    return [f"{at}. {fix.text}" for at, fix in enumerate(case.fixes, start=1)]


def label_config() -> str:
    """Return the labelling interface of the tasks, as XML for Label Studio.

    >>> label_config().splitlines()[0]
    '<View>'
    """
    verdicts = "".join(f'    <Choice value="{verdict}"/>\n' for verdict in VERDICTS)
    reasons = "".join(
        f'    <Choice value="{escape(words)}" alias="{code}"/>\n' for code, words in REASONS.items()
    )
    when = 'visibleWhen="choice-selected" whenTagName="verdict" whenChoiceValue='
    single = 'toName="text" choice="single-radio"'
    return (
        '<View>\n  <Header value="$question"/>\n'
        '  <Text name="text" value="$text"/>\n'
        f'  <Choices name="verdict" {single} required="true">\n{verdicts}  </Choices>\n'
        f'  <Choices name="correction" value="$corrections" {single} required="true" '
        f'{when}"{ERROR}"/>\n'
        f'  <Choices name="reason" {single} {when}"{FINE}">\n{reasons}  </Choices>\n'
        '  <TextArea name="comment" toName="text" placeholder="comment"/>\n</View>\n'
    )


def _question(case: Case) -> str:
    question = QUESTIONS[case.kind]
    said = zip(question.answers, (question.yes, *({ERROR, FINE} - {question.yes})), strict=False)
    return f"{question.ask} {'; '.join(f'{word}: {verdict}' for word, verdict in said)}."


def _letter(number: int) -> str:
    return LETTERS[number % len(LETTERS)]


class _Texts:
    """Writes cases of a corpus as plain text."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        rows = corpus.mentions[["doc", "sentence", "tokens"]].itertuples(name=None)
        self.spots = {str(id_): (str(doc), int(at), list(tokens)) for id_, doc, at, tokens in rows}

    def of(self, case: Case) -> str:
        """Return the text of a case."""
        marks = self._marks(case.sides)
        parts = [
            f"Case {case.id}, topic {case.topic}: {WORDS[case.kind]}",
            _question(case),
            *(self._side(case, at, marks) for at in range(len(case.sides))),
            "\n".join(["Corrections, if it is an error:", *corrections(case)]),
            "Documents (capital letters: mentions in question; small letters: other mentions of "
            "their chains)",
            *(self._document(doc, marks) for doc in dict.fromkeys(map(self._doc, case.sides))),
        ]
        return "\n\n".join(parts) + "\n"

    def _doc(self, side: CaseSide) -> str:
        return side.place.rpartition("/")[0] or self.spots[side.mentions[0]][0]

    def _marks(self, sides: Sequence[CaseSide]) -> Mapping[str, Mapping[int, str]]:
        """Return the letters of the marked tokens of each document."""
        named = [(_letter(number), side) for number, side in enumerate(sides)]
        spots = [(id_, letter.lower()) for letter, side in named for id_ in side.members]
        # A mention in question replaces another mark of its tokens.
        spots += [(id_, letter) for letter, side in named for id_ in side.mentions]
        marks: dict[str, dict[int, str]] = defaultdict(dict)
        for id_, shown in spots:
            doc, _, tokens = self.spots[id_]
            marks[doc] |= dict.fromkeys(tokens, shown)
        for letter, side in named:
            if side.place:
                missing, _ = tokens_at(self.corpus, side.place, side.place)
                marks[self._doc(side)] |= dict.fromkeys(missing, f"{letter}, missing")
        return marks

    def _side(self, case: Case, number: int, marks: Mapping[str, Mapping[int, str]]) -> str:
        """Return a side: its mentions in their sentences, its chain and the members of it."""
        side, letter = case.sides[number], _letter(number)
        same = [other for other in case.sides if other.chain == side.chain]
        size = len({id_ for other in same for id_ in (*other.mentions, *other.members)})
        name = f" '{side.descriptor}'" if side.descriptor else ""
        chain = f"chain{name} of {counted(size, 'mention')}" if size > 1 else f"singleton{name}"
        if side.place:
            return f"{letter}: no mention at tokens {side.place.rpartition('/')[2]}; see document"
        lines = [f"{letter}: {', '.join(side.mentions)}; {chain}"]
        lines += self._quoted(side.mentions, marks)
        others = list(dict.fromkeys(self._quoted(side.members, marks)))
        lines += [f"Other mentions in the chain of {letter}:", *others[:_MEMBERS]] if others else []
        more = len(others) - _MEMBERS
        return "\n".join(lines + ([f"  and {more} more sentences"] if more > 0 else []))

    def _quoted(self, ids: Sequence[str], marks: Mapping[str, Mapping[int, str]]) -> Iterator[str]:
        for id_ in ids:
            doc, number, _ = self.spots[id_]
            yield f"  {doc}, sentence {number}: {self._sentence(doc, number, marks)}"

    def _document(self, doc: str, marks: Mapping[str, Mapping[int, str]]) -> str:
        document = self.corpus.documents[doc]
        date = f" ({document.attributes['date']})" if "date" in document.attributes else ""
        numbers = range(len(document.sentences))
        lines = (f"{number}: {self._sentence(doc, number, marks)}" for number in numbers)
        return "\n".join([f"== {doc}{date} ==", *lines])

    def _sentence(self, doc: str, number: int, marks: Mapping[str, Mapping[int, str]]) -> str:
        document, of_doc = self.corpus.documents[doc], marks.get(doc, {})
        words, start = document.sentences[number], document.sentence_starts[number]
        runs = groupby(enumerate(words, start), key=lambda each: of_doc.get(each[0]))
        pieces = ((letter, " ".join(word for _, word in run)) for letter, run in runs)
        return " ".join(f"[{letter}: {text}]" if letter else text for letter, text in pieces)
