"""A setting: how key and response are divided into meta-documents before scoring."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.model import Document
from cdec.errors import UsageError
from cdec.metadocument import NAME, UNKNOWN_WORDS, MetaDocuments, WordCounts

Scope = Literal["document", "subtopic", "topic", "corpus"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
Singletons = Literal["no", "key", "own"]
SINGLETONS: tuple[Singletons, ...] = get_args(Singletons)
_SINGLETONS: dict[object, Singletons] = {False: "no", True: "key", **{n: n for n in SINGLETONS}}
ALONE = "alone"
"""Column of mentions: whether they are singletons of the key before mentions were removed."""
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


def build(
    setting: Setting,
    mentions: pd.DataFrame,
    key: Clustering,
    response: Clustering,
    words: WordCounts = UNKNOWN_WORDS,
) -> MetaDocuments:
    """Return ``key`` and ``response`` as meta-documents under ``setting``.

    ``mentions`` has a row for each mention of both sides, in text order, indexed by mention id,
    and the columns that the setting needs (``doc``, ``subtopic``, ``topic``); it can have the
    column ALONE, if the key is what is left of a whole key. ``words`` has the counts on the words
    of the mentions. Raises UsageError if the column of the scope is missing, or a mention has no
    position (``start`` below 0) that a reduction needs, ValueError for one not in the table.

    >>> from cdec.settings import PURE_CDEC
    >>> mentions = pd.DataFrame({"doc": {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}})
    >>> key = Clustering.from_chains([["a1", "a2", "b1", "b2"]])
    >>> [meta.key.chains() for meta in build(PURE_CDEC, mentions, key, key)]  # Figure 3
    [{0: ['a1', 'b1']}]
    """
    table = pd.DataFrame(
        {
            "meta": _meta_names(setting, mentions),
            "key": _aligned(key, mentions),
            "response": _aligned(response, mentions),
        }
        | ({NAME: mentions[NAME]} if NAME in mentions else {})
    )
    if setting.ignore_singletons == "key":
        table = table[~key_singletons(mentions, table["key"])]
    elif setting.ignore_singletons == "own":
        table["key"] = table["key"].mask(key_singletons(mentions, table["key"]))
        table["response"] = table["response"].mask(_singleton(table["response"]))
    if setting.reduce_within_document:
        _check_positions(setting, mentions)
        located = table.assign(doc=mentions["doc"])
        for side in ("key", "response"):
            table[side] = table[side].mask(located.duplicated(["doc", side]))
    present = table["key"].notna() | table["response"].notna()
    return MetaDocuments(table[present], words)


def key_singletons(mentions: pd.DataFrame, chains: pd.Series[Any]) -> pd.Series[bool]:
    """Return which mentions are singletons of the whole key.

    ``chains`` are those of the key, by mention; ``mentions`` has the column ALONE if mentions were
    removed from the key.

    >>> chains = pd.Series({"a": "x", "b": "x", "c": "y"})
    >>> key_singletons(pd.DataFrame(index=chains.index), chains).tolist()
    [False, False, True]
    """
    if ALONE in mentions:
        return mentions[ALONE].reindex(chains.index)
    return _singleton(chains)


def homes(setting: Setting, documents: Iterable[Document]) -> dict[str, str]:
    """Return document id → name of its meta-document under ``setting``.

    >>> from cdec.settings import BH
    >>> homes(BH, [Document("1_1ecb", "1", "1_ecb", ())])
    {'1_1ecb': '1'}
    """
    attribute = {"document": "id", "subtopic": "subtopic", "topic": "topic"}.get(setting.scope)
    return {doc.id: getattr(doc, attribute) if attribute else _WHOLE for doc in documents}


def _meta_names(setting: Setting, mentions: pd.DataFrame) -> pd.Series[str]:
    if setting.scope == "corpus":
        return pd.Series(_WHOLE, index=mentions.index)
    column = _COLUMN[setting.scope]
    if column not in mentions:
        is_document = column == "doc"
        others = "corpus" if is_document else "document or corpus"
        topics = "" if is_document else "give the topics of the documents, "
        raise UsageError(
            "level-missing",
            f"setting '{setting.name}': the mentions have no {setting.scope} information",
            hint=f"{topics}score against a corpus, or use scope={others}",
        )
    return mentions[column]


def _check_positions(setting: Setting, mentions: pd.DataFrame) -> None:
    """Raise UsageError if the order of mentions in the text is not known."""
    known = mentions["start"] >= 0 if "start" in mentions else "doc" in mentions
    unknown = mentions.index[~pd.Series(known, mentions.index)]
    if len(unknown):
        raise UsageError(
            "level-missing",
            f"setting '{setting.name}' keeps the first mention of a chain in each document, and "
            f"the mention '{unknown[0]}' has no position in the text",
            hint="give (doc, start, end) or doc/start-end, or score against a corpus",
        )


def _aligned(side: Clustering, mentions: pd.DataFrame) -> pd.Series[Any]:
    """Return the chain label of each mention of the table, missing if the side lacks it."""
    at = mentions.index.get_indexer(side.labels.index)
    if (at < 0).any():
        mention = side.labels.index[at < 0][0]
        raise ValueError(f"mention '{mention}' is not in the table of mentions")
    chains = pd.Series(index=mentions.index, dtype=object)
    chains.iloc[at] = side.labels.to_numpy()
    return chains


def _singleton(chains: pd.Series[Any]) -> pd.Series[bool]:
    return chains.map(chains.value_counts()) == 1
