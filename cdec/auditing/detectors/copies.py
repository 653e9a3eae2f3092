"""Copies of a sentence with different mentions: one has a mention, span or tag that another lacks.

Only identical sentences are compared, so that each mention has a place in every copy. A sentence
without any event mention is not compared: it was not annotated.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cdec.auditing.case import COPIES_DIFFER, CaseSide, Fix
from cdec.auditing.detectors.duplicate import LEAST, Annotated, annotated
from cdec.auditing.fixes import put
from cdec.auditing.suspect import Suspect, detector, scopes
from cdec.corpus.claims import NONE, Claim
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.matching.names import runs

if TYPE_CHECKING:
    from cdec.auditing.key import Key

Span = tuple[int, ...]  # token positions in the sentence
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
    events = corpus.selected
    ids, tags = events.index.tolist(), events["tag"].tolist()
    for copies in groups.values():
        if len({copy.doc for copy in copies}) > 1:
            yield from _among(copies, ids, tags)


def _among(copies: list[Annotated], ids: list[str], tags: list[str]) -> Iterator[Difference]:
    counts = Counter(span for copy in copies for span in copy.mentions)
    done: set[tuple[str, Span]] = set()  # spans that are named as the other one
    for span in sorted(counts, key=lambda span: (-counts[span], span)):
        holders = [copy for copy in copies if span in copy.mentions]
        if all((copy.doc, span) in done for copy in holders):
            continue
        rows = [copy.mentions[span] for copy in holders]
        first = tuple(ids[row] for row in rows)
        overlaps = {
            copy.doc: [own for own in copy.mentions if set(own) & set(span)]
            for copy in copies
            if span not in copy.mentions
        }
        others = [copy for copy in copies if copy.doc in overlaps]
        spans = {
            d: own[0] for d, own in overlaps.items() if len(own) == 1 and (d, own[0]) not in done
        }
        if spans:
            done.update(spans.items())
            differing = [copy for copy in others if copy.doc in spans]
            new = {ids[c.mentions[spans[c.doc]]]: place_of(c, span) for c in differing}
            votes = len(holders), len(differing)
            yield Difference("span", (*first, *new), votes, new=new)
        if lacking := [copy for copy in others if not overlaps[copy.doc]]:
            places = tuple(f"{copy.doc}/{place_of(copy, span)}" for copy in lacking)
            yield Difference("missing", first, (len(holders), len(lacking)), places)
        votes_of = Counter(tags[row] for row in rows)
        most = max(sorted(votes_of), key=lambda tag: votes_of[tag])
        if len(votes_of) > 1:
            ordered = sorted(rows, key=lambda row: tags[row] != most)
            new = {ids[row]: most for row in ordered if tags[row] != most}
            named = tuple(ids[row] for row in ordered)
            yield Difference("tag", named, (votes_of[most], len(new)), new=new)


def place_of(copy: Annotated, span: Span) -> str:
    """Return a span as tokens of the document: ``34-35,37``."""
    return runs([copy.start + at for at in span])


@detector(COPIES, "copies of a sentence with different mentions, spans or tags", kind=COPIES_DIFFER)
def copies(key: Key) -> Iterator[Suspect]:
    """Yield the differences between copies of a sentence."""
    for one in key.copies:
        split = len(one.ids) if one.name == "missing" else one.votes[0]
        sides = [key.part(part) for part in (one.ids[:split], one.ids[split:]) if part]
        sides += [CaseSide(mentions=(), chain="", place=place) for place in one.places]
        against = counted(one.votes[1], "copy", "copies")
        what = f"{against} {_WORDS[one.name]}"
        reason = f"the sentence is identical in all documents, but {what}"
        yield Suspect(tuple(sides), reason, _fixes(one, key))


def _fixes(one: Difference, key: Key) -> tuple[Fix, ...]:
    """Return the corrections of copies that differ, that of the majority first, if there is one."""
    more = one.votes[0] - one.votes[1]
    votes = f"({one.votes[0]} of A, {one.votes[1]} of B)"
    if one.name == "missing":
        add = tuple(Claim(add=place, to=one.ids[0]) for place in one.places)
        gone = put(one.ids, NONE)
        text = f"add the mention where it is missing {votes}"
        fixes = (
            Fix(fix="add", text=text, claims=add, tied=more == 0),
            Fix(fix="remove", text=f"A is not an event {votes}", claims=gone, tied=more == 0),
        )
        return fixes if more >= 0 else fixes[::-1]
    events = key.corpus.selected.loc[list(one.ids)]
    first, model = [id_ for id_ in one.ids if id_ not in one.new], next(iter(one.new))
    if one.name == "span":
        old = {str(id_): runs(tokens) for id_, tokens in events["tokens"].items()}
        other = {id_: _shifted(old[model], old[id_], one.new[model]) for id_ in first}
        made = [_claims(given, "tokens") for given in (one.new, other)]
    else:
        other = dict.fromkeys(first, str(events["tag"][model]))
        made = [_claims(given, "tag") for given in (one.new, other)]
    text = f"all copies get the {one.name} of {{}} {votes}"
    return tuple(
        Fix(fix=one.name, text=text.format(side), claims=claims, tied=more <= 0)
        for side, claims in zip("AB", made, strict=True)
    )


def _claims(given: Mapping[str, str], form: str) -> tuple[Claim, ...]:
    rows = ({"mention": id_, form: value} for id_, value in given.items())
    return tuple(map(Claim.model_validate, rows))


def _shifted(tokens: str, to: str, origin: str) -> str:
    """Return tokens of the document of ``origin`` in that of ``to``, the same place there."""
    start, end = (int(re.split(r"[-,]", place)[0]) for place in (origin, to))
    return re.sub(r"\d+", lambda number: str(int(number[0]) + end - start), tokens)
