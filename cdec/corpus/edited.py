"""Write a corrected ECB+: the original files, in which only what a correction changes differs.

A file without a change is a copy. Only event mentions are compared. An instance that no relation
has any more is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from cdec.corpus.editor import EditedFile
from cdec.corpus.model import EVENT, Corpus
from cdec.corpus.readers.ecbplus import CROSS_DOC, RELATIONS, read
from cdec.corpus.source import Source
from cdec.errors import CorpusError, FormatError
from cdec.files.input import how_to_write

_DIGITS = 17  # of the number of an instance, as in ACT15997717309956957


def save_edited(source: Source, corrected: Corpus, folder: Path) -> None:
    """Write the files of ``source`` with the key of ``corrected`` as a new folder, as released.

    The folder is complete or not written. Raises CorpusError as ``edited_files`` does, FormatError
    if the folder has files already, or cannot be written.
    """
    layout = source.format
    files = {f"{layout.folder}/{name}": data for name, data in edited_files(source, corrected)}
    if source.reviewed is not None:
        files[layout.reviewed] = source.reviewed
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


def edited_files(source: Source, corrected: Corpus) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each file of ``source``, with the key of ``corrected``.

    Raises CorpusError if ``corrected`` was not read from ``source``, or a file cannot be edited.
    """
    if source.format.name != "ecbplus" or corrected.digest != source.digest:
        message = f"'{corrected.name}' was not read from files of ECB+ here"
        hint = "--to ecbplus edits the files of ECB+: give its folder or zip"
        raise CorpusError("format-unsuitable", message, place=source.path, hint=hint)
    original = read(source)
    change = _Change(original, corrected, _numbers(source))
    names = {name.rpartition("/")[2].removesuffix(".xml"): name for name in source.files}
    edited = {names[doc] for doc in change.documents}
    for name, data in source.files.items():
        yield name, change.of(name, data) if name in edited else data


def _numbers(source: Source) -> Iterator[int]:
    """Return numbers for new relations: no relation of the corpus has them."""
    used = (re.findall(rb'r_id="(\d{1,9})"', data) for data in source.files.values())
    return count(1 + max((int(number) for numbers in used for number in numbers), default=0))


class _Change:
    """What differs between the key of the files and the corrected one, by document."""

    def __init__(self, original: Corpus, corrected: Corpus, numbers: Iterator[int]) -> None:
        self._old, self._new = (_events(corpus) for corpus in (original, corrected))
        self._numbers, self._labels = numbers, set(original.mentions["chain"].astype(str))
        # The relation of each mention: the label of a chain, '' for a mention without a relation.
        self._before = self._old["chain"].where(self._old["relation"] != "none", "")
        self._after = self._targets()
        self._descriptors = dict(zip(self._before, self._old["descriptor"], strict=True))
        ids = self._old.index.union(self._new.index, sort=False)
        old, new = self._old.reindex(ids), self._new.reindex(ids)
        same = (old["tokens"] == new["tokens"]) & (old["tag"] == new["tag"])
        differs = ~same | (self._before.reindex(ids) != self._after.reindex(ids))
        self.documents = set(old["doc"].where(old["doc"].notna(), new["doc"])[differs])

    def _targets(self) -> pd.Series[Any]:
        """Return the relation of each corrected mention: a label of the files, a new one, or ''.

        A chain keeps the label that most of its mentions have, and a label is kept once.
        """
        old = self._old[self._old["relation"] != "none"]
        old = old[["chain", "relation"]].rename(columns={"chain": "chain_old"})
        table = self._new[["doc", "chain"]].join(old)
        local = table.groupby("chain")["doc"].transform("nunique") == 1
        kept = table[
            (table["relation"] == RELATIONS[CROSS_DOC]) | local & table["relation"].notna()
        ]
        sizes = kept.groupby(["chain", "chain_old"], sort=False).size().reset_index(name="size")
        sizes["same"] = sizes["chain"] == sizes["chain_old"]
        ranked = sizes.sort_values(["size", "same"], ascending=False, kind="stable")
        names: dict[str, str] = {}
        taken: set[str] = set()
        for chain, label in ranked[["chain", "chain_old"]].itertuples(index=False, name=None):
            if chain not in names and label not in taken:
                names[chain] = label
                taken.add(label)
        for chain, rows in self._new.groupby("chain", sort=False):
            if chain not in names:
                names[str(chain)] = self._label(rows)
        return self._new["chain"].map(names)

    def _label(self, rows: pd.DataFrame) -> str:
        """Return the label of a new chain: '' for one mention, ``document/r1`` inside one."""
        if len(rows) == 1:
            return ""
        if len(set(rows["doc"])) == 1:
            return f"{rows['doc'].iloc[0]}/r{next(self._numbers)}"
        text = "|".join(sorted(map(str, rows.index)))
        while True:
            text = sha256(text.encode()).hexdigest()
            label = f"ACT{int(text, 16) % 10**_DIGITS:0{_DIGITS}d}"
            if label not in self._labels:
                self._labels.add(label)
                return label

    def of(self, name: str, data: bytes) -> bytes:
        """Return the bytes of a file with the corrected mentions and relations."""
        file = EditedFile(name, data)
        old, new = (table[table["doc"] == file.document] for table in (self._old, self._new))
        m_ids = {str(id_): str(id_).removeprefix(f"{file.document}/") for id_ in old.index}
        for id_ in old.index.difference(new.index, sort=False):
            file.cut(file.markables[m_ids[id_]])
        for id_, tag, tokens in new[["tag", "tokens"]].itertuples(name=None):
            if id_ not in m_ids:
                m_ids[str(id_)] = file.add_mention(tag, tokens)
            elif (tag, tokens) != (old["tag"][id_], old["tokens"][id_]):
                file.write_mention(m_ids[str(id_)], tag, tokens)
        before, after = (x.reindex(list(m_ids)).fillna("") for x in (self._before, self._after))
        tags = {m_ids[str(id_)]: tag for id_, tag in new["tag"].items()}
        joins: dict[str, list[str]] = {}
        for id_ in after.index[before != after]:
            joins.setdefault(after[id_], []).append(m_ids[id_])
        leaving = {m_id for m_ids in joins.values() for m_id in m_ids}
        joins.pop("", None)
        for relation in file.relations:
            file.relate(relation, leaving, joins.pop(file.label(relation), []))
        for label, sources in joins.items():
            descriptor = self._descriptors.get(label, "")
            file.add_chain(label, descriptor, tags[sources[0]], sources, self._numbers)
        return file.edited()


def _events(corpus: Corpus) -> pd.DataFrame:
    """Return the event mentions, with the columns that a correction may change."""
    columns = ["doc", "tokens", "tag", "chain", "relation", "descriptor"]
    return corpus.mentions.loc[corpus.mentions["kind"] == EVENT, columns].astype(object)
