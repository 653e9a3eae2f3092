"""Fixtures of the tests of cdec.formats."""

from tests.formats.perl import perl_scorer

__all__ = ["perl_scorer"]
