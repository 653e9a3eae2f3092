"""Entry point: handles signals before it imports the rest, which takes a moment."""

from __future__ import annotations

import gc
import os
import signal
import time
from types import FrameType

GRACE_SECONDS = 2.0
_COLLECTION = (100_000, 50, 50)
_STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")


class Stop:
    """Signal handler: exits with 128 + the signal number, after cleaning up.

    A second signal within GRACE_SECONDS is ignored: `timeout` and terminals signal both a process
    and its group, and the second signal must not interrupt the removal of incomplete files.
    """

    _first = -GRACE_SECONDS

    def __call__(self, number: int, _: FrameType | None) -> None:
        """Handle the signal of this number."""
        now = time.monotonic()
        if now - self._first >= GRACE_SECONDS:
            self._first = now
            if number == signal.SIGINT:
                os.write(2, b"\ncdec: interrupted\n")  # print is not safe in a handler
            raise SystemExit(128 + number)


def main() -> None:
    """Run the command line; SIGTERM and SIGHUP end it without a message, SIGINT with one."""
    # A run imports and reads many objects that all stay: with Python's default thresholds the
    # search for cycles among them takes a tenth of a short run.
    gc.set_threshold(*_COLLECTION)
    stop = Stop()
    # Signals that the caller ignores (nohup) stay ignored. Windows has no SIGHUP.
    known = [getattr(signal, name) for name in _STOPPING if hasattr(signal, name)]
    caught = [number for number in known if signal.getsignal(number) != signal.SIG_IGN]
    for number in caught:
        signal.signal(number, stop)
    try:
        from cdec.cli.app import main as run

        run()
    finally:
        # Nothing is left to clean up, and at exit Python would print an exception.
        for number in caught:
            signal.signal(number, signal.SIG_DFL)
