"""A new package with a plug-in, from the templates of its kind."""

from __future__ import annotations

import re
import shutil
from importlib.resources import files
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template

from cdec.errors import CdecError, UsageError
from cdec.plugins import Registry

_VALID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def write_package(kind: str, name: str, into: Path, registry: Registry[object]) -> Path:
    """Write the package ``name`` with a plug-in of ``registry`` and its test; return its folder.

    Raises UsageError for an unsuitable name, CdecError for a folder that exists or cannot be made.
    """
    module = name.replace("-", "_")
    _check(name, module, registry)
    folder = into / name
    title = name.replace("-", " ").capitalize()
    facts = {"name": name, "module": module, "title": title, "group": registry.group}
    pieces = {
        "pyproject.toml": "pyproject.toml",
        f"{module}.py": f"{kind}/module.py",
        f"test_{module}.py": f"{kind}/test.py",
    }
    try:
        folder.mkdir()
    except OSError as error:
        hint = "choose another name, or another folder"
        message = f"cannot create the folder: {error.strerror}"
        raise CdecError("file-unwritable", message, place=folder, hint=hint) from None
    try:
        for file, source in pieces.items():
            text = (files("cdec.plugins") / "templates" / f"{source}.txt").read_text("utf-8")
            filled = Template(text).substitute(facts)
            (folder / file).write_text(filled, "utf-8")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def _check(name: str, module: str, registry: Registry[object]) -> None:
    if not _VALID.fullmatch(name) or iskeyword(name):
        message = f"'{name}' is not a valid name"
        hint = "use lower-case letters, digits and hyphens, as in my-metric"
        raise UsageError("option-invalid", message, hint=hint)
    if name in registry:
        message = f"the {registry.kind} '{name}' exists already"
    elif find_spec(module):
        message = f"a package would hide the module '{module}', which is installed"
    else:
        return
    raise UsageError("option-invalid", message, hint="choose another name")
