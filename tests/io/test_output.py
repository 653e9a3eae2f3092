import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdec.errors import FormatError
from cdec.formats import read, write
from cdec.io.output import save
from tests.formats.made import conll, rows

MADE = conll(("d", ["(1)", "(1)"]))


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "half"
        raise OSError(errno.ENOSPC, "No space left on device")

    target = tmp_path / "out"
    target.write_text("old")
    with pytest.raises(FormatError, match=r"out: cannot write: No space.* \(make room\)"):
        save(pieces(), target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_full_standard_output_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w", encoding="utf-8", buffering=1) as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(FormatError, match=r"standard output: cannot write: .* \(make room\)"):
            save(["a line\n"], "-")
        monkeypatch.undo()
        with contextlib.suppress(OSError):
            full.close()


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    save(["x"], tmp_path / "out")
    (tmp_path / "plain").write_text("x")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("out", "plain")]
    assert modes[0] == modes[1]


def test_permissions_of_an_old_file_and_links_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    save(["new"], link)
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot write: No such file or directory"):
        write(MADE, tmp_path / "nowhere" / "out", "conll")


def test_stdout_and_special_files(capsys: pytest.CaptureFixture[str]) -> None:
    write(MADE, "-", "jsonl")
    assert capsys.readouterr().out.count("\n") == 2
    write(MADE, os.devnull, "jsonl")


def test_stdin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write(MADE, tmp_path / "f", "conll")
    with (tmp_path / "f").open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert rows(read("-")) == rows(MADE)
