"""Configuration as data: splits, known corpora, system configurations, the paper's tables."""

import csv
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any


def read_text(name: str) -> str:
    """Return the text of a file of this package, as in ``corpora/ecbplus.sha256``."""
    return (files(__name__) / name).read_text("utf-8")


def read_toml(name: str) -> dict[str, Any]:
    """Return the content of a TOML file of this package, as in ``corpora/ecbplus.toml``."""
    return tomllib.loads(read_text(name))


def folder(name: str) -> Path:
    """Return a folder of this package."""
    return Path(str(files(__name__) / name))


@cache  # the package does not change while the program runs
def toml_names(folder: str) -> tuple[str, ...]:
    """Return the names, without extension, of the TOML files in a folder of this package."""
    names = [file.name for file in (files(__name__) / folder).iterdir()]
    return tuple(sorted(n.removesuffix(".toml") for n in names if n.endswith(".toml")))


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file of this package, as in ``tables/table1.csv``."""
    return list(csv.DictReader(read_text(name).splitlines()))
