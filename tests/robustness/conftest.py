import signal
from collections.abc import Iterator

import pytest

from tests.cli.conftest import cdec, done

__all__ = ["cdec", "done"]


@pytest.fixture(autouse=True, scope="session")
def _interrupts() -> Iterator[None]:
    """Let child processes be interrupted, which in the background a shell has made ignored."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)
