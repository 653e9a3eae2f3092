"""Each fault of each kind of file: exit code, error code and place; never a traceback."""

from __future__ import annotations

import codecs
import gzip
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as examples
from hypothesis import strategies as st

import cdec as package
from cdec import errors, formats
from tests import tiny_files as tiny
from tests.cases import cases, refused
from tests.program import Ran, Run
from tests.tiny_files import given

Damage: TypeAlias = Callable[[Path], object]
At: TypeAlias = Callable[[str], "Desk"]
Write: TypeAlias = Callable[[str, object], Ran]
GIVEN = cases("fault_doors")
FILES = {f"corpus/ECB+/1/1_{n}ecb.xml": tiny.ECBPLUS for n in (1, 2)}


@dataclass(frozen=True)
class Door:
    """A kind of file: its name and valid content, the call that reads it, and its exit code."""

    file: str
    content: str | bytes
    call: str
    code: int = 1

    @property
    def data(self) -> bytes:
        return self.content.encode() if isinstance(self.content, str) else self.content


OF_CORPORA: dict[str, str | bytes] = {
    "XML": tiny.ECBPLUS,
    "zip": tiny.packed({f"ECB+/1/1_{n}ecb.xml": tiny.ECBPLUS for n in (1, 2)}),
    "sentences": tiny.REVIEWED.replace("Topic", "Tópic"),
    "GVC": tiny.GVC,
    "FCC-T": tiny.FCCT_SPANS,
    "MEANTIME": tiny.MEANTIME,
    "WEC": tiny.wec({}),
}
DOORS = {
    name: Door(**{"content": OF_CORPORA.get(name, ""), **door})
    for name, door in GIVEN["doors"].items()
}
KEY = str(DOORS["JSON Lines"].content)
CORPUS = str(DOORS["corpus"].content)


class Desk:
    """A folder with the file of a door and all other files of its call."""

    def __init__(self, folder: Path, door: Door, run: Run) -> None:
        self.folder, self.door, self.run = folder, door, run
        others = {"key.jsonl": KEY, "texts/a.txt": "Aña spread.", "brat/m.txt": "Aña spread."}
        for name, text in {**FILES, **others, "out/result": "before"}.items():
            given(folder, name, text)
        given(folder, door.file, door.data)
        self.file = folder / door.file

    def call(self) -> Ran:
        names = {name: self.folder / name for name in ("corpus", "texts", "brat")}
        names |= {
            "file": self.file,
            "key": self.folder / "key.jsonl",
            "out": self.folder / "out" / "result",
        }
        return self.run(*(part.format_map(names) for part in self.door.call.split()))

    def refused(self, ran: Ran, code: str, place: str = "") -> None:
        """One line with code and place, the exit code of the door, and no output changed."""
        assert (ran.exit, ran.error) == (self.door.code, code), ran.err
        assert place in ran.said, ran.said
        assert ran.out == ""
        assert "Traceback" not in ran.err
        assert [path.name for path in (self.folder / "out").iterdir()] == ["result"]
        assert (self.folder / "out" / "result").read_text() == "before"


@pytest.fixture
def desk(tmp_path: Path, cdec: Run) -> At:
    return lambda name: Desk(tmp_path, DOORS[name], cdec)


# Faults of a file as a whole.


def rewritten(change: Callable[[bytes], bytes]) -> Damage:
    return lambda path: path.write_bytes(change(path.read_bytes()))


def encoded(encoding: str) -> Damage:
    """Text in another encoding; binary content the other way round."""

    def change(data: bytes) -> bytes:
        try:
            return data.decode().encode(encoding)
        except UnicodeDecodeError:
            return data[::-1]

    return rewritten(change)


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def link_to(target: str) -> Damage:
    def link(path: Path) -> None:
        path.unlink()
        path.symlink_to(target.format(path.name))

    return link


