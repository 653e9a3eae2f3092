"""``cdec corpus`` and its commands."""

from __future__ import annotations

import typer

from cdec.cli.corpus import (
    convert,
    export,
    fetch,
    importing,
    info,
    install,
    list_,
    page,
    verify,
)

app = typer.Typer(
    help="Download, install, import, convert and verify corpora; export their keys.\n\n"
    "\b\n# Which corpus do the commands use?\ncdec corpus info\n"
    "# Write its key to a file, for cdec score or another scorer\n"
    "cdec corpus export -o key.conll",
    no_args_is_help=True,
)
app.command("fetch")(fetch.fetch)
app.command("install")(install.install)
app.command("import")(importing.import_)
app.command("convert")(convert.convert)
app.command("verify")(verify.verify)
app.command("list")(list_.list_)
app.command("info")(info.info)
app.command("export")(export.export)
app.command("page")(page.page)
