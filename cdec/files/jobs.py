"""Divisible work: on the cores of this machine or on a Dask cluster, always with the same result.

``mapped`` is the only place where cdec starts workers. Which ones is chosen by ``workers``, or by
``joblib.parallel_config``; without either, the work is done by this process.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import islice
from threading import local
from typing import TYPE_CHECKING, Any, TypeVar

from cdec._version import __version__
from cdec.errors import CdecError, check_number

if TYPE_CHECKING:
    from distributed import Client, Future

Item = TypeVar("Item")
Answer = TypeVar("Answer")

AHEAD = 4
"""Items per worker that are in work at once: this bounds the memory."""
MOST_JOBS = 1024
PATIENCE = 10
"""Seconds to wait for the scheduler of a cluster, and then for a worker."""
_SAFE_PATH = "PYTHONSAFEPATH"
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "spacy")

# The number of processes (−1: one per core), or the client of a cluster.
_workers: ContextVar[int | Client | None] = ContextVar("workers", default=None)
_settled = local()  # the limit of OpenMP is one of each thread


@contextmanager
def workers(
    jobs: int | None = None, scheduler: str | Client | None = None
) -> Iterator[None]:
    """Do the divisible work inside ``with`` on several cores, or on a cluster.

    ``jobs`` is the number of processes, by default one per core. ``scheduler`` is the address of a
    Dask scheduler or a ``distributed.Client``; the workers of the cluster are then used instead.
    Neither changes a result. Raises UsageError for a number of jobs outside 1 … 1024, CdecError
    if Dask is not installed, the scheduler does not answer or has no workers, or the workers have
    other versions of cdec or its libraries.

    >>> import cdec
    >>> corpus = cdec.load_corpus("sample", "test")
    >>> with workers(2):
    ...     cdec.evaluate(corpus, "lemma", metrics="muc")["pure"]["muc"].f1 == (
    ...         cdec.evaluate(corpus, "lemma", metrics="muc")["pure"]["muc"].f1)
    True
    """
    if jobs is not None:
        check_jobs(jobs)
    client = None if scheduler is None else _connected(scheduler)
    # Workers, which are started by ``python -m``, import nothing from the working folder.
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    token = _workers.set(client or jobs or -1)
    try:
        yield
    finally:
        _workers.reset(token)
        os.environ[_SAFE_PATH] = before or ""  # empty: as if unset
        if client is not None and client is not scheduler:
            client.close(timeout=PATIENCE)


def check_jobs(jobs: int) -> None:
    """Raise UsageError unless this number of workers is possible."""
    check_number("jobs", jobs, 1, MOST_JOBS)


def chosen_jobs() -> int:
    """Return the number of jobs that ``workers`` has chosen on this machine; 1 without it."""
    jobs = _workers.get()
    if jobs is None:
        return 1
    if isinstance(jobs, int) and jobs > 0:
        return jobs
    from joblib import cpu_count  # noqa: PLC0415  # only where work is divided

    return min(int(cpu_count()), MOST_JOBS)


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

    Raises what ``work`` raises; CdecError if a cluster or a process is lost.
    """
    in_context = _workers.get()
    if worth and in_context is not None and not isinstance(in_context, int):
        yield from _on_cluster(in_context, work, items, shared)
        return
    jobs = jobs or in_context
    number = 1
    if worth:
        from joblib import Parallel, delayed, effective_n_jobs  # noqa: PLC0415
        from joblib.externals.loky.process_executor import TerminatedWorkerError  # noqa: PLC0415

        number = effective_n_jobs(jobs)
    if number == 1:
        for item in items:
            yield work(item, *shared)
        return
    waiting = iter(items)
    with Parallel(n_jobs=jobs, prefer="threads" if threads else None) as pool:
        # A window at a time: joblib would keep computing results that nobody has read.
        while window := list(islice(waiting, AHEAD * number)):
            if threads:
                calls = [delayed(work)(item, *shared) for item in window]
            else:
                calls = [delayed(alone)(work, item, shared) for item in window]
            try:
                answers = list(pool(calls))
            except TerminatedWorkerError:
                raise CdecError(
                    "scheduler-lost",
                    "a worker process ended, probably for lack of memory",
                    hint="use fewer jobs",
                ) from None
            yield from answers


