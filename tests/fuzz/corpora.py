"""ECB+: one document, a whole corpus as folder and as zip, the list of reviewed sentences."""

from __future__ import annotations

import io
import re
import zipfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from cdec.corpus import (
    LAYOUT,
    REVIEWED,
    Corpus,
    ParsedFile,
    Source,
    build,
    natural_key,
    open_source,
    pack,
    parse_file,
    reviewed_sentences,
)
from cdec.corpus.model import COLUMNS
from cdec.errors import CdecError
from tests.faults.inputs import DOCUMENT
from tests.fuzz.reader import Reader

_PLAIN = re.compile(r"(ECB\+/)?(\w[\w.]{0,30}/)?\w[\w.]{0,30}|" + REVIEWED)
BOMB = """<!DOCTYPE Document [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>"""
_MENTIONS = re.compile(r"<Markables>.*</Relations>", re.DOTALL)
BLOCK = "=== "  # begins a file in the text that represents a folder
LIST = "Topic,File,Sentence Number\n1,1ecb,0\n1,2ecbplus,1\n"
SECOND = DOCUMENT.replace('m_id="11"', 'm_id="7"').replace("fire", "")
TOKENS = (
    '<token t_id="3" sentence="1" number="0">a</token>', '<token_anchor t_id="1"/>', "<Markables>",
    "</Markables>", "<Relations>", "<INTRA_DOC_COREF", "<CROSS_DOC_COREF", ' note=""', ' m_id="',
    ' t_id="', '<source m_id="11"/>', '<target m_id="21"/>', "<HUMAN_PART_PER", "<!DOCTYPE x>",
    "<!-- -->", "<?p?>", "<![CDATA[", "]]>", "&lt;", "&#0;", "&#x1b;", 'xmlns="u"', "<a:b/>",
    "encoding='UTF-16'", "encoding='latin-1'", ' sentence="', "UNKNOWN_INSTANCE_TAG", "9" * 30,
)  # fmt: skip


def readers() -> list[Reader]:
    folder = f"{BLOCK}1/1_1ecb.xml\n{DOCUMENT}{BLOCK}1/1_2ecbplus.xml\n{SECOND}"
    bare = f"{BLOCK}1/1_1ecb.xml\n{_MENTIONS.sub('<Markables/>', DOCUMENT)}"
    loose = f"{BLOCK}1_1ecb.xml\n{DOCUMENT}"
    listed = f"{folder}{BLOCK}{REVIEWED}\n{LIST}"
    names = (BLOCK, "../", "2/2_1ecb.xml", "1/1_1ecb.xml", "ECB+/", f"{BLOCK}{REVIEWED}\n")
    zips = (
        _zip({"ECB+/1/1_1ecb.xml": DOCUMENT}, zipfile.ZIP_STORED),
        _zip({"1/1_1ecb.xml": DOCUMENT, REVIEWED: LIST}, zipfile.ZIP_DEFLATED),
        _zip({"1/1_1ecb.xml": DOCUMENT}, zipfile.ZIP_BZIP2),
        _zip({"1/1_1ecb.xml": DOCUMENT}, zipfile.ZIP_LZMA),
    )
    quoted = b'\xef\xbb\xbfTopic,File,"Sentence Number"\r\n"1",1ecb, 3\r\n\r\n'
    folders = _encoded(folder, listed, bare, loose)
    lists = (quoted, *_encoded(LIST, f"{LIST}1,1ecb,0\x1f\n", f"{LIST}1,1ecb,{'9' * 5000}\n"))
    documents = (
        DOCUMENT.encode(),
        SECOND.encode(),
        f"{BOMB}{DOCUMENT}".encode(),
        DOCUMENT.replace("UTF-8", "UTF-16").encode("utf-16"),
    )
    return [
        Reader("ecbplus-document", "1_1ecb.xml", _document, documents, TOKENS),
        Reader("corpus-folder", "folder.txt", _folder, folders, TOKENS + names),
        Reader("corpus-zip", "ecb.zip", _archive, zips, ("PK\x01\x02", "PK\x03\x04", "PK\x05\x06")),
        Reader("reviewed-list", REVIEWED, _list, lists, ("\n", '"', "9" * 30)),
    ]


def _encoded(*texts: str) -> tuple[bytes, ...]:
    return tuple(text.encode() for text in texts)


def _zip(files: dict[str, str], method: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def _document(path: Path) -> None:
    sound(parse_file(path.name, path.read_bytes()))


def sound(parsed: ParsedFile) -> None:
    document, ids = parsed.document, set()
    starts = [*document.sentence_starts, len(document.tokens)]
    for row in parsed.rows:
        assert row.id.startswith(f"{document.id}/") and row.id not in ids
        ids.add(row.id)
        assert list(row.tokens) == sorted(set(row.tokens))
        assert (row.tokens[0], row.tokens[-1]) == (row.start, row.end)
        assert row.start >= 0 and row.end < len(document.tokens)
        assert starts[row.sentence] <= row.start < starts[row.sentence + 1]
        assert row.text == " ".join(document.tokens[t] for t in row.tokens)
        assert row.chain.strip()


def _opened(path: Path) -> Source:
    """Return the corpus at ``path``; packed and opened again, it is the same."""
    source = open_source(path)
    packed = path.with_name("packed.zip")
    packed.write_bytes(pack(source))
    again = open_source(packed)
    assert (again.files, again.reviewed) == (source.files, source.reviewed)
    return source


def _archive(path: Path) -> None:
    _opened(path)


def _sound_corpus(made: Corpus) -> None:
    assert list(made.mentions.columns) == list(COLUMNS)
    assert made.mentions.index.is_unique
    assert set(made.mentions["doc"]) <= set(made.documents)
    assert len(made.gold) == len(made.selected)


def _folder(path: Path) -> None:
    """Read the files in the text at ``path``, from a zip (any names) and, once plain, a folder."""
    files = _blocks(path.read_bytes())
    zipped = path.with_suffix(".zip")
    with zipfile.ZipFile(zipped, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    with suppress(CdecError):
        _sound_corpus(build(_opened(zipped)))
    with TemporaryDirectory(dir=path.parent) as folder:
        _opened(folder_of(path, Path(folder)))


def folder_of(path: Path, folder: Path) -> Path:
    """Write the files in the text at ``path`` that have plain names into a folder; return it."""
    for name, content in _blocks(path.read_bytes()).items():
        if _PLAIN.fullmatch(name):
            file = folder / name
            with suppress(FileExistsError, IsADirectoryError, NotADirectoryError):  # "a" and "a/b"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
    return folder


def _blocks(data: bytes) -> dict[str, bytes]:
    pairs = [piece.partition(b"\n") for piece in data.split(BLOCK.encode())[1:]]
    named = [(head.decode("utf-8", "replace")[:100], body) for head, _, body in pairs]
    return {name.partition("\0")[0]: body for name, body in named if name.strip("\0")}


def _list(path: Path) -> None:
    source = Source(path, {}, path.read_bytes(), LAYOUT)
    entries = reviewed_sentences(source)
    for document, sentence in sorted(entries, key=lambda e: (natural_key(e[0]), e[1])):
        assert "_" in document and sentence >= 0
