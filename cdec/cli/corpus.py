"""``cdec corpus`` and its commands."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import typer

from cdec.cli import names, values
from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.names import listed
from cdec.cli.option import Option
from cdec.cli.run import Run, command
from cdec.cli.stats import stats
from cdec.errors import CorpusError, UsageError
from cdec.rooms import added, imported

app = typer.Typer(
    help="Add corpora, list them, export their keys and count.\n\n"
    "\b\n# ECB+, from its authors' repository\ncdec corpus add ecb+\n"
    "# Write its key to a file, for cdec score or another scorer\n"
    "cdec corpus export -o key.conll",
    no_args_is_help=True,
)
_WHAT = Option(
    "what",
    "NAME|PATH|TEXTS",
    "A corpus of `cdec corpus list`, which is downloaded; the folder, zip or file of a corpus; "
    "or, with --mentions, the texts: a folder with *.txt, or a table (CSV, TSV, JSON) with id and "
    "text.",
    required=True,
)
_CHECK = Option(
    "--check",
    None,
    "Only verify: read all files, list known and unknown defects; exit 1 if the corpus is damaged.",
    bool,
    False,
)
_URL = Option("--url", None, "With NAME: a mirror of the folder with the files.")
_UNDER = Option(
    "--name", None, "Store the corpus under this name. Default: its own, or that of the file."
)
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
_FORM = Option(
    "--as",
    "FORMAT",
    "Format of the corpus. Default: detected.",
    choices=names.CORPUS_FORMATS,
    attribute="form",
)
_SHOWN = Option("name", "[NAME|PATH]", "Show what is known of this corpus. Default: list all.")
_FROM = o.CORPUS.but(
    words="--from --corpus",
    help=f"{o.CORPUS.help} With --to conllu or crac: a file of mentions and chains.",
    attribute="corpus",
)
_TO = o.TO.but(
    help="conll: the key, with brackets, for any scorer; jsonl: texts and key, in the interchange "
    "format of cdec; of a file, conllu, crac or crac-json. Default: by the ending of --output.",
    metavar="conll|jsonl|conllu",
    choices=names.EXPORTED,
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


@app.command("add")
@command(_WHAT, _CHECK, _ANNOTATED, _LANGUAGE, _UNDER, _FORM, o.TOPICS, _URL, *o.REPORT)
def add(call: Run) -> None:
    """Add a corpus for all commands, or verify it.

    A published corpus is downloaded from its authors and must be identical to the
    release; an interrupted download is resumed. Any other corpus is read, its
    defects are listed, and it is stored in the format of cdec.

    \b
    # ECB+, from the authors' repository; another published corpus
    cdec corpus add ecb+
    cdec corpus add ~/GunViolenceCorpus --name gvc
    # A corpus whose format is detected; use it with --corpus mine
    cdec corpus add my-corpus.jsonl --topics topics.csv --name mine
    # Your own articles, with mentions at character offsets
    cdec corpus add articles.csv --mentions mentions.csv --name mine
    # Verify a copy first
    cdec corpus add my-corpus --check
    """
    from cdec.corpus.known import by_name
    from cdec.corpus.store.fetch import fetch
    from cdec.corpus.store.install import install, published
    from cdec.corpus.store.locate import known_named

    call.refuse(["form"] if call.mentions else [], "--mentions")
    call.require([] if call.mentions else ["language"], "--mentions")
    of_path = ("mentions", "topics", "form", "name")
    if call.check:
        call.refuse((*of_path, "url"), "--check")
        return _verify(call)
    path = Path(call.what)
    if by_name(call.what) or not path.exists():
        if path.name != call.what:
            hint = "check the path; `cdec corpus list` has the names"
            raise CorpusError("corpus-not-found", "no such file or folder", place=path, hint=hint)
        call.refuse(of_path, "the name of a corpus")
        shown = sys.stderr.isatty() and not call.quiet
        target = fetch(call.url, known=known_named(call.what), progress=shown)
        return call.say(f"installed: {target}")
    call.require(["url"], "the name of a corpus")
    if call.given(["mentions", "topics", "form"]) or not (name := published(path, call.name)):
        return _import(call, path)
    return call.say(f"installed: {install(path, name)}")


def _import(call: Run, path: Path) -> None:
    """Store a corpus of the user's, and show its defects."""
    from cdec.corpus.store.install import import_corpus
    from cdec.corpus.store.page import import_page
    from cdec.formats.standoff import read_standoff

    about = {"language": call.language, "progress": call.bar, "notify": call.notify}
    build = partial(read_standoff, path, call.mentions, **about) if call.mentions else None
    with call.progress("reading the corpus") as tick:
        given = {"format": call.form, "topics": call.topics, "progress": call.bar}
        imported = import_corpus(path, call.name, build=build, tick=tick, **given)
    call.show(import_page(imported))
    done = "added, instead of the corpus of this name" if imported.replaced else "added"
    call.say(f"{done}: {imported.path} (use --corpus {imported.corpus.name})")


