"""Write a corrected ECB+: the original files, in which only what a correction changes differs.

A file without a change is a copy. Only event mentions are compared. An instance that no relation
has any more is left out.
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

from cdec.corpus.model import EVENT, Corpus
from cdec.corpus.readers.ecbplus import CROSS_DOC, INTRA_DOC, RELATIONS, read
from cdec.corpus.source import Source
from cdec.errors import CorpusError, FormatError
from cdec.files.input import how_to_write, integer

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_DIGITS = 17  # of the number of an instance, as in ACT15997717309956957
_COLUMNS = ["doc", "tokens", "tag", "chain", "relation", "descriptor"]


def save_edited(source: Source, corrected: Corpus, folder: Path) -> None:
    """Write the files of ``source`` with the key of ``corrected`` as a new folder, as released.

    The folder is complete or not written. Raises CorpusError if ``corrected`` was not read from
    ``source``, FormatError if the folder has files already, or cannot be written.
    """
    form = source.format
    if form.name != "ecbplus" or corrected.digest != source.digest:
        message = f"'{corrected.name}' was not read from files of ECB+ here"
        hint = "--to ecbplus edits the files of ECB+: give its folder or zip"
        raise CorpusError("format-unsuitable", message, place=source.path, hint=hint)
    files = {f"{form.folder}/{name}": data for name, data in _edited(source, corrected)}
    if source.reviewed is not None:
        files[form.reviewed] = source.reviewed
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as temporary:
            part = Path(temporary) / "part"
            for name, data in files.items():
                (part / name).parent.mkdir(parents=True, exist_ok=True)
                (part / name).write_bytes(data)
            part.replace(folder)
    except OSError as error:
        message, hint = f"cannot write: {error.strerror}", how_to_write(error)
        raise FormatError("file-unwritable", message, place=folder, hint=hint) from None


def _edited(source: Source, corrected: Corpus) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each file, with the key of ``corrected``."""
    old, new = (
        corpus.mentions.loc[corpus.mentions["kind"] == EVENT, _COLUMNS].astype(object)
        for corpus in (read(source), corrected)
    )
    used = (re.findall(rb'r_id="(\d{1,9})"', data) for data in source.files.values())
    numbers = count(1 + max((int(number) for found in used for number in found), default=0))
    # The relation of each mention: the label of a chain, '' for a mention without a relation.
    old["label"] = old["chain"].where(old["relation"] != "none", "")
    new["label"] = _labels(old, new, numbers)
    descriptors = dict(zip(old["label"], old["descriptor"], strict=True))
    ids, compared = old.index.union(new.index, sort=False), ["tokens", "tag", "label"]
    one, two = old.reindex(ids), new.reindex(ids)
    differs = (one[compared] != two[compared]).any(axis=1)
    documents = set(one["doc"].fillna(two["doc"])[differs])
    for name, data in source.files.items():
        id_ = name.rpartition("/")[2].removesuffix(".xml")
        if id_ in documents:
            before, after = (table[table["doc"] == id_] for table in (old, new))
            yield name, _File(id_, data, numbers).edited(before, after, descriptors)
        else:
            yield name, data


def _labels(old: pd.DataFrame, new: pd.DataFrame, numbers: Iterator[int]) -> pd.Series[Any]:
    """Return the relation of each corrected mention: a label of the files, a new one, or ''.

    A chain keeps the label that most of its mentions have, and a label is kept once; of a chain in
    several documents, that of a relation across documents. A new chain in one document is named
    ``document/r1``.
    """
    table = new[["doc", "chain"]].join(old.loc[old["label"] != "", ["label", "relation"]])
    local = table.groupby("chain")["doc"].transform("nunique") == 1
    kept = table[(table["relation"] == RELATIONS[CROSS_DOC]) | (local & table["label"].notna())]
    sizes = kept.groupby(["chain", "label"], sort=False).size().reset_index(name="size")
    sizes["same"] = sizes["chain"] == sizes["label"]
    ranked = sizes.sort_values(["size", "same"], ascending=False, kind="stable")
    names: dict[str, str] = {}
    for chain, label in zip(ranked["chain"], ranked["label"], strict=True):
        if chain not in names and label not in names.values():
            names[chain] = label
    for chain, rows in new.groupby("chain", sort=False):
        if chain in names:
            continue
        digest = sha256("|".join(sorted(map(str, rows.index))).encode()).hexdigest()
        name = f"ACT{int(digest, 16) % 10**_DIGITS:0{_DIGITS}d}" if len(rows) > 1 else ""
        if len(rows) > 1 and len(set(rows["doc"])) == 1:
            name = f"{rows['doc'].iloc[0]}/r{next(numbers)}"
        names[str(chain)] = name
    return new["chain"].map(names)


