"""Fixtures of the tests of cdec.matching."""

from tests.formats.perl import perl_scorer

__all__ = ["perl_scorer"]
