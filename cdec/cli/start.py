"""Where the program begins: with signals, before the rest, which takes a moment to import."""

from __future__ import annotations

import signal
import time
from types import FrameType

GRACE_SECONDS = 2.0
_STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")


class Stop:
    """Ends the run as a shell would say it, 128 + the signal's number, and lets it put away.

    A second signal within GRACE_SECONDS is taken for the same one: `timeout` and terminals signal
    a process and its group, and that must not disturb the removal of what is half written.
    """

    def __init__(self) -> None:
        self._first = -GRACE_SECONDS

    def __call__(self, number: int, _: FrameType | None) -> None:
        """Handle the signal of this number."""
        now = time.monotonic()
        if now - self._first >= GRACE_SECONDS:
            self._first = now
            raise SystemExit(128 + number)


def main() -> None:
    """Run the command line; SIGINT, SIGTERM and SIGHUP end it quietly at any point."""
    stop = Stop()
    # What the caller ignores (as nohup does) stays ignored; Windows has no SIGHUP.
    known = [getattr(signal, name) for name in _STOPPING if hasattr(signal, name)]
    caught = [number for number in known if signal.getsignal(number) != signal.SIG_IGN]
    for number in caught:
        signal.signal(number, stop)
    try:
        from cdec.cli.app import main as run

        run()
    finally:
        # Nothing is left to put away, and Python's own end tells of any exception.
        for number in caught:
            signal.signal(number, signal.SIG_DFL)