class _File:
    """A file of ECB+, whose elements are edited; its other elements and its text stay."""

    def __init__(self, id_: str, data: bytes, numbers: Iterator[int]) -> None:
        from lxml import etree  # noqa: PLC0415

        parser = etree.XMLParser(resolve_entities=False, no_network=True, strip_cdata=False)
        self._etree: Any = etree
        self._id, self._numbers = id_, numbers
        self._root = etree.fromstring(data, parser)
        self._declared = data.lstrip().startswith(b"<?xml")
        self._t_ids = [str(token.get("t_id")) for token in self._root.iterchildren("token")]
        listed, *related = self._root.iterchildren("Markables", "Relations")
        self._list: Element = listed
        self._related: Element = related[0] if related else self._add(self._root, "Relations", {})
        self._m_ids = count(
            1 + max(integer(str(el.get("m_id"))) for el in listed.iterchildren("*"))
        )

    def edited(self, old: pd.DataFrame, new: pd.DataFrame, descriptors: dict[str, str]) -> bytes:
        """Return the file with the mentions of ``new`` instead of those of ``old``."""
        # The id of a new mention may be that of an instance.
        markables = {f"{self._id}/{el.get('m_id')}": el for el in self._list.iterchildren("*")}
        elements = {str(id_): markables[id_] for id_ in old.index}
        for id_ in old.index.difference(new.index, sort=False):
            self._remove(elements[id_])
        for id_, tag, tokens in zip(new.index, new["tag"], new["tokens"], strict=True):
            if id_ not in elements:
                elements[id_] = self._add(self._list, tag, {"m_id": str(next(self._m_ids))})
            elif (tag, tokens) == (old.loc[id_, "tag"], old.loc[id_, "tokens"]):
                continue
            mention = elements[id_]
            mention.tag = tag
            mention[:] = []
            for token in tokens:
                self._add(mention, "token_anchor", {"t_id": self._t_ids[token]})
        after = new["label"].reindex(new.index.union(old.index, sort=False), fill_value="")
        relations = {self._label(el): el for el in self._related.iterchildren("*")}
        for id_ in after.index[old["label"].reindex(after.index, fill_value="") != after]:
            m_id, label = str(elements[id_].get("m_id")), after[id_]
            for source in self._related.findall(f"*/source[@m_id='{m_id}']"):
                self._remove(source)
            if label and label not in relations:
                tag = str(elements[id_].tag)
                relations[label] = self._relation(label, descriptors.get(label, ""), tag)
            if label:
                self._add(relations[label], "source", {"m_id": m_id}, first=True)
        for label in {*old["label"], *new["label"]} - {""}:
            relation = relations[label]
            target = relation.find("target")
            if target is not None and relation.find("source") is None:
                m_id = str(target.get("m_id"))
                self._remove(relation)
                if self._related.find(f"*/target[@m_id='{m_id}']") is None:
                    self._remove(markables[f"{self._id}/{m_id}"])
        encoding = self._root.getroottree().docinfo.encoding or "UTF-8"
        tree, declared = self._root.getroottree(), self._declared
        data: bytes = self._etree.tostring(tree, encoding=encoding, xml_declaration=declared)
        return data

    def _label(self, relation: Element) -> str:
        """Return the label of the chain of a relation, as the reader has it."""
        local = f"{self._id}/r{relation.get('r_id')}"
        return str(relation.get("note")) if relation.tag == CROSS_DOC else local

    def _relation(self, label: str, descriptor: str, tag: str) -> Element:
        """Add the instance of a chain, and a relation to it without mentions."""
        m_id, number = str(next(self._m_ids)), label.removeprefix(f"{self._id}/r")
        about = {"m_id": m_id, "RELATED_TO": "", "TAG_DESCRIPTOR": descriptor}
        if number != label:
            self._add(self._list, tag, about)
            relation = self._add(self._related, INTRA_DOC, {"r_id": number})
        else:
            self._add(self._list, tag, {**about, "instance_id": label})
            named = {"r_id": str(next(self._numbers)), "note": label}
            relation = self._add(self._related, CROSS_DOC, named)
        self._add(relation, "target", {"m_id": m_id})
        return relation

    def _add(
        self, parent: Element, tag: str, about: Mapping[str, str], *, first: bool = False
    ) -> Element:
        """Add an element to its parent, in a line of its own."""
        element: Element = self._etree.Element(tag, dict(about))
        element.tail = "\n"
        parent.text = parent.text or "\n"
        parent.insert(0 if first else len(parent), element)
        return element

    def _remove(self, element: Element) -> None:
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)
