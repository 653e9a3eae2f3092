"""A setting: how key and response are divided into meta-documents before scoring."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import pandas as pd

from cdec.arrays import ALONE
from cdec.clustering import SIDES
from cdec.corpus.model import Document
from cdec.errors import UsageError

Scope = Literal["document", "subtopic", "topic", "corpus"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
Singletons = Literal["no", "key", "own"]
SINGLETONS: tuple[Singletons, ...] = get_args(Singletons)
_SINGLETONS: dict[object, Singletons] = {False: "no", True: "key", **{n: n for n in SINGLETONS}}
_WHOLE = "corpus"
_COLUMN = {"document": "doc", "subtopic": "subtopic", "topic": "topic"}


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

    Raises UsageError for another value of ``ignore_singletons``.

    >>> Setting("mine", "Mine", "topic", ignore_singletons="own").choices
    'scope=topic,ignore_singletons=own'
    """

    name: str
    label: str
    scope: Scope
    ignore_singletons: Singletons | bool = "no"
    reduce_within_document: bool = False

    def __post_init__(self) -> None:
        given = self.ignore_singletons
        if given not in _SINGLETONS:
            message = f"ignore_singletons must be one of {', '.join(SINGLETONS)}, got {given!r}"
            raise UsageError("option-invalid", message)
        object.__setattr__(self, "ignore_singletons", _SINGLETONS[given])

    @property
    def choices(self) -> str:
        """The three choices, in the form that ``--setting`` accepts."""
        parts = [f"scope={self.scope}"]
        ignored = self.ignore_singletons
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
        table = mentions.assign(meta=self._meta(mentions))
        if self.ignore_singletons == "key":
            table = table[~key_singletons(table)]
        elif self.ignore_singletons == "own":
            table["key"] = table["key"].mask(key_singletons(table))
            table["response"] = table["response"].mask(_singleton(table["response"]))
        if self.reduce_within_document:
            self._check_positions(mentions)
            table = table.assign(
                **{side: table[side].mask(table.duplicated(["doc", side])) for side in SIDES}
            )
        return table[table["key"].notna() | table["response"].notna()]

    def _meta(self, mentions: pd.DataFrame) -> pd.Series[str] | str:
        """Return the name of the meta-document of each mention."""
        column = _COLUMN.get(self.scope)
        if column is None:
            return _WHOLE
        if column not in mentions:
            is_document = column == "doc"
            others = "corpus" if is_document else "document or corpus"
            topics = "" if is_document else "give the topics of the documents, "
            raise UsageError(
                "level-missing",
                f"setting '{self.name}': the mentions have no {self.scope} information",
                hint=f"{topics}score against a corpus, or use scope={others}",
            )
        return mentions[column]

    def _check_positions(self, mentions: pd.DataFrame) -> None:
        """Raise UsageError if the order of mentions in the text is not known."""
        known = mentions["start"] >= 0 if "start" in mentions else "doc" in mentions
        unknown = mentions.index[~pd.Series(known, mentions.index)]
        if len(unknown):
            raise UsageError(
                "level-missing",
                f"setting '{self.name}' keeps the first mention of a chain in each document, and "
                f"the mention '{unknown[0]}' has no position in the text",
                hint="give (doc, start, end) or doc/start-end, or score against a corpus",
            )


def key_singletons(mentions: pd.DataFrame) -> pd.Series[bool]:
    """Return which aligned mentions are singletons of the whole key.

    The column ``alone`` has them if mentions were removed from the key.

    >>> key_singletons(pd.DataFrame({"key": ["x", "x", "y"]})).tolist()
    [False, False, True]
    """
    return mentions[ALONE] if ALONE in mentions else _singleton(mentions["key"])


def homes(setting: Setting, documents: Iterable[Document]) -> dict[str, str]:
    """Return document id → name of its meta-document under ``setting``.

    >>> from cdec.settings import BH
    >>> homes(BH, [Document("1_1ecb", "1", "1_ecb", ())])
    {'1_1ecb': '1'}
    """
    attribute = {"document": "id", "subtopic": "subtopic", "topic": "topic"}.get(setting.scope)
    return {doc.id: getattr(doc, attribute) if attribute else _WHOLE for doc in documents}


def _singleton(chains: pd.Series[Any]) -> pd.Series[bool]:
    return chains.map(chains.value_counts()) == 1
