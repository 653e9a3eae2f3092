"""Memory that the caller has limited."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from cdec.cli import memory
from cdec.cli.failure import as_cdec_error
from tests.cli.conftest import Spawn
from tests.refusals import refused

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")

EVAL = "eval -q -s pure --system lemma"


@pytest.mark.parametrize("size", [150_000, 300_000, 500_000])
def test_a_limit_below_what_is_needed_is_named(size: int, shell: Spawn) -> None:
    done = shell(f"ulimit -v {size}; timeout -s INT -k 30 30 $CDEC {EVAL}")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"limited to {size:,} KiB (ulimit -v)" in done.stderr
    assert done.stderr.count("\n") == 1


def test_data_count_too(shell: Spawn) -> None:
    assert "(ulimit -d)" in shell(f"ulimit -d 200000; $CDEC {EVAL}").stderr


def test_help_needs_little(shell: Spawn) -> None:
    assert shell("ulimit -v 300000; $CDEC --help").returncode == 0


def test_a_limit_that_suffices_changes_nothing(shell: Spawn) -> None:
    done = shell(f"ulimit -v 4000000; $CDEC {EVAL}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == shell(f"$CDEC {EVAL}").stdout


@pytest.mark.parametrize("size", [300_000, 320_000, 340_000])
def test_a_library_that_repeats_for_ever_can_be_interrupted(
    size: int, shell: Spawn, tmp_path: Path
) -> None:
    # Whether OpenBLAS does so depends on the machine; else an error ends the program.
    script = tmp_path / "run.py"
    script.write_text(
        "from cdec.cli import memory\nmemory.LEAST = 0\nfrom cdec.cli.start import main\nmain()\n"
    )
    done = shell(f"ulimit -v {size}; timeout -s INT -k 20 5 {sys.executable} {script} {EVAL}")
    assert done.returncode != 128 + signal.SIGKILL


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ImportError("a.so: failed to map segment from shared object"),
        OSError(12, "Cannot allocate memory"),
    ],
)
def test_an_error_for_want_of_memory(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_limit", lambda: None)
    assert (as_cdec_error(error).code, as_cdec_error(error).message) == (
        "out-of-memory",
        "out of memory",
    )
    monkeypatch.setattr(memory, "_limit", lambda: ("ulimit -v", 2**20))
    assert "1,024 KiB (ulimit -v)" in str(as_cdec_error(error))
    with refused("out-of-memory", "at least 524,288 KiB"):
        memory.load_numerics()


def test_other_errors_are_not_for_want_of_memory() -> None:
    assert as_cdec_error(ImportError("no module")).code == "internal-error"


def test_handlers_are_back_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(memory, "_limit", lambda: ("ulimit -v", 2**40))
    monkeypatch.setattr(
        memory, "import_module", lambda _: seen.append(signal.getsignal(signal.SIGINT))
    )
    before = signal.getsignal(signal.SIGINT)
    memory.load_numerics()
    assert seen == [signal.SIG_DFL]
    assert signal.getsignal(signal.SIGINT) == before
