"""Configuration as data: splits, known corpora, system configurations, the paper's tables."""

import csv
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

FOLDER = Path(str(files(__name__)))


@cache  # the package does not change while the program runs
def read_toml(name: str) -> dict[str, Any]:
    """Return the content of a TOML file of this package, as in ``corpora/ecbplus.toml``."""
    return tomllib.loads((FOLDER / name).read_text("utf-8"))


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file of this package, as in ``tables/table1.csv``."""
    return list(csv.DictReader((FOLDER / name).read_text("utf-8").splitlines()))
