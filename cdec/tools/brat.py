"""brat: a folder of texts and annotations, as a key or a response, and corrected."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from scipy.cluster.hierarchy import DisjointSet

from cdec.corpus.model import Corpus
from cdec.corpus.readers.brat import ENDING, SAME, is_brat, read_standoff
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

    A line keeps its id, and stays unless it links mentions of two chains or is about a mention that
    the corpus has no more. Missing links are added: relations ``Coref``, and the attribute
    ``chain`` in a chain that has it or is in several documents. Raises FormatError for a mention
    that the files do not have, or have elsewhere.
    """
    mentions = corpus.mentions
    in_files = _corpus(folder).mentions.reindex(mentions.index)
    other = mentions.index[in_files["tokens"] != mentions["tokens"]]
    if len(other):
        raise FormatError(
            "format-unsuitable",
            f"'{other[0]}' is not in the files, or has other words there",
            place=folder,
            hint=f"{_HINT}; brat itself adds and moves mentions",
        )
    homes = mentions.groupby("chain")["doc"].nunique()
    shared = {*homes.index[homes > 1]}
    for document, file in files_in(folder, ENDING, _HINT).items():
        of_document = mentions.loc[mentions["doc"] == document, "chain"]
        chains = {
            str(id_).removeprefix(f"{document}/"): str(chain)
            for id_, chain in of_document.items()
        }
        lines = _corrected(file.read_text("utf-8").splitlines(), chains, shared)
        target = output / f"{document}{ENDING}"
        save([f"{line}\n" for line in lines], target, parents=True)
        text = file.with_suffix(TEXT_ENDING).read_bytes()
        save([text], target.with_suffix(TEXT_ENDING))


def _corrected(
    lines: Sequence[str], chains: Mapping[str, str], shared: Collection[str]
) -> Iterator[str]:
    """Yield the lines of a file; ``shared``: the chains that are in several documents."""
    text = "\n".join(lines)
    triggers = dict(re.findall(r"^(E\S+)\t[^\s:]+:(T\S+)", text, re.MULTILINE))
    numbers = map(int, re.findall(r"^[A-Z]([0-9]+)\t", text, re.MULTILINE))
    free = count(1 + max(numbers, default=0))
    linked = DisjointSet(chains)
    labels: dict[str, str] = {}  # mention → label that its chain has in the file
    for line in lines:
        id_, _, rest = line.partition("\t")
        about = rest.partition("\t")[0]
        kind = about.partition(" ")[0]
        names = re.findall(r"\b[TE][0-9]+\b", f"{id_} {about}")
        if line.startswith("A"):
            names = names[:1]  # the value may look like an id
        mentions = [triggers.get(name, name) for name in names]
        if not chains.keys() >= {*mentions}:
            continue
        if line.startswith("A") and canonical(kind) == "chain":
            mention = mentions[0]
            labels[mention] = chains[mention]
            yield f"{id_}\t{kind} {names[0]} {chains[mention]}"
        elif not (line.startswith(("R", "*")) and SAME.match(kind)):
            yield line
        elif len({chains[mention] for mention in mentions}) == 1:
            for mention in mentions:
                linked.merge(mentions[0], mention)
            yield line
    labelled = {*shared, *labels.values()}
    first_of: dict[str, str] = {}
    for mention, chain in chains.items():
        first = first_of.setdefault(chain, mention)
        if chain in labelled:
            if mention not in labels:
                yield f"A{next(free)}\tchain {mention} {chain}"
        elif linked.merge(first, mention):
            yield f"R{next(free)}\tCoref Arg1:{first} Arg2:{mention}"
