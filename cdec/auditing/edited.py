"""Write a corrected ECB+: the original files, in which only what a correction changes differs.

A file without a change is a copy. Only event mentions are compared. An instance that no relation
has any more is left out; a new chain is an instance across documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pandas as pd

from cdec.arrays import AnySeries
from cdec.corpus.model import EVENT, Corpus
from cdec.corpus.readers.ecbplus import CROSS_DOC, RELATIONS, read
from cdec.corpus.source import Source
from cdec.errors import CorpusError, FormatError
from cdec.files.input import integer

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_DIGITS = 17  # of the number of an instance, as in ACT15997717309956957
_WRITTEN = ["tokens", "tag", "label"]  # what a file has of a mention
_COLUMNS = ["doc", "tokens", "tag", "chain", "relation", "descriptor"]


def check_empty(folder: Path) -> None:
    """Raise FormatError if there are files already, before the work that they would stop."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FormatError(
            "file-unwritable",
            "there are files already",
            place=folder,
            hint="name a new folder, or remove this one first",
        )


def save_edited(source: Source, corrected: Corpus, folder: Path) -> None:
    """Write the files of ``source`` with the key of ``corrected`` as a new folder, as released.

    The folder is complete or not written. Raises CorpusError if ``corrected`` was not read from
    ``source``, OSError if the folder has files already, or cannot be written.
    """
    form = source.format
    if form.name != "ecbplus" or corrected.digest != source.digest:
        raise CorpusError(
            "format-unsuitable",
            f"'{corrected.name}' was not read from files of ECB+ here",
            place=source.path,
            hint="--to ecbplus edits the files of ECB+: give its folder or zip",
        )
    files = {f"{form.folder}/{name}": data for name, data in _edited(source, corrected)}
    if source.reviewed is not None:
        files[form.reviewed] = source.reviewed
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as temporary:
        part = Path(temporary) / "part"
        for name, data in files.items():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            (part / name).write_bytes(data)
        part.replace(folder)


