"""Divisible work: on the cores of this machine or on a Dask cluster, always with the same result.

``mapped`` is the only place where cdec starts workers. Which ones is chosen by ``workers``, or by
``joblib.parallel_config``; without either, the work is done by this process.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from threading import Thread, local
from typing import TYPE_CHECKING, Any, TypeVar

from cdec.errors import CdecError, check_number
from cdec.rooms import added, imported

if TYPE_CHECKING:
    from distributed import Client

Item = TypeVar("Item")
Answer = TypeVar("Answer")

AHEAD = 4
"""Items per worker that are in work at once: this bounds the memory."""
MOST_JOBS = 1024
_SECONDS = 0.5
_SAFE_PATH = "PYTHONSAFEPATH"
_SCHEDULER, _DASK = "scheduler", "dask"


@dataclass(frozen=True)
class _Workers:
    """The number of processes on this machine (−1: one per core), or the client of a cluster."""

    jobs: int = -1
    client: Client | None = None


_chosen: ContextVar[_Workers | None] = ContextVar("workers", default=None)


@contextmanager
def workers(jobs: int | None = None, scheduler: str | Client | None = None) -> Iterator[None]:
    """Do the divisible work inside ``with`` on several cores, or on a cluster.

    ``jobs`` is the number of processes, by default one per core. ``scheduler`` is the address of a
    Dask scheduler or a ``distributed.Client``; the workers of the cluster are then used instead.
    Neither changes a result. Raises UsageError for a number of jobs outside 1 … 1024, CdecError
    for a scheduler that cannot be used (see ``cdec.files.cluster.connected``).

    >>> import cdec
    >>> corpus = cdec.load_corpus("sample", "test")
    >>> with workers(2):
    ...     cdec.evaluate(corpus, "lemma", metrics="muc")["muc"].f1 == (
    ...         cdec.evaluate(corpus, "lemma", metrics="muc")["muc"].f1)
    True
    """
    if jobs is not None:
        check_jobs(jobs)
    with ExitStack() as stack:
        client = None
        if scheduler is not None:
            client = stack.enter_context(_cluster().connected(scheduler))
        stack.enter_context(_safe_path())
        token = _chosen.set(_Workers(jobs or -1, client))
        stack.callback(_chosen.reset, token)
        yield


def check_jobs(jobs: int) -> None:
    """Raise UsageError unless this number of workers is possible."""
    check_number("parameter-invalid", "jobs", jobs, 1, MOST_JOBS)


def chosen_jobs() -> int:
    """Return the number of jobs that ``workers`` has chosen on this machine; 1 without it."""
    chosen = _chosen.get()
    if chosen is None:
        return 1
    from joblib import cpu_count  # noqa: PLC0415  # only where work is divided

    return chosen.jobs if chosen.jobs > 0 else min(cpu_count(), MOST_JOBS)


def mapped(
    work: Callable[..., Answer],
    items: Iterable[Item],
    shared: tuple[Any, ...] = (),
    *,
    jobs: int | None = None,
    threads: bool = False,
    worth: bool = True,
) -> Iterator[Answer]:
    """Yield ``work(item, *shared)`` for each item, in the order of the items.

    * ``work`` is a function of a module; items and answers can be pickled. An item is made only
      when a worker needs it, and the number of items and answers in memory is at most ``AHEAD``
      per worker.
    * ``shared`` is sent to each worker of a cluster once. On this machine it goes out with each
      item; joblib maps its large arrays into memory instead.
    * ``jobs`` as in joblib, for this call only. ``threads``: threads suffice on this machine,
      because ``work`` is numpy mostly. Without ``worth`` this process does all: starting others
      would take longer.

    Raises what ``work`` raises; CdecError if a cluster is lost.
    """
    client = _client() if worth else None
    if client is not None:
        yield from _cluster().sent(client, work, items, shared)
    elif not worth:
        for item in items:
            yield work(item, *shared)
    else:
        yield from _on_cores(work, items, shared, jobs, threads)


def alone(work: Callable[..., Answer], item: Any, shared: tuple[Any, ...]) -> Answer:
    """Call ``work`` in a worker, with one thread: several would change the last digit of a sum."""
    if not getattr(_settled, "done", False):
        from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only in workers

        threadpool_limits(1)
        _settled.done = True
    return work(item, *shared)


_settled = local()  # the limit of OpenMP is one of each thread


def _cluster() -> Any:
    """Return the module of Dask clusters, whose libraries take a second to import."""
    return imported(added(_SCHEDULER)[_DASK])


def _client() -> Any:
    """Return the client of ``workers``, or of ``parallel_config("dask")``; None without either."""
    chosen = _chosen.get()
    if chosen is not None or "distributed" not in sys.modules or _DASK not in added(_SCHEDULER):
        return chosen and chosen.client
    from joblib.parallel import get_active_backend  # noqa: PLC0415  # only where work is divided

    return getattr(get_active_backend()[0], "client", None)


def _on_cores(
    work: Callable[..., Answer],
    items: Iterable[Item],
    shared: tuple[Any, ...],
    jobs: int | None,
    threads: bool,
) -> Iterator[Answer]:
    from joblib import Parallel, delayed, effective_n_jobs  # noqa: PLC0415  # as above

    with ExitStack() as stack:
        with _configured(threads):
            number = effective_n_jobs(jobs)
            pool = Parallel(n_jobs=jobs, prefer="threads" if threads else None)
            if number > 1:
                stack.enter_context(pool)
        if number == 1:
            yield from (work(item, *shared) for item in items)
            return
        call = delayed(_in_thread if threads else alone)
        rest = iter(items)
        # A window at a time: joblib would keep computing results that nobody has read.
        while window := list(islice(rest, AHEAD * number)):
            yield from _answers(pool, [call(work, item, shared) for item in window])


def _answers(pool: Any, calls: list[Any]) -> list[Any]:
    """Return the answers. Raises CdecError if a process ended, as when memory is exhausted."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError  # noqa: PLC0415

    try:
        return list(pool(calls))
    except TerminatedWorkerError:
        message = "a worker process ended, probably for lack of memory"
        raise CdecError("scheduler-lost", message, hint="use fewer jobs") from None


def _in_thread(work: Callable[..., Answer], item: Any, shared: tuple[Any, ...]) -> Answer:
    return work(item, *shared)


@contextmanager
def _configured(threads: bool) -> Iterator[None]:
    """Make joblib use the chosen workers; processes end soon after this one, however it ends."""
    from joblib import parallel_config  # noqa: PLC0415  # as above

    chosen = _chosen.get()
    if chosen is None:
        yield
    elif threads:
        with parallel_config("threading", n_jobs=chosen.jobs):
            yield
    else:
        start = {"initializer": _attach, "initargs": (os.getpid(),)}
        with parallel_config("loky", n_jobs=chosen.jobs, **start):
            yield


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let workers, which are started by ``python -m``, import nothing from the working folder."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _attach(parent: int) -> None:
    # Otherwise a worker whose parent was killed would wait minutes for more work.
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    # An orphaned process gets another parent.
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os._exit(1)
