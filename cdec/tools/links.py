"""Chains from links, and mentions at characters: what annotation tools have in common.

Such tools link two spans by a relation, or list the links of a chain. Spans without a link are
singletons. A relation links mentions if its name says so, as in brat (Coref, Equiv, Identity,
Same); other relations are not read, which a notice says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scipy.cluster.hierarchy import DisjointSet

from cdec.corpus.readers.brat import SAME
from cdec.corpus.readers.texts import BEGIN, END, text_document, with_tokens
from cdec.errors import Notice, counted, notice
from cdec.files.strict_json import shown
from cdec.records import Row

Fail = Callable[[str], Exception]


class Mention(NamedTuple):
    """A span of characters: the first, the one after the last, and the words that it repeats."""

    begin: int
    end: int
    words: str | None = None


@dataclass
class Chains:
    """Mentions of one document by their ids, and the links between them."""

    mentions: dict[str, Mention] = field(default_factory=dict)
    links: list[tuple[str, str]] = field(default_factory=list)
    other_relations: Counter[str] = field(default_factory=Counter)

    def link(self, first: str, second: str, labels: Iterable[str]) -> None:
        """Add a relation. One without a label is a link, as no other is possible then."""
        names = [*labels]
        if not names or any(map(SAME.match, names)):
            self.links.append((first, second))
        else:
            self.other_relations.update(names)

    def groups(self, fail: Fail) -> list[list[str]]:
        """Return the ids of each chain. Raises what ``fail`` returns for a link to nothing."""
        linked = DisjointSet(self.mentions)
        for link in self.links:
            for id_ in link:
                if id_ not in linked:
                    raise fail(
                        f"a relation has the span {shown(id_)}, which is not there"
                    )
            linked.merge(*link)
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for id_ in self.mentions:
            groups[linked[id_]].append(id_)
        return [*groups.values()]


def field_of(record: Any, name: str, kind: type, fail: Fail) -> Any:
    """Return the value of a field. Raises what ``fail`` returns for another type."""
    value = record.get(name) if isinstance(record, dict) else None
    if type(value) is not kind:
        raise fail(f"'{name}' is {shown(value)}, not {kind.__name__}")
    return value


def record_of_text(
    text: str, sides: Mapping[str, Chains], place: str, fail: Fail
) -> Row:
    """Return the record of a document of plain text: the name of a field → its chains.

    Sentences and words are those of ``cdec.corpus.readers.texts``, which also decides what the
    offsets count.
    """
    document = text_document(place, {"id": place, "text": text})
    record: Row = {"sentences": document.sentences}
    for name, chains in sides.items():
        rows: dict[str, Row] = {}
        for id_, mention in chains.mentions.items():
            rows[id_] = {"doc": place, BEGIN: mention.begin, END: mention.end}
            if mention.words is not None:
                rows[id_]["text"] = mention.words
        with_tokens([*rows.values()], {place: document}, [place] * len(rows))
        record[name] = [
            [[rows[id_]["tokens"][0], rows[id_]["tokens"][-1]] for id_ in group]
            for group in chains.groups(fail)
        ]
    return record


def notices_of(chains: Sequence[Chains], place: str) -> list[Notice]:
    """Return the notices on spans without a link, and on relations that are not read."""
    notices = []
    unread = sum(
        (of_document.other_relations for of_document in chains), Counter[str]()
    )
    if unread:
        number = counted(unread.total(), "relation is", "relations are")
        message = f"{number} not read, because their names are not Coref or the like"
        notices.append(notice("reading-assumed", message, [*unread]))
    alone = 0
    for of_document in chains:
        linked = {id_ for link in of_document.links for id_ in link}
        alone += len(of_document.mentions.keys() - linked)
    if alone:
        message = f"{counted(alone, 'span')} without a link: singletons"
        notices.append(
            Notice("reading-assumed", alone, message, (place,), warning=False)
        )
    return notices
