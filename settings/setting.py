"""A setting: how key and response are divided into meta-documents before scoring."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import pandas as pd

from cdec.clustering import Clustering
from cdec.corpus.model import Document
from cdec.errors import UsageError
from cdec.metadocument import TALLY_COLUMNS, MetaDocuments

Scope = Literal["document", "subtopic", "topic", "corpus"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
_WHOLE = "corpus"
_COLUMN = {"document": "doc", "subtopic": "subtopic", "topic": "topic"}


@dataclass(frozen=True)
class Setting:
    """Three independent choices (Upadhyay et al. 2016, section 3).

    ``scope``: the unit that is one meta-document; chains are cut at its borders.
    ``ignore_singletons``: mentions that are singletons in the whole key are removed from key and
    response, before the other two steps.
    ``reduce_within_document``: in each document, each chain keeps only its first mention in text
    order; key and response are reduced separately.

    >>> Setting("mine", "Mine", "topic", ignore_singletons=True).choices
    'scope=topic,ignore_singletons=yes'
    """

    name: str
    label: str
    scope: Scope
    ignore_singletons: bool = False
    reduce_within_document: bool = False

    @property
    def choices(self) -> str:
        """The three choices, in the form that ``--setting`` accepts."""
        parts = [f"scope={self.scope}"]
        parts += ["ignore_singletons=yes"] if self.ignore_singletons else []
        parts += ["reduce_within_document=yes"] if self.reduce_within_document else []
        return ",".join(parts)


def build(
    setting: Setting, mentions: pd.DataFrame, key: Clustering, response: Clustering
) -> MetaDocuments:
    """Return ``key`` and ``response`` as meta-documents under ``setting``.

    ``mentions`` has a row for each mention of both sides, in text order, indexed by mention id,
    and the columns that the setting needs (``doc``, ``subtopic``, ``topic``). Raises UsageError
    if the column of the scope is missing, ValueError for a mention that is not in the table.

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
        | {name: mentions[name] for name in TALLY_COLUMNS if name in mentions}
    )
    if setting.ignore_singletons:
        table = table[~_singleton(table["key"])]
    if setting.reduce_within_document:
        located = table.assign(doc=mentions["doc"])
        for side in ("key", "response"):
            table[side] = table[side].mask(located.duplicated(["doc", side]))
    present = table["key"].notna() | table["response"].notna()
    return MetaDocuments(table[present])


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
        others = "corpus" if column == "doc" else "document or corpus"
        raise UsageError(
            "unit-missing",
            f"setting '{setting.name}': the mentions have no {setting.scope} information",
            hint=f"score against a corpus (`cdec eval --response`), or use scope={others}",
        )
    return mentions[column]


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
