"""Faults that any file can have: every input × every fault, with a reason for each accepted one."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.conftest import SetUp
from tests.faults.inputs import INPUTS


def _missing(path: Path) -> None:
    path.unlink()


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _link_to(target: str) -> Callable[[Path], None]:
    def link(path: Path) -> None:
        path.unlink()
        path.symlink_to(target.format(name=path.name))

    return link


def _sound_elsewhere(path: Path) -> None:
    path.rename(path.parents[1] / "elsewhere")
    path.symlink_to(path.parents[1] / "elsewhere")


def rewritten(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    """Return a function that changes the content of a file."""

    def rewrite(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return rewrite


def _text(encoding: str) -> Callable[[bytes], bytes]:
    """Return a function that encodes text in another encoding and reverses binary content."""

    def change(data: bytes) -> bytes:
        try:
            return data.decode().encode(encoding)
        except UnicodeDecodeError:
            return data[::-1]

    return change


BINARY = {"zip", "installed zip", "SAC model", "uCDCR"}
NOISE = bytes(range(255, -1, -1)) * 12
FAULTS: dict[str, Callable[[Path], None]] = {
    "sound": lambda _: None,
    "missing": _missing,
    "empty": rewritten(lambda _: b""),
    "blank": rewritten(lambda _: b" \r\n\t\n"),
    "a folder": _folder,
    "noise": rewritten(lambda _: NOISE),
    "UTF-16": rewritten(_text("utf-16")),
    "UTF-16 without mark": rewritten(_text("utf-16-le")),
    "Latin-1": rewritten(_text("latin-1")),
    "NUL": rewritten(lambda data: data[:-9] + b"\0" + data[-9:]),
    "byte-order mark": rewritten(lambda data: codecs.BOM_UTF8 + data),
    "gzip": rewritten(gzip.compress),
    "another file": rewritten(lambda _: b"%PDF-1.7 of something else\n"),
    "loop": _link_to("{name}"),
    "link to nothing": _link_to("nowhere"),
    # The target of the link cannot be read by any user.
    "read error": _link_to("/proc/self/mem"),
    "link to a sound file elsewhere": _sound_elsewhere,
}

# The accepted faults, and why. All others are refused.
_BOM = "editors add it; it marks UTF-8"
_LINK = "a link is read as its target: corpora and responses are often links"
_CODE = "the first bytes of XML identify its encoding"
_PACKED = (
    *("CoNLL key", "CoNLL response", "CoNLL-U key", "JSON Lines", "CSV", "TSV", "JSON"),
    *("eight columns", "mention to chain", "TSV without header", "ids with sentence"),
    *("sentences on a corpus", "response on a corpus"),
)
ACCEPTED: dict[tuple[str, str], str] = {
    **{(name, "sound"): "it is valid" for name in INPUTS},
    **{(name, "link to a sound file elsewhere"): _LINK for name in INPUTS},
    **{(name, "byte-order mark"): _BOM for name in INPUTS if name not in BINARY},
    **{(name, "byte-order mark"): "a zip may have a prefix" for name in ("zip", "installed zip")},
    ("XML", "UTF-16"): _CODE,
    ("XML", "UTF-16 without mark"): _CODE,
    ("XML", "missing"): "any set of documents is a corpus; `corpus verify` reports missing ones",
    ("corpus", "gzip"): "a corpus may be compressed",
    ("imported corpus", "gzip"): "a corpus may be compressed",
    **{(name, "gzip"): "a key or response may be compressed" for name in _PACKED},
    ("sentence list", "missing"): "the list is optional",
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", INPUTS)
def test_every_input_with_every_fault(name: str, fault: str, set_up: SetUp) -> None:
    desk = set_up(INPUTS[name])
    FAULTS[fault](desk.file)
    ran = desk.call()
    if (name, fault) in ACCEPTED:
        assert (ran.code, ran.err) == (0, ""), ran.err
    else:
        desk.assert_refused(ran)
