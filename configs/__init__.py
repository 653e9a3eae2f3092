"""Configuration as data: splits, known facts of corpora, the paper's printed tables."""

import csv
import tomllib
from importlib.resources import files
from typing import Any


def read_text(name: str) -> str:
    """Return the text of a file of this package, as in ``corpora/ecbplus.sha256``."""
    return (files(__name__) / name).read_text("utf-8")


def read_toml(name: str) -> dict[str, Any]:
    """Return the content of a TOML file of this package, as in ``corpora/ecbplus.toml``."""
    return tomllib.loads(read_text(name))


def toml_names(folder: str) -> list[str]:
    """Return the names, without ending, of the TOML files in a folder of this package."""
    return sorted(
        file.name.removesuffix(".toml")
        for file in (files(__name__) / folder).iterdir()
        if file.name.endswith(".toml")
    )


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file of this package, as in ``tables/table1.csv``."""
    return list(csv.DictReader(read_text(name).splitlines()))
