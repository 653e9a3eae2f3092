"""Packages of cdec that lie beside the folder cdec in a checkout: settings, baselines and configs.

A wheel has them inside ``cdec``. In a checkout the finder below gives them, for an editable install
and for a checkout on ``PYTHONPATH`` alike, so that the code of two checkouts is never mixed.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

PACKAGES = ("baselines", "settings", "configs")
_INSIDE = Path(__file__).parent
_BESIDE = _INSIDE.parent


class _Beside(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        parent, _, name = fullname.rpartition(".")
        if parent != "cdec" or name not in PACKAGES:
            return None
        folder = _BESIDE / name
        return spec_from_file_location(
            fullname, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )


def install() -> None:
    """Find the packages beside ``cdec``, unless they are inside it."""
    if not (_INSIDE / "settings").is_dir():
        sys.meta_path.insert(0, _Beside())
