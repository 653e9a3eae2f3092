"""``cdec --version``."""

from __future__ import annotations

import platform
from importlib.metadata import version

import typer

from cdec._version import __version__

# What can move a number: arithmetic, assignment, tf-idf, lemmas, the second scorer.
LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "spacy", "HanTa", "neleval")


def show_version(wanted: bool) -> None:
    """Print the versions and exit, if that is wanted."""
    if wanted:
        libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
        typer.echo(f"cdec {__version__} (Python {platform.python_version()}; {libraries})")
        raise typer.Exit
