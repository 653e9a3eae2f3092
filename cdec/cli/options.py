"""The options of commands, once each: a command takes one as it is, or ``but`` for some facts."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from cdec.cli import names, values
from cdec.cli.names import listed
from cdec.cli.option import Option
from cdec.files.output import PAGES

_CORPUS, _WORK, OUTPUT_PANEL = "Which corpus", "Work", "Output"

# ---- corpus ----

CORPUS = Option(
    "--corpus",
    "PATH|NAME",
    "Folder or zip file of ECB+, or name of an added corpus; of one with several readings of the "
    "key also gvc:one-chain. Default: the path in the variable CDEC_ECBPLUS, else the added ECB+, "
    "else the embedded sample.",
    brief="Folder, zip file or name. Default: ECB+.",
    panel=_CORPUS,
    reads=values.path,
)
KINDS = Option(
    "--mentions",
    "event|entity|all",
    "The mentions to cluster and score. Default: event, or entity for a corpus without events.",
    panel=_CORPUS,
    choices=names.KINDS,
)
MENTIONS = KINDS.but(
    metavar="event|entity|all|FILE",
    sign="KIND|FILE",
    help=f"{KINDS.help} FILE: systems cluster the mentions of this response file and do not see "
    "its chains.",
    brief="event (the default), entity, all, or the mentions of a FILE.",
    check=values.kind_or_file,
    reads=lambda value: [] if value in names.KINDS.known() else values.path(value),
)
PART = Option(
    "--split",
    "[SPLIT/]PART",
    "train, dev, test or all; or SPLIT/PART, as cybulska/test or my.toml/dev. Default: the part "
    "that the responses cover; else test, or all for a corpus without a test part. A split without "
    "a part (cybulska) means its default part.",
    sign="PART",
    brief="Default: the part of the response, or test.",
    panel=_CORPUS,
    check=values.split_part,
    reads=values.split_file,
)
_SPLIT = PART.but(
    help="{}: ycf, cybulska or my.toml. A part, as in cybulska/test, is ignored. Default: the "
    "split of the corpus.",
    check=values.whole_split,
)
SHOWN_SPLIT = _SPLIT.but(help=_SPLIT.help.format("Show the parts of this split"))
TRAINED_SPLIT = _SPLIT.but(help=_SPLIT.help.format("Use train and dev of this split"))
TUNED_PART = PART.but(
    help="The part to tune on: dev, train, or a part of another split, as in cybulska/dev. Not "
    "test. A split without a part (cybulska) means its default part.",
    default="dev",
    check=partial(values.split_part, default="dev"),
)
WHOLE_CORPUS = (CORPUS, KINDS)
CORPUS_PART = (*WHOLE_CORPUS, PART)
AUDITED_PART = (
    *WHOLE_CORPUS,
    PART.but(
        default="all",
        check=partial(values.split_part, default="all"),
        help=f"{PART.help.partition(' Default')[0]} A split without a part means all of it.",
    ),
)
SCORED_PART = (CORPUS, MENTIONS, PART)
KEY_PATCH = Option(
    "--key-patch",
    "FILE|NAME",
    "Correct the key first, by a patch from `cdec audit apply` or one of cdec: "
    f"{listed(names.PATCH_IDS)}.",
    Path,
    check=values.valid_patch,
)
TOPICS = Option(
    "--topics",
    "FILE",
    "Topics of documents, for settings, --by and --ci: a table (CSV, TSV or JSON) of document, "
    "topic and, if any, subtopic, with or without a header.",
    Path,
)

# ---- systems ----

SYSTEMS = Option(
    "--system",
    "SYSTEM",
    f"A baseline, by id: {listed(names.SYSTEM_IDS)}; or your own class, as module:Class "
    f"(repeatable). Default: {listed(names.DEFAULT_IDS, 'and')}.",
    many=True,
    brief=f"A baseline: {listed(names.SYSTEM_IDS)}; or module:Class.",
    choices=names.SYSTEMS,
)
SYSTEM = SYSTEMS.but(
    help=SYSTEMS.help.partition(" (repeatable)")[0]
    + ". Default: the system of --config, else lemma.",
    many=False,
)
RESPONSES = Option(
    "--response -r",
    "[NAME=]FILE",
    "A response file, or leaderboard:NAME, to score together with the systems of --system "
    "(repeatable). Several runs of a system: NAME=FILE,FILE or NAME='PATTERN'.",
    many=True,
    reads=values.response_file,
)
ANSWERS = Option(
    "answers",
    "A B…",
    "Baselines, by id; response files, as [NAME=]FILE; published systems, as leaderboard:NAME.",
    many=True,
    required=True,
    reads=values.response_file,
)
NLP = Option(
    "--nlp",
    "PIPELINE",
    "Language pipeline for lemmas and tags: hanta or spacy:MODEL.",
    default="hanta",
)
CONFIG = Option(
    "--config",
    "FILE.toml",
    "Parameters of a baseline, as written by `cdec tune` (repeatable).",
    Path,
    many=True,
)
MODEL = Option(
    "--model",
    "FILE",
    f"A model from `cdec train`, for {listed(names.LEARNER_IDS)}. Default: reuse the model of an "
    "earlier run on the same data, else train one.",
    Path,
)
PARAMETERS = (NLP, CONFIG, MODEL)
# ---- settings and metrics ----


def setting(
    default: Any, brief: str, why: str = "", own: str = "as in `cdec eval`", many: bool = True
) -> Option:
    """Return ``--setting``; ``why`` justifies the default of ``brief``, ``own`` is an example."""
    ids = f"{', '.join(names.SETTING_IDS)} or all" if many else listed(names.SETTING_IDS)
    return Option(
        "--setting -s",
        "SETTING",
        f"{ids}; or your own setting, {own}{' (repeatable)' if many else ''}. {brief}{why}.",
        default=[default] if many and default else default,
        many=many,
        brief=f"{ids}. {brief}.",
        choices=names.SETTINGS,
    )


DIAGNOSED = setting("simple", "By default simple", ", which keeps all mentions and links")
METRICS = Option(
    "--metric",
    "METRIC",
    "Compute only this metric, such as conll (repeatable), or all; `cdec plugins` lists them. "
    "Default: MUC, B³, CEAF_e, LEA and CoNLL.",
    many=True,
    brief="Such as conll, or all; `cdec plugins` lists.",
    choices=names.METRICS,
)
BY = Option(
    "--by",
    "UNIT",
    "Also score each document, subtopic, topic or kind (event, entity) separately, with micro- and "
    "macro-average; or show what each chain adds to recall (key) or precision (response).",
    brief="Also score each chain, document, topic or kind.",
    choices=names.PARTITIONS,
)
SCORER = Option(
    "--scorer",
    "cdec|neleval",
    "Compute the metrics with cdec, or with neleval (the scorer of the paper).",
    default="cdec",
    choices=names.SCORERS,
)

# ---- work and output ----

JOBS = Option(
    "--jobs -j",
    "N",
    "Divide the work among N cores; the result is the same. Default: all cores.",
    int,
    least=1,
    panel=_WORK,
)
SCHEDULER = Option(
    "--scheduler",
    "ADDRESS",
    "Divide the work among the workers of this Dask scheduler, as in tcp://host:8786; the result "
    "is the same.",
    panel=_WORK,
)
WORK = (JOBS, SCHEDULER)
TO_FILE = Option(
    "--output -o",
    "FILE",
    "Write to this file, not to the terminal.",
    Path,
    panel=OUTPUT_PANEL,
    check=values.writable,
    writes=True,
)
FORMAT = Option(
    "--format -f",
    "FORMAT",
    "table, markdown, latex, csv, json or html. Default: the format of the ending of --output "
    f"({', '.join(PAGES)}), else table. Must agree with that ending.",
    brief="table, markdown, latex, csv, json or html.",
    panel=OUTPUT_PANEL,
    choices=names.FORMATS,
)
PRINTED_FORMAT = FORMAT.but(help=FORMAT.help.partition(" Default")[0], default="table")
SCREEN = (
    Option("--quiet -q", None, "Show no notices and no progress.", bool, False, panel=OUTPUT_PANEL),
    Option(
        "--verbose -v",
        None,
        "Show error codes, and list every case of a notice.",
        bool,
        False,
        panel=OUTPUT_PANEL,
    ),
)
REPORT = (TO_FILE, FORMAT, *SCREEN)
TO = Option(
    "--to",
    "FORMAT",
    "conll, jsonl, csv, tsv, json, crac or crac-json. Default: the format of the ending of "
    "--output, else conll. Must agree with that ending.",
    panel=OUTPUT_PANEL,
    choices=names.FILE_FORMATS,
)
ANNOTATION = (TO_FILE, TO, *SCREEN)


def written(default: str | None, content: str, *endings: str, **facts: Any) -> Option:
    """Return ``--output`` of a command that writes ``content`` to files with these endings."""
    where = Path(default) if default else None
    check = values.file_of(content, *endings)
    metavar = f"FILE{endings[0]}" if len(endings) == 1 else "FILE"
    option = TO_FILE.but(default=where, check=check, metavar=metavar, panel=None)
    return option.but(**{"help": f"File to write {content} to.", **facts})
