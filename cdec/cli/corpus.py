"""``cdec corpus`` and its commands."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import typer

from cdec.cli import completion as names
from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli import values
from cdec.cli.completion import listed
from cdec.cli.option import Option
from cdec.cli.run import Run, command
from cdec.errors import UsageError
from cdec.rooms import added, imported

app = typer.Typer(
    help="Download, install, import, convert, verify and count corpora; export their keys.\n\n"
    "\b\n# Which corpus do the commands use?\ncdec corpus info\n"
    "# Write its key to a file, for cdec score or another scorer\n"
    "cdec corpus export -o key.conll",
    no_args_is_help=True,
)
_NAME = Option(
    "name",
    "[NAME]",
    "A corpus of `cdec corpus list`.",
    default="ecb+",
    complete=names.downloadable,
)
_URL = Option("--url", None, "Mirror of the folder with the files.")
_PATH = Option("path", "PATH", "Folder, zip or file of the corpus.", Path, required=True)
_UNDER = Option("--name", None, "Store the corpus under this name.")
_ANNOTATED = Option(
    "--mentions",
    "ANN",
    "Mentions in the texts: CSV, TSV or JSON Lines with doc, from_char, to_char and chain; a file "
    "for `cdec score`; or a folder with the .ann files of brat.",
    Path,
    reads=values.path,
)
_LANGUAGE = Option(
    "--language",
    "CODE",
    "Language of texts that state none, as in de. It decides how they are split into words.",
    default="",
)
_SOURCE = Option("source", "PATH|NAME", "Corpus: a path or a name.", required=True)
_FORM = Option(
    "--as",
    "FORMAT",
    "Format of the corpus. Default: detected.",
    complete=names.CORPUS_FORMATS,
    attribute="form",
)
_TARGET = Option(
    "--output -o", "FILE", "File or folder to write.", Path, required=True, writes=True
)
_TO = Option(
    "--to",
    "FORMAT",
    "jsonl, conll, conll8, wec, ucdcr or ecbplus (a folder); of a file conllu, crac or crac-json.",
    default="jsonl",
    complete=names.CONVERTERS,
)
_OVER = Option(
    "--over", "FILE", "Put the mentions of a file on the text of this CoNLL-U file.", Path
)
_SETTING = o.setting(None, "", many=False).but(
    metavar=None,
    help=f"Write the meta-documents of this setting: {listed(names.SETTING_IDS)}; or your own, as "
    "in `cdec eval`. Default: the documents of the corpus.",
)
_RESPONSE = o.RESPONSES.but(
    metavar="FILE",
    help="With --setting: write the meta-documents of this response instead of the key.",
    many=False,
)


@app.command("fetch")
@command(_NAME, _URL, *o.SCREEN)
def fetch(call: Run) -> None:
    """Download ECB+, or another corpus, from its authors' repository, verify and install it.

    An interrupted download is resumed by the next call.

    \b
    # ECB+, from the authors' repository
    cdec corpus fetch
    # Another corpus
    cdec corpus fetch gvc
    # From a mirror
    cdec corpus fetch --url https://mirror.example.org/ECB+_LREC2014
    """
    from cdec.corpus.store.fetch import fetch as download
    from cdec.corpus.store.locate import known_named

    shown = sys.stderr.isatty() and not call.quiet
    target = download(call.url, known=known_named(call.name), progress=shown)
    call.say(f"installed: {target}")


@app.command("install")
@command(_PATH, _UNDER.but(help="Install another corpus, under this name."), *o.SCREEN)
def install(call: Run) -> None:
    """Install a copy of ECB+, or of another corpus (folder, zip or file), for all commands.

    The copy of a published corpus must be identical to the release, unless --name is given.

    \b
    # The release of ECB+
    cdec corpus install ~/Downloads/ECB+.zip
    # Another published corpus (see `cdec corpus list`); use it with --corpus gvc
    cdec corpus install ~/GunViolenceCorpus --name gvc
    # Any other corpus that cdec can read; use it with --corpus mine
    cdec corpus install my-corpus --name mine
    """
    from cdec.corpus.store.install import install as put

    call.say(f"installed: {put(call.path, call.name)}")


@app.command("import")
@command(
    _PATH.but(
        metavar="PATH|TEXTS",
        help="Folder, zip or file of the corpus; or, with --mentions, the texts: a folder with "
        "*.txt, or a table (CSV, TSV, JSON) with id and text.",
    ),
    _ANNOTATED,
    _LANGUAGE,
    _UNDER.but(help="Store the corpus under this name. Default: the name of the file."),
    _FORM,
    o.TOPICS.but(
        help="The topics of the documents: a table (CSV, TSV or JSON) of document, topic and, if "
        "any, subtopic, with or without a header."
    ),
    *o.REPORT,
)
def import_(call: Run) -> None:
    """Read a corpus in any known format, list its defects and store it for all commands.

    \b
    # A corpus whose format is detected; use it with --corpus mine
    cdec corpus import my-corpus.jsonl --name mine
    # With the topics of its documents from a table
    cdec corpus import my-corpus.jsonl --topics topics.csv --name mine
    # Your own articles, with mentions at character offsets
    cdec corpus import articles.csv --mentions mentions.csv --name mine
    """
    from cdec.corpus.store.install import import_corpus
    from cdec.corpus.store.page import import_page
    from cdec.formats.standoff import read_standoff

    call.refuse(["form"] if call.mentions else [], "--mentions")
    call.require([] if call.mentions else ["language"], "--mentions")
    about = {"language": call.language, "progress": call.bar, "notify": call.notify}
    build = partial(read_standoff, call.path, call.mentions, **about) if call.mentions else None
    with call.progress("reading the corpus") as tick:
        given = {"format": call.form, "topics": call.topics, "progress": call.bar}
        imported = import_corpus(call.path, call.name, build=build, tick=tick, **given)
    call.show(import_page(imported))
    done = "imported, instead of the corpus of this name" if imported.replaced else "imported"
    call.say(f"{done}: {imported.path} (use --corpus {imported.corpus.name})")


@app.command("convert")
@command(_SOURCE, _TARGET, _TO, _OVER, _FORM, o.KEY_PATCH, *o.SCREEN)
def convert(call: Run) -> None:
    """Write a corpus, with its text and its key, in another format; or a file of chains.

    \b
    # Everything that cdec knows of a corpus, as JSON Lines
    cdec corpus convert sample -o sample.jsonl
    # The eight columns that many systems read
    cdec corpus convert sample -o sample.conll --to conll8
    # A corpus with the corrected key
    cdec corpus convert sample --key-patch patch.json -o corrected.jsonl
    # The XML of ECB+ with the corrected key: only what changed differs
    cdec corpus convert sample --key-patch patch.json --to ecbplus -o corrected
    # CorefUD as plain text for a language model, and its answer as CoNLL-U
    cdec corpus convert key.conllu -o key.txt --to crac
    cdec corpus convert answer.txt -o answer.conllu --to conllu --over key.conllu
    """
    from cdec.corpus.store.load import read_part
    from cdec.corpus.store.locate import locate
    from cdec.formats import corpora
    from cdec.matching.placing import convert_file

    if call.to in names.OF_FILES:
        call.refuse(("form", "key_patch"), f"--to {call.to}")
        convert_file(call.source, call.output, call.to, call.over, call.notify)
        return
    call.require(("over",), "--to", "add --to conllu, crac or crac-json, or drop --over")
    with call.progress("reading the corpus") as tick:
        correct = call.correction() if call.key_patch else None
        corpus = read_part(locate(call.source), tick=tick, correct=correct, format=call.form)
    corpora.convert(corpus, call.output, call.to, locate(call.source).path)
    if lost := corpora.CONVERTERS[call.to].lost:
        call.say(f"note: {call.to} does not have: {', '.join(lost)}")


@app.command("verify")
@command(o.CORPUS, *o.REPORT)
def verify(call: Run) -> None:
    """Read all files of a corpus; list its known and unknown defects; exit 1 if it is damaged.

    \b
    # The corpus that the other commands use
    cdec corpus verify
    # A copy, before installing it
    cdec corpus verify --corpus my-corpus
    """
    from cdec.corpus.adapter import open_source
    from cdec.corpus.store.locate import locate
    from cdec.corpus.store.page import survey_page
    from cdec.corpus.store.verify import survey

    with call.progress("reading the corpus") as tick:
        result = survey(open_source(locate(call.corpus).path), tick)
    call.show(survey_page(result))
    if not result.ok:
        for problem in result.problems:
            print(f"cdec: error: {problem}", file=sys.stderr)
        raise typer.Exit(1)


@app.command("list")
@command(*o.REPORT)
def list_(call: Run) -> None:
    """Show the corpora that cdec knows: format, split, licence, and whether they are installed.

    \b
    # As a table
    cdec corpus list
    # With citations, as JSON
    cdec corpus list --format json
    """
    from cdec.corpus.store.locate import installed
    from cdec.corpus.store.page import list_page

    call.show(list_page(installed()))


@app.command("info")
@command(o.CORPUS, *o.REPORT)
def info(call: Run) -> None:
    """Show the corpus that the commands use, what is known about it, and all installed corpora.

    \b
    # As a table
    cdec corpus info
    # As JSON
    cdec corpus info --format json
    """
    from cdec.corpus.store.locate import installed, locate
    from cdec.corpus.store.page import facts_of, info_page

    used = locate(call.corpus)
    call.show(info_page(used, installed(), facts_of(used)))


@app.command("export")
@command(_SETTING, _RESPONSE, s.NOISE, o.KEY_PATCH, *o.CORPUS_PART, *o.ANNOTATION)
def export(call: Run) -> None:
    """Write the key of a corpus, or the meta-documents of a setting, for any scorer.

    \b
    # The key of the test part, for cdec score or another scorer
    cdec corpus export -o key.conll
    # Key and response as meta-documents of a setting
    cdec corpus export -s pure -o key-pure.conll
    cdec corpus export -s pure -r mine.conll -o mine-pure.conll
    # The corrected key
    cdec corpus export --key-patch patch.json -o corrected.conll
    """
    from cdec.evaluation.response import meta_document_sides
    from cdec.evaluation.run import check_events
    from cdec.formats import from_corpus
    from cdec.settings import find_setting

    if call.setting is None and call.response is not None:
        hint = "add --setting, or drop --response"
        raise UsageError("option-requires", "--response requires --setting", hint=hint)
    setting, part = find_setting(call.setting) if call.setting else None, call.part
    check_events(part)
    if setting is None:
        return call.write(from_corpus(part, part.gold))
    given = call.inputs.get(call.response)
    key, response, notices = meta_document_sides(part, setting, given, call.policy())
    call.notify(notices)
    return call.write(key if call.response is None else response)


for _name, _text in {"stats": "cdec.cli.stats:stats", **added("corpus command")}.items():
    app.command(_name)(imported(_text))
