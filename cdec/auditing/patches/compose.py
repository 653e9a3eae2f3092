"""Two patches as one: the second was decided on the key that the first had corrected.

In one patch, all moves come before all merges. So where the first patch links a mention that the
second moves or removes, another mention of its chain takes its place; a mention that the second
returns to its chain is not moved; and of two spans or tags the second holds. The result is applied
and compared with one patch after the other: what differs is refused, by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain as flat
from typing import Any

import pandas as pd

from cdec.auditing.patches.model import Correction, Patch
from cdec.auditing.patches.rescore import patched_corpus
from cdec.corpus.model import Corpus
from cdec.errors import FormatError

_SHOWN = 5  # mentions in a message


def composed(first: Patch, second: Patch, corpus: Corpus) -> Patch:
    """Return the patch of ``corpus`` that has the effect of ``first``, and then of ``second``.

    ``second`` has the digest of ``first`` as its ``base``. Operations keep case, readers and
    reason. Raises FormatError if it has another base, for a patch of another corpus, and for
    mentions whose corrections one patch cannot express.
    """
    return _Composition(first, second, corpus).patch


class _Composition:
    def __init__(self, first: Patch, second: Patch, corpus: Corpus) -> None:
        self.first, self.second, self.corpus = first, second, corpus
        self._middle = patched_corpus(corpus, first)
        self._wanted = patched_corpus(self._middle, second)
        self._touched = {*flat.from_iterable(second.move), *second.remove}
        self._rows = self._mentions()

    @property
    def patch(self) -> Patch:
        """The composed patch. Raises FormatError if its effect is another one."""
        both = (self.first, self.second)
        about = {name: self.first.about[name] for name in ("corpus", "digest")}
        parts = [{"patch": patch.name, **patch.about, "digest": patch.digest} for patch in both]
        each = self._unreturned([*self._earlier(), *self._later()])
        places = {**self.first.places, **self.second.places}
        try:
            patch = Patch(tuple(each), {**about, "composed": parts}, places)
            made = patched_corpus(self.corpus, patch)
        except FormatError as error:
            raise self._refused([error.message]) from None
        different = _places(made) ^ _places(self._wanted)
        if different:
            mentions = flat.from_iterable(chain for chain in different)
            raise self._refused(sorted({id_ for id_, *_ in mentions}))
        return patch

    def _refused(self, what: Sequence[str]) -> FormatError:
        shown = ", ".join(what[:_SHOWN])
        message = f"one patch cannot have the effect of one after the other: {shown}"
        hint = "leave out the cases of these mentions in the second patch"
        return FormatError("patch-contradictory", message, place=self.second.name, hint=hint)

    def _mentions(self) -> pd.DataFrame:
        """Return each mention after the first patch.

        ``chain``: its chain; ``home``: that in the corpus; ``node``: that after the moves of the
        first patch; ``added`` by it; ``free``: not moved or removed by the second; ``tag``: the
        last one.
        """
        events = self._middle.selected
        chains = self.corpus.mentions["chain"]
        added = ~events.index.isin(chains.index)
        models = {id_: self.first.add[self._place(id_)] for id_ in events.index[added]}
        home = [chains[models.get(id_, id_)] for id_ in events.index]
        groups = {m: f"move {at}" for at, group in enumerate(self.first.move) for m in group}
        node = [groups.get(id_, home) for id_, home in zip(events.index, home, strict=True)]
        columns = {"chain": events["chain"], "home": home, "node": node, "added": added}
        tags = self._wanted.mentions["tag"].reindex(events.index)
        free = ~events.index.isin([*self._touched])
        return pd.DataFrame(columns, index=events.index).assign(free=free, tag=tags)

    def _place(self, mention: str) -> str:
        """Return the place of a mention that the first patch adds."""
        return mention if mention in self.first.add else mention.rstrip("+")

    def _substitute(self, mention: str) -> str | None:
        """Return a mention that stays where this one was; None if all others leave, too."""
        rows = self._rows
        if rows["free"][mention] and not rows["added"][mention]:
            return mention
        for column in ("node", "chain"):
            near = rows[(rows[column] == rows[column][mention]) & rows["free"]]
            if len(near):
                return str(near["added"].idxmin())
        return None

    def _model(self, mention: str, place: str, likely: pd.Series[Any], tag: str) -> str:
        """Return one of the ``likely`` mentions that gives an added one its chain and tag."""
        rows = self._rows[likely & ~self._rows["added"] & (self._rows["tag"] == tag)]
        rows = rows[~rows.index.isin(self.second.remove)]
        if not len(rows):
            raise self._refused([f"{place} (added to the chain of '{mention}')"])
        same = mention in rows.index and rows["free"][mention]
        return mention if same else str(rows["free"].idxmax())

    def _earlier(self) -> Iterator[Correction]:
        """Yield the operations of the first patch, on mentions that the second leaves."""
        second, rows = self.second, self._rows
        gone = {*second.remove}
        added = {self._place(id_): id_ for id_ in rows.index[rows["added"]]}
        for operation in self.first.operations:
            links = (self._substitute(m) for m in operation.merge)
            merge = tuple(dict.fromkeys(m for m in links if m))
            add = {}
            for place, mention in operation.add.items():
                if (id_ := added[place]) not in gone:
                    likely = rows["home"] == rows["home"][id_]
                    tag = self._middle.mentions["tag"][id_]
                    add[place] = self._model(mention, place, likely, tag)
            changes = {
                "merge": merge if len(merge) > 1 else (),
                "move": tuple(m for m in operation.move if m not in self._touched),
                "span": _without(operation.span, {*second.span} | gone),
                "tag": _without(operation.tag, {*second.tag} | gone),
                "add": add,
            }
            yield operation.model_copy(update=changes)

    def _later(self) -> Iterator[Correction]:
        """Yield the operations of the second patch, on mentions of the corpus."""
        rows = self._rows
        added, moved = {*rows.index[rows["added"]]}, rows["node"] != rows["home"]
        for operation in self.second.operations:
            if changed := sorted(
                added & {*operation.span, *operation.tag, *operation.add.values()}
            ):
                raise self._refused([f"'{id_}', which is added and changed" for id_ in changed])
            links = (m if m in self._touched else self._substitute(m) for m in operation.merge)
            merge = tuple(dict.fromkeys(m for m in links if m))
            add = {}
            for place, mention in operation.add.items():
                likely = (rows["chain"] == rows["chain"][mention]) & ~moved
                add[place] = self._model(mention, place, likely, rows["tag"][mention])
            changes = {"merge": merge if len(merge) > 1 else (), "add": add}
            changes["remove"] = tuple(m for m in operation.remove if m not in added)
            yield operation.model_copy(update=changes)

    def _unreturned(self, operations: Sequence[Correction]) -> Iterator[Correction]:
        """Yield the operations without moves of mentions that come back to their chain."""
        moved = {*flat.from_iterable(operation.move for operation in operations)}
        rows = self._rows.assign(after=self._wanted.selected["chain"]).dropna(subset="after")
        stay = rows[~rows.index.isin([*moved])]
        homes = set(zip(stay["home"], stay["after"], strict=True))
        for operation in operations:
            back = [m for m in operation.move if (rows["home"][m], rows["after"][m]) in homes]
            rest = tuple(m for m in operation.move if m not in back)
            if (left := operation.model_copy(update={"move": rest})).mentions:
                yield left
            for mention in back if rest else ():
                other: dict[str, Any] = {"remove": (), "span": {}, "tag": {}, "add": {}, "move": ()}
                yield operation.model_copy(update={**other, "merge": (mention, rest[0])})


def _without(values: Mapping[str, str], names: set[str]) -> dict[str, str]:
    return {mention: value for mention, value in values.items() if mention not in names}


def _places(corpus: Corpus) -> set[frozenset[tuple[Any, ...]]]:
    """Return the chains, as sets of mentions with id, tokens and tag."""
    events = corpus.selected
    rows = events[["tokens", "tag"]].itertuples(name=None)
    chains: dict[Any, set[tuple[Any, ...]]] = {}
    for chain, row in zip(events["chain"], rows, strict=True):
        chains.setdefault(chain, set()).add(row)
    return set(map(frozenset, chains.values()))
