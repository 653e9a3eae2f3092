"""Copies of a sentence with different mentions: one lacks a mention, or its span or tag differs.

Only identical sentences are compared, so that each mention has a place in every copy. A sentence
without any event mention is not compared: it was not annotated.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain as flat
from typing import TYPE_CHECKING, Any

import pandas as pd

from cdec.auditing.case import COPIES_DIFFER, CaseSide, Fix
from cdec.auditing.detector import Detector, scopes
from cdec.auditing.detectors.duplicate import LEAST, annotated
from cdec.auditing.fixes import put
from cdec.corpus.claims import NONE, Claim
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.matching.view import runs

if TYPE_CHECKING:
    from cdec.auditing.key import Key

Span = tuple[int, ...]  # token positions in the sentence
COLUMNS = ("difference", "mentions", "places", "spans", "tags", "votes", "against")


@dataclass(frozen=True)
class Copy:
    """One copy of a sentence; ``start`` is the document token of its first word."""

    doc: str
    start: int
    mentions: dict[Span, tuple[str, str]]  # span → mention id, tag

    def tokens(self, span: Span) -> str:
        """Return a span as tokens of the document: ``34-35,37``."""
        return runs([self.start + at for at in span])


def copies_differ(corpus: Corpus) -> pd.DataFrame:
    """Return the differences between identical sentences of two documents, with ``COLUMNS``.

    ``difference`` is ``missing``, ``span`` or ``tag``. ``mentions``: ids of one annotation, most
    frequent first, then of the other. ``places``: for ``missing``, where it is missing.
    ``spans`` and ``tags``: mention → tokens or tag that the majority of the copies has. ``votes``
    and ``against`` are the numbers of copies of the majority and of the others.
    """
    rows = flat.from_iterable(_differences(copies) for copies in _sentences(corpus))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _sentences(corpus: Corpus) -> Iterator[list[Copy]]:
    """Yield the copies of each sentence that is in two or more documents of one of ``scopes``."""
    named = list(zip(corpus.selected.index, corpus.selected["tag"], strict=True))
    groups: dict[tuple[str, tuple[str, ...]], list[Copy]] = defaultdict(list)
    unit = scopes(corpus)
    for sentence in annotated(corpus):
        if len(sentence.words) >= LEAST:
            mentions = {span: named[row] for span, row in sentence.mentions.items()}
            copy = Copy(sentence.doc, sentence.start, mentions)
            groups[unit[sentence.doc], sentence.words].append(copy)
    for copies in groups.values():
        if len({copy.doc for copy in copies}) > 1:
            yield copies


def _differences(copies: list[Copy]) -> Iterator[tuple[object, ...]]:
    counts = Counter(span for copy in copies for span in copy.mentions)
    spans = sorted(counts, key=lambda span: (-counts[span], span))
    done: set[tuple[str, Span]] = set()
    for span in spans:
        holders = [copy for copy in copies if span in copy.mentions]
        others = [copy for copy in copies if span not in copy.mentions]
        if all((copy.doc, span) in done for copy in holders):
            continue
        overlaps = {copy.doc: [s for s in copy.mentions if set(s) & set(span)] for copy in others}
        yield from _spans(span, holders, others, overlaps, done)
        lacking = [copy for copy in others if not overlaps[copy.doc]]
        if lacking:
            ids = tuple(copy.mentions[span][0] for copy in holders)
            places = tuple(f"{copy.doc}/{copy.tokens(span)}" for copy in lacking)
            yield "missing", ids, places, {}, {}, len(holders), len(lacking)
        yield from _tags(span, holders)


def _spans(
    span: Span,
    holders: list[Copy],
    others: list[Copy],
    overlaps: dict[str, list[Span]],
    done: set[tuple[str, Span]],
) -> Iterator[tuple[object, ...]]:
    """Yield the case of copies with one other span that overlaps ``span``."""
    single = [copy for copy in others if len(overlaps[copy.doc]) == 1]
    differing = [copy for copy in single if (copy.doc, overlaps[copy.doc][0]) not in done]
    spans = {copy.doc: overlaps[copy.doc][0] for copy in differing}
    done.update((copy.doc, spans[copy.doc]) for copy in differing)
    if not differing:
        return
    ids = tuple(copy.mentions[span][0] for copy in holders)
    rest = tuple(copy.mentions[spans[copy.doc]][0] for copy in differing)
    new = {copy.mentions[spans[copy.doc]][0]: copy.tokens(span) for copy in differing}
    yield "span", (*ids, *rest), (), new, {}, len(holders), len(differing)


def _tags(span: Span, holders: list[Copy]) -> Iterator[tuple[object, ...]]:
    tags = Counter(copy.mentions[span][1] for copy in holders)
    if len(tags) < 2:
        return
    most = max(sorted(tags), key=lambda tag: tags[tag])
    ordered = sorted((copy.mentions[span] for copy in holders), key=lambda m: m[1] != most)
    new = {id_: most for id_, tag in ordered if tag != most}
    yield "tag", tuple(id_ for id_, _ in ordered), (), {}, new, tags[most], len(new)


def of_copies(
    record: Mapping[Any, Any], spans: dict[str, str], tags: dict[str, str]
) -> tuple[Fix, ...]:
    """Return the corrections of copies that differ, that of the majority first, if there is one.

    ``record`` is a row of ``copies_differ``; ``spans`` and ``tags`` are those of its mentions.
    """
    ids, name, more = record["mentions"], record["difference"], record["votes"] - record["against"]
    votes = f"({record['votes']} of A, {record['against']} of B)"
    if name == "missing":
        add = [Claim(add=place, to=ids[0]) for place in record["places"]]
        texts = (f"add the mention where it is missing {votes}", f"A is not an event {votes}")
        each = zip(("add", "remove"), texts, (add, put(ids, NONE)), strict=True)
        fixes = tuple(Fix(fix=n, text=t, claims=tuple(c), tied=more == 0) for n, t, c in each)
        return fixes if more >= 0 else fixes[::-1]
    new, old = (record["spans"], spans) if name == "span" else (record["tags"], tags)
    model = next(iter(new))
    first = [id_ for id_ in ids if id_ not in new]
    other = dict.fromkeys(first, old[model])
    if name == "span":
        other = {id_: _shifted(old[model], old[id_], new[model]) for id_ in first}
    text = f"all copies get the {name} of {{}} {votes}"
    sides = {"A": dict(new), "B": other}
    form = {"span": "tokens"}.get(name, name)
    made = {
        one: tuple(Claim.model_validate({"mention": id_, form: value}) for id_, value in by.items())
        for one, by in sides.items()
    }
    return tuple(
        Fix(fix=name, text=text.format(one), claims=claims, tied=more <= 0)
        for one, claims in made.items()
    )


def _shifted(tokens: str, to: str, origin: str) -> str:
    """Return tokens of the document of ``origin`` in that of ``to``, the same place there."""
    start, end = (int(re.split(r"[-,]", place)[0]) for place in (origin, to))
    return re.sub(r"\d+", lambda number: str(int(number[0]) + end - start), tokens)


def _find(key: Key) -> pd.DataFrame:
    events = key.corpus.selected
    rows = []
    for record in key.prepared.facts[COPIES.id].to_dict("records"):
        ids = list(map(str, record["mentions"]))
        spans = {id_: runs(tokens) for id_, tokens in zip(ids, events["tokens"][ids], strict=True)}
        tags = {id_: str(tag) for id_, tag in zip(ids, events["tag"][ids], strict=True)}
        split = len(ids) if record["difference"] == "missing" else int(record["votes"])
        sides = [key.part(part) for part in (ids[:split], ids[split:]) if part]
        sides += [CaseSide(mentions=(), chain="", place=place) for place in record["places"]]
        rows.append((tuple(sides), 1.0, _reason(record), of_copies(record, spans, tags)))
    return pd.DataFrame(rows, columns=["mentions", "score", "reason", "fix"])


def _reason(record: Any) -> str:
    what = {"missing": "lack this mention", "span": "have another span", "tag": "have another tag"}
    against = counted(record["against"], "copy", "copies")
    return f"the sentence is identical in all documents, but {against} {what[record['difference']]}"


COPIES = Detector(
    id="copies",
    words="copies of a sentence with different mentions, spans or tags",
    kind=COPIES_DIFFER,
    find=_find,
    prepare=lambda corpus, config, progress: copies_differ(corpus),
)
