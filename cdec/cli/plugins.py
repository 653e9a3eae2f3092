"""``cdec plugins``: the list of plug-ins, and a new one."""

from __future__ import annotations

import re
import shutil
from importlib.resources import files
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import typer

from cdec.cli import completion as names
from cdec.cli import options as o
from cdec.cli.option import Option
from cdec.cli.run import Run, command
from cdec.errors import CdecError, UsageError
from cdec.rooms import imported

if TYPE_CHECKING:
    import pandas as pd

    from cdec.plugins import Registry

REGISTRIES = {
    "system": "cdec.baselines:SYSTEMS",
    "metric": "cdec.metrics:REGISTRY",
    "setting": "cdec.settings:SETTINGS",
    "format": "cdec.formats:FORMATS",
    "corpus": "cdec.corpus.adapter:CORPORA",
    "pipeline": "cdec.language:PIPELINES",
    "detector": "cdec.auditing.detectors:DETECTORS",
}
KINDS = ("metric", "system", "setting", "corpus", "detector")  # that `new` writes
app = typer.Typer()
_KIND = Option(
    "kind",
    "KIND",
    "metric, system, setting, corpus (a format) or detector (of the audit).",
    required=True,
    complete=names.PLUGIN_KINDS,
)
_NAME = Option("name", "NAME", "Name of the plug-in and of its package.", required=True)
_INTO = Option(
    "--into", "FOLDER", "Write the package, a folder of its name, into this folder.", Path, Path()
)


@app.callback(invoke_without_command=True)
@command(*o.REPORT)
def plugins(call: Run) -> None:
    """List systems, metrics, settings, formats, corpora, pipelines and audit detectors.

    A plug-in that cannot be used is listed with the reason.

    \b
    # All names, and the package that provides each
    cdec plugins
    # Also the default parameters behind names such as sac@1 in signatures
    cdec plugins --verbose
    # For another program
    cdec plugins --format csv
    """
    if call.context.invoked_subcommand:
        return
    from cdec.render import Page
    from cdec.signature import defaults

    data = _table()
    view = data[["kind", "name"]].rename(columns=str.capitalize)
    view["From"] = data["distribution"] + " " + data["version"]
    if data["problem"].any():
        view["Problem"] = data["problem"]
    notes, about = (_defaults(), {"defaults": defaults()}) if call.verbose else ((), {})
    call.show(Page.from_table(view, data, notes=notes, about=about))


@app.command()
@command(_KIND, _NAME, _INTO, *o.SCREEN)
def new(call: Run) -> None:
    """Write a package with a plug-in that works, its entry point and a test that passes.

    Change the plug-in, run the test, install the package: `cdec plugins` lists it.

    \b
    # A metric, in the new folder my-metric
    cdec plugins new metric my-metric
    # An audit detector
    cdec plugins new detector same-words --into .
    """
    folder = write_package(call.kind, call.name, call.into, imported(REGISTRIES[call.kind]))
    call.say(f"{folder} written; `cdec plugins` lists it when installed: pip install {folder}")


def _table() -> pd.DataFrame:
    """Return all entries with the package and version that provide them."""
    import pandas as pd

    from cdec import __version__
    from cdec.plugins import Origin

    own = Origin("cdec", __version__)
    registries: list[Registry[object]] = [imported(text) for text in REGISTRIES.values()]
    entries = [entry for registry in registries for entry in registry.entries()]
    rows = [(entry, entry.origin or own) for entry in entries]
    return pd.DataFrame(
        [(e.kind, e.name, o.distribution, o.version, e.problem) for e, o in rows],
        columns=["kind", "name", "distribution", "version", "problem"],
    )


def _defaults() -> tuple[str, ...]:
    """Return a line for each version of a system's default parameters."""
    from cdec.signature import defaults, plain

    return tuple(
        f"{system}@{version}: {plain(parameters)}"
        for system, versions in defaults().items()
        for version, parameters in versions.items()
    )


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
        hint = "choose another name, or another folder with --into"
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