FAULTS: dict[str, Damage] = {
    "sound": lambda _: None,
    "missing": Path.unlink,
    "empty": rewritten(lambda _: b""),
    "folder": folder_instead,
    "UTF-16": encoded("utf-16"),
    "Latin-1": encoded("latin-1"),
    "NUL": rewritten(lambda data: data[:-9] + b"\0" + data[-9:]),
    "byte-order mark": rewritten(lambda data: codecs.BOM_UTF8 + data),
    "gzip": rewritten(gzip.compress),
    "another file": rewritten(lambda _: b"%PDF-1.7 of something else\n"),
    "loop": link_to("{}"),
    "read error": link_to("/proc/self/mem"),
}

# Doors of corpora by path.
PATHS = ("zip", "GVC", "FCC-T", "CoNLL corpus", "MEANTIME", "WEC", "corpus", "added corpus")
# Opened as CoNLL and CSV are.
OTHERS = ("JSON", "ids", "ids with sentence")
WHOLE = [door for door in DOORS if door not in OTHERS]


def codes(fault: str) -> dict[str, str]:
    """Door → code; '' where the file is accepted."""
    others = dict(GIVEN["faults"][fault])
    found = dict.fromkeys(WHOLE, others.pop("usual"))
    return found | {door: code for code, doors in others.items() for door in doors}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_kind_of_file_with_every_fault(fault: str, tmp_path: Path, cdec: Run) -> None:
    found = {}
    for name in WHOLE:
        desk = Desk(tmp_path / name, DOORS[name], cdec)
        FAULTS[fault](desk.file)
        ran = desk.call()
        found[name] = ran.error
        if ran.error:
            desk.refused(ran, ran.error, desk.file.name)
        else:
            assert (ran.exit, ran.err) == (0, ""), name
    assert found == codes(fault)


@pytest.mark.parametrize("name", ["CoNLL", "CSV", "GVC", "corpus", "topics"])
def test_a_cut_gzip_is_refused(desk: At, name: str) -> None:
    damaged = desk(name)
    rewritten(lambda data: gzip.compress(data)[:-9])(damaged.file)
    ran = damaged.call()
    damaged.refused(ran, ran.error, damaged.file.name)


# Faults inside a file: faults.toml says which.

CONTENT = cases("faults")
LARGE = {
    "%LONG%": "9" * 5000, "%DEEP%": "[" * 100_000, "%BRACKETS%": "(" * 100_000,
    "%TAGS%": "<a>" * 1000, "%NAME%": "x" * 10**6, "%FIELD%": "x" * 200_000,
    "%PAGE%": "x" * 300_000,
}  # fmt: skip
INSIDE = [(door, name) for door, faults in CONTENT.items() for name in faults if name != "code"]


@pytest.mark.parametrize(("door", "name"), INSIDE)
def test_a_fault_inside_a_file(desk: At, door: str, name: str) -> None:
    old, new, place, *code = CONTENT[door][name]
    for sign, large in LARGE.items():
        new = new.replace(sign, large)
    damaged = desk(door)
    text = damaged.file.read_text("utf-8")
    assert old in text
    damaged.file.write_text(text.replace(old, new, 1) if old else new, "utf-8")
    ran = damaged.call()
    damaged.refused(ran, code[0] if code else CONTENT[door]["code"], place)
    assert len(ran.said) < 3000
    assert ran.said.isprintable()


# Files that expand, or have no end.

ENTITIES = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
BOMB = f'<!DOCTYPE Document [<!ENTITY a0 "{"x" * 1000}">{ENTITIES}]><Document '
FOREIGN = '<!DOCTYPE Document [<!ENTITY a SYSTEM "file:///etc/passwd">]><Document '


def in_xml(doctype: str, old: str, new: str, encoding: str = "utf-8") -> Damage:
    text = tiny.ECBPLUS.replace("<Document ", doctype).replace(old, new)
    return lambda path: path.write_bytes(text.replace("UTF-8", encoding).encode(encoding))


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**29 + 1)


def lying(path: Path) -> None:
    """A zip with a file of 16 MB that, by its headers, has 100 bytes."""
    data = bytearray(tiny.packed({"ECB+/1/1_1ecb.xml": bytes(2**24)}))
    for header, at in ((0, 22), (data.rindex(b"PK\1\2"), 24)):
        data[header + at : header + at + 4] = (100).to_bytes(4, "little")
    path.write_bytes(data)


