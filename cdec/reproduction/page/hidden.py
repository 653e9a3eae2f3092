"""The links that each setting hides: counts, text with numbers, and tables.

A link is a pair of mentions of one response chain; it is wrong if the two are in different key
chains. Pairs are not enumerated but counted from the sizes of groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from cdec.configs import read_toml
from cdec.evaluation.response import SystemRun
from cdec.metrics.links import Links, pairs
from cdec.render.numbers import percent
from cdec.render.page import Block, Grid, Text
from cdec.render.table import grid_of_lines
from cdec.reproduction.page.cells import LABELS
from cdec.settings import ST, YCF, Setting
from cdec.settings.catalog import STRICT_TO_LENIENT

# From near to far: each place contains the previous one. A link belongs to the first that has both
# of its mentions.
_CONTAINERS = {"document": ["doc"], "subtopic": ["subtopic"], "topic": ["topic"], "corpus": []}
PLACES = tuple(_CONTAINERS)
_PLACES = {
    "document": "inside a document",
    "subtopic": "across documents of a sub-topic",
    "topic": "across sub-topics of a topic",
    "corpus": "across topics",
}
_KINDS = {
    "made": "made",
    "right": "right",
    "wrong": "wrong",
    "wrong_to_singletons": "wrong, at a gold singleton",
    "missed": "missed",
}

# Name of a share in the text → numerator and denominator (names of counts).
_SHARES = {
    "wrong": ("wrong", "made"),
    "right": ("right", "made"),
    "across": ("across", "wrong"),
    "st": ("st_hidden", "wrong"),
    "at_singletons": ("at_singletons", "wrong"),
    "ycf": ("ycf_hidden", "wrong"),
    "ycf_right": ("ycf_right", "ycf_made"),
}


def hidden_blocks(answers: Sequence[SystemRun], example: str) -> tuple[Block, ...]:
    """Return the text and tables; the text is about the system ``example``."""
    answer = next((a for a in answers if a.system == example), answers[0])
    values, texts = _values(answer), read_toml("tables/hidden.toml")
    return (
        Text(texts["link"].format_map(values)),
        place_grid(f"The links of {_name(answer)} by distance", links_by_place(answer)),
        *(Text(text.format_map(values)) for text in texts["settings"].values()),
        seen_grid("Wrong links that are evaluated, by setting", answers),
        Text(texts["reduced"]),
    )


def hidden_data(answers: Iterable[SystemRun]) -> pd.DataFrame:
    """Return the raw data: links by place, and evaluated links by setting."""
    parts: list[pd.DataFrame] = []
    for answer in answers:
        parts.append(links_by_place(answer).assign(system=answer.system))
        seen = [{"setting": s.name, **_counts(seen_links(answer, s))} for s in STRICT_TO_LENIENT]
        parts.append(pd.DataFrame(seen).assign(system=answer.system))
    table = pd.concat(parts, ignore_index=True)
    first = ["system", "place", "setting"]
    return table[[*first, *(column for column in table if column not in first)]]


def place_grid(caption: str, places: pd.DataFrame) -> Grid:
    """Return ``links_by_place`` as a table, with a row of sums."""
    counted = places.set_index("place")[list(_KINDS)].rename(index=_PLACES)
    counted.loc["together"] = counted.sum()
    rows = (((str(name),), [("", map(_number, counts))]) for name, counts in counted.iterrows())
    return grid_of_lines(caption, ["Links"], _KINDS.values(), rows)


def seen_grid(caption: str, answers: Iterable[SystemRun]) -> Grid:
    """Return the number of wrong links that each setting evaluates, by system."""
    rows = (
        ([_name(one)], [("", [_number(seen_links(one, s).wrong) for s in STRICT_TO_LENIENT])])
        for one in answers
    )
    return grid_of_lines(caption, ["System"], [s.label for s in STRICT_TO_LENIENT], rows)


def _numbers(answer: SystemRun) -> dict[str, int]:
    """Return every count that hidden.toml names."""
    at = links_by_place(answer).set_index("place").to_dict("index")

    def total(kind: str, where: Sequence[str] = PLACES) -> int:
        return sum(int(at[place][kind]) for place in where)

    wrong, ycf = total("wrong"), seen_links(answer, YCF)
    return {
        "mentions": len(answer.key),
        "made": total("made"),
        "right": total("right"),
        "wrong": wrong,
        "across": total("wrong", ["corpus"]),
        "between": total("wrong", ["topic"]),
        "outside": total("wrong", ["topic", "corpus"]),
        "cut": total("right", ["topic"]) + total("missed", ["topic"]),
        "at_singletons": total("wrong_to_singletons"),
        "near": total("wrong_to_singletons", ["document", "subtopic"]),
        "st_hidden": wrong - seen_links(answer, ST).wrong,
        "ycf_hidden": wrong - ycf.wrong,
        "ycf_made": ycf.made,
        "ycf_wrong": ycf.wrong,
        "ycf_right": ycf.right,
        "inside_right": total("right", ["document"]),
        "inside_wrong": total("wrong", ["document"]),
    }


def _values(answer: SystemRun) -> dict[str, str]:
    """Return the values of the placeholders in hidden.toml."""
    counts = _numbers(answer)
    shares = {
        f"{name}_share": _share(counts[part], counts[whole])
        for name, (part, whole) in _SHARES.items()
    }
    return {"system": _name(answer), **{k: _number(n) for k, n in counts.items()}, **shares}


def _counts(seen: Links) -> dict[str, int]:
    return {name: getattr(seen, name) for name in ("made", "right", "missed", "wrong")}


def _name(answer: SystemRun) -> str:
    return LABELS.get(answer.system, answer.system)


def _number(count: int) -> str:
    return f"{int(count):,}"


def _share(part: float, whole: float) -> str:
    return f"{percent(part / whole)} %" if whole else "none"


def links_by_place(answer: SystemRun) -> pd.DataFrame:
    """Return the links of an answer by distance.

    One row per place (``PLACES``: inside a document, across documents of a sub-topic, across
    sub-topics of a topic, across topics); columns ``made``, ``right``, ``wrong``, ``missed`` (in
    the key only), and ``wrong_to_singletons``: wrong links of which a mention is a gold singleton.
    """
    table = answer.mentions.assign(key=answer.key.labels, response=answer.response.labels)
    sizes = table["key"].map(table["key"].value_counts())
    chained = table[sizes > 1]
    within, among_chained = (
        pd.DataFrame(
            [_links(mentions, inside) for inside in _CONTAINERS.values()],
            index=list(PLACES),
            columns=["made", "right", "gold"],
        )
        for mentions in (table, chained)
    )
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


def _links(table: pd.DataFrame, inside: list[str]) -> tuple[int, int, int]:
    """Return the pairs inside response chains, inside both, and inside key chains.

    Pairs of rows with equal columns; a row with a missing value is in no pair.
    """
    sides = (["response"], ["response", "key"], ["key"])
    sizes = (table.groupby([*inside, *columns], sort=False).size() for columns in sides)
    made, right, gold = (pairs(np.asarray(each, dtype=np.int64)) for each in sizes)
    return made, right, gold
