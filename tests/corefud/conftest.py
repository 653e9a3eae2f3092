"""The program in this process, as for tests of the command line."""

from tests.cli.conftest import cdec

__all__ = ["cdec"]