def zip_of(name: str, content: str = tiny.ECBPLUS, mode: int = 0) -> Damage:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, content)

    return write


BOMBS: dict[str, tuple[str, Damage, str]] = {
    "entities": ("XML", in_xml(BOMB, ">spread", ">&a11;"), "corpus-invalid"),
    "a file elsewhere": (
        "XML",
        in_xml(FOREIGN, ">spread", ">&a;", "UTF-16"),
        "corpus-invalid",
    ),
    "too large": ("XML", sparse, "file-too-large"),
    "a size that lies": ("zip", lying, "corpus-invalid"),
    "split without end": ("split", link_to("/dev/zero"), "file-too-large"),
    "above the folder": ("zip", zip_of("../1_1ecb.xml"), "corpus-invalid"),
    "a link": (
        "zip",
        zip_of("ECB+/1/1_1ecb.xml", "/etc/passwd", stat.S_IFLNK | 0o777),
        "corpus-invalid",
    ),
    "another content": ("zip", zip_of("readme.txt"), "corpus-invalid"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_or_a_malicious_archive(desk: At, name: str) -> None:
    door, make, code = BOMBS[name]
    damaged = desk(door)
    make(damaged.file)
    damaged.refused(damaged.call(), code)
    assert not list(damaged.folder.glob("**/passwd"))


# Output that cannot be written.

WRITERS = GIVEN["writers"]


@pytest.fixture
def write(tmp_path: Path, cdec: Run) -> Write:
    for name, content in {**FILES, "key.jsonl": KEY, "deep/kept": "before"}.items():
        given(tmp_path, name, content)
    names = {"key": tmp_path / "key.jsonl", "corpus": tmp_path / "corpus"}
    return lambda command, out: cdec(*WRITERS[command].format(**names, out=out).split())


@pytest.mark.parametrize("command", WRITERS)
def test_output_that_cannot_be_written(write: Write, tmp_path: Path, command: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for target in (tmp_path / "nowhere" / "out", tmp_path / "deep", tmp_path / "loop", "/dev/full"):
        ran = write(command, target)
        assert (ran.exit, ran.error, ran.out) == (1, "file-unwritable", "")
        assert str(target).removesuffix("/out") in ran.said
        assert "Traceback" not in ran.err
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["kept"]
    assert Path("/dev/full").is_char_device()
    assert write(command, "/dev/null").exit == 0
    assert Path("/dev/null").is_char_device()


def test_output_that_is_an_input(cdec: Run, tmp_path: Path) -> None:
    key, corpus = given(tmp_path, "key.jsonl", KEY), given(tmp_path, "a.jsonl", CORPUS)
    for call in (
        ("score", key, key, "--scope", "document", "-o", key),
        ("corpus", "export", "--from", corpus, "--split", "all", "-o", corpus),
    ):
        ran = cdec(*call)
        assert (ran.exit, ran.error) == (2, "file-unwritable")
    assert (key.read_text(), corpus.read_text()) == (KEY, CORPUS)


def test_a_full_disk_behind_standard_output(tmp_path: Path) -> None:
    key = given(tmp_path, "key.jsonl", KEY)
    call = [sys.executable, "-m", "cdec", "score", str(key), str(key), "--scope", "document", "-v"]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 1
    assert "error[file-unwritable]" in ran.stderr
    assert "Traceback" not in ran.stderr


# Any bytes: an error of its own, or a result.

READ = (
    "CoNLL", "CoNLL-U", "JSON Lines", "documents", "CSV", "JSON", "ids", "in sentences",
    "ids with sentence",
)  # fmt: skip
LOADED = ("XML", "sentences", *PATHS)


def opened(name: str, folder: Path, file: Path) -> None:
    """Read a file by the door of Python."""
    corpus = folder / "corpus"
    if name in LOADED:
        package.load_corpus(str(corpus if DOORS[name].file.startswith("corpus/") else file))
    elif name == "split":
        package.load_corpus(str(corpus), f"{file}/dev")
    elif name == "topics":
        package.score(folder / "key.jsonl", folder / "key.jsonl", setting="pure", topics=file)
    else:
        found = formats.read(file)
        for format_ in (
            *("conll", "jsonl", "documents", "csv", "tsv", "json"),
            *("conllu", "crac", "crac-json"),
        ):
            with suppress(errors.CdecError):
                formats.write(found, StringIO(), format_)
        with suppress(errors.CdecError):
            package.evaluate(package.load_corpus(str(corpus)), file, setting="simple")
        package.score(file, file, scope="corpus", policy=package.FilePolicy(allow_empty=True))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz")
    for name, content in {**FILES, "key.jsonl": KEY}.items():
        given(folder, name, content)
    return folder


@pytest.mark.parametrize("name", [*READ, *LOADED, "split", "topics"])
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@examples(data=st.data())
def test_any_bytes_are_an_error_or_a_result(name: str, base: Path, data: st.DataObject) -> None:
    content = bytearray(DOORS[name].data)
    pieces = st.sampled_from(GIVEN["pieces"]).map(str.encode) | st.binary(max_size=4)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 6))] = data.draw(pieces)
    file = given(base, DOORS[name].file, bytes(content))
    try:
        opened(name, base, file)
    except errors.CdecError as error:
        assert error.code != "internal-error"
        assert str(error).isprintable()
    finally:
        file.unlink()
        for intact, text in FILES.items():
            given(base, intact, text)


