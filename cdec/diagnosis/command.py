"""``cdec diagnose``."""

from __future__ import annotations

import typer

import cdec
from cdec.cli import options as o
from cdec.cli.command import command, option

app = typer.Typer()


@command(app, "diagnose")
def diagnose(
    answers: o.Answers = None,
    setting: o.Settings = ["pure"],
    top: int = option(
        "--top N", "Number of worst chains of key and response.", default=5
    ),
    by: o.Stratum = None,
    details: bool = option(
        "--all", "Also show edits, sizes, lemmas, examples.", default=False
    ),
    key_patch: o.KeyPatch = None,
    *,
    parameters: o.Parameters,
    source: o.PartOf,
    files: o.Files,
    work: o.Work,
    out: o.Figured,
) -> None:
    """Show the errors of a system, in their sentences.

    That is: links by distance and the chains that cost most; of several systems also the links that
    only one has. As HTML (-o FILE.html), an error browser with all chains and texts: filters,
    search, documents coloured by chain, links as CSV. Edits, chain sizes, lemmas and more examples:
    with --all, or in a file.

    \b
    # One baseline, on the terminal
    cdec diagnose lemma
    # Two systems, side by side in their sentences
    cdec diagnose mine.conll lemma -o errors.html
    # Links by what train has
    cdec diagnose mine.conll lemma --by seen-lemma -o errors.html
    """
    policy = files.policy()
    part, responses = source.responses(answers or [], parameters, key_patch, policy)
    diagnosis = cdec.diagnose(
        part,
        responses,
        setting=setting,
        top=top,
        nlp=parameters.nlp,
        policy=policy,
        by=by,
        train=lambda: source.training(part)[0],
    )
    page = diagnosis.page
    if details:
        page = page.unfolded()
    return out.show(page)
