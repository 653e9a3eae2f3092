"""The figures of the structure are a ratchet: none is worse than in tests/house.toml."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from tests import house

FILE = Path(__file__).with_name("house.toml")


def test_no_figure_is_worse() -> None:
    """``CDEC_UPDATE_GOLDEN=1`` writes the figures: look at what became worse, and say why."""
    # In a process of its own: the package that is measured must not be imported yet.
    command = [sys.executable, "-P", house.__file__]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        FILE.write_text(text, "utf-8")
    figures, most = tomllib.loads(text), tomllib.loads(FILE.read_text("utf-8"))
    worse = {name: (n, most[name]) for name, n in figures.items() if n > most[name]}
    assert figures.keys() == most.keys()
    assert not worse
