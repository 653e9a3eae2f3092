"""``cdec leaderboard`` and its commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli import options as o
from cdec.cli.command import argument, command, option, require
from cdec.errors import ScoringError, UsageError, counted

if TYPE_CHECKING:
    from cdec.errors import Notice
    from cdec.leaderboards.board import Leaderboard

app = typer.Typer(
    help="Keep a leaderboard of systems in a folder.\n\n"
    "\b\n# A new board, a system, its scores, the pages\n"
    "cdec leaderboard new --task ecb+ --corpus ecb+ --split cybulska/test\n"
    "cdec leaderboard add mine.conll --name mine --task ecb+\n"
    "cdec leaderboard score\ncdec leaderboard site -o site\n"
    "# In continuous integration: score everything again\ncdec leaderboard score --check",
    no_args_is_help=True,
)
_SHOWN = 20  # problems, and remarks, of a check
_USUAL = Path("leaderboard")
Names = Annotated[o.Texts, argument("[SYSTEM]…", "Only these systems.")]
Home = Annotated[Path, option("--folder FOLDER", "The folder of the leaderboard.")]
Task = Annotated[str, option("--task TASK", "The task that they answer.")]


@dataclass
class Place:
    """A leaderboard of one's own, and where its responses and corpora are."""

    folder: Home = _USUAL
    responses: o.Place = option(
        "--responses FOLDER", "Default: responses in --folder.", default=None
    )
    corpus: o.Texts = option(
        "--corpus NAME=PATH", "Where a corpus of the tasks is.", default=None
    )

    def board(self) -> tuple[Leaderboard, dict[str, str]]:
        """Return the leaderboard, and the paths of corpora by name."""
        from cdec.leaderboards.board import Leaderboard

        corpora = {}
        for text in self.corpus or []:
            name, _, corpora[name] = text.partition("=")
            if not (name and corpora[name]):
                raise UsageError(
                    "argument-invalid",
                    f"expected NAME=PATH, got '{text}'",
                    hint="as in gvc=data/GVC",
                )
        board = Leaderboard.at(self.folder, self.responses)
        board.check_corpora(corpora)
        return board, corpora


def board_at(folder: Path) -> Leaderboard:
    """Return the leaderboard in a folder; that of cdec if the usual folder has none."""
    from cdec.leaderboards.board import BOARD, Leaderboard, board_of_cdec

    usual = folder == _USUAL and not (folder / BOARD).exists()
    return board_of_cdec() if usual else Leaderboard.at(folder)


@command(app, "new")
def new(
    task: Task,
    corpus: Annotated[str, option("--corpus NAME", "Its corpus.", kind="corpus")],
    split: Annotated[str, option("--split [SPLIT/]PART", "The part to score on.")],
    title: Annotated[
        str, option("--title TEXT", "The title of the board.")
    ] = "Leaderboard",
    folder: Home = _USUAL,
    *,
    out: o.Messages,
) -> None:
    """Make a leaderboard with one task, in a new folder.

    Further tasks, families and archives are written into its leaderboard.toml.

    \b
    # A board on the test part of ECB+
    cdec leaderboard new --task ecb+ --corpus ecb+ --split cybulska/test
    """
    from cdec.leaderboards.board import new_board

    path = new_board(folder, title, task, corpus, o.split_part(split))
    out.say(f"{path} written: add systems by `cdec leaderboard add --task {task}`")


@command(app, "add")
def add(
    response: Annotated[
        list[str],
        argument("RESPONSE…", "Its runs: files, or pairs:FILE@T/CLUSTERING."),
    ],
    name: Annotated[
        str, option("--name NAME", "Name: small letters, digits and . _ + -")
    ],
    task: Task,
    meta: Annotated[
        o.Place, option("--meta FILE.toml", "Its title, family, licence, uses, ….")
    ] = None,
    copy: Annotated[
        bool, option("--copy/--no-copy", "Copy the files, or keep digests only.")
    ] = True,
    allow_key: Annotated[
        bool, option("--allow-key", "For organisers: add the key itself.")
    ] = False,
    *,
    place: Place,
    out: o.Messages,
) -> None:
    """Add a system, or its responses to a further task, whose corpus they must match.

    A response that links the mentions as the key does is refused.

    \b
    # Three runs of a system
    cdec leaderboard add run1.conll run2.conll run3.conll --name mine --task ecb+
    # With a description, and without copies of the responses
    cdec leaderboard add mine.conll --name mine --task ecb+ --meta mine.toml --no-copy
    """
    from cdec.leaderboards.add import add_system

    board, corpora = place.board()
    submission = add_system(
        board,
        name,
        response,
        task,
        meta,
        copied=copy,
        allow_key=allow_key,
        corpora=corpora,
    )
    out.say(
        f"{submission.name}: {len(submission.answers[task])} of "
        f"{len(submission.entry.responses)} responses added"
    )


