"""brat: a folder of texts and annotations, as a key or a response, and corrected."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.corpus.readers.brat import ENDING, SAME, is_brat, read_standoff, rows_of_file
from cdec.corpus.readers.texts import ENDING as TEXT_ENDING
from cdec.corpus.readers.texts import files_in
from cdec.errors import FormatError
from cdec.files.output import save
from cdec.formats import from_corpus
from cdec.formats.annotation import Annotation
from cdec.formats.fields import canonical

_HINT = "name the folder of brat that the corpus was made of"


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

    A line keeps its id, and stays unless it links mentions of two chains, names another chain than
    that of its mention, or is about a mention that the corpus has no more. Missing links are added:
    relations ``Coref``, and the attribute ``chain`` in chains of several documents. Raises
    FormatError for a mention that the files do not have, or have elsewhere.
    """
    mentions = corpus.mentions
    tokens = _corpus(folder).mentions["tokens"].reindex(mentions.index)
    other = mentions.index[tokens != mentions["tokens"]]
    if len(other):
        raise FormatError(
            "format-unsuitable",
            f"'{other[0]}' is not in the files, or has other words there",
            place=folder,
            hint=f"{_HINT}; brat itself adds and moves mentions",
        )
    documents = mentions.groupby("chain")["doc"].nunique()
    shared = {*documents.index[documents > 1]}
    for document, file in files_in(folder, ENDING, _HINT).items():
        of_document = mentions.loc[mentions["doc"] == document, "chain"]
        chains = of_document.rename(lambda id_, doc=document: id_[len(doc) + 1 :])
        target = output / f"{document}{ENDING}"
        lines = [*_true_lines(file.read_text("utf-8"), chains.to_dict())]
        save([f"{line}\n" for line in lines], target, parents=True)
        lines += _missing_links(target, chains, shared)
        save([f"{line}\n" for line in lines], target)
        text = file.with_suffix(TEXT_ENDING).read_bytes()
        save([text], target.with_suffix(TEXT_ENDING))


def _true_lines(text: str, chains: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a file that are true of the mentions with these chains."""
    triggers = dict(re.findall(r"^(E\S+)\t[^\s:]+:(T\S+)", text, re.MULTILINE))
    for line in text.splitlines():
        id_, about = [*line.split("\t"), ""][:2]
        kind, _, arguments = about.partition(" ")
        names = re.findall(r"\b[TE][0-9]+\b", f"{id_} {about}")
        if id_.startswith("A"):
            target, _, value = arguments.partition(" ")
            names = [target]  # the value may look like an id
        mentions = [triggers.get(name, name) for name in names]
        if not chains.keys() >= {*mentions}:
            continue
        chains_of_line = {chains[mention] for mention in mentions}
        if id_.startswith(("R", "*")) and SAME.match(kind):
            is_true = len(chains_of_line) == 1
        elif id_.startswith("A") and canonical(kind) == "chain":
            is_true = chains_of_line == {value}
        else:
            is_true = True
        if is_true:
            yield line


def _missing_links(
    file: Path, chains: pd.Series[str], shared: Collection[str]
) -> Iterator[str]:
    """Yield lines that complete the chains of a file; ``shared`` ones are in several documents."""
    text = file.read_text("utf-8")
    numbers = map(int, re.findall(r"^[A-Z]([0-9]+)\t", text, re.MULTILINE))
    free = count(1 + max(numbers, default=0))
    # A part of a chain has the label that the file gives it, else the id of a mention after "/".
    rows, _ = rows_of_file(file, "")
    parts = pd.Series({row["id"]: row["chain"] or f"/{row['id']}" for _, row in rows})
    for chain, mentions in chains.groupby(chains, sort=False):
        parts_of_chain = parts[mentions.index].drop_duplicates()
        first, *others = parts_of_chain.index
        for mention in others:
            yield f"R{next(free)}\tCoref Arg1:{first} Arg2:{mention}"
        if chain in shared and chain not in {*parts_of_chain}:
            yield f"A{next(free)}\tchain {first} {chain}"
