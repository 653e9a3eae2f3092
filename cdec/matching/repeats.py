"""Mentions that one file has more than once: which occurrence counts.

Of the occurrences of a mention in several chains, the one in the chain that opens first in the
document counts, as in the reference scorer (v8.01). In a file with a token a line, a chain opens
where its first bracket is written. In any other file the order of the lines means nothing: a chain
opens with its first mention, and of two that start with the same token the shorter is the first.
Chains that open with the same mention are compared by their second mention, and so on; those that
have the same mentions in the document, by their mentions in the others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import pandas as pd

from cdec.arrays import NAME, Ints, StrSeries
from cdec.errors import Log
from cdec.formats.annotation import Annotation
from cdec.matching.home import MENTION
from cdec.matching.policy import FIRST

_RESPONSE = f"repeated; {FIRST}; one not in the key counts each time, in mentions and BLANC once"
_ONE_CHAIN = "repeated in its chain: counts once"
_CHAINS = "in a second chain: the first occurrence counts"
_EACH_CHAIN = "in a second chain: it counts in each, as in the reference scorer"
_KEY_MENTION = "key mention"


def in_order_of_chains(table: pd.DataFrame, file: Annotation) -> pd.DataFrame:
    """Return the mentions of a file, indexed by id, by chain: the chain that opens first is first.

    The mentions of a chain are in text order.
    """
    label = table["doc"] + "\0" + table["chain"]
    has_lines = any(layout.lines.any() for layout in file.layout.values())
    if has_lines:  # the rows are in the order in which the chains open
        return table.iloc[np.argsort(pd.factorize(label)[0], kind="stable")]
    places = table[["doc", "start", "end"]].assign(id=table.index)
    place: Ints = (
        pd.MultiIndex.from_frame(places).factorize(sort=True)[0].astype(np.int64)
    )
    in_document = _places_of_chains(place, label)
    in_corpus = _places_of_chains(place, table["chain"])
    # Of chains with the same mentions everywhere, the same one is the first in every document.
    number_of_chain = pd.factorize(table["chain"])[0].tolist()
    opening = {}
    for name, chain, number in zip(label, table["chain"], number_of_chain, strict=True):
        opening[name] = (in_document[name], in_corpus[chain], number)
    rank = {
        name: number
        for number, name in enumerate(sorted(opening, key=opening.__getitem__))
    }
    return table.iloc[np.lexsort((place, label.map(rank).to_numpy()))]


def _places_of_chains(place: Ints, label: StrSeries) -> dict[Hashable, list[float]]:
    groups = pd.Series(place, label.index).groupby(label.to_numpy(), sort=False)
    return {name: [*sorted({*places.tolist()}), np.inf] for name, places in groups}


def without_repeats(
    table: pd.DataFrame, response: Annotation, key: pd.DataFrame, log: Log
) -> pd.DataFrame:
    """Return the mentions of a response without repeats of mentions of the key.

    A repeated twinless mention is kept each time, because the reference scorer looks for duplicates
    among the key mentions only.
    """
    # A mention that is given by its id alone has the tokens of the key.
    for column in ("start", "end"):
        of_key = key[column].reindex(table.index).fillna(-1).to_numpy(np.int64)
        table = table.assign(**{column: table[column].mask(table[column] < 0, of_key)})
    table = in_order_of_chains(table, response)
    again = table.index.duplicated()
    log.report(
        "mention-duplicate",
        cases_with_places(table[again], response),
        MENTION,
        _RESPONSE,
    )
    return table[~again | ~table.index.isin(key.index)]


def key_without_repeats(
    table: pd.DataFrame, key: Annotation, treatment: str, log: Log
) -> pd.DataFrame:
    """Return the mentions of a key without repeats; warn of mentions in several chains.

    Each mention counts once in a chain. Of those in several chains, the ``first`` counts; or, for
    ``conll``, the last has the id, and the others are rows ``id#2``, … with the id as NAME: the
    reference scorer (v8.01) looks for a response mention in the last chain.
    """
    table = in_order_of_chains(table, key)
    in_chain = (
        table.assign(id=table.index).duplicated(["id", "doc", "chain"]).to_numpy()
    )
    log.report(
        "mention-duplicate",
        cases_with_places(table[in_chain], key),
        _KEY_MENTION,
        _ONE_CHAIN,
        warning=False,
    )
    table = table[~in_chain]
    again = table.index.duplicated()
    log.report(
        "mention-duplicate",
        cases_with_places(table[again], key),
        _KEY_MENTION,
        _EACH_CHAIN if treatment == "conll" else _CHAINS,
    )
    if treatment == "first" or not again.any():
        return table[~again]
    last_first = table[::-1]
    ids = distinct(last_first.index, set())
    named = last_first.assign(**{NAME: last_first.index})
    return named.set_axis(pd.Index(ids, dtype=object))[::-1]


def distinct(given: Iterable[str], taken: set[str]) -> list[str]:
    """Return the names, with a number behind each that is taken, from 2."""
    chosen = []
    numbers: dict[
        str, int
    ] = {}  # the last number of each name: one name can repeat very often
    for name in given:
        choice = name
        number = numbers.get(name, 1)
        while choice in taken:
            number += 1
            choice = f"{name}#{number}"
        numbers[name] = number
        chosen.append(choice)
        taken.add(choice)
    return chosen


def report_twins(mentions: pd.DataFrame, ids: Iterable[str], log: Log) -> None:
    """Warn of twins of a corpus that a response lacks.

    The ``mentions`` are those of a corpus of which others have the same ``name``, as they have the
    same tokens. A corpus keeps both; of a response mention without an id, which could be either,
    the first is found. ``ids`` are those found.
    """
    is_found = mentions.index.isin(list(ids))
    has_found_twin = mentions["name"].isin(mentions["name"][is_found])
    lost = mentions.index[~is_found & has_found_twin]
    log.report(
        "mention-duplicate",
        lost,
        _KEY_MENTION,
        "with the tokens of another: a response without ids has the first of them only",
    )


def cases_with_places(table: pd.DataFrame, file: Annotation) -> list[str]:
    """Return each mention of a table, indexed by name, with its ``file:line``."""
    places = map(file.place, table["line"].tolist())
    ids = table.index.tolist()
    return [f"{id_} at {place}" for id_, place in zip(ids, places, strict=True)]
