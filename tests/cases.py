"""Tables of cases in TOML beside the tests, and what a call in Python that is refused raises."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from cdec.errors import CdecError


def cases(name: str) -> dict[str, Any]:
    """The tables of cases in a file."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))


def fractions(counts: dict[str, list[Any]]) -> dict[str, tuple[float, ...]]:
    """Counts by metric, in which a number may be written as ``"2/3"``."""
    return {name: tuple(float(Fraction(part)) for part in parts) for name, parts in counts.items()}


@contextmanager
def refused(code: str, place: str = "") -> Iterator[pytest.ExceptionInfo[CdecError]]:
    """The calls inside end in an error with this code, at a place that ends with these names."""
    with pytest.raises(CdecError) as caught:
        yield caught
    assert caught.value.code == code, caught.value
    assert not place or f"/{caught.value.place}".endswith(f"/{place}"), caught.value
