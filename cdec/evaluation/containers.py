"""Python values that hold chains, and how a call with several of them is divided.

=====================  ============================================================================
mention → chain        a dict or a Series; a label is text or a number
chain → mentions       a dict or a Series whose values are lists, sets, tuples, arrays or an Index
list of chains         a list, tuple or set of such collections of mentions
=====================  ============================================================================

A mention is an id, ``(doc, start, end)`` or ``"doc/start-end"``. In a list of responses, and in a
dict of systems, texts name files and systems: a text is a mention if it has a ``/`` and does not
look like a file. What can be both is refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Set
from glob import has_magic
from numbers import Real
from os.path import exists
from typing import Any, TypeAlias, TypeGuard

import numpy as np
import pandas as pd

from cdec.arrays import AnySeries
from cdec.errors import UsageError

Mention: TypeAlias = Hashable | list[Any]
Members: TypeAlias = Collection[Mention]
"""The mentions of a chain."""
_COLLECTIONS = (list, tuple, Set, np.ndarray, pd.Index)
_FILE_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,9}(\.gz)?")
_MENTION = "a mention is an id, (doc, start, end) or 'doc/start-end'"
_CHAINS = 'write {"chain": [mention, …]} or [[mention, …], …]; ' + _MENTION
_RUNS = 'write {"system": {"chain": [mention, …]}} for chains, {"system": [path, …]} for runs'


def is_place(value: object) -> bool:
    """Return whether a value is a mention as ``(doc, start, end)``.

    >>> is_place(("d", 3, 4)), is_place(("d/3-4", "d/7-7"))
    (True, False)
    """
    if not isinstance(value, tuple | list) or len(value) != 3:
        return False
    doc, start, end = value
    return isinstance(doc, str) and isinstance(start, Real) and isinstance(end, Real)


def is_collection(value: object) -> TypeGuard[Collection[Any]]:
    """Return whether a value holds mentions, or collections of them; a mention does not."""
    return isinstance(value, _COLLECTIONS) and not is_place(value)


def chain_members(value: object) -> list[tuple[object, Members]] | None:
    """Return label and mentions of each chain; None if the value is a mapping mention → chain.

    Raises UsageError for a value that is part one, part the other.

    >>> chain_members({"x": ["d/1", ("d", 3, 4)]})
    [('x', ['d/1', ('d', 3, 4)])]
    >>> chain_members([{"d/1"}, {"d/2"}])
    [(0, {'d/1'}), (1, {'d/2'})]
    >>> chain_members({"d/1": "x"}) is None
    True
    """
    labels: list[object]
    values: list[object]
    if isinstance(value, Mapping | pd.Series):
        labels = list(value.keys())
        values = list(value.values()) if isinstance(value, Mapping) else value.tolist()
        are_places = all(map(is_place, labels))
        # The mentions of a chain can be a place itself, not in a list.
        has_bare_place = any(map(is_place, values)) and not are_places
        if not any(map(is_collection, values)) and not has_bare_place:
            return None
        if are_places and all(isinstance(label, tuple) for label in values):
            return None  # a tuple can be a label
    else:
        values = _in_order(value) if is_collection(value) else [value]
        labels = list(range(len(values)))
    chains = []
    for label, members in zip(labels, values, strict=True):
        if not is_collection(members):
            raise UsageError(
                "argument-invalid",
                f"expected the mentions of chain '{label!s:.40}', got {members!r:.60}",
                hint=_CHAINS,
            )
        chains.append((label, members))
    return chains


def mention_labels(chains: Iterable[tuple[object, Members]]) -> AnySeries:
    """Return mention → label; a mention of two chains occurs twice.

    Raises UsageError for what is no mention.

    >>> mention_labels([("x", ["d/1", ["d", 3, 4]])]).to_dict()
    {'d/1': 'x', ('d', 3, 4): 'x'}
    """
    mentions = []
    labels = []
    for label, members in chains:
        for member in _in_order(members):
            mention = tuple(member) if is_place(member) else member
            is_mention = isinstance(mention, str | int | np.integer | tuple)
            if not is_mention or isinstance(mention, bool):
                raise UsageError(
                    "argument-invalid",
                    f"{mention!r:.60} in chain '{label!s:.40}' is not a mention",
                    hint=_CHAINS,
                )
            mentions.append(mention)
            labels.append(label)
    index = pd.Index(mentions, dtype=object, tupleize_cols=False)
    return pd.Series(labels, index, dtype=object)


def _in_order(values: Collection[Any]) -> list[Any]:
    if isinstance(values, Set):
        return sorted(values, key=str)
    return list(values)


# ---- several responses in a call ----


def is_list_of_chains(value: object) -> bool:
    """Return whether a list is one response, a list of chains, rather than a list of responses.

    Raises UsageError if it can be both.

    >>> is_list_of_chains([["d/1", "d/2"], ["d/3"]]), is_list_of_chains(["mine.conll", "lemma"])
    (True, False)
    """
    if not isinstance(value, list | tuple) or not all(map(is_collection, value)):
        return False
    return _are_chains(value)


def is_several(value: Mapping[Any, Any]) -> bool:
    """Return whether a dict is of systems → responses, rather than one response.

    A mention is a tuple or has a ``/`` in its id; the name of a system has none. Raises UsageError
    for a dict that can be both.

    >>> is_several({"mine": "mine.conll"}), is_several({"1_1ecb/5": "fire"})
    (True, False)
    >>> is_several({"mine": ["a.conll", "b.conll"]}), is_several({"fire": ["1_1ecb/5"]})
    (True, False)
    """
    are_names = [isinstance(name, str) and "/" not in name for name in value]
    if not are_names or not all(are_names):
        return False
    responses = value.values()
    if any(response is None or isinstance(response, Real) for response in responses):
        return False  # a label
    if not all(map(is_collection, responses)):
        return not any(map(is_place, responses))
    return not _are_chains(responses)


def _are_chains(collections: Iterable[Collection[Any]]) -> bool:
    """Return whether each collection is a chain, a collection of mentions.

    Raises UsageError if some items are mentions, and others responses.
    """
    items = [item for collection in collections for item in collection]
    mentions = [item for item in items if _is_mention(item)]
    responses = [item for item in items if not _is_mention(item)]
    if mentions and responses:
        raise UsageError(
            "argument-invalid",
            f"{mentions[0]!r:.60} is a mention, but {responses[0]!r:.60} is a response",
            hint=f"{_RUNS}; {_MENTION}",
        )
    return bool(mentions)


def _is_mention(item: object) -> bool:
    """Return whether an item is a mention, rather than a response or the name of one."""
    if not isinstance(item, str):
        return isinstance(item, int | np.integer) or is_place(item)
    if "/" not in item or has_magic(item) or exists(item):  # noqa: PTH110  may be long
        return False
    name = item.rpartition("/")[2]
    return _FILE_ENDING.search(name) is None
