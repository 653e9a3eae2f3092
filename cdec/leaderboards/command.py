"""``cdec leaderboard`` and its commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdec.cli import options as o
from cdec.cli.command import argument, command, option, refuse, require
from cdec.errors import ScoringError, UsageError, counted
from cdec.files.progress import notebook

if TYPE_CHECKING:
    from cdec.leaderboards.board import Leaderboard

app = typer.Typer(
    help="Keep a leaderboard of systems in a folder.\n\n"
    "\b\n# Add a system, score it, write the pages\n"
    "cdec leaderboard add mine.conll --name mine --task ecb+\n"
    "cdec leaderboard score\ncdec leaderboard site leaderboard -o site\n"
    "# In continuous integration: score everything again\ncdec leaderboard score --check",
    no_args_is_help=True,
)
_SHOWN = 20  # differences
_USUAL = Path("leaderboard")
Folder = Annotated[Path, option("--folder", "FOLDER", "The folder of the leaderboard.")]
ResponseFolder = Annotated[
    Path | None,
    option("--responses", "FOLDER", "Folder of the responses. Default: responses in --folder."),
]
Corpora = Annotated[
    list[str] | None,
    option("--corpus", "NAME=PATH", "Path of a corpus of the tasks. Default: the installed one."),
]
SystemNames = Annotated[list[str] | None, argument("[SYSTEM]…", "Only these systems.")]


def board_at(folder: Path | None, responses: Path | None = None) -> Leaderboard:
    """Return the leaderboard in a folder; that of cdec if the usual folder has none."""
    from cdec.leaderboards.board import BOARD, Leaderboard, board_of_cdec

    there = (_USUAL / BOARD).exists()
    if folder is None:
        return Leaderboard.at(_USUAL) if there else board_of_cdec()
    return Leaderboard.at(folder, responses) if folder != _USUAL or there else board_of_cdec()


def _paths(given: list[str] | None) -> dict[str, str]:
    """Return the corpora of --corpus. Raises UsageError for one that is not NAME=PATH."""
    pairs = [text.partition("=") for text in given or []]
    for name, _, path in pairs:
        if not (name and path):
            message = f"expected NAME=PATH, got '{name}'"
            raise UsageError("argument-invalid", message, hint="as in gvc=data/GVC")
    return {name: path for name, _, path in pairs}


@command(app, "add")
def add(
    response: Annotated[
        list[str],
        argument("RESPONSE…", "Response files, or pairs:FILE@T/CLUSTERING: the runs of a system."),
    ],
    name: Annotated[str, option("--name", "NAME", "Name: small letters, digits and . _ + -")],
    task: Annotated[str, option("--task", "TASK", "The task that they answer.")],
    meta: Annotated[
        Path | None,
        option("--meta", "FILE.toml", "Its title, family, licence, uses, … (docs/leaderboard.md)."),
    ] = None,
    copy: Annotated[
        bool,
        option("--copy/--no-copy", None, "Copy the files into the folder, or record digests only."),
    ] = True,
    folder: Folder = _USUAL,
    responses: ResponseFolder = None,
    *,
    out: o.Messages,
) -> None:
    """Add a system, or its responses to a further task.

    \b
    # Three runs of a system
    cdec leaderboard add run1.conll run2.conll run3.conll --name mine --task ecb+
    # With a description, and without copies of the responses
    cdec leaderboard add mine.conll --name mine --task ecb+ --meta mine.toml --no-copy
    """
    from cdec.leaderboards.add import add_system
    from cdec.leaderboards.board import Leaderboard

    board = Leaderboard.at(folder, responses)
    entry = add_system(board, name, response, task, meta, copied=copy)
    counts = f"{len(entry.answers(task))} of {len(entry.responses)}"
    out.say(f"{entry.name}: {counts} responses added")


@command(app, "fetch")
def fetch(
    system: SystemNames = None,
    source: Annotated[
        Path | None,
        option("--from", "FOLDER|FILE", "Use the archives that are here, and download nothing."),
    ] = None,
    folder: Folder = _USUAL,
    *,
    out: o.Messages,
) -> None:
    """Download the responses of published systems, check and unpack them.

    They come from the archives of their authors, where the licence allows it,
    and are put into the data folder of cdec (CDEC_DATA); all of them take 0.9 GB. Every command
    that takes a response file also takes leaderboard:NAME, for all runs of the system
    on the corpus that is scored, or leaderboard:NAME@TASK/RUN for one of them.
    Requires the package py7zr.

    \b
    # One system, then its scores
    cdec leaderboard fetch cattan-ecbp-predicted
    cdec eval leaderboard:cattan-ecbp-predicted --split cybulska/test
    # From archives that are here already
    cdec leaderboard fetch --from ~/Downloads
    """
    from cdec.leaderboards.fetch import fetch_responses

    board = board_at(folder)
    for archive, files in fetch_responses(board, system or [], source=source):
        new = counted(files, "new file") if files else "nothing new"
        out.say(f"{archive.name} ({archive.licence}): {new} in {board.root / archive.folder}")
    out.say("score, compare or diagnose them as leaderboard:NAME")


@command(app, "score")
def score(
    system: SystemNames = None,
    check: Annotated[
        bool,
        option("--check", None, "Compare with the saved results, and fail if anything differs."),
    ] = False,
    key_patch: Annotated[
        Path | None,
        option(
            "--key-patch",
            "FILE|NAME",
            "Show the scores before and after a correction of the key. Those of the first task of "
            "its corpus, with intervals and ranks; nothing is saved.",
        ),
    ] = None,
    folder: Folder = _USUAL,
    responses: ResponseFolder = None,
    corpus: Corpora = None,
    *,
    work: o.Work,
    out: o.Report,
) -> None:
    """Score all responses under all settings, and save or check the results.

    Every file is read once. The results of a system are saved when it is scored: an
    interrupted call keeps them. With --check, a changed response, key, score or
    signature is an error (exit code 1).

    \b
    # All systems
    cdec leaderboard score
    # One of them; a task names the corpus gvc, which is in a folder
    cdec leaderboard score mine --corpus gvc=data/GVC
    # In continuous integration of a public leaderboard
    cdec leaderboard score --check --folder .
    # What a correction of the key changes on the board of cdec
    cdec leaderboard score --key-patch ecbplus-duplicates
    """
    from cdec.leaderboards.board import Leaderboard
    from cdec.leaderboards.score import problems, score_and_save, score_board
    from cdec.leaderboards.table import ResultTable

    corpora, only = _paths(corpus), system or []
    if key_patch:
        from cdec.corpus.claims import read_patch
        from cdec.leaderboards.rescore import rescored

        refuse("--key-patch", "check")
        about: Any = {"corpora": corpora, "progress": notebook()}
        board, patch = board_at(folder, responses), read_patch(key_patch)
        return out.show(rescored(board, patch, only, **about))
    board = Leaderboard.at(folder, responses)
    if check:
        ResultTable.of(board)  # a table that is not valid is said before a corpus is read
    scoring = score_board(board, corpora, notebook(), only)
    done = list(scoring) if check else score_and_save(board, scoring, whole=not only)
    if found := list(problems(board, done)) if check else []:
        for problem in found[:_SHOWN]:
            typer.echo(problem)
        message = f"{counted(len(found), 'problem')} of the leaderboard"
        hint = "correct the leaderboard, or save the results by `cdec leaderboard score`"
        raise ScoringError("check-failed", message, place=folder, hint=hint)
    counts = counted(sum(len(one.runs) for one in done), "response")
    rows = counted(len(done), "row")
    return out.say(f"{counts}, {rows}{' checked: no difference' if check else ''}")


@command(app, "show")
def show(
    system: SystemNames = None,
    task: Annotated[
        str | None,
        option("--task", "TASK", "Show the F1 of this task. Default: what the board has."),
    ] = None,
    metric: Annotated[
        str,
        option(
            "--metric",
            "METRIC",
            "The metric whose F1 is shown; `cdec plugins` lists them.",
            known="cdec.metrics:ALL",
            kind="metric",
        ),
    ] = "conll",
    by: o.Stratum = None,
    setting: Annotated[list[str], option("--setting -s", "SETTING", "With --by.", rare=True)] = [
        "simple"
    ],
    corpus: Corpora = None,
    filter: Annotated[
        list[str] | None,
        option(
            "--filter",
            "FIELD=VALUE",
            "Show only systems that declare this (repeatable): saw-test=no.",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        option("--column", "FIELD", "Also show what systems declare as this: model, cost."),
    ] = None,
    folder: Folder = _USUAL,
    *,
    out: o.Report,
) -> None:
    """Show the tasks and systems of a leaderboard, or a table of the saved scores of one task.

    `cdec leaderboard site` writes pages of all scores.
    With --by, the responses are read and divided by a stratum. --column adds to a
    table what systems declare of their runs (model, tokens, cost, saw_test, …).

    \b
    # The tasks, each with its best system, and the names of all systems
    cdec leaderboard show
    # All systems of a task
    cdec leaderboard show --task ecb+
    # Their links by whether train has the head lemmas
    cdec leaderboard show --task ecb+ --by seen-lemma
    # Two of them, for a paper
    cdec leaderboard show cdec-sac bugert-2021 --task ecb+ --format latex
    # Only systems that did not use gold clusters of documents
    cdec leaderboard show --task ecb+ --filter topics=predicted
    """
    from cdec.leaderboards.show import board_page, strata_of, table_page

    board, filters, systems = board_at(folder), filter or [], system or []
    if not by:
        require("--by", "setting", "corpus")
    elif task:
        refuse("--by", "metric", "filter", "column")
        about: Any = {"setting": setting, "by": by, "corpora": _paths(corpus)}
        return out.show(strata_of(board, task, systems, **about))
    if task:
        return out.show(table_page(board, task, systems, metric, filters, columns=column or []))
    require("--task", "system", "metric", "by", "column")
    return out.show(board_page(board, filters))


@command(app, "site")
def site(
    output: Annotated[
        Path,
        option(
            "--output -o", "FOLDER", "The folder of the site: a new one, or one of an earlier site."
        ),
    ],
    folder: Annotated[Path | None, argument("[FOLDER]", "The folder of the leaderboard.")] = None,
    *,
    out: o.Messages,
) -> None:
    """Write the saved scores as a site: static pages, to serve or to open as files.

    A page a task and metric, with columns to sort by and filters; a page a system
    with its declaration, responses and signatures; all data as CSV and JSON.
    Without FOLDER, and without a folder leaderboard here: the board of cdec.

    \b
    # The board of cdec
    cdec leaderboard site -o site
    # One's own; in a site of before, only what changed is written
    cdec leaderboard site leaderboard -o site
    """
    from cdec.leaderboards.board import Leaderboard
    from cdec.leaderboards.site import write_site

    board = Leaderboard.at(folder) if folder else board_at(None)
    names = write_site(board, output)
    files = f"{counted(len(names), 'file')} in {output}"
    out.say(f"{board.file.title}: {files}: open {output / 'index.html'}")
