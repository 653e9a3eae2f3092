"""matplotlib with its own defaults, so that a picture is the same for every user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir, contextmanager, nullcontext
from pathlib import Path
from typing import Any


@contextmanager
def default_style(changes: Any) -> Iterator[None]:
    """Draw with matplotlib's defaults and ``changes``, a dict; a ``matplotlibrc`` has no effect."""
    # matplotlib reads a file of that name in the working directory when it is imported.
    elsewhere = chdir(Path(__file__).parent) if Path("matplotlibrc").exists() else nullcontext()
    with elsewhere:
        import matplotlib as mpl  # noqa: PLC0415  half a second, and most commands draw nothing
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(changes)
        yield
