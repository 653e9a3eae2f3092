"""One side of a match: mentions and texts, by document or by block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.clustering import Side
from cdec.corpus.model import Corpus
from cdec.formats.annotation import Annotation, object_array
from cdec.labels import Chains, chains_of


@dataclass(frozen=True, eq=False)
class View:
    """Mentions (columns of annotation.COLUMNS) with the texts and source lines of the documents.

    ``lines`` has the source line of each token for formats with one token per line; its length is
    then the number of tokens of the document.
    """

    source: Annotation
    mentions: pd.DataFrame = field(repr=False)
    texts: Mapping[str, tuple[str, ...] | None] = field(repr=False)
    lines: Mapping[str, Ints] = field(repr=False)

    def place(self, line: int) -> str:
        """Return ``file:line``."""
        return self.source.place(line)

    def without_singletons(self, across: bool) -> View:
        """Return the view without chains of one mention; repeats in a chain count once.

        ``across``: whether a label in two documents is one chain.
        """
        chain = ["chain"] if across else ["doc", "chain"]
        table = self.mentions.assign(id=mention_ids(self.mentions))
        sizes = table.drop_duplicates([*chain, "doc", "id"]).groupby(chain).size()
        labels = pd.MultiIndex.from_frame(table[chain]) if len(chain) > 1 else table["chain"]
        kept = sizes.reindex(labels).to_numpy() > 1
        return replace(self, mentions=self.mentions[kept])

    def renamed(self, names: Mapping[str, str]) -> View:
        """Return the view restricted to the documents in ``names`` (old → new name), renamed."""
        kept = self.mentions[self.mentions["doc"].isin(list(names))]
        return replace(
            self,
            mentions=kept.assign(doc=kept["doc"].map(dict(names)).astype(object)),
            texts={new: self.texts.get(old) for old, new in names.items()},
            lines={new: self.lines[old] for old, new in names.items() if old in self.lines},
        )


def labelled(annotation: Annotation, side: Side, noise: str | None) -> Annotation:
    """Return the annotation with settled labels, and with notices on them.

    Raises ScoringError for a label of no chain without ``noise``, FormatError for a missing one.

    >>> from cdec.formats import mention_table
    >>> table = mention_table(["d"] * 3, [0, 1, 2], [0, 1, 2], ["x", "-1", "-1"])
    >>> made = labelled(Annotation("mine", "csv", table, {"d": None}), "response", "absent")
    >>> made.mentions["chain"].tolist(), [notice.code for notice in made.notices]
    (['x'], ['missing-label'])
    """
    annotation = replace(annotation.unbroken(), broken=None)
    if noise is None:
        annotation.labelled()
    labels = annotation.mentions.set_index("line")["chain"]
    chains = chains_of(labels, side, noise, place=annotation.place)
    annotation = replace(annotation, notices=(*annotation.notices, *chains.notices))
    return _with_chains(annotation, chains) if chains.changed else annotation


def _with_chains(annotation: Annotation, chains: Chains) -> Annotation:
    """Return the annotation with these chains, without the mentions that have none."""
    rows = np.flatnonzero(chains.codes >= 0)
    texts, codes = object_array([*chains.texts]), chains.codes[rows]
    mentions = annotation.mentions.iloc[rows].assign(chain=texts[codes]).reset_index(drop=True)
    bank = annotation.trees
    trees = None if bank is None else bank.take(rows)
    return replace(annotation, mentions=mentions, trees=trees, gold=None)


def by_document(annotation: Annotation) -> View:
    """Return the view in which token numbers count within the documents."""
    lines = {doc: layout.lines for doc, layout in annotation.layout.items()}
    return View(annotation, annotation.mentions, annotation.documents, lines)


def by_block(annotation: Annotation) -> View:
    """Return the view in which token numbers count within each ``#begin document``."""
    mentions, layout = annotation.mentions, annotation.layout
    offset = mentions["doc"].map({doc: at.offset for doc, at in layout.items()}).astype(np.int64)
    block = mentions["doc"].map({doc: at.block for doc, at in layout.items()}).astype(object)
    moved = mentions.assign(
        doc=block, start=mentions["start"] + offset, end=mentions["end"] + offset
    )
    texts: dict[str, tuple[str, ...] | None] = {}
    lines: dict[str, Ints] = {}
    for doc, at in layout.items():
        text, before = annotation.documents[doc], texts.get(at.block, ())
        texts[at.block] = None if text is None or before is None else before + text
        lines[at.block] = np.concatenate([lines.get(at.block, at.lines[:0]), at.lines])
    return View(annotation, moved, texts, lines)


def mention_ids(mentions: pd.DataFrame) -> list[str]:
    """Return the identity of each mention as a string: equal strings are the same mention.

    ``doc/3-5`` for tokens 3 to 5, ``doc/3-4,6`` with a gap, ``doc/id`` for an id without tokens.
    """
    names = ("doc", "start", "end", "tokens", "mention")
    columns = [mentions[name].tolist() for name in names]
    ids = []
    for doc, start, end, tokens, mention in zip(*columns, strict=True):
        if tokens:
            ids.append(f"{doc}/{runs(tokens)}")
        elif start >= 0:
            ids.append(f"{doc}/{start}-{end}")
        else:
            is_whole = mention.startswith(f"{doc}/") or not doc
            ids.append(mention if is_whole else f"{doc}/{mention}")
    return ids


def runs(tokens: Iterable[int]) -> str:
    """Return sorted token numbers as runs: ``3-4,6``."""
    bounds: list[list[int]] = []
    for token in tokens:
        if bounds and bounds[-1][1] == token - 1:
            bounds[-1][1] = token
        else:
            bounds.append([token, token])
    return ",".join(f"{a}-{b}" if a < b else str(a) for a, b in bounds)


def flattened_ids(mentions: pd.DataFrame) -> list[str]:
    """Return ``mention_ids`` with gaps filled, for a match with a format without gaps.

    A gap is kept if another mention has the same first and last token.
    """
    ids = mention_ids(mentions)
    if not mentions["tokens"].map(len).any():
        return ids
    flat = mention_ids(mentions.assign(tokens=object_array([()] * len(mentions))))
    shared = pd.Series(flat).duplicated(keep=False).to_numpy()
    return [own if kept else full for own, full, kept in zip(ids, flat, shared, strict=True)]


def annotated(corpus: Corpus) -> pd.DataFrame:
    """Return all known mentions by place: also those outside the region, and those removed."""
    others = [corpus.removed, *([corpus.region.outside] if corpus.region else [])]
    tables = [corpus.mentions, *(table for table in others if len(table))]
    return pd.concat(tables).sort_values(["start", "end"], kind="stable")
