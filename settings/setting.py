"""A setting: how key and response are divided into meta-documents before scoring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from cdec.arrays import ALONE
from cdec.clustering import SIDES
from cdec.errors import UsageError, one_of, spelled

Scope = Literal["document", "subtopic", "topic", "corpus"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
Singletons = Literal["no", "key", "own"]
SINGLETONS: tuple[Singletons, ...] = get_args(Singletons)
_SINGLETONS: dict[object, Singletons] = {False: "no", True: "key", **{n: n for n in SINGLETONS}}
# Scope → the column of mentions that names the meta-document; None if there is only one.
_LEVELS: dict[str, str | None] = {"document": "doc", "corpus": None}


@dataclass(frozen=True)
class Setting:
    """Three independent choices (Upadhyay et al. 2016, section 3).

    ``scope``: the unit that is one meta-document; chains are cut at its borders.
    ``ignore_singletons``: the mentions that are removed before the other two steps. ``key``:
    singletons of the whole key, from key and response (Yang et al. 2015). ``own``: from each side
    its own singletons (Cattan et al. 2021; coval without singletons). ``no``: none. ``True`` and
    ``False`` are accepted for ``key`` and ``no``.
    ``reduce_within_document``: in each document, each chain keeps only its first mention in text
    order; key and response are reduced separately.

    Raises UsageError for another scope or value of ``ignore_singletons``.

    >>> Setting("mine", "Mine", "topic", ignore_singletons="own").choices
    'scope=topic,ignore_singletons=own'
    """

    name: str
    label: str
    scope: Scope
    ignore_singletons: Singletons | bool = "no"
    reduce_within_document: bool = False

    def __post_init__(self) -> None:
        one_of("scope", self.scope, SCOPES)
        given = self.ignore_singletons
        if given not in _SINGLETONS:
            message = f"ignore_singletons must be one of {', '.join(SINGLETONS)}, got {given!r}"
            raise UsageError("argument-invalid", message)
        object.__setattr__(self, "ignore_singletons", _SINGLETONS[given])

    @property
    def choices(self) -> str:
        """The three choices, in the form that ``--setting`` accepts."""
        ignored = self.ignore_singletons
        parts = [f"scope={self.scope}"]
        parts += [f"ignore_singletons={ignored}"] if ignored != "no" else []
        parts += ["reduce_within_document=yes"] if self.reduce_within_document else []
        return ",".join(parts)

    def build(self, mentions: pd.DataFrame) -> pd.DataFrame:
        """Return the mentions that count, with their meta-document in the column ``meta``.

        ``mentions`` are those of an ``Alignment``: in text order, with the columns ``key`` and
        ``response`` and the one that the setting needs (``doc``, ``subtopic``, ``topic``).
        Raises UsageError if the column of the scope is missing, or a mention has no position
        (``start`` below 0) that a reduction needs.

        >>> from cdec.settings import PURE_CDEC
        >>> mentions = pd.DataFrame({"doc": list("aab"), "key": "x", "response": "y"})
        >>> PURE_CDEC.build(mentions)["key"].tolist()  # Figure 3
        ['x', 'x']
        """
        level = _LEVELS.get(self.scope, self.scope)
        if level and level not in mentions:
            topics = ""
            if level != "doc":
                topics = f"give the topics of the documents ({spelled('topics', 'topics.csv')}), "
            message = f"setting '{self.name}': the mentions have no {self.scope} information"
            hint = f"{topics}score against a corpus, or use {spelled('scope', 'corpus')}"
            raise UsageError("annotation-missing", message, hint=hint)
        table = mentions.assign(meta=mentions[level] if level else self.scope)
        if self.ignore_singletons == "key":
            table = table[~key_singletons(table)]
        elif self.ignore_singletons == "own":
            key = table["key"].mask(key_singletons(table))
            table = table.assign(
                key=key, response=table["response"].mask(_singletons(table["response"]))
            )
        if self.reduce_within_document:
            known = mentions["start"] >= 0 if "start" in mentions else "doc" in mentions
            unknown = mentions.index[~pd.Series(known, mentions.index)]
            if len(unknown):
                raise UsageError(
                    "annotation-missing",
                    f"setting '{self.name}' keeps the first mention of a chain in each document, "
                    f"and the mention '{unknown[0]}' has no position in the text",
                    hint="give (doc, start, end) or doc/start-end, or score against a corpus",
                )
            first = {s: table[s].mask(table.duplicated(["doc", s])) for s in SIDES}
            table = table.assign(**first)
        return table[table["key"].notna() | table["response"].notna()]


def key_singletons(mentions: pd.DataFrame) -> pd.Series[bool]:
    """Return which aligned mentions are singletons of the whole key.

    The column ``alone`` has them if mentions were removed from the key.

    >>> key_singletons(pd.DataFrame({"key": ["x", "x", "y"]})).tolist()
    [False, False, True]
    """
    return mentions[ALONE] if ALONE in mentions else _singletons(mentions["key"])


def _singletons(chains: pd.Series[Any]) -> pd.Series[bool]:
    codes = pd.factorize(chains)[0]
    alone = np.bincount(codes[codes >= 0], minlength=1) == 1
    return pd.Series((codes >= 0) & alone[codes], chains.index)
