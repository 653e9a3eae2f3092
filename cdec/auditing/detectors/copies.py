"""Copies of a sentence with different mentions: one has a mention, span or tag that another lacks.

Only identical sentences are compared, so that each mention has a place in every copy. A sentence
without any event mention is not compared: it was not annotated.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cdec.auditing.case import COPIES_DIFFER, CaseSide, Fix
from cdec.auditing.detectors.duplicate import LEAST, Annotated, Span, annotated
from cdec.auditing.fixes import put
from cdec.auditing.suspect import Suspect, detector, scopes
from cdec.corpus.claims import NONE, Claim
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.matching.names import runs

if TYPE_CHECKING:
    from cdec.auditing.key import Key

COPIES = "copies"
_WORDS = {"missing": "lack this mention", "span": "have another span", "tag": "have another tag"}


@dataclass(frozen=True)
class Difference:
    """Copies that differ in one annotation.

    ``name`` is a key of _WORDS; ``ids``: mentions of the first annotation, then of the other;
    ``places``: where a mention is missing; ``new``: mention → the tokens or tag of the first
    annotation; ``votes``: the numbers of copies with the first annotation and with the other.
    """

    name: str
    ids: tuple[str, ...]
    votes: tuple[int, int]
    places: tuple[str, ...] = ()
    new: Mapping[str, str] = field(default_factory=dict)


def differences(corpus: Corpus) -> Iterator[Difference]:
    """Yield the differences between identical sentences of two documents of one of ``scopes``."""
    groups: dict[tuple[str, tuple[str, ...]], list[Annotated]] = defaultdict(list)
    unit = scopes(corpus)
    for sentence in annotated(corpus):
        if len(sentence.words) >= LEAST:
            groups[unit[sentence.doc], sentence.words].append(sentence)
    ids, tags = corpus.selected.index.tolist(), corpus.selected["tag"].tolist()
    for copies in groups.values():
        if len({copy.doc for copy in copies}) > 1:
            yield from _among(copies, ids, tags)


def _among(copies: list[Annotated], ids: list[str], tags: list[str]) -> Iterator[Difference]:
    counts = Counter(span for copy in copies for span in copy.mentions)
    done: set[tuple[str, int, Span]] = set()  # spans that are named as the other one
    for span in sorted(counts, key=lambda span: (-counts[span], span)):
        holders = [copy for copy in copies if span in copy.mentions]
        if all((copy.doc, copy.start, span) in done for copy in holders):
            continue
        lacking, other = list[str](), dict[str, str]()
        for copy in copies:
            own = [one for one in copy.mentions if not {*span}.isdisjoint(one)]
            place = runs([copy.start + at for at in span])
            if not own:
                lacking.append(f"{copy.doc}/{place}")
            elif span not in own and len(own) == 1 and (copy.doc, copy.start, *own) not in done:
                done.add((copy.doc, copy.start, own[0]))
                other[ids[copy.mentions[own[0]]]] = place
        rows = [copy.mentions[span] for copy in holders]
        first = [ids[row] for row in rows]
        if other:
            yield Difference("span", (*first, *other), (len(first), len(other)), new=other)
        if lacking:
            votes = len(first), len(lacking)
            yield Difference("missing", tuple(first), votes, tuple(lacking))
        votes_of = Counter(tags[row] for row in rows)
        most = max(sorted(votes_of), key=lambda tag: votes_of[tag])
        new = {ids[row]: most for row in rows if tags[row] != most}
        if new:
            same = [id_ for id_ in first if id_ not in new]
            yield Difference("tag", (*same, *new), (len(same), len(new)), new=new)


@detector(COPIES, "copies of a sentence with different mentions, spans or tags", kind=COPIES_DIFFER)
def copies(key: Key) -> Iterator[Suspect]:
    """Yield the differences between copies of a sentence."""
    for one in key.copies:
        split = len(one.ids) - len(one.new)
        sides = [key.part(part) for part in (one.ids[:split], one.ids[split:]) if part]
        sides += [CaseSide(mentions=(), chain="", place=place) for place in one.places]
        against = counted(one.votes[1], "copy", "copies")
        reason = f"the sentence is identical in all documents, but {against} {_WORDS[one.name]}"
        yield Suspect(tuple(sides), reason, _fixes(one, key))


def _fixes(one: Difference, key: Key) -> tuple[Fix, ...]:
    """Return the corrections of copies that differ, that of the majority first, if there is one."""
    more = one.votes[0] - one.votes[1]
    votes = f"({one.votes[0]} of A, {one.votes[1]} of B)"
    if one.name == "missing":
        claims = tuple(Claim(add=place, to=one.ids[0]) for place in one.places)
        text = f"add the mention where it is missing {votes}"
        add = Fix(fix="add", text=text, claims=claims, tied=more == 0)
        text = f"A is not an event {votes}"
        gone = Fix(fix="remove", text=text, claims=put(one.ids, NONE), tied=more == 0)
        return (add, gone) if more >= 0 else (gone, add)
    events = key.corpus.selected.loc[list(one.ids)]
    first, model = [id_ for id_ in one.ids if id_ not in one.new], next(iter(one.new))
    if one.name == "span":
        places = zip(events["doc"], events["sentence"], strict=True)
        starts = [key.corpus.documents[doc].sentence_starts[number] for doc, number in places]
        start = dict(zip(one.ids, starts, strict=True))
        span = [token - start[model] for token in events["tokens"][model]]
        back = {id_: runs([start[id_] + at for at in span]) for id_ in first}
    else:
        back = dict.fromkeys(first, str(events["tag"][model]))
    form = "tokens" if one.name == "span" else "tag"
    return tuple(
        Fix(
            fix=one.name,
            text=f"all copies get the {one.name} of {letter} {votes}",
            claims=tuple(
                Claim.model_validate({"mention": id_, form: to}) for id_, to in new.items()
            ),
            tied=more <= 0,
        )
        for letter, new in (("A", one.new), ("B", back))
    )