# A scalar or an empty container where another value is expected.

SCALARS = ("1", "true", "null", '"x"', "0.5")
CONTAINERS = ("[]", "[1]", "{}", '{"decisions": 1}', '{"about": {}}')


@pytest.mark.parametrize("text", (*SCALARS, *CONTAINERS))
def test_decisions_that_are_no_decisions_are_refused(cdec: Run, tmp_path: Path, text: str) -> None:
    cases, decisions = tmp_path / "cases.jsonl", given(tmp_path, "x.json", text)
    part = ("--corpus", "sample")
    assert cdec("audit", "run", *part, "--detector", "duplicate", "-o", cases).exit == 0
    for more in ((), ("--list", cases)):
        ran = cdec("audit", "apply", decisions, *more, *part, "-o", tmp_path / "p.json")
        code = "option-conflict" if ran.exit == 2 else "file-invalid"
        assert ran.error == code
        assert "x.json" in ran.said
    ran = cdec("audit", "report", decisions, "--list", cases, *part)
    assert (ran.exit, ran.error, "x.json" in ran.said) == (1, "file-invalid", True)


def test_a_corpus_without_any_label_has_no_mentions(cdec: Run, tmp_path: Path) -> None:
    rows = "".join(f"1/d\t0\t{at}\tw\t-\n" for at in range(3))
    text = f"#begin document (1/d); part 000\n{rows}\n#end document\n"
    folder = given(tmp_path, "nl/meantime.conll", text).parent
    for call in (("corpus", "stats", "--corpus"), ("corpus", "add")):
        more = ("--name", "mine") if "add" in call else ("--format", "json")
        assert cdec(*call, folder, *more).exit == 0
    ran = cdec("eval", "lemma", "--corpus", folder)
    assert (ran.exit, ran.error) == (1, "part-too-small")


@pytest.mark.parametrize("value", [1, 0.5, True, b"x", object()])
def test_a_scalar_at_a_door_of_python_is_refused(value: object) -> None:
    key = {"d/0-0": "x", "d/1-1": "x"}
    calls: list[Callable[..., object]] = [
        lambda odd: package.score(key, key, setting="pure", topics=odd),
        package.Clustering.from_chains,
        lambda odd: package.Clustering.from_chains([odd]),
        package.load_corpus,
        lambda odd: package.load_corpus("sample", odd),
        lambda odd: package.load_corpus("sample", key_patch=odd),
    ]
    for call in calls:
        with refused("argument-invalid"):
            call(value)


def test_an_audit_of_a_part_without_unmarked_words_is_no_bug(cdec: Run) -> None:
    call = ("audit", "run", "--corpus", "sample", "--split", "train", "--detector", "unmarked")
    assert cdec(*call).error in {"", "part-too-small"}
