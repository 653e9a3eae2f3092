"""Fuzz readers one after the other: ``python -P tests/fuzz/run.py INPUTS [READER…]``.

Atheris (libFuzzer) generates the inputs: it changes, cuts and joins files that reach new code, and
limits time and memory of each. The first failing input of a reader ends its run and is printed.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import atheris

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))  # last, so that the installed `cdec` is used

with atheris.instrument_imports(include=["cdec"]):
    from tests.fuzz.catalog import READERS
    from tests.fuzz.reader import survives

if TYPE_CHECKING:
    from tests.fuzz.reader import Reader

MEMORY = Path("/dev/shm")  # noqa: S108 - faster than a disk for many small files
SECONDS, MEGABYTES = 10, 2048  # limits of one input
_LONGEST = 4096


def main(inputs: int, names: list[str]) -> int:
    bad = 0
    for name in names or READERS:
        started = time.monotonic()
        well = _in_a_child(READERS[name], inputs)
        took = time.monotonic() - started
        print(f"{name}: {inputs if well else 'bad'} inputs, {took:.0f} s", flush=True)
        bad += not well
    return bad


def _in_a_child(reader: Reader, inputs: int) -> bool:
    """Fuzz one reader in a child process: libFuzzer runs once per process and may abort it."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        child = os.fork()
        if child == 0:
            _fuzz(reader, inputs, Path(folder))
        return os.waitpid(child, 0)[1] == 0


def _fuzz(reader: Reader, inputs: int, folder: Path) -> None:
    warnings.simplefilter("error")
    atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)  # libFuzzer leaves its timer running
    corpus, dictionary = folder / "corpus", folder / "dictionary"
    corpus.mkdir()
    for number, seed in enumerate(reader.seeds):
        (corpus / str(number)).write_bytes(seed)
    dictionary.write_text("".join(f'"{_quoted(token)}"\n' for token in reader.tokens))
    longest = max(_LONGEST, *map(len, reader.seeds))
    bounds = [f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}", f"-max_len={longest}"]
    output = [f"-artifact_prefix={folder}/", "-verbosity=0"]
    counts = [f"-atheris_runs={inputs}", "-seed=1", f"-dict={dictionary}"]
    atheris.Setup(
        [reader.name, *counts, *bounds, *output, str(corpus)],
        lambda data: survives(reader, folder, data),
    )
    atheris.Fuzz()


def _quoted(token: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token.encode())


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
