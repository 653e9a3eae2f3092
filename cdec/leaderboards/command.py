"""``cdec leaderboard`` and its commands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option, rarely
from cdec.cli.run import Run, command
from cdec.errors import ScoringError, counted
from cdec.leaderboards.options import (
    BOARD,
    COPY,
    CORPORA,
    FILES,
    FOLDER,
    FROM,
    META,
    METRIC,
    NAME,
    RESPONSES,
    SYSTEMS,
    TASK,
    board_to_read,
    corpora,
    named_board,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cdec.leaderboards.saved import Difference
    from cdec.leaderboards.score import Scored

app = typer.Typer(
    help="Keep a leaderboard of systems in a folder: add, score and show it.\n\n"
    "\b\n# Add a system, score it, write the pages\n"
    "cdec leaderboard add mine.conll --name mine --task ecb+\n"
    "cdec leaderboard score\ncdec leaderboard site leaderboard -o site\n"
    "# In continuous integration: score everything again\ncdec leaderboard score --check",
    no_args_is_help=True,
)
_SHOWN = 20  # differences
_CHECK = Option(
    "--check",
    None,
    "Compare with the saved results instead of saving: fail if one differs.",
    bool,
    False,
)
_PATCH = o.KEY_PATCH.but(
    help="Instead: show the scores of the first task of its corpus before and after this "
    "correction of the key, with the differences, their intervals, and the ranks. Nothing is "
    "saved.",
)
_FILTER = Option(
    "--filter",
    "FIELD=VALUE",
    "Show only the systems that declare this (repeatable): saw-test=no, model=gpt-4, pairs=gold; "
    "without a value, those that do not declare the field.",
    many=True,
)


def _scored(call: Run, only: list[str] | None = None) -> Iterable[Scored]:
    from cdec.leaderboards.score import score_board

    return score_board(named_board(call), corpora(call), None, call.bar, only or ())


@app.command("add")
@command(FILES, NAME, TASK, META, COPY, FOLDER, RESPONSES, *o.SCREEN)
def add(call: Run) -> None:
    """Add a system, or its responses to a further task.

    \b
    # Three runs of a system
    cdec leaderboard add run1.conll run2.conll run3.conll --name mine --task ecb+
    # With a description, and without copies of the responses
    cdec leaderboard add mine.conll --name mine --task ecb+ --meta mine.toml --no-copy
    """
    from cdec.leaderboards.add import Addition, add_system

    added = Addition(call.name, call.response, call.task, call.meta, call.copy)
    entry = add_system(named_board(call), added)
    counts = f"{len(entry.answers(call.task))} of {len(entry.responses)}"
    call.say(f"{entry.name}: {counts} responses added")


@app.command("fetch")
@command(
    SYSTEMS.but(help="Only the responses of these systems. Default: all (0.9 GB on the disk)."),
    FROM,
    FOLDER.but(help=f"{FOLDER.help} If it does not exist: the published systems of cdec."),
    *o.SCREEN,
)
def fetch(call: Run) -> None:
    """Download the responses of published systems, check and unpack them.

    They come from the archives of their authors, where the licence allows it,
    and are put into the data folder of cdec (CDEC_DATA). Every command that
    takes a response file also takes leaderboard:NAME, for all runs of the system
    on the corpus that is scored, or leaderboard:NAME@TASK/RUN for one of them.
    Requires the package py7zr.

    \b
    # One system, then its scores
    cdec leaderboard fetch cattan-ecbp-predicted
    cdec eval leaderboard:cattan-ecbp-predicted --split cybulska/test
    # From archives that are here already
    cdec leaderboard fetch --from ~/Downloads
    """
    from cdec.leaderboards.archives import fetch_responses

    board, shown = board_to_read(call), sys.stderr.isatty() and not call.quiet
    archives = fetch_responses(board, call.system or [], source=call.source, progress=shown)
    for archive, files in archives:
        new = counted(files, "new file") if files else "nothing new"
        call.say(f"{archive.name} ({archive.licence}): {new} in {board.root / archive.folder}")
    call.say("score, compare or diagnose them as leaderboard:NAME")


@app.command("score")
@command(SYSTEMS, _CHECK, _PATCH, *BOARD, *o.WORK, *o.REPORT)
def score(call: Run) -> None:
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
    if call.key_patch:
        return _show_corrected(call)
    from cdec.leaderboards.saved import differences, save_result

    runs, files, target = 0, 0, named_board(call)
    scored = _scored(call, call.system)
    if call.check:
        scored = list(scored)
        _refuse(call, list(differences(target, scored)))
    for one in scored:
        if not call.check:
            save_result(target, one)
        runs, files = runs + len(one.runs), files + 1
    done = " checked: no difference" if call.check else ""
    return call.say(f"{counted(runs, 'response')}, {counted(files, 'results file')}{done}")


def _show_corrected(call: Run) -> None:
    """Show the scores before and after --key-patch, on the board of cdec by default."""
    from cdec.corpus.claims import read_patch
    from cdec.leaderboards.rescore import rescored

    call.refuse(("check",), "--key-patch")
    board, patch = board_to_read(call), read_patch(call.key_patch)
    call.show(rescored(board, patch, call.system or (), corpora=corpora(call), progress=call.bar))


def _refuse(call: Run, found: list[Difference]) -> None:
    """Print differences from the saved results; raise ScoringError if there are any."""
    for difference in found[:_SHOWN]:
        typer.echo(str(difference))
    if found:
        message = f"{counted(len(found), 'difference')} from the saved results"
        hint = "correct the leaderboard, or save the results by `cdec leaderboard score`"
        raise ScoringError("check-failed", message, place=call.folder, hint=hint)


@app.command("show")
@command(
    SYSTEMS.but(help="Show only these systems, in this order. Default: all, best first."),
    TASK.but(
        help="Show one table: the F1 of this task. Default: what the board has, without scores.",
        required=False,
    ),
    METRIC,
    s.STRATA,
    *rarely(o.DIAGNOSED, CORPORA),
    _FILTER,
    Option("--column", "FIELD", "Also show what systems declare as this: model, cost.", many=True),
    FOLDER,
    *o.REPORT,
)
def show(call: Run) -> None:
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
    from cdec.leaderboards.board_page import board_page, strata_of, table_page

    board, filters = board_to_read(call), call.filter or []
    if not call.by:
        call.require(("setting", "corpus"), "--by")
    elif call.task:
        call.refuse(("metric", "filter", "column"), "--by")
        about = {"setting": call.setting, "by": call.by, "corpora": corpora(call)}
        return call.show(strata_of(board, call.task, call.system or [], **about))
    if call.task:
        chosen = (call.task, call.system or [], call.metric, filters)
        return call.show(table_page(board, *chosen, columns=call.column or []))
    call.require(("system", "metric", "by", "column"), "--task")
    return call.show(board_page(board, filters))


@app.command("site")
@command(
    FOLDER.but(words="folder", metavar="[FOLDER]", default=None),
    o.TO_FILE.but(
        metavar="FOLDER",
        help="The folder of the site: a new one, or one that this command wrote.",
        required=True,
        check=None,
        writes=False,
    ),
    *o.SCREEN,
)
def site(call: Run) -> None:
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
    from cdec.leaderboards.site import write_site

    board = named_board(call) if call.folder else board_to_read(call)
    names = write_site(board, call.output)
    files = f"{counted(len(names), 'file')} in {call.output}"
    call.say(f"{board.file.title}: {files}: open {call.output / 'index.html'}")
