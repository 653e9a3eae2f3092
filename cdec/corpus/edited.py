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

from cdec.corpus.model import EVENT, Corpus
from cdec.corpus.readers.ecbplus import CROSS_DOC, RELATIONS, read
from cdec.corpus.source import Source
from cdec.errors import CorpusError, FormatError
from cdec.files.input import integer

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
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        hint = "name a new folder, or remove this one first"
        raise FormatError("file-unwritable", "there are files already", place=folder, hint=hint)
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
    old, new = (
        corpus.mentions.loc[corpus.mentions["kind"] == EVENT, _COLUMNS].astype(object)
        for corpus in (read(source), corrected)
    )
    used = (re.findall(rb'r_id="(\d{1,9})"', data) for data in source.files.values())
    numbers = count(1 + max((int(number) for found in used for number in found), default=0))
    # The relation of each mention: the label of a chain, '' for a mention without a relation.
    old["label"] = old["chain"].where(old["relation"] != "none", "")
    new["label"] = _labels(old, new)
    descriptors = dict(zip(old["label"], old["descriptor"], strict=True))
    ids, compared = old.index.union(new.index, sort=False), ["tokens", "tag", "label"]
    one, two = old.reindex(ids), new.reindex(ids)
    differs = (one[compared] != two[compared]).any(axis=1)
    documents = set(one["doc"].fillna(two["doc"])[differs])
    for name, data in source:
        id_ = name.rpartition("/")[2].removesuffix(".xml")
        if id_ in documents:
            key = old[old["doc"] == id_], new[new["doc"] == id_]
            yield name, _edited_file(id_, data, key, descriptors, numbers)
        else:
            yield name, data


def _labels(old: pd.DataFrame, new: pd.DataFrame) -> pd.Series[Any]:
    """Return the relation of each corrected mention: a label of the files, a new one, or ''.

    A chain keeps the label that most of its mentions have, and a label is kept once; of a chain in
    several documents, that of a relation across documents.
    """
    table = new[["doc", "chain"]].join(old.loc[old["label"] != "", ["label", "relation"]])
    local = table.groupby("chain")["doc"].transform("nunique") == 1
    kept = table[(table["relation"] == RELATIONS[CROSS_DOC]) | (local & table["label"].notna())]
    sizes = kept.groupby(["chain", "label"], sort=False).size().reset_index(name="size")
    sizes["same"] = sizes["chain"] == sizes["label"]
    ranked = sizes.sort_values(["size", "same"], ascending=False, kind="stable")
    best = ranked.drop_duplicates("label").drop_duplicates("chain")
    names = dict(zip(best["chain"], best["label"], strict=True))
    for chain, rows in new.groupby("chain", sort=False):
        digest = int(sha256("|".join(sorted(map(str, rows.index))).encode()).hexdigest(), 16)
        own = f"ACT{digest % 10**_DIGITS:0{_DIGITS}d}" if len(rows) > 1 else ""
        names.setdefault(str(chain), own)
    return new["chain"].map(names)


def _edited_file(
    id_: str,
    data: bytes,
    key: tuple[pd.DataFrame, pd.DataFrame],
    descriptors: Mapping[str, str],
    numbers: Iterator[int],
) -> bytes:
    """Return a file with the mentions of the second key instead of the first; all else stays."""
    from lxml import etree  # noqa: PLC0415

    old, new = key

    def add(parent: Element, tag: str, **about: str) -> Element:
        element: Element = etree.SubElement(parent, tag, about)
        element.tail, parent.text = "\n", parent.text or "\n"
        return element

    parser = etree.XMLParser(resolve_entities=False, no_network=True, strip_cdata=False)
    root: Any = etree.fromstring(data, parser)
    t_ids = [str(token.get("t_id")) for token in root.iterchildren("token")]
    listed, related = root.find("Markables"), root.find("Relations")
    related = add(root, "Relations") if related is None else related
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
            elements[name] = add(listed, tag, m_id=str(next(m_ids)))
        elif (tag, tokens) == (old.loc[name, "tag"], old.loc[name, "tokens"]):
            continue
        elements[name].tag = tag
        elements[name][:] = []
        for token in tokens:
            add(elements[name], "token_anchor", t_id=t_ids[token])
    ids = new.index.union(old.index, sort=False)
    before, after = (table["label"].reindex(ids, fill_value="") for table in (old, new))
    for name in ids[before != after]:
        m_id, label = str(elements[name].get("m_id")), after[name]
        for mention in root.findall(f"Relations/*/source[@m_id='{m_id}']"):
            mention.getparent().remove(mention)
        if label and label not in relations:
            about = {"RELATED_TO": "", "TAG_DESCRIPTOR": descriptors.get(label, "")}
            instance = str(next(m_ids))
            tag = str(elements[name].tag)
            markables[instance] = add(listed, tag, m_id=instance, **about, instance_id=label)
            relations[label] = add(related, CROSS_DOC, r_id=str(next(numbers)), note=label)
            add(relations[label], "target", m_id=instance)
        if label:
            relations[label].insert(0, add(relations[label], "source", m_id=m_id))
    for label in {*before, *after} - {""}:
        target = relations[label].find("target")
        if target is not None and relations[label].find("source") is None:
            instance = str(target.get("m_id"))
            related.remove(relations[label])
            if related.find(f"*/target[@m_id='{instance}']") is None:
                listed.remove(markables[instance])
    tree = root.getroottree()
    return etree.tostring(
        tree,
        encoding=tree.docinfo.encoding or "UTF-8",
        xml_declaration=data.lstrip().startswith(b"<?xml"),
    )
