"""Files that expand when they are read, or are endless: refused with bounded memory and time."""

from __future__ import annotations

import gzip
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

# The limit of the process; cdec itself needs about 300 MB.
MEGABYTES = 1200
# Protects the machine if a bound fails: seconds, and kB of address space.
LIMITED = ["bash", "-c", 'ulimit -t 60 -v 4194304; exec "$@"', "-"]
# Runs cdec, and writes the code of the error to the file "code".
PROGRAM = """
import sys
from pathlib import Path
from cdec.cli import app
code, converted = Path(sys.argv.pop(1)), app.as_cdec_error
app.as_cdec_error = lambda error: (code.write_text(converted(error).code), converted(error))[1]
app.main()
"""
ENTITIES = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
DOCTYPE = f'<!DOCTYPE Document [<!ENTITY a0 "{"x" * 1000}">{ENTITIES}]><Document '
BOMB = DOCUMENT.replace("<Document ", DOCTYPE).replace(">spread", ">&a11;")
IN_ATTRIBUTE = BOMB.replace('doc_id="D1"', 'doc_id="&a11;"')
FOREIGN = '<!DOCTYPE Document [<!ENTITY a SYSTEM "file:///etc/passwd">]><Document '


def _utf16(text: str) -> bytes:
    return text.replace("UTF-8", "UTF-16").encode("utf-16")


def _sparse(size: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            file.truncate(size)

    return write


def _zip_of_zeros(path: Path) -> None:
    path.write_bytes(packed({"1/1_1ecb.xml": bytes(2**29 + 1)}))


def _lying(folder: str, method: int) -> Callable[[Path], None]:
    """Return what writes a zip with a large file that, by its header, has 100 bytes."""

    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.writestr(f"{folder}/1/1_1ecb.xml", bytes(2**30))
        data = bytearray(path.read_bytes())
        for header, at in ((0, 22), (data.rindex(b"PK\1\2"), 24)):
            data[header + at : header + at + 4] = (100).to_bytes(4, "little")
        path.write_bytes(data)

    return write


def _model_of_zeros(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.npy", bytes(10**8))


def _line_of_zeros(path: Path) -> None:
    path.write_bytes(gzip.compress(bytes(2**28)))


def _without_end(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _written(content: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(content)

    return write


BOMBS: dict[tuple[str, str], tuple[Callable[[Path], None], str]] = {
    ("XML", "entities"): (_written(BOMB.encode()), "corpus-file-invalid"),
    ("XML", "entities in UTF-16"): (_written(_utf16(BOMB)), "corpus-file-invalid"),
    ("XML", "entities in an attribute"): (_written(_utf16(IN_ATTRIBUTE)), "corpus-file-invalid"),
    ("XML", "an external file"): (
        _written(_utf16(DOCUMENT.replace("<Document ", FOREIGN).replace(">spread", ">&a;"))),
        "corpus-file-invalid",
    ),
    ("XML", "the largest size"): (
        _written(b"<Document>" + b"<a/>" * (2**22 - 10) + b"</Document>"),
        "corpus-file-invalid",
    ),
    ("XML", "too large"): (_sparse(2**29 + 1), "file-too-large"),
    ("zip", "zeros"): (_zip_of_zeros, "file-too-large"),
    ("zip", "a size that lies"): (_lying("ECB+", zipfile.ZIP_DEFLATED), "corpus-file-invalid"),
    ("zip", "a size that lies, bzip2"): (_lying("ECB+", zipfile.ZIP_BZIP2), "corpus-file-invalid"),
    ("SAC model", "a size that lies"): (_lying("a", zipfile.ZIP_BZIP2), "model-invalid"),
    ("SAC model", "zeros"): (_model_of_zeros, "model-invalid"),
    ("corpus", "zeros"): (_line_of_zeros, "file-too-large"),
    ("patch", "lists"): (_written(b"[" + b"[]," * 2**22 + b"[]]"), "file-invalid"),
    ("results to report", "keys"): (
        _written(b"{" + b",".join(b'"%d":0' % n for n in range(10**6)) + b',"7":1}'),
        "file-invalid",
    ),
    ("CoNLL response", "brackets"): (
        _written(b"#begin document (d);\n" + b"(" * 10**7),
        "brackets-invalid",
    ),
    **{
        (name, "without end"): (_without_end, "file-too-large")
        for name in ("split", "config", "patch", "decisions", "SAC model", "JSON Lines")
    },
}


# A separate process takes seconds: one case of XML, zip, model and text is not marked slow.
ALWAYS = {
    *(("XML", "entities in an attribute"), ("zip", "zeros")),
    *(("SAC model", "zeros"), ("JSON Lines", "without end")),
}
CELLS = [
    pytest.param(*cell, marks=[] if cell in ALWAYS else pytest.mark.slow) for cell in sorted(BOMBS)
]


@pytest.mark.parametrize(("name", "bomb"), CELLS)
def test_a_bomb_is_refused_within_bounds(name: str, bomb: str, set_up: SetUp) -> None:
    desk = set_up(INPUTS[name])
    make, error = BOMBS[name, bomb]
    make(desk.file)
    ran, megabytes = _measured(desk)
    desk.assert_refused(ran, error)
    assert megabytes < MEGABYTES


def _measured(desk: Desk) -> tuple[Ran, float]:
    """Run the program in a separate process; return its result and its maximal memory in MB."""
    files = [desk.folder / name for name in ("stdout", "stderr", "code")]
    files[2].touch()
    with files[0].open("w") as out, files[1].open("w") as err:
        python = [sys.executable, "-W", "ignore", "-c", PROGRAM]
        program = [*python, str(files[2]), *desk.arguments()]
        process = subprocess.Popen([*LIMITED, *program], stdout=out, stderr=err)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    outputs = [file.read_text() for file in files]
    return Ran(process.returncode, *outputs), used.ru_maxrss / 1024
