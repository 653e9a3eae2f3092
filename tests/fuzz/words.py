"""Arguments of the command line: a user-defined setting, a named response."""

from __future__ import annotations

from pathlib import Path

from cdec.evaluation import ResponseFile
from cdec.settings import find_setting
from tests.fuzz.reader import Reader

SETTINGS = (b"pure", b"S.T.", b"scope=topic,ignore-singletons=yes", b"scope=corpus")
CHOICES = ("scope=", "document", "subtopic", "reduce_within_document", "=no", ",", "all", "b&h")
LONG = b"a" * 300 + b"=x"
FILES = (
    b"mine=runs/out.conll",
    b"runs/delta=0.3/out.conll",
    b"x.conll",
    b"a=b=c",
    b"=",
    b"a" * 300 + b"=x",
)


def readers() -> list[Reader]:
    return [
        Reader("setting", "argument", _setting, SETTINGS, CHOICES, placed=False),
        Reader("named-file", "argument", _named, FILES, ("/", "=", "\\", "..")),
    ]


def _argument(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _setting(path: Path) -> None:
    setting = find_setting(_argument(path))
    assert find_setting(setting.choices) == setting


def _named(path: Path) -> None:
    text = _argument(path)
    file = ResponseFile.parse(text)
    assert file.path in (Path(text), Path(text.partition("=")[2]))
