"""The files of the corpus formats of cdec: by them a source is recognised.

The reader of a format is imported only if a source has a file of its layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from operator import itemgetter
from pathlib import Path, PurePosixPath

from cdec.errors import CorpusError
from cdec.files.input import FileKind

LARGEST = 2**29  # bytes of a corpus; ECB+ has 29 MB: a larger zip is probably a bomb


@dataclass(frozen=True)
class Layout:
    """The file layout of a corpus format, and its names in messages.

    The files of the corpus are those whose path matches one of ``patterns`` (of ``fnmatch``),
    from the folder of the corpus: ``*/*.xml`` is every XML file in a sub-folder, ``*.jsonl`` every
    such file in the folder itself, which may then also be given as the corpus. ``expected``
    describes them in messages. ``name`` is the registered name of the format, ``title`` its name in
    messages, ``release`` the corpus to suggest. The files may be in ``folder``, or in the zip
    ``archive``; ``reviewed`` is the file that lists the fully reviewed sentences. ``largest`` is
    the limit in bytes for all files together.
    """

    name: str
    title: str
    patterns: tuple[str, ...]
    expected: str
    release: str = ""
    folder: str = ""
    archive: str = ""
    reviewed: str = ""
    largest: int = LARGEST

    def named(self, path: PurePosixPath) -> str | None:
        """Return the name in the corpus of the file at ``path``; None if it is not part of it."""
        for pattern in self.patterns:
            parts = path.parts[-1 - pattern.count("/") :]
            if len(parts) == 1 + pattern.count("/") and fnmatchcase("/".join(parts), pattern):
                return "/".join(parts)
        return None

    @cached_property
    def document(self) -> FileKind:
        """The kind of file of a document."""
        name = f"a document in {self.title} format"
        hint = "check the path"
        return FileKind(name, CorpusError, "corpus-file-invalid", hint, self.largest)

    @cached_property
    def sentence_list(self) -> FileKind:
        """The kind of file of the list of reviewed sentences."""
        hint = f"get {self.reviewed} again, or remove it"
        return FileKind(
            "a list of reviewed sentences", CorpusError, "table-invalid", hint, self.largest
        )

    def check_sizes(self, place: Path, sizes: Iterable[tuple[object, int]]) -> None:
        """Raise CorpusError if all files together are too large.

        ``sizes`` has the name and size of each file, ``place`` is their folder. The message names
        the file that is too large alone, else the folder.
        """
        sizes = list(sizes)
        total = sum(size for _, size in sizes)
        if total > self.largest:
            message = f"the files are too large for a corpus in {self.title} format: {total:,} B"
            hint = f"check that this is a corpus in {self.title} format"
            name, size = max(sizes, key=itemgetter(1))
            where = name if size > self.largest else place
            raise CorpusError("file-too-large", message, place=where, hint=hint)


_PARTS = ("train", "dev", "test")
_OWN = (
    Layout(
        name="ecbplus",
        title="ECB+",
        patterns=("*/*.xml",),
        expected="<topic>/<topic>_<number>ecb.xml, as in the release",
        release="ECB+ 1.0",
        folder="ECB+",
        archive="ECB+.zip",
        reviewed="ECBplus_coreference_sentences.csv",
    ),
    Layout(
        name="gvc",
        title="GVC",
        patterns=("gold*.conll", "*doc_to_event.csv"),
        expected="gold.conll of the corpus, and gvc_doc_to_event.csv beside it",
        release="the Gun Violence Corpus",
    ),
    Layout(
        name="meantime",
        title="MEANTIME",
        patterns=tuple(
            f"{folder}{name}"
            for name in ("meantime.conll", "event_mentions.json")
            for folder in ("*/", "")
        ),
        expected="meantime.conll and event_mentions.json, in one folder or one for each language",
        release="MEANTIME",
    ),
    Layout(
        name="fcc-t",
        title="FCC-T",
        patterns=("*.conll", "*.conll.gz"),
        expected="the masked test key (8 columns), or the test key as spans",
        release="FCC-T",
    ),
    Layout(
        name="cd2cr",
        title="CD²CR",
        patterns=tuple(f"{part}{end}" for end in (".conll", "_entities.json") for part in _PARTS),
        expected="train.conll, dev.conll or test.conll of the corpus",
        release="CD²CR",
    ),
    Layout(
        name="wec",
        title="WEC",
        patterns=("*Event_gold_mentions*.json",),
        expected="Event_gold_mentions.json, with one record for each mention",
        release="WEC-Eng",
    ),
    Layout(
        name="ucdcr",
        title="uCDCR",
        patterns=(
            *("*all_documents.parquet", "*all_mentions.parquet"),
            *("*/*_mentions.json", "*_mentions.json"),
        ),
        expected="all_documents.parquet and all_mentions.parquet, or event_mentions.json",
        release="a corpus in the format of uCDCR",
    ),
    Layout(
        name="jsonl",
        title="cdec JSON Lines",
        patterns=("*.jsonl", "*.jsonl.gz"),
        expected='one file whose first line is {"record": "corpus", …}',
        largest=2**32,  # unpacked: a corpus a hundred times as large as ECB+ has about 2 GB
    ),
    Layout(
        name="conll",
        title="CoNLL",
        patterns=("*.conll", "*.conll.gz", "*_conll"),
        expected="a key in CoNLL-2012 or in the eight columns of Cattan et al.",
    ),
)
LAYOUTS: Mapping[str, Layout] = {layout.name: layout for layout in _OWN}
"""Format → its layout, in the order in which they are tried: the most specific first."""
