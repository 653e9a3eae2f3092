"""``cdec corpus`` and its commands."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from cdec.catalogue import entries
from cdec.cli import options as o
from cdec.cli.command import argument, command, listed, option, refuse, require
from cdec.errors import CorpusError

app = typer.Typer(
    help="Add corpora, list them, export their keys and count.\n\n"
    "\b\n# ECB+, from its authors' repository\ncdec corpus add ecb+\n"
    "# Write its key to a file, for cdec score or another scorer\n"
    "cdec corpus export -o key.conll",
    no_args_is_help=True,
)


@command(app, "add")
def add_(
    what: Annotated[
        str,
        argument(
            "NAME|PATH|TEXTS",
            "A corpus of `cdec corpus list`; the folder, zip or file of a corpus; or, with "
            "--mentions, a folder with *.txt, or a table with id and text.",
            kind="corpus",
        ),
    ],
    check: bool = option(
        "--check", "Only verify; exit 1 if it is damaged.", default=False
    ),
    mentions: o.Place = option(
        "--mentions ANN",
        "Mentions in the texts. CSV, TSV or JSON Lines with doc, from_char, to_char and chain; "
        "a file for `cdec score`; or a folder with the .ann files of brat.",
        default=None,
    ),
    language: str = option(
        "--language CODE", "Of texts that state none, as in de.", default=""
    ),
    name: o.Text = option(
        "--name", "Store it under this name. Default: its own.", default=None
    ),
    columns: o.Columns = None,
    topics: o.Topics = None,
    key_labels: o.KeyLabels = None,
    noise: o.Noise = None,
    url: o.Text = option("--url", "With NAME: a mirror of the files.", default=None),
    *,
    out: o.Report,
) -> None:
    """Add a corpus for all commands, or verify it.

    A published corpus is downloaded from its authors and must be identical to the
    release. Any other corpus is read, its defects are listed, and it is stored in
    the format of cdec.

    \b
    # ECB+, from the authors' repository; another published corpus
    cdec corpus add ecb+
    cdec corpus add ~/GunViolenceCorpus --name gvc
    # Your own articles, with mentions at character offsets; a folder of brat
    cdec corpus add articles.csv --mentions mentions.csv --name mine
    cdec corpus add ~/brat/fires
    # Verify a copy first
    cdec corpus add my-corpus --check
    """
    from cdec.corpus.check import added_page
    from cdec.corpus.fetch import fetch
    from cdec.corpus.readers.brat import is_brat, read_standoff
    from cdec.corpus.store import add, known_corpora

    if check:
        refuse(
            "--check",
            "mentions",
            "language",
            "name",
            "columns",
            "topics",
            "url",
            "key_labels",
            "noise",
        )
        return _verify(what, out)
    path = Path(what)
    if not mentions and is_brat(path):
        mentions = path
    if not mentions:
        require("--mentions", "language", "columns")
    if what.lower() in known_corpora() or not path.exists():
        if path.name != what:
            raise CorpusError(
                "corpus-not-found",
                "no such file or folder",
                place=path,
                hint="check the path; `cdec corpus list` has the names",
            )
        refuse(
            "the name of a corpus", "mentions", "name", "topics", "key_labels", "noise"
        )
        refuse("the name of a corpus, which has no page", "output", "format")
        return out.say(f"installed: {fetch(what, url)}")
    require("the name of a corpus", "url")
    build = None
    if mentions:
        build = partial(
            read_standoff,
            path,
            mentions,
            language=language,
            columns=o.named_values("--columns", columns),
            key_labels=key_labels,
            noise=noise,
        )
    added = add(
        path, name, build=build, topics=topics, key_labels=key_labels, noise=noise
    )
    if added.corpus is None:
        return out.say(f"installed: {added.file}")
    out.show(added_page(added, added.corpus))
    message = "added, instead of the corpus of this name" if added.replaced else "added"
    return out.say(f"{message}: {added.file} (use --corpus {added.corpus.name})")


def _verify(what: str, out: o.Report) -> None:
    """Show the defects of a corpus; exit 1 if it is damaged."""
    from cdec.corpus.check import check_page
    from cdec.corpus.source import open_source
    from cdec.corpus.store import locate

    page = check_page(open_source(locate(what).path))
    out.show(page)
    if not page.about["ok"]:
        for problem in page.about["problems"]:
            print(f"cdec: error: {problem}", file=sys.stderr)
        raise typer.Exit(1)


@command(app, "list")
def list_(*, out: o.Report) -> None:
    """List the corpora that cdec knows and has.

    \b
    # Format, split and licence, and whether they are installed
    cdec corpus list
    # With their citations
    cdec corpus list --format csv
    # One of them: levels, key variants, counts, digests
    cdec corpus add sample --check
    """
    from cdec.corpus.check import list_page
    from cdec.corpus.store import locate

    return out.show(list_page(locate()))


@command(app, "export")
def export(
    file: Annotated[
        o.Text,
        argument(
            "FILE",
            "A file of mentions and chains in any format, to be written in another one.",
        ),
    ] = None,
    corpus: o.Text = option(
        "--from --corpus PATH|NAME",
        "Folder, zip file or name of a corpus, by default ECB+. Or, with --to conllu or crac, a "
        "file of mentions and chains.",
        default=None,
    ),
    mentions: o.Kind = None,
    split: o.Part = None,
    setting: o.Text = option(
        "--setting -s SETTING",
        f"Write its meta-documents: {listed(entries('setting'))}.",
        default=None,
    ),
    response: o.Text = option(
        "--response -r FILE", "With --setting: of this.", default=None
    ),
    noise: o.Noise = None,
    columns: o.Columns = None,
    key_patch: o.KeyPatch = None,
    key_labels: o.KeyLabels = None,
    side: str = option(
        "--side key|response",
        "With FILE: of a file with the chains of both, those of the key, or of the response.",
        default="key",
        rare=True,
    ),
    *,
    out: o.Chains,
    **more: Any,
) -> None:
    """Write the key of a corpus, its texts and key, or the meta-documents of a setting.

    With FILE: its mentions and chains in another format; what that does not hold is named. Of a
    corpus, with --to jsonl texts and key, in the interchange format of cdec; with --to documents a
    document with clusters a line, as toolkits read it.

    \b
    # The key of the test part, for cdec score or another scorer
    cdec corpus export -o key.conll
    # A file of a toolkit, in another format
    cdec corpus export answer.jsonl --to conll -o answer.conll
    # Key and response as meta-documents of a setting
    cdec corpus export -s pure -o key-pure.conll
    cdec corpus export -s pure -r mine.conll -o mine-pure.conll
    # CorefUD as plain text for a language model, and its answer as CoNLL-U
    cdec corpus export --from key.conllu --to crac -o key.txt
    cdec corpus export --from answer.txt --to conllu --over key.conllu -o answer.conllu
    """
    from cdec.corpus.interchange import lines
    from cdec.evaluation.conversion import export as export_file
    from cdec.evaluation.conversion import is_corpus
    from cdec.evaluation.experiment import run_on
    from cdec.evaluation.parts import check_corpus
    from cdec.files.input import STDIN
    from cdec.formats import from_corpus, from_meta_documents
    from cdec.matching.policy import FilePolicy
    from cdec.settings import find_setting

    if file is not None:
        refuse("FILE", "corpus")
    for room in more.values():
        is_used = file is None or any(vars(room).values())
        if is_used and room.write(file or corpus, out):
            return None
    names = o.named_values("--columns", columns)
    if file is not None and not is_corpus(file):
        refuse("FILE", "mentions", "split", "setting", "response", "key_patch")
        return export_file(
            file,
            out.output or STDIN,
            out.kind,
            side=side,
            labels=key_labels,
            noise=noise,
            columns=names,
            notify=out.notify,
        )
    require("FILE", "key_labels", "side")
    corpus = file or corpus
    source = o.PartOf(corpus, mentions, split)
    parameters = o.Parameters(config=None, model=None)
    policy = FilePolicy(noise=noise, columns=names, lenient=None)
    files = [response] if response else []
    part, responses = source.responses(files, parameters, key_patch, policy)
    if out.kind == "jsonl":
        refuse("--to jsonl", "setting", "response", "noise", "columns")
        return out.save(
            lines(part), out.output or "-", f"corpus written to {out.output}"
        )
    if not response:
        require("--response", "columns", "noise")
    check_corpus(part)
    if not setting:
        require("--setting", "response")
        return out.write(from_corpus(part, part.gold))
    division = find_setting(setting)
    run = run_on(part, responses[0] if response else part.gold, policy)
    if response:
        out.notify(run.notices)
    places = {}
    for doc in part.documents.values():
        homes = {
            "document": doc.id,
            "subtopic": doc.subtopic,
            "topic": doc.topic,
            "corpus": "corpus",
        }
        places[doc.id] = homes[division.scope]
    of_key, of_response = from_meta_documents(
        part, division.build(run.mentions), places
    )
    return out.write(of_response if response else of_key)


@command(app, "stats")
def stats(
    split: o.WholeSplit = None,
    *,
    whole: o.Whole,
    out: o.Report,
) -> None:
    """Count documents, topics, mentions and chains (Table 1), by annotation and cluster size.

    `cdec reproduce table1` has the published values of ECB+ beside these.

    \b
    # Table 1
    cdec corpus stats
    # For a split of your own, as CSV
    cdec corpus stats --split my.toml --format csv
    """
    from cdec.corpus.splits import divided, split_of
    from cdec.corpus.stats import statistics, statistics_page

    corpus = whole.load()
    name = split or split_of(corpus).name
    table = statistics(divided(corpus, name))
    return out.show(statistics_page(table, corpus, name))
