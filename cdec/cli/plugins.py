"""``cdec plugins``: the list of plug-ins."""

from __future__ import annotations

import typer

from cdec.cli import options as o
from cdec.cli.command import command
from cdec.rooms import added, imported

app = typer.Typer()
REGISTRIES = (
    "cdec.baselines:SYSTEMS",
    "cdec.metrics:REGISTRY",
    "cdec.settings:SETTINGS",
    "cdec.formats:FORMATS",
    "cdec.corpus:CORPORA",
    "cdec.language:PIPELINES",
    *added("registry").values(),
)


@command(app, "plugins")
def plugins(*, out: o.Report) -> None:
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
    import pandas as pd

    from cdec import __version__
    from cdec.configs import read_toml
    from cdec.plugins import Origin
    from cdec.render import Page
    from cdec.signature import plain

    own = Origin("cdec", __version__)
    entries = [entry for text in REGISTRIES for entry in imported(text).entries()]
    data = pd.DataFrame([{**vars(e.origin or own), **vars(e)} for e in entries])
    data = data[["kind", "name", "distribution", "version", "problem"]]
    view = data[["kind", "name"]].rename(columns=str.capitalize)
    view["From"] = data["distribution"] + " " + data["version"]
    if data["problem"].any():
        view["Problem"] = data["problem"]
    known = read_toml("defaults.toml") if out.verbose else {}
    notes = tuple(
        f"{system}@{version}: {plain(parameters)}"
        for system, versions in known.items()
        for version, parameters in versions.items()
    )
    about = {"defaults": known} if known else {}
    out.show(Page.from_table(view, data, notes=notes, about=about))
