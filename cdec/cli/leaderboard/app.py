"""``cdec leaderboard`` and its commands."""

from __future__ import annotations

import typer

from cdec.cli.leaderboard import add, check, page, score, show, study

app = typer.Typer(
    help="Keep a leaderboard of systems in a folder: add, score, show and check it.\n\n"
    "\b\n# Add a system, score it, write the page\n"
    "cdec leaderboard add mine.conll --name mine --task ecb+\n"
    "cdec leaderboard score\ncdec leaderboard page -o leaderboard.html\n"
    "# In continuous integration: score everything again\ncdec leaderboard check",
    no_args_is_help=True,
)
app.command("add")(add.add)
app.command("score")(score.score)
app.command("show")(show.show)
app.command("page")(page.page)
app.command("study")(study.study)
app.command("check")(check.check)