def alone(work: Callable[..., Answer], item: Any, shared: Sequence[Any]) -> Answer:
    """Call ``work`` in a worker, with one thread: several would change the last digit of a sum."""
    if not getattr(_settled, "done", False):
        from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only in workers

        threadpool_limits(1)
        _settled.done = True
    return work(item, *shared)


def _connected(scheduler: str | Client) -> Client:
    """Return a client of the scheduler, whose workers have the versions of this process."""
    try:
        import dask  # noqa: PLC0415  # an extra, which takes a second
        from distributed import Client  # noqa: PLC0415
        from distributed.comm import get_address_host_port  # noqa: PLC0415
    except ImportError:
        raise CdecError(
            "package-missing", "Dask is not installed", hint="pip install 'cdec[dask]'"
        ) from None

    client = scheduler if isinstance(scheduler, Client) else None
    try:
        if client is None:
            # It would print lines in addition to the one line of the error.
            logging.getLogger("distributed").setLevel(logging.CRITICAL)
            dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GB"})
            # A client that fails would print its own traceback when it is collected.
            socket.create_connection(get_address_host_port(scheduler), PATIENCE).close()
            client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
        client.wait_for_workers(1, timeout=PATIENCE)
        of_workers = client.run(versions)  # which imports this release of cdec
        different = {
            name: value for name, value in of_workers.items() if value != versions()
        }
        problem = ""
        if different:
            problem = f"workers have other versions than {versions()}: {different}"
    except Exception as error:  # noqa: BLE001  whatever fails in loading cdec there
        problem = f"no scheduler or no worker to use: {type(error).__name__}: {error}"
    if problem or client is None:
        if client is not None and client is not scheduler:
            client.close(timeout=PATIENCE)
        raise CdecError(
            "scheduler-lost",
            problem,
            place=scheduler,
            hint="start `dask scheduler`, and on all machines, with the same versions of cdec and "
            "its libraries, `dask worker ADDRESS --nthreads 1`",
        )
    return client


def versions() -> dict[str, str]:
    """Return the versions that can change a result: library → version."""
    from importlib.metadata import version  # noqa: PLC0415

    return {"cdec": __version__, **{name: version(name) for name in _LIBRARIES}}


def _on_cluster(
    client: Client,
    work: Callable[..., Answer],
    items: Iterable[Item],
    shared: tuple[Any, ...],
) -> Iterator[Answer]:
    """Yield the answers of the workers of ``client``.

    Items and shared objects are tasks, which the scheduler has: those of a lost worker run again
    elsewhere. Objects placed on the workers (by ``scatter``, as joblib does) would be lost.
    """
    shared_tasks = [
        client.submit(pickle.loads, pickle.dumps(part), pure=False) for part in shared
    ]
    waiting: deque[Future] = deque()
    try:
        for item in items:
            waiting.append(client.submit(alone, work, item, shared_tasks, pure=False))
            if len(waiting) >= AHEAD * max(len(client.ncores()), 1):
                yield _answer(client, waiting.popleft())
        while waiting:
            yield _answer(client, waiting.popleft())
    finally:
        client.cancel(
            [*waiting, *shared_tasks]
        )  # a generator that is left early leaves no work behind


def _answer(client: Client, future: Future) -> Any:
    try:
        while True:
            with suppress(TimeoutError):
                return future.result(timeout=PATIENCE)
            client.wait_for_workers(1, timeout=PATIENCE)
    except Exception as error:
        reason = "no worker is left"
        if type(error).__name__ == "KilledWorker":
            reason = "a block of work ended each worker that took it"
        elif client.status == "running" and not isinstance(
            error, CancelledError | TimeoutError
        ):
            raise
        raise CdecError(
            "scheduler-lost",
            f"the Dask cluster: {reason}",
            hint="see the log of the scheduler; give each worker more memory, or start fewer",
        ) from None
