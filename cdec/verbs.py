"""Packages that are also verbs: ``cdec.audit`` holds modules, and ``cdec.audit(corpus)`` is a call.

Python sets a package as an attribute of its parent when it is imported, in place of the function of
the same name. So the package itself passes the call on.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class Verb(ModuleType):
    """A package that is called: the call goes to the function of its name in the Python API."""

    home: str

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Return what the function of this name in the module ``home`` returns."""
        name = self.__name__.rpartition(".")[2]
        return getattr(import_module(self.home), name)(*arguments, **options)


def callable_package(name: str, home: str) -> None:
    """Let the package ``name`` be called; ``home`` is the module with the function."""
    vars(sys.modules[name])["home"] = home
    sys.modules[name].__class__ = Verb