@command(app, "fetch")
def fetch(
    system: Names = None,
    source: Annotated[
        o.Place, option("--from FOLDER|FILE", "Archives to use; download nothing.")
    ] = None,
    folder: Home = _USUAL,
    *,
    out: o.Messages,
) -> None:
    """Download the responses of published systems, check and unpack them.

    They come from the archives of their authors, where the licence allows it,
    into the data folder of cdec (CDEC_DATA), and take 0.9 GB. Commands then take
    leaderboard:NAME as a response, for all runs of the system on the corpus that
    is scored, or leaderboard:NAME@TASK/RUN for one.

    \b
    # One system, then its scores
    cdec leaderboard fetch cattan-ecbp-predicted
    cdec eval leaderboard:cattan-ecbp-predicted --split cybulska/test
    # From archives that are here already
    cdec leaderboard fetch --from ~/Downloads
    """
    from cdec.leaderboards.fetch import fetch_responses

    board = board_at(folder)
    for archive, files in fetch_responses(board, system or [], source):
        new = counted(files, "new file") if files else "nothing new"
        out.say(
            f"{archive.name} ({archive.licence}): {new} in {board.root / archive.folder}"
        )
    out.say("score, compare or diagnose them as leaderboard:NAME")


@command(app, "score")
def score(
    system: Names = None,
    check: Annotated[
        bool, option("--check", "Fail if anything differs from what is saved.")
    ] = False,
    *,
    place: Place,
    work: o.Work,
    out: o.Messages,
) -> None:
    """Score all responses under all settings, and save or check the results.

    Every file is read once. The results of a system are saved when it is scored: an
    interrupted call keeps them, and two calls at once keep those of both. With --check,
    a changed response, key, score or signature, a response that is the key, and equal
    chains of two families are errors (exit code 1). Incomplete responses are listed.

    \b
    # All systems
    cdec leaderboard score
    # One of them; a task names the corpus gvc, which is in a folder
    cdec leaderboard score mine --corpus gvc=data/GVC
    # In continuous integration of a public leaderboard
    cdec leaderboard score --check --folder .
    """
    from cdec.leaderboards.score import check_board, score_board

    board, corpora = place.board()
    if check:
        scored, notices = check_board(board, corpora, system or [])
        _report(notices, place.folder)
    else:
        scored = score_board(board, corpora, system or [])
    responses = counted(sum(len(answer.runs) for answer in scored), "response")
    rows = counted(len(scored), "row")
    out.say(f"{responses}, {rows}{' checked: no difference' if check else ''}")


def _report(notices: Sequence[Notice], folder: Path) -> None:
    """Print the notices of a check, problems first; raise ScoringError if there is a problem."""
    problems = [notice for notice in notices if notice.warning]
    remarks = [notice for notice in notices if not notice.warning]
    for start, lines in (("", problems), ("note: ", remarks)):
        for line in lines[:_SHOWN]:
            typer.echo(f"{start}{line}")
        if len(lines) > _SHOWN:
            typer.echo(f"… and {len(lines) - _SHOWN:,} further lines")
    if problems:
        raise ScoringError(
            "check-failed",
            f"{counted(len(problems), 'problem')} of the leaderboard",
            place=folder,
            hint="correct the leaderboard, or save the results by `cdec leaderboard score`",
        )


@command(app, "show")
def show(
    system: Names = None,
    task: Annotated[
        o.Text, option("--task TASK", "Show the F1 of the systems of a task.")
    ] = None,
    metric: Annotated[
        str, option("--metric METRIC", "The metric whose F1 is shown.")
    ] = "conll",
    folder: Home = _USUAL,
    *,
    out: o.Report,
) -> None:
    """Show the tasks and systems of a leaderboard, or a table of the saved scores of one task.

    `cdec leaderboard site` writes pages of all scores. As CSV or JSON, a table also has what
    systems declare of their runs (model, tokens, cost, saw_test, …).

    \b
    # The tasks, each with its best system, and the names of all systems
    cdec leaderboard show
    # All systems of a task
    cdec leaderboard show --task ecb+
    # Two of them, for a paper
    cdec leaderboard show cdec-sac bugert-2021 --task ecb+ --format latex
    """
    from cdec.leaderboards.show import board_page, table_page

    if task:
        return out.show(table_page(board_at(folder), task, system or [], metric))
    require("--task", "system", "metric")
    return out.show(board_page(board_at(folder)))


@command(app, "site")
def site(
    output: Annotated[
        Path, option("--output -o FOLDER", "A new folder, or one of a site.")
    ],
    folder: Home = _USUAL,
    *,
    out: o.Messages,
) -> None:
    """Write the saved scores as a site: static pages, to serve or to open as files.

    A page a task and metric, with columns to sort by, filters, and the difference of two
    rows; all data as CSV and JSON. Without --folder, and without a folder leaderboard
    here: the board of cdec.

    \b
    # The board of cdec
    cdec leaderboard site -o site
    # One's own; in a site of before, only what changed is written
    cdec leaderboard site --folder leaderboard -o site
    """
    from cdec.leaderboards.site import leaderboard_site

    names = leaderboard_site(output, board_at(folder).folder)
    out.say(f"{counted(len(names), 'file')}: open {output / 'index.html'}")
