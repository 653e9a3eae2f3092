"""Memory limits of the process: ``ulimit -v`` (address space) and ``ulimit -d`` (data)."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from cdec.errors import CdecError

LEAST = 2**29  # bytes that numpy, scipy and spaCy need with two cores
_LIMITS = {"RLIMIT_AS": "ulimit -v", "RLIMIT_DATA": "ulimit -d"}
_WHERE_IT_FAILS = ("failed to map segment", "cannot allocate memory")


def out_of_memory() -> CdecError:
    """Return the error for insufficient memory; its message names the limit if there is one."""
    found = _limit()
    if found is None:
        hint = "allow the process more memory, or evaluate a smaller part"
        return CdecError("out-of-memory", "out of memory", hint=hint)
    name, size = found
    message = f"out of memory: the process is limited to {size // 1024:,} KiB ({name})"
    return CdecError("out-of-memory", message, hint="raise the limit, or evaluate a smaller part")


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether memory was insufficient to load a library or to create an object.

    >>> is_out_of_memory(ImportError("x.so: failed to map segment from shared object"))
    True
    """
    text = str(error).lower()
    return isinstance(error, MemoryError) or (
        isinstance(error, ImportError | OSError) and any(said in text for said in _WHERE_IT_FAILS)
    )


def load_numerics() -> None:
    """If memory is limited, load numpy and scipy now, with the default signal handlers.

    If memory is insufficient, their library OpenBLAS repeats the allocation without end, in C code,
    and Python's signal handlers never run; with the default handlers Ctrl-C still works. Raises
    CdecError for a limit below LEAST.
    """
    found = _limit()
    if found is None:
        return
    if found[1] < LEAST:
        error = out_of_memory()
        hint = f"at least {LEAST // 1024:,} KiB are needed"
        raise CdecError(error.code, error.message, hint=hint)
    with _default_signals():
        import_module("scipy.linalg")


def _limit() -> tuple[str, int] | None:
    """Return the lowest limit, as command (``ulimit -v``) and bytes; None if there is none."""
    try:
        resource = import_module("resource")
    except ImportError:  # Windows
        return None
    limits = {
        name: int(resource.getrlimit(getattr(resource, limit))[0])
        for limit, name in _LIMITS.items()
    }
    finite = [(size, name) for name, size in limits.items() if size != resource.RLIM_INFINITY]
    return min(finite)[::-1] if finite else None


@contextmanager
def _default_signals() -> Iterator[None]:
    stopping = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    own = {number: signal.getsignal(number) for number in stopping}
    caught = {number: handler for number, handler in own.items() if callable(handler)}
    for number in caught:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, handler in caught.items():
            signal.signal(number, handler)
