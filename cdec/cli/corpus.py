"""``cdec corpus``: fetch, install, verify, info, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.options import (
    CorpusOption,
    FileFormatOption,
    FormatOption,
    OutputOption,
    QuietOption,
    SplitOption,
)
from cdec.cli.output import (
    emit,
    progress,
    read_corpus,
    say,
    show_notices,
    shows_progress,
    write_annotation,
)
from cdec.errors import UsageError

app = typer.Typer(help="Get ECB+, check a copy of it, write its key.", no_args_is_help=True)

_SourceArgument = Annotated[
    Path, typer.Argument(metavar="PATH", help="Folder or zip of the corpus.", show_default=False)
]


@app.command()
def fetch(
    url: Annotated[
        str | None, typer.Option("--url", help="A mirror of the folder that holds the files.")
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Download ECB+ from its authors' repository, check it and install it.

    A download that breaks off is continued by the next call.

    \b
    cdec corpus fetch
    cdec corpus fetch --url https://mirror.example.org/ECB+_LREC2014
    """
    from cdec.corpus.fetch import fetch as download

    target = download(url, progress=shows_progress(quiet))
    say(f"installed: {target}", quiet)


@app.command()
def install(
    path: _SourceArgument,
    name: Annotated[
        str | None,
        typer.Option("--name", help="Install another corpus in ECB+ format under this name."),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Put a copy of ECB+ (folder or zip) where every command finds it.

    The copy must be the release, unless it gets a name of its own.

    \b
    cdec corpus install ~/Downloads/ECB+.zip
    cdec corpus install my-corpus/ --name mine
    """
    from cdec.corpus.store import install as put

    say(f"installed: {put(path, name)}", quiet)


@app.command()
def verify(
    corpus: CorpusOption = None,
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Read all of a corpus; list its known defects and whatever is not known; exit 1 if damaged.

    \b
    cdec corpus verify
    cdec corpus verify --corpus ~/Downloads/ECB+.zip
    """
    from cdec.corpus.source import open_source
    from cdec.corpus.store import locate
    from cdec.corpus.verify import survey
    from cdec.report.corpus import survey_report

    with progress("reading the corpus", quiet) as tick:
        found = survey(open_source(locate(corpus).path), tick)
    emit(survey_report(found), format, output)
    if not found.ok:
        for problem in found.problems:
            say(f"error: {problem}", quiet=False)
        raise typer.Exit(1)


@app.command()
def info(
    corpus: CorpusOption = None,
    format: FormatOption = "table",
    output: OutputOption = None,
) -> None:
    """Say which corpus the commands use, where it is, and what corpora are installed.

    \b
    cdec corpus info
    cdec corpus info --format json
    """
    from cdec.corpus.store import installed, locate
    from cdec.report.corpus import info_report

    emit(info_report(locate(corpus), installed()), format, output)


@app.command()
def export(
    split: SplitOption = "test",
    setting: Annotated[
        str | None,
        typer.Option("--setting", "-s", help="Write the meta-documents of this setting."),
    ] = None,
    response: Annotated[
        str | None,
        typer.Option(
            "--response",
            "-r",
            metavar="FILE",
            help="With --setting: write this response's side of the meta-documents instead "
            "of the key's.",
        ),
    ] = None,
    corpus: CorpusOption = None,
    to: FileFormatOption = None,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the key, as it is or as ready meta-documents that any scorer can read.

    \b
    cdec corpus export -o key.conll
    cdec corpus export --setting pure -o key-pure.conll
    """
    from cdec.answers import meta_document_sides
    from cdec.formats import from_corpus
    from cdec.settings import find_setting

    if setting is None and response is not None:
        raise UsageError("--response without --setting", cure="a response by itself is its file")
    chosen = find_setting(setting) if setting else None
    part = read_corpus(corpus, split, quiet)
    if chosen is None:
        write_annotation(from_corpus(part, part.gold), to, output)
        return
    key_side, response_side, notices = meta_document_sides(part, chosen, response)
    show_notices(notices, quiet, verbose=False)
    write_annotation(key_side if response is None else response_side, to, output)
