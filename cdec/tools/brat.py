"""brat: a folder of texts and annotations, as a key or a response, and corrected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pandas as pd

from cdec.arrays import StrSeries
from cdec.corpus.model import Corpus
from cdec.corpus.readers.brat import ENDING, SAME, is_brat, read_standoff
from cdec.corpus.readers.texts import ENDING as TEXT_ENDING
from cdec.corpus.readers.texts import files_in
from cdec.errors import FormatError
from cdec.files.output import save
from cdec.formats import from_corpus
from cdec.formats.annotation import Annotation
from cdec.formats.fields import canonical


def _corpus(folder: Path) -> Corpus:
    """Return a folder of brat as a corpus, with the labels of its files as they are."""
    return read_standoff(
        folder,
        folder,
        folder.name,
        language="",
        key_labels="corpus",
        noise="label",
        columns=None,
    )


def read_brat(folder: Path) -> Annotation | None:
    """Return the mentions and chains of a folder of brat, of all kinds; None for another folder.

    Mentions are known by their words: two annotators number them differently. Labels are as in the
    files, so that the call can say where they hold, and what ``-1`` means.
    """
    if not is_brat(folder):
        return None
    corpus = _corpus(folder).select("all")
    annotation = from_corpus(corpus, corpus.gold, str(folder))
    return replace(
        annotation,
        format="documents",
        mentions=annotation.mentions.assign(mention=""),
        files={document: document for document in annotation.documents},
    )


def save_corrected(folder: Path, corpus: Corpus, output: Path) -> None:
    """Write a folder of brat again, with the chains of a corpus that was made of it.

    A line stays unless it is about a mention that the corpus has no more, or it links mentions of a
    chain that has changed. Such a chain is linked anew, by relations ``Coref``, and by the
    attribute ``chain`` if it is in several documents. Raises FormatError for a mention that the
    files do not have, or have elsewhere.
    """
    old = _corpus(folder).mentions
    new = corpus.mentions
    other = new.index[old["tokens"].reindex(new.index) != new["tokens"]]
    if len(other):
        raise FormatError(
            "format-unsuitable",
            f"'{other[0]}' is not in the files, or has other words there",
            place=folder,
            hint="name the folder of brat that the corpus was made of; brat itself adds and moves "
            "mentions",
        )
    table = new[["doc", "chain"]].assign(
        changed=_members(new) != _members(old).reindex(new.index),
        documents=new.groupby("chain")["doc"].transform("nunique"),
    )
    for document, file in files_in(folder, ENDING, "").items():
        mentions = table[table["doc"] == document]
        ids = mentions.index.str.removeprefix(f"{document}/")
        lines = _corrected(file.read_text("utf-8"), mentions.set_index(ids))
        target = output / f"{document}{ENDING}"
        save([f"{line}\n" for line in lines], target, parents=True)
        save(
            [file.with_suffix(TEXT_ENDING).read_bytes()],
            target.with_suffix(TEXT_ENDING),
        )


def _members(mentions: pd.DataFrame) -> StrSeries:
    """Return the ids of all mentions of the chain of each mention."""
    return mentions.index.to_series().groupby(mentions["chain"]).transform(" ".join)


def _corrected(text: str, mentions: pd.DataFrame) -> Iterator[str]:
    """Yield the lines of a file; ``mentions`` have chain, documents, and whether it changed."""
    changed = mentions[mentions["changed"]]
    triggers = dict(re.findall(r"^(E\S+)\t[^\s:]+:(T\S+)", text, re.MULTILINE))
    for line in text.removesuffix("\n").split("\n"):
        id_, about = [*line.split("\t"), ""][:2]
        kind = about.partition(" ")[0]
        names = re.findall(r"\b[TE][0-9]+\b", f"{id_} {about}")
        if line.startswith("A"):
            is_link = canonical(kind) == "chain"
            names = names[:1]  # the value may look like an id
        else:
            is_link = line.startswith(("R", "*")) and SAME.match(kind) is not None
        ids_of_line = {triggers.get(name, name) for name in names}
        is_replaced = is_link and not ids_of_line.isdisjoint(changed.index)
        if ids_of_line.issubset(mentions.index) and not is_replaced:
            yield line
    numbers = map(int, re.findall(r"^[A-Z]([0-9]+)\t", text, re.MULTILINE))
    free = count(1 + max(numbers, default=0))
    for chain, table in changed.groupby("chain", sort=False):
        first, *others = table.index
        for mention in others:
            yield f"R{next(free)}\tCoref Arg1:{first} Arg2:{mention}"
        if table["documents"].iloc[0] > 1:
            yield f"A{next(free)}\tchain {first} {chain}"
