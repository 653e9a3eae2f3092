"""The program in a shell: streams, signals, terminals, start-up."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import cdec as package
from tests.cli.conftest import Run, Spawn

EVAL = "$CDEC eval --quiet --setting pure --system lemma"
PREDICT = "$CDEC predict --quiet"
# A process takes seconds: one call of each kind is not marked slow.
slow = pytest.mark.slow
MORE = [pytest.param(line, marks=slow) for line in (PREDICT, "$CDEC corpus stats -q")]
needs_dev_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_version_names_every_library_that_can_change_a_score(cdec: Run, shell: Spawn) -> None:
    ran = cdec("--version")
    assert ran.code == 0
    assert ran.out.startswith(f"cdec {package.__version__} (Python ")
    for library in ("numpy", "scipy", "pandas", "scikit-learn", "spacy", "HanTa", "neleval"):
        assert re.search(rf"\b{library} \d+\.\d", ran.out)
    assert shell("$CDEC --version").stdout == ran.out


def test_no_argument_and_help_show_the_commands(cdec: Run) -> None:
    for ran in (cdec(), cdec("--help"), cdec("-h")):
        for command in ("eval", "score", "predict", "pairs", "corpus"):
            assert re.search(rf"^\W*{command} ", ran.out + ran.err, re.MULTILINE)


@pytest.mark.parametrize("command", ["eval", "score", "predict", "stats", "corpus export"])
def test_every_option_of_a_command_has_a_help_text(command: str, cdec: Run) -> None:
    ran = cdec(*command.split(), "--help")
    assert ran.code == 0
    assert "--output" in ran.out


@pytest.mark.parametrize("line", ["$CDEC corpus export -q", *MORE, pytest.param(EVAL, marks=slow)])
def test_a_reader_that_closes_the_pipe(line: str, shell: Spawn) -> None:
    done = shell(f"{line} | head -n 1")
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


@needs_dev_full
@pytest.mark.parametrize(
    "line", [EVAL, "$CDEC --version", *MORE, pytest.param("$CDEC corpus info", marks=slow)]
)
def test_a_full_disk_behind_stdout_is_an_error(line: str, shell: Spawn) -> None:
    done = shell(f"{line} > /dev/full")
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("line", [EVAL, "$CDEC --version", pytest.param(PREDICT, marks=slow)])
def test_a_closed_stdout_is_an_error_if_there_is_output(
    line: str, shell: Spawn, tmp_path: Path
) -> None:
    done = shell(f"{line} >&-")
    assert done.returncode == 1
    assert re.fullmatch(r"cdec: error: .*Bad file descriptor.*\n", done.stderr)
    if "--version" not in line:
        written = shell(f"{line} --output kept >&-", cwd=tmp_path)
        assert (written.returncode, written.stderr) == (0, "")
        assert (tmp_path / "kept").stat().st_size > 0


def test_messages_to_a_closed_stderr_are_discarded(cdec: Run, shell: Spawn) -> None:
    line = "eval --setting pure --system lemma"
    assert shell(f"$CDEC {line} 2>&-").stdout == cdec(*line.split()).out != ""
    assert shell("$CDEC eval --setting puer 2>&-").returncode == 2


def test_utf8_in_every_locale(shell: Spawn) -> None:
    done = shell(f"{EVAL} --format markdown", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "B³ F" in done.stdout


@pytest.mark.parametrize(
    "command", ["predict", pytest.param("eval --system lemma --format csv", marks=slow)]
)
def test_a_file_that_cannot_be_written_completely_is_unchanged(
    command: str, cdec: Run, shell: Spawn, tmp_path: Path
) -> None:
    target = tmp_path / "kept.out"
    target.write_text("what was there before\n")
    # Limit the size of files to one block, of at most 1024 bytes.
    assert cdec(*command.split(), "-q", "-o", "/dev/null").code == 0  # so the cache has its files
    done = shell(f"trap '' XFSZ; ulimit -f 1; $CDEC {command} -q -o {target}")
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"cdec: error: {target}: ")
    assert "Traceback" not in done.stderr
    assert target.read_text() == "what was there before\n"
    assert leftovers(tmp_path) == ["kept.out"]


@needs_dev_full
def test_devices_are_written_to_and_never_replaced(cdec: Run) -> None:
    call = EVAL.split()[1:]
    for device, message in (("/dev/null", ""), ("/dev/full", "No space left")):
        assert message in cdec(*call, "-o", device).err
        assert Path(device).is_char_device()
    assert "PURE-CDEC" in cdec(*call, "-o", "-").out


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_read_only_folder(shell: Spawn, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    done = shell(f"{EVAL} -o {tmp_path / 'x'}")
    assert done.returncode == 1
    assert "Permission denied" in done.stderr


def test_a_file_behind_a_link_is_replaced_and_keeps_its_mode(
    done: Callable[..., str], tmp_path: Path
) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.touch(mode=0o640)
    link.symlink_to(file)
    done("eval", "-s", "pure", "--system", "lemma", "-o", link)
    assert link.is_symlink()
    assert file.stat().st_size > 0
    assert file.stat().st_mode & 0o777 == 0o640


def test_an_interrupt_ends_the_run_quietly(tmp_path: Path) -> None:
    """The response is a pipe: when the run has opened it, it has run the system and waits."""
    response, table = tmp_path / "mine.jsonl", tmp_path / "table.csv"
    os.mkfifo(response)
    call = ["eval", "-q", "--system", "lemma", "-r", str(response), "-o", str(table)]
    command = [sys.executable, "-W", "ignore", "-m", "cdec", *call]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pipe = opened_by_both(response, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    os.close(pipe)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert leftovers(tmp_path) == ["mine.jsonl"]


def opened_by_both(pipe: Path, process: subprocess.Popen[bytes]) -> int:
    """Open a pipe for writing as soon as the process has opened it for reading."""
    while process.poll() is None:
        with contextlib.suppress(OSError):  # not open for reading yet
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.05)
    raise AssertionError(process.communicate()[1].decode())


def test_a_traceback_only_with_debug(cdec: Run, shell: Spawn) -> None:
    plain = cdec("eval", "--quiet", "--setting", "puer")
    assert plain.code == 2
    assert plain.err.count("\n") == 1
    for line in ("$CDEC --debug eval -q -s puer", "$CDEC eval -q -s puer --debug"):
        debugged = shell(line)
        assert "Traceback" in debugged.stderr
        assert "UnknownNameError" in debugged.stderr


def test_a_bug_is_reported_in_one_line(cdec: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a\nb")

    monkeypatch.setattr("cdec.corpus.statistics.statistics", broken)
    ran = cdec("stats", "-q")
    assert (ran.code, ran.out, ran.error) == (1, "", "internal-error")
    assert "RuntimeError: a b (" in ran.err
    assert ran.err.count("\n") == 1


def on_terminal(columns: int, *arguments: str) -> str:
    """Return what ``cdec`` shows on a terminal of this width."""
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    unset = {"COLUMNS", "LINES", "NO_COLOR"}
    env = {k: v for k, v in os.environ.items() if k not in unset} | {"TERM": "xterm"}
    command = [sys.executable, "-W", "ignore", "-m", "cdec", *arguments]
    with subprocess.Popen(command, stdout=terminal, env=env) as process:
        os.close(terminal)
        shown = b"".join(iter(lambda: _read(main), b""))
    os.close(main)
    assert process.returncode == 0
    return shown.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # on Linux: the other end is closed
        return b""


ANSI = re.compile(r"\x1b\[[0-9;]*m")
BASELINES = ("lemma", "lemma-wd", "lemma-delta")
ALL = ("eval", "-q", *(word for name in BASELINES for word in ("--system", name)))


@pytest.mark.parametrize(("columns", "header"), [(80, "F"), (160, "P")])
def test_a_terminal_gets_the_table_that_fits_it(columns: int, header: str) -> None:
    shown = on_terminal(columns, *ALL)
    assert ANSI.search(shown)
    lines = [line.rstrip() for line in ANSI.sub("", shown).splitlines()]
    table = [line for line in lines if not line.startswith("corpus:")]
    assert max(map(len, table)) <= columns
    assert "…" not in "".join(lines)
    assert sum("lemma" in line for line in table) == 6 * len(BASELINES)
    names = next(line.split() for line in table if "System" in line)
    assert names[2] == header
    # Every row has a number in each column.
    assert {len(line.split()) for line in table if "lemma" in line} == {len(names)}


def test_a_file_gets_the_wide_table_without_colours_on_every_terminal(tmp_path: Path) -> None:
    file = tmp_path / "table.txt"
    assert on_terminal(80, *ALL, "-o", str(file)) == ""
    text = file.read_text("utf-8")
    assert "\x1b" not in text
    assert re.search(r"System +P +R +F", text)


def test_csv_is_the_same_on_a_terminal(done: Callable[..., str]) -> None:
    call = ("-s", "pure", "--system", "lemma", "--format", "csv")
    assert on_terminal(80, "eval", "-q", *call) == done("eval", *call)