def _verify(call: Run) -> None:
    """Show the defects of a corpus; exit 1 if it is damaged."""
    from cdec.corpus.adapter import open_source
    from cdec.corpus.store.locate import locate
    from cdec.corpus.store.page import survey_page
    from cdec.corpus.store.verify import survey

    with call.progress("reading the corpus") as tick:
        result = survey(open_source(locate(call.what).path), tick)
    call.show(survey_page(result))
    if not result.ok:
        for problem in result.problems:
            print(f"cdec: error: {problem}", file=sys.stderr)
        raise typer.Exit(1)


@app.command("list")
@command(_SHOWN, *o.REPORT)
def list_(call: Run) -> None:
    """List the corpora that cdec knows and has; or show what is known of one.

    \b
    # Format, split and licence, and whether they are installed
    cdec corpus list
    # One of them: levels, languages, key variants, digests, citation
    cdec corpus list ecb+ --format json
    """
    from cdec.corpus.store.locate import installed, locate
    from cdec.corpus.store.page import facts_of, info_page, list_page

    if call.name is None:
        return call.show(list_page(installed(), locate()))
    used = locate(call.name)
    return call.show(info_page(used, facts_of(used)))


@app.command("export")
@command(
    _FROM,
    o.KINDS,
    o.PART,
    _TO,
    _SETTING,
    _RESPONSE,
    s.NOISE,
    o.KEY_PATCH,
    _OVER,
    o.TO_FILE,
    *o.SCREEN,
)
def export(call: Run) -> None:
    """Write the key of a corpus, its texts and key, or the meta-documents of a setting.

    \b
    # The key of the test part, for cdec score or another scorer
    cdec corpus export -o key.conll
    # Key and response as meta-documents of a setting
    cdec corpus export -s pure -o key-pure.conll
    cdec corpus export -s pure -r mine.conll -o mine-pure.conll
    # Everything that cdec knows of a corpus, with the corrected key
    cdec corpus export --split all --key-patch patch.json -o corrected.jsonl
    # CorefUD as plain text for a language model, and its answer as CoNLL-U
    cdec corpus export --from key.conllu --to crac -o key.txt
    cdec corpus export --from answer.txt --to conllu --over key.conllu -o answer.conllu
    """
    from cdec.corpus.interchange.writer import lines
    from cdec.evaluation.response import meta_document_sides
    from cdec.evaluation.run import check_events
    from cdec.formats import from_corpus
    from cdec.settings import find_setting

    of_setting = ("setting", "response", "noise")
    if call.file_format in names.OF_FILES:
        call.refuse((*of_setting, "split", "mentions", "key_patch"), f"--to {call.file_format}")
        return _write_file(call)
    call.require(("over",), "--to", "add --to conllu, crac or crac-json, or drop --over")
    call.require(() if call.setting else ("response",), "--setting")
    setting, part = find_setting(call.setting) if call.setting else None, call.part
    if call.file_format == "jsonl":
        call.refuse(of_setting, "--to jsonl")
        return call.save_text(lines(part), call.output, f"corpus written to {call.output}")
    check_events(part)
    if setting is None:
        return call.write(from_corpus(part, part.gold))
    given = call.inputs.get(call.response)
    key, response, notices = meta_document_sides(part, setting, given, call.policy())
    call.notify(notices)
    return call.write(key if call.response is None else response)


def _write_file(call: Run) -> None:
    """Write a file of mentions and chains in a format of CorefUD."""
    if call.corpus is None:
        hint = "name a file of mentions and chains"
        raise UsageError("argument-missing", f"--to {call.to} needs --from", hint=hint)
    convert_file = imported(added("converter")["over"])
    convert_file(call.corpus, call.output or "-", call.file_format, call.over, call.notify)


app.command("stats")(stats)
