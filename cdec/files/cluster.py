"""Work on a Dask cluster: the connection, and items that survive the workers they were sent to.

Items travel inside their tasks, through the scheduler, so that the tasks of a lost worker run again
elsewhere. Only what all tasks share is placed on the workers, on each of them; joblib's own Dask
backend would place larger items on a single worker and fail, or wait for ever, when that one ends.
"""

from __future__ import annotations

import logging
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from cdec._version import __version__
from cdec.errors import CdecError
from cdec.files.jobs import AHEAD, alone

if TYPE_CHECKING:
    from distributed import Client, Future

Item = TypeVar("Item")
Answer = TypeVar("Answer")

PATIENCE = 10
"""Seconds to wait for the scheduler, and then for a worker."""
_ATTEMPTS = 4
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "spacy")


@contextmanager
def connected(scheduler: str | Client) -> Iterator[Client]:
    """Yield a client of the scheduler, whose workers have the versions of this process.

    Raises CdecError if Dask is not installed, the scheduler cannot be reached, it has no worker,
    or the workers cannot import this version of cdec.
    """
    try:
        import dask  # noqa: PLC0415  # an extra
        from distributed import Client  # noqa: PLC0415
    except ImportError:
        hint = "pip install 'cdec[dask]'"
        raise CdecError("package-missing", "Dask is not installed", hint=hint) from None
    if isinstance(scheduler, Client):
        _check_workers(scheduler)
        yield scheduler
        return
    # It would print lines in addition to the one line of the error.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GB"}):
        client = _client(Client, scheduler)
        try:
            _check_workers(client)
            yield client
        finally:
            client.close(timeout=PATIENCE)


def _client(make: Callable[..., Client], scheduler: str) -> Client:
    from distributed.comm import get_address_host_port  # noqa: PLC0415  # an extra

    try:
        # A client that fails would print its own traceback when it is collected.
        socket.create_connection(get_address_host_port(scheduler), PATIENCE).close()
        return make(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError, OverflowError):
        raise CdecError(
            "scheduler-unreachable",
            "no Dask scheduler answers",
            place=scheduler,
            hint="give the address that `dask scheduler` shows, as in tcp://host:8786",
        ) from None


def _check_workers(client: Client) -> None:
    place = client.scheduler.address if client.scheduler else None
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        hint = "start workers with `dask worker ADDRESS --nthreads 1`"
        message = "the Dask scheduler has no workers"
        raise CdecError("scheduler-unreachable", message, place=place, hint=hint) from None
    own = versions()
    try:
        found = client.run(versions)
    except Exception as error:  # noqa: BLE001  whatever fails in loading it there
        message = f"a Dask worker cannot import this release of cdec: {error}"
        raise _unfit(message, place) from None
    for worker, theirs in found.items():
        for name, number in own.items():
            if theirs.get(name) != number:
                message = f"{name} {theirs.get(name)} on a Dask worker, {number} here"
                raise _unfit(message, worker)


def _unfit(message: str, place: object) -> CdecError:
    hint = "install the same versions of cdec and its libraries on all machines"
    return CdecError("scheduler-unreachable", message, place=place, hint=hint)


def versions() -> dict[str, str]:
    """Return the versions that can change a result: library → version."""
    return {"cdec": __version__, **{name: version(name) for name in _LIBRARIES}}


def sent(
    client: Client,
    work: Callable[..., Answer],
    items: Iterable[Item],
    shared: tuple[Any, ...],
) -> Iterator[Answer]:
    """Yield ``work(item, *shared)`` of each item, in order, computed by the workers of ``client``.

    ``AHEAD`` items per worker are in work at once. Raises what ``work`` raises, and CdecError if
    the cluster is lost or an item ends every worker that takes it.
    """
    tasks = _Tasks(client, work, shared)
    waiting: deque[tuple[Item, Future]] = deque()
    try:
        for item in items:
            waiting.append((item, tasks.submit(item)))
            if len(waiting) >= AHEAD * max(len(client.ncores()), 1):
                yield tasks.first(waiting)
        while waiting:
            yield tasks.first(waiting)
    finally:
        # No generator that is left early leaves work behind.
        client.cancel([future for _, future in waiting])


class _Tasks:
    """Calls of one function on the cluster."""

    def __init__(self, client: Client, work: Callable[..., Any], shared: tuple[Any, ...]) -> None:
        self.client, self.work, self.shared = client, work, shared
        self.placed = self._place()

    def submit(self, item: object) -> Future:
        """Send an item."""
        return self.client.submit(_call, self.work, item, *self.placed, pure=False)

    def first(self, waiting: deque[tuple[Any, Future]]) -> Any:
        """Return the answer to the first item, and remove the item."""
        for attempt in range(_ATTEMPTS):
            try:
                answer = waiting[0][1].result()
            except CancelledError:
                # The shared objects were lost with their workers: scatter and submit all again.
                if attempt + 1 == _ATTEMPTS or self.client.status != "running":
                    break
                self._send_again(waiting)
            except Exception as error:  # noqa: BLE001  that of the work, or of the cluster
                raise self._explained(error) from None
            else:
                waiting.popleft()
                return answer
        raise self._lost()

    def _place(self) -> list[Future]:
        if not self.shared:
            return []
        parts = [_Part(part) for part in self.shared]
        placed: list[Future] = self.client.scatter(parts, broadcast=True, hash=False)
        return placed

    def _send_again(self, waiting: deque[tuple[Any, Future]]) -> None:
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
            self.placed = self._place()
            again = [(item, self.submit(item)) for item, _ in waiting]
        except (OSError, CancelledError):
            raise self._lost() from None
        waiting.clear()
        waiting.extend(again)

    def _explained(self, error: Exception) -> Exception:
        """Return the error of a task; a CdecError if it is one of the cluster."""
        if type(error).__name__ == "KilledWorker":
            hint = "give each worker more memory, or start fewer on a machine"
            message = "a block of work ended every Dask worker that took it"
            return CdecError("scheduler-lost", message, hint=hint)
        return error if self.client.status == "running" else self._lost()

    def _lost(self) -> CdecError:
        hint = "see the log of the scheduler, and start the command again"
        message = "the Dask cluster was lost during the work"
        return CdecError("scheduler-lost", message, hint=hint)


class _Part:
    """A shared object: wrapped, so that Dask does not look inside it."""

    def __init__(self, value: object) -> None:
        self.value = value


def _call(work: Callable[..., Any], item: Any, *parts: _Part) -> Any:
    return alone(work, item, tuple(part.value for part in parts))
