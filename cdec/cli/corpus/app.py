"""``cdec corpus`` and its commands."""

from __future__ import annotations

import typer

from cdec.cli.corpus import export, fetch, info, install, verify

app = typer.Typer(help="Get ECB+, check a copy of it, write its key.", no_args_is_help=True)
app.command("fetch")(fetch.fetch)
app.command("install")(install.install)
app.command("verify")(verify.verify)
app.command("info")(info.info)
app.command("export")(export.export)
