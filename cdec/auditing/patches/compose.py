"""Two patches as one: the second was decided on the key that the first had corrected.

Both are applied, and their operations are compared with the result: an operation keeps what the
result has of it. In one patch, all moves come before all merges; so what a chain then lacks of its
links is added, and a mention that is in its chain again is not moved. A result that one patch
cannot have is refused, by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain as flat
from itertools import pairwise
from typing import Any

import pandas as pd

from cdec.auditing.case import Operation
from cdec.auditing.patches.apply import token_numbers
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
    both = _Both(first, second, corpus)
    parts = [{"patch": patch.name, **patch.about, "digest": patch.digest} for patch in both.patches]
    about = {name: first.about[name] for name in ("corpus", "digest")} | {"composed": parts}
    kept = [*both.kept()]
    try:
        patch = Patch(tuple(op for op in kept if op.mentions), about)
        links = both.links(kept, patched_corpus(corpus, patch))
        places = {**first.places, **second.places}
        patch = Patch((*patch.operations, *links), about, places)
        made = patched_corpus(corpus, patch)
    except FormatError as error:
        raise both.refused([error.message]) from None
    if different := _chains(made) ^ _chains(both.wanted):
        raise both.refused(sorted({id_ for id_, *_ in flat.from_iterable(different)}))
    return patch


class _Both:
    """Two patches, and the mentions after the first (``_middle``) and after both (``wanted``).

    ``_home`` has the chain before both of each mention (of an added one: that of the mention that
    it is added to), ``_stays`` for each of these the chain of its mentions that are never moved.
    """

    def __init__(self, first: Patch, second: Patch, corpus: Corpus) -> None:
        self.patches = (first, second)
        middle = patched_corpus(corpus, first)
        self.wanted = patched_corpus(middle, second)
        tables = [each.mentions for each in (corpus, middle, self.wanted)]
        by_id = (_column(each, "chain") for each in (corpus, middle, self.wanted))
        self._home, self._middle, self._final = by_id
        self._old = [id_ for id_ in self._home if id_ in self._final]
        self._added: list[dict[str, str]] = []  # by patch: place → id
        self._before = frozenset(self._home)
        for patch, (before, after) in zip(self.patches, pairwise(tables), strict=True):
            added = {id_.rstrip("+"): id_ for id_ in after.index.difference(before.index)}
            self._home |= {id_: self._home[patch.add[place]] for place, id_ in added.items()}
            self._added.append(added)
        moved = {*flat.from_iterable((*first.move, *second.move))}
        still = [id_ for id_ in self._home if id_ in self._final and id_ not in moved]
        # An added mention of the second may be where the first has put the one that it is added to.
        self._stays = {self._home[id_]: self._final[id_] for id_ in reversed(still)}

    def kept(self) -> Iterator[Correction]:
        """Yield the operations with what the result has of them."""
        second = self.patches[1]
        tokens, tags = (_column(self.wanted, name) for name in ("tokens", "tag"))
        leaving = {*flat.from_iterable(second.move), *second.remove}
        for patch, added, gone in zip(self.patches, self._added, (leaving, set()), strict=True):
            left = {*self._old} - gone
            for operation in patch.operations:
                merge = tuple(id_ for id_ in operation.merge if id_ in left)
                move = (id_ for id_ in operation.move if id_ in left)
                spans, add = operation.span.items(), operation.add.items()
                changes = {
                    "merge": merge if len({*merge}) > 1 else (),
                    "move": tuple(id_ for id_ in move if not self._stays_home(id_)),
                    "remove": tuple(id_ for id_ in operation.remove if id_ in self._before),
                    "span": {m: t for m, t in spans if tokens.get(m) == (*token_numbers(t),)},
                    "tag": {m: tag for m, tag in operation.tag.items() if tags.get(m) == tag},
                    "add": {p: self._model(added[p], m) for p, m in add if added[p] in self._final},
                }
                yield operation.model_copy(update=changes)

    def _stays_home(self, mention: str, final: str = "") -> bool:
        """Return whether a mention ends in the chain of the unmoved ones of its home."""
        return self._stays.get(self._home[mention]) == (final or self._final[mention])

    def _model(self, added: str, mention: str) -> str:
        """Return a mention that gives an added one its chain and tag, if possible ``mention``."""
        tags, final = _column(self.wanted, "tag"), self._final[added]
        alike = (id_ for id_ in self._old if tags[id_] == tags[added])
        like = [id_ for id_ in alike if self._stays_home(id_, final)]
        if not like:
            raise self.refused([f"{added} (added to the chain of '{mention}')"])
        return mention if mention in like else like[0]

    def links(self, kept: Sequence[Correction], corpus: Corpus) -> Iterator[Correction]:
        """Yield the merges that ``corpus`` lacks, the one corrected with ``kept``.

        Each comes from an operation that lost a mention, the one with most mentions of its chains.
        """
        each = [operation for patch in self.patches for operation in patch.operations]
        pairs = zip(each, kept, strict=True)
        cut = [one for one, left in pairs if len(_linked(left)) < len(_linked(one))]
        named = {*flat.from_iterable(map(_linked, each))}
        chains = {"after": pd.Series(self._final), "made": corpus.mentions["chain"]}
        by_name = sorted(self._old, key=lambda id_: id_ not in named)
        firsts = pd.DataFrame(chains).loc[by_name].drop_duplicates()
        for ids in firsts.groupby("after", sort=False).groups.values():
            near = {self._middle[id_] for id_ in ids}
            if len(ids) > 1:
                about = [sum(self._middle.get(m) in near for m in _linked(one)) for one in cut]
                source = cut[about.index(max(about))]
                yield source.model_copy(update=dict(Operation(merge=tuple(map(str, ids)))))

    def refused(self, what: Sequence[str]) -> FormatError:
        """Return the error for mentions that one patch cannot correct as both do."""
        shown = ", ".join(what[:_SHOWN])
        message = f"one patch cannot have the effect of one after the other: {shown}"
        hint = "leave out the cases of these mentions in the second patch"
        return FormatError("patch-contradictory", message, place=self.patches[1].name, hint=hint)


def _column(corpus: Corpus, name: str) -> dict[str, Any]:
    return {str(id_): value for id_, value in corpus.mentions[name].items()}


def _linked(operation: Operation) -> tuple[str, ...]:
    return (*operation.merge, *operation.move)


def _chains(corpus: Corpus) -> set[frozenset[tuple[Any, ...]]]:
    """Return the chains, as sets of mentions with id, tokens and tag."""
    rows = corpus.mentions[["tokens", "tag"]].itertuples(name=None)
    chains: dict[str, set[tuple[Any, ...]]] = {}
    for chain, row in zip(corpus.mentions["chain"], rows, strict=True):
        chains.setdefault(chain, set()).add(row)
    return set(map(frozenset, chains.values()))
