"""The assertion that a call raises an error with a code, at a place, about a value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cdec.errors import CdecError


@contextmanager
def refused(
    code: str, *values: object, place: object = None
) -> Iterator[pytest.ExceptionInfo[CdecError]]:
    """Assert that the block raises a CdecError with ``code``; ``values`` occur in its line.

    ``place`` is the end of the error's place, such as ``key.conll:3``.
    """
    with pytest.raises(CdecError) as caught:
        yield caught
    error = caught.value
    assert error.code == code, f"{error.code}: {error}"
    if place is not None:
        assert str(error.place).endswith(str(place)), error
    for value in values:
        assert str(value) in str(error), error