def _edited(source: Source, corrected: Corpus) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each file, with the key of ``corrected``."""
    old = _key_of(read(source))
    new = _key_of(corrected)
    # The relation of each mention: the label of a chain, '' for a mention without a relation.
    old["label"] = old["chain"].where(old["relation"] != "none", "")
    new["label"] = _labels(old, new).astype(object)
    descriptors = dict(zip(old["label"], old["descriptor"], strict=True))
    numbers = count(1 + _largest_number(source))
    for name, data in source:
        id_ = name.rpartition("/")[2].removesuffix(".xml")
        before = old[old["doc"] == id_]
        after = new[new["doc"] == id_]
        if before[_WRITTEN].sort_index().equals(after[_WRITTEN].sort_index()):
            yield name, data
        else:
            edited = _edited_file(
                id_, data, before, after, descriptors=descriptors, numbers=numbers
            )
            yield name, edited


def _key_of(corpus: Corpus) -> pd.DataFrame:
    return corpus.mentions.loc[corpus.mentions["kind"] == EVENT, _COLUMNS].astype(
        object
    )


def _largest_number(source: Source) -> int:
    """Return the largest number of a relation."""
    numbers = re.findall(rb'r_id="(\d{1,9})"', b"".join(source.files.values()))
    return max(map(int, numbers), default=0)


def _labels(old: pd.DataFrame, new: pd.DataFrame) -> AnySeries:
    """Return the relation of each corrected mention: a label of the files, a new one, or ''.

    A chain keeps the label that most of its mentions have, and a label is kept once; of a chain in
    several documents, that of a relation across documents.
    """
    table = new[["doc", "chain"]].join(
        old.loc[old["label"] != "", ["label", "relation"]]
    )
    local = table.groupby("chain")["doc"].transform("nunique") == 1
    is_cross_doc = table["relation"] == RELATIONS[CROSS_DOC]
    labelled = table[is_cross_doc | (local & table["label"].notna())]
    sizes = (
        labelled.groupby(["chain", "label"], sort=False).size().reset_index(name="size")
    )
    sizes["same"] = sizes["chain"] == sizes["label"]
    ranked = sizes.sort_values(["size", "same"], ascending=False, kind="stable")
    best = ranked.drop_duplicates("label").drop_duplicates("chain")
    names = dict(zip(best["chain"], best["label"], strict=True))
    for chain, rows in new.groupby("chain", sort=False):
        label = ""
        if len(rows) > 1:
            ids = "|".join(sorted(map(str, rows.index)))
            digest = int(sha256(ids.encode()).hexdigest(), 16)
            label = f"ACT{digest % 10**_DIGITS:0{_DIGITS}d}"
        names.setdefault(str(chain), label)
    return new["chain"].map(names)


def _add(parent: Element, tag: str, **attributes: str) -> Element:
    """Add an element on a line of its own."""
    from lxml import etree  # noqa: PLC0415

    element: Element = etree.SubElement(parent, tag, attributes)
    element.tail = "\n"
    parent.text = parent.text or "\n"
    return element


def _edited_file(
    id_: str,
    data: bytes,
    old: pd.DataFrame,
    new: pd.DataFrame,
    *,
    descriptors: Mapping[str, str],
    numbers: Iterator[int],
) -> bytes:
    """Return a file with the mentions of the new key instead of the old; all else stays."""
    from lxml import etree  # noqa: PLC0415

    parser = etree.XMLParser(resolve_entities=False, no_network=True, strip_cdata=False)
    root: Any = etree.fromstring(data, parser)
    t_ids = [str(token.get("t_id")) for token in root.iterchildren("token")]
    listed = root.find("Markables")
    related = root.find("Relations")
    if related is None:
        related = _add(root, "Relations")
    markables = {str(el.get("m_id")): el for el in listed.iterchildren("*")}
    m_ids = count(1 + max(map(integer, markables)))
    relations = {
        el.get("note") if el.tag == CROSS_DOC else f"{id_}/r{el.get('r_id')}": el
        for el in related.iterchildren("*")
    }
    # The id of a new mention may be that of an instance.
    elements = {name: markables[name.removeprefix(f"{id_}/")] for name in old.index}
    for name in old.index.difference(new.index, sort=False):
        listed.remove(elements[name])
    for name, tag, tokens in zip(new.index, new["tag"], new["tokens"], strict=True):
        if name not in elements:
            elements[name] = _add(listed, tag, m_id=str(next(m_ids)))
        elif (tag, tokens) == (old.loc[name, "tag"], old.loc[name, "tokens"]):
            continue
        elements[name].tag = tag
        elements[name][:] = []
        for token in tokens:
            _add(elements[name], "token_anchor", t_id=t_ids[token])
    ids = new.index.union(old.index, sort=False)
    before = old["label"].reindex(ids, fill_value="")
    after = new["label"].reindex(ids, fill_value="")
    for name in ids[before != after]:
        m_id = str(elements[name].get("m_id"))
        label = after[name]
        for mention in root.findall(f"Relations/*/source[@m_id='{m_id}']"):
            mention.getparent().remove(mention)
        if label and label not in relations:
            instance = str(next(m_ids))
            markables[instance] = _add(
                listed,
                str(elements[name].tag),
                m_id=instance,
                RELATED_TO="",
                TAG_DESCRIPTOR=descriptors.get(label, ""),
                instance_id=label,
            )
            relations[label] = _add(
                related, CROSS_DOC, r_id=str(next(numbers)), note=label
            )
            _add(relations[label], "target", m_id=instance)
        if label:
            relations[label].insert(0, _add(relations[label], "source", m_id=m_id))
    for label in {*before, *after} - {""}:
        _remove_if_empty(relations[label], listed, markables)
    tree = root.getroottree()
    return etree.tostring(
        tree,
        encoding=tree.docinfo.encoding or "UTF-8",
        xml_declaration=data.lstrip().startswith(b"<?xml"),
    )


def _remove_if_empty(
    relation: Element, listed: Element, markables: Mapping[str, Element]
) -> None:
    """Remove a relation that has no mention, and its instance if no other relation has it."""
    target = relation.find("target")
    related = relation.getparent()
    if related is None or target is None or relation.find("source") is not None:
        return
    instance = str(target.get("m_id"))
    related.remove(relation)
    if related.find(f"*/target[@m_id='{instance}']") is None:
        listed.remove(markables[instance])
