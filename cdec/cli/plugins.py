"""``cdec plugins``: the list of plug-ins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli.run import Run, command
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
    from cdec.render import Page
    from cdec.signature import defaults

    data = _table()
    view = data[["kind", "name"]].rename(columns=str.capitalize)
    view["From"] = data["distribution"] + " " + data["version"]
    if data["problem"].any():
        view["Problem"] = data["problem"]
    notes, about = (_defaults(), {"defaults": defaults()}) if call.verbose else ((), {})
    call.show(Page.from_table(view, data, notes=notes, about=about))


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
