"""A setting: how key and response are divided into meta-documents before scoring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import pandas as pd

from cdec.arrays import ALONE, AnySeries, BoolSeries
from cdec.errors import UsageError, one_of, spelled

Scope = Literal["document", "subtopic", "topic", "corpus"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
Singletons = Literal["no", "key", "own"]
SINGLETONS: tuple[Singletons, ...] = get_args(Singletons)
_SINGLETONS: dict[object, Singletons] = {
    False: "no",
    True: "key",
    **{value: value for value in SINGLETONS},
}
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
        value = self.ignore_singletons
        if value not in _SINGLETONS:
            raise UsageError(
                "argument-invalid",
                f"ignore_singletons must be one of {', '.join(SINGLETONS)}, got {value!r}",
            )
        object.__setattr__(self, "ignore_singletons", _SINGLETONS[value])

    @property
    def choices(self) -> str:
        """The three choices, in the form that ``--setting`` accepts."""
        parts = [f"scope={self.scope}"]
        if self.ignore_singletons != "no":
            parts.append(f"ignore_singletons={self.ignore_singletons}")
        if self.reduce_within_document:
            parts.append("reduce_within_document=yes")
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
        table = mentions.assign(meta=self._meta_documents(mentions))
        if self.ignore_singletons == "key":
            table = table[~key_singletons(table)]
        elif self.ignore_singletons == "own":
            response = table["response"]
            table = table.assign(
                key=table["key"].mask(key_singletons(table)),
                response=response.mask(_singletons(response)),
            )
        if self.reduce_within_document:
            self._check_positions(mentions)
            table = table.assign(
                key=table["key"].mask(table.duplicated(["doc", "key"])),
                response=table["response"].mask(table.duplicated(["doc", "response"])),
            )
        return table[table["key"].notna() | table["response"].notna()]

    def _meta_documents(self, mentions: pd.DataFrame) -> AnySeries | str:
        """Return the meta-document of each mention, or of all. Raises UsageError."""
        level = _LEVELS.get(self.scope, self.scope)
        if level is None:
            return self.scope
        if level in mentions:
            return mentions[level]
        topics = ""
        if level != "doc":
            topics = f"give the topics of the documents ({spelled('topics', 'topics.csv')}), "
        raise UsageError(
            "annotation-missing",
            f"setting '{self.name}': the mentions have no {self.scope} information",
            hint=f"{topics}score against a corpus, or use {spelled('scope', 'corpus')}",
        )

    def _check_positions(self, mentions: pd.DataFrame) -> None:
        """Raise UsageError for a mention without a position in the text."""
        if "start" in mentions:
            without_position = mentions.index[~(mentions["start"] >= 0)]
        elif "doc" in mentions:
            return
        else:
            without_position = mentions.index
        if len(without_position):
            raise UsageError(
                "annotation-missing",
                f"setting '{self.name}' keeps the first mention of a chain in each document, "
                f"and the mention '{without_position[0]}' has no position in the text",
                hint="give (doc, start, end) or doc/start-end, or score against a corpus",
            )


def key_singletons(mentions: pd.DataFrame) -> BoolSeries:
    """Return which aligned mentions are singletons of the whole key.

    The column ``alone`` has them if mentions were removed from the key.

    >>> key_singletons(pd.DataFrame({"key": ["x", "x", "y"]})).tolist()
    [False, False, True]
    """
    if ALONE in mentions:
        return mentions[ALONE]
    return _singletons(mentions["key"])


def _singletons(chains: AnySeries) -> BoolSeries:
    return chains.notna() & ~chains.duplicated(keep=False)
