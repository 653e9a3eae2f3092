"""Files that grow when they are read, or do not end: refused within bounds of memory and time."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran
from tests.faults.conftest import Desk, SetUp
from tests.faults.inputs import DOCUMENT, INPUTS, packed

# Of the process: what cdec needs for itself is some 300 MB.
MEGABYTES = 1200
# Keeps the machine of the tests alive, should a bound not hold: seconds, and kB of addresses.
LIMITED = ["bash", "-c", 'ulimit -t 60 -v 4194304; exec "$@"', "-"]
ENTITIES = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
DOCTYPE = f'<!DOCTYPE Document [<!ENTITY a0 "{"x" * 1000}">{ENTITIES}]><Document '
BOMB = DOCUMENT.replace("<Document ", DOCTYPE).replace(">spread", ">&a11;")
IN_ATTRIBUTE = BOMB.replace('doc_id="D1"', 'doc_id="&a11;"')
FOREIGN = '<!DOCTYPE Document [<!ENTITY a SYSTEM "file:///etc/passwd">]><Document '


def _utf16(text: str) -> bytes:
    return text.replace("UTF-8", "UTF-16").encode("utf-16")


def _zip_of_zeros(path: Path) -> None:
    path.write_bytes(packed({"1/1_1ecb.xml": bytes(10**8)}))


def _model_of_zeros(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.npy", bytes(10**8))


def _without_end(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _written(content: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(content)

    return write


BOMBS: dict[tuple[str, str], tuple[Callable[[Path], None], str]] = {
    ("XML", "entities"): (_written(BOMB.encode()), "a document type definition"),
    ("XML", "entities in UTF-16"): (_written(_utf16(BOMB)), "not well-formed"),
    ("XML", "entities in an attribute"): (_written(_utf16(IN_ATTRIBUTE)), "not well-formed"),
    ("XML", "a foreign file"): (
        _written(_utf16(DOCUMENT.replace("<Document ", FOREIGN).replace(">spread", ">&a;"))),
        "a document type definition",
    ),
    ("XML", "as large as may be"): (
        _written(b"<Document>" + b"<a/>" * (2**22 - 10) + b"</Document>"),
        "not an ECB+ document",
    ),
    ("XML", "too large"): (_written(bytes(2**24 + 1)), "bytes are too many"),
    ("zip", "zeros"): (_zip_of_zeros, "bytes are too many"),
    ("SAC model", "zeros"): (_model_of_zeros, "not a SAC model"),
    ("patch", "lists"): (_written(b"[" + b"[]," * 2**22 + b"[]]"), "a list"),
    ("results to report", "keys"): (
        _written(b"{" + b",".join(b'"%d":0' % n for n in range(10**6)) + b',"7":1}'),
        "the key '7' stands twice",
    ),
    ("CoNLL response", "brackets"): (_written(b"#begin document (d);\n" + b"(" * 10**7), ":2: '(("),
    **{
        (name, "without end"): (_without_end, "too large")
        for name in ("split", "config", "patch", "decisions", "SAC model")
    },
    ("JSON Lines", "without end"): (_without_end, ""),
}


# A process of its own costs seconds: one of each kind of reader runs always, the others when slow.
ALWAYS = {
    *(("XML", "entities in an attribute"), ("zip", "zeros"), ("split", "without end")),
    *(("SAC model", "zeros"), ("JSON Lines", "without end")),
}
CELLS = [
    pytest.param(*cell, marks=[] if cell in ALWAYS else pytest.mark.slow) for cell in sorted(BOMBS)
]


@pytest.mark.parametrize(("name", "bomb"), CELLS)
def test_a_bomb_is_refused_within_bounds(name: str, bomb: str, set_up: SetUp) -> None:
    desk = set_up(INPUTS[name])
    make, word = BOMBS[name, bomb]
    make(desk.file)
    ran, megabytes = _measured(desk)
    desk.assert_refused(ran, word)
    assert megabytes < MEGABYTES


def _measured(desk: Desk) -> tuple[Ran, float]:
    """Run the program in a process of its own; return the most memory that it held."""
    files = [desk.folder / name for name in ("stdout", "stderr")]
    with files[0].open("w") as out, files[1].open("w") as err:
        program = [sys.executable, "-W", "ignore", "-m", "cdec", *desk.arguments()]
        process = subprocess.Popen([*LIMITED, *program], stdout=out, stderr=err)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    said = [file.read_text() for file in files]
    return Ran(process.returncode, *said), used.ru_maxrss / 1024
