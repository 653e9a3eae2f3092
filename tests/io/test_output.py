import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdec.formats import read, write
from cdec.io import STALE_SECONDS, cache, replacing, save, write_atomic
from tests.formats.made import conll, rows
from tests.refusals import refused

MADE = conll(("d", ["(1)", "(1)"]))


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "half"
        raise OSError(errno.ENOSPC, "No space left on device")

    target = tmp_path / "out"
    target.write_text("old")
    with refused("file-unwritable", "No space", place=target):
        save(pieces(), target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_full_standard_output_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w", encoding="utf-8", buffering=1) as full:
        monkeypatch.setattr(sys, "stdout", full)
        with refused("file-unwritable", place="standard output"):
            save(["a line\n"], "-")
        monkeypatch.undo()
        with contextlib.suppress(OSError):
            full.close()


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    save(["x"], tmp_path / "out")
    (tmp_path / "plain").write_text("x")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("out", "plain")]
    assert modes[0] == modes[1]


def test_permissions_of_an_old_file_and_links_are_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    save(["new"], link)
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_no_such_folder(tmp_path: Path) -> None:
    with refused("file-unwritable", "No such file", place=tmp_path / "nowhere" / "out"):
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


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("step", [(os, "fsync"), (Path, "replace")])
def test_an_interrupt_at_any_step_keeps_the_target(
    step: tuple[object, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "result.csv"
    target.write_bytes(b"old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(*step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_has_the_usual_rights_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    write_atomic(tmp_path / "one", b"")
    (tmp_path / "two").write_bytes(b"")
    assert (tmp_path / "one").stat().st_mode == (tmp_path / "two").stat().st_mode
    (tmp_path / "two").chmod(0o640)
    write_atomic(tmp_path / "two", b"new")
    assert (tmp_path / "two").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["n" * 255, "事" * 85, "[a]*?"])
def test_any_name_that_a_file_can_have(name: str, tmp_path: Path) -> None:
    write_atomic(tmp_path / name, b"one")
    write_atomic(tmp_path / name, b"two")
    assert (tmp_path / name).read_bytes() == b"two"
    assert names(tmp_path) == [name]


def test_an_old_temporary_file_of_a_killed_run_is_removed(tmp_path: Path) -> None:
    old, fresh, foreign = (tmp_path / f".{n}.part" for n in ("out.1", "out.2", "other.1"))
    for path in (old, fresh, foreign):
        path.write_bytes(b"half")
    age(old, STALE_SECONDS + 60)
    age(foreign, STALE_SECONDS + 60)
    write_atomic(tmp_path / "out", b"new")
    assert names(tmp_path) == sorted([fresh.name, foreign.name, "out"])


def test_in_the_cache_any_old_temporary_file_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    cache.write("things", "one", b"body")
    left = tmp_path / "things" / ".two.0123.part"
    left.write_bytes(b"half")
    age(left, STALE_SECONDS + 60)
    cache.write("things", "three", b"body")
    assert names(tmp_path / "things") == ["one", "three"]


def test_the_last_of_two_writers_wins(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with replacing(target) as late:
        late.write(b"late")
        with replacing(target) as early:
            early.write(b"early")
        assert target.read_bytes() == b"early"
    assert target.read_bytes() == b"late"
    assert names(tmp_path) == ["out"]
