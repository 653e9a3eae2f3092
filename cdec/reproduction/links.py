"""Links of a response by distance, and the links that each setting evaluates.

A link is a pair of mentions of one response chain; it is wrong if the two are in different key
chains. Pairs are not enumerated but counted from the sizes of groups.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from cdec.evaluation.response import SystemRun
from cdec.metrics.links import Links, pairs
from cdec.settings import Setting

# From near to far: each place contains the previous one. A link belongs to the first that has both
# of its mentions.
PLACES = ("document", "subtopic", "topic", "corpus")
_CONTAINERS = {"document": ["doc"], "subtopic": ["subtopic"], "topic": ["topic"], "corpus": []}


def links_by_place(answer: SystemRun) -> pd.DataFrame:
    """Return the links of an answer by distance.

    One row per place (``PLACES``: inside a document, across documents of a sub-topic, across
    sub-topics of a topic, across topics); columns ``made``, ``right``, ``wrong``, ``missed`` (in
    the key only), and ``wrong_to_singletons``: wrong links of which a mention is a gold singleton.
    """
    table = answer.mentions.assign(key=answer.key.labels, response=answer.response.labels)
    sizes = table["key"].map(table["key"].value_counts())
    chained = table[sizes > 1]
    within = pd.DataFrame([_within(table, place) for place in PLACES], index=list(PLACES))
    among_chained = pd.DataFrame([_within(chained, place) for place in PLACES], index=list(PLACES))
    here = within.diff().fillna(within).astype(int)
    here_chained = among_chained.diff().fillna(among_chained).astype(int)
    here["wrong"] = here["made"] - here["right"]
    here["missed"] = here.pop("gold") - here["right"]
    here["wrong_to_singletons"] = here["wrong"] - (here_chained["made"] - here_chained["right"])
    return here.rename_axis("place").reset_index()


def seen_links(answer: SystemRun, setting: Setting) -> Links:
    """Return the links inside the meta-documents of ``setting``.

    Under PURE-CDEC they are links between first mentions, each representing a within-document
    chain.
    """
    table = answer.meta_documents(setting).table
    made, right, gold = _links(table, ["meta"])
    return Links.from_totals(gold, made, right)


def _within(table: pd.DataFrame, place: str) -> dict[str, int]:
    return dict(zip(("made", "right", "gold"), _links(table, _CONTAINERS[place]), strict=True))


def _links(table: pd.DataFrame, inside: list[str]) -> tuple[int, int, int]:
    """Return the pairs inside response chains, inside both, and inside key chains."""
    sides = (["response"], ["response", "key"], ["key"])
    made, right, gold = (_pairs(table, [*inside, *columns]) for columns in sides)
    return made, right, gold


def _pairs(table: pd.DataFrame, columns: list[str]) -> int:
    """Return the number of row pairs with equal ``columns``; rows with a missing value are out."""
    return pairs(np.asarray(table.groupby(columns, sort=False).size(), dtype=np.int64))
