"""The options that several commands take, once each: types of parameters, and groups of them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from cdec.cli.command import listed, option, require
from cdec.errors import CdecError, Notice, UsageError, one_of, shown_by
from cdec.files.progress import bar, showing
from cdec.rooms import added

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus
    from cdec.formats import Annotation
    from cdec.matching.policy import FilePolicy
    from cdec.render import Page
    from cdec.statistics.draws import Plan
    from cdec.system import System

LEARNERS = tuple(added("system"))
BASELINES = ("lemma", "lemma-wd", "lemma-delta")
SETTINGS = ("bh", "st", "is", "ycf", "simple", "pure")
PATCHES = ("ecbplus-duplicates", "ecbplus-read-1", "ecbplus-read-2")
STRATA = (
    *("seen", "lemma", "seen-lemma", "lemmas-per-chain", "chains-per-lemma"),
    *("class", "size", "distance"),
)
UNITS = ("chain", "document", "subtopic", "topic", "kind", "group")
UNITS_AND_STRATA = (*UNITS, *STRATA)
KINDS = ("event", "entity", "all")
FILE_FORMATS = (
    *("conll", "jsonl", "csv", "tsv", "json", "documents"),
    *("conllu", "crac", "crac-json"),
)
_SYSTEM_IDS = f"{listed((*BASELINES, *LEARNERS))}; or your own class, as module:Class"
_SETTING_IDS = f"{', '.join(SETTINGS)} or all; or your own, as scope=topic,ignore_singletons=yes"

# ---- responses, systems, settings, metrics ----

Answers = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME=]FILE|SYSTEM…",
        show_default=False,
        help="Response files, baselines, leaderboard:NAME or pairs:FILE@T. Files as [NAME=]FILE; "
        "several runs of a system as NAME=FILE,FILE or NAME='PATTERN'; scored pairs in a file, "
        "linked at the threshold T.",
    ),
]
Systems = Annotated[
    list[str] | None,
    option(
        "--system",
        "SYSTEM",
        f"A baseline: {listed((*BASELINES, *LEARNERS))}. Or your own class, as module:Class "
        "(repeatable).",
    ),
]
SystemName = Annotated[
    str | None,
    option(
        "--system",
        "SYSTEM",
        f"A baseline, by id: {_SYSTEM_IDS}. Default: the system of --config, else lemma.",
    ),
]
Responses = Annotated[
    list[str] | None,
    option("--response", "[NAME=]FILE", "A response file, or leaderboard:NAME (repeatable)."),
]
Settings = Annotated[
    list[str],
    option(
        "--setting -s",
        "SETTING",
        f"{', '.join(SETTINGS)} or all. Or your own, as "
        "scope=topic,ignore_singletons=yes (repeatable).",
    ),
]
OwnSettings = Annotated[
    list[str] | None,
    option("--setting -s", "SETTING", f"Instead of a scope. {_SETTING_IDS} (repeatable)."),
]
OneSetting = Annotated[
    str,
    option("--setting -s", "SETTING", f"{listed(SETTINGS)}; or your own."),
]
Metrics = Annotated[
    list[str] | None,
    option(
        "--metric",
        "METRIC",
        "Such as conll, or all; `cdec plugins` lists them. Compute only this metric "
        "(repeatable). Default: MUC, B³, CEAF_e, LEA and CoNLL.",
    ),
]
_UNIT = (
    "Also score each document, subtopic, topic, kind or chain. "
    "With units, the micro- and macro-averages; a chain adds to recall (key) or to precision "
    "(response)."
)
ByUnit = Annotated[
    str | None,
    option("--by", "UNIT", _UNIT, known="cdec.cli.options:UNITS", kind="unit"),
]
ByAny = Annotated[
    str | None,
    option(
        "--by",
        "UNIT|STRATUM",
        f"{_UNIT} Or divide links by {listed(STRATA)} (docs/strata.md); their "
        "lemmas are from --nlp.",
        known="cdec.cli.options:UNITS_AND_STRATA",
        kind="unit",
    ),
]
Stratum = Annotated[
    str | None,
    option(
        "--by",
        "STRATUM",
        f"Also divide links by a stratum. One of {listed(STRATA)}. Whether the head lemmas are "
        "coreferent, compared or not compared in train; equal; in how many chains; and so on "
        "(docs/strata.md).",
        known="cdec.cli.options:STRATA",
        kind="stratum",
    ),
]
Scorer = Annotated[
    str,
    option(
        "--scorer",
        "cdec|neleval",
        "Compute the metrics with cdec, or with neleval (the scorer of the paper).",
        known="cdec.metrics.scores:SCORERS",
        kind="scorer",
        rare=True,
    ),
]
Scope = Annotated[
    str | None,
    option(
        "--scope",
        "document|corpus",
        "Where chain labels hold. document: a chain ends with its document, and counts are "
        "summed over documents, as in the CoNLL reference scorer. corpus: a chain can "
        "cross documents, and the whole file is one meta-document. Needed if a label occurs in "
        "several documents.",
    ),
]
Topics = Annotated[
    Path | None,
    option(
        "--topics",
        "FILE",
        "Topics of documents, for settings, --by and --ci. A table (CSV, TSV or JSON) of "
        "document, topic and, if any, subtopic, with or without a header.",
    ),
]
Top = Annotated[
    int,
    option("--top", "N", "Number of worst chains to show, of key and of response.", min=0),
]
KeyPatch = Annotated[
    Path | None,
    option(
        "--key-patch",
        "FILE|NAME",
        "Correct the key first, by a patch from `cdec audit apply` or one of cdec: "
        f"{listed(PATCHES)}.",
        rare=True,
    ),
]
Nlp = Annotated[
    str,
    option(
        "--nlp",
        "PIPELINE",
        "Language pipeline for lemmas and tags: hanta or spacy:MODEL.",
        rare=True,
    ),
]
Noise = Annotated[
    str | None,
    option(
        "--noise",
        "singletons|absent",
        "Mentions of key or response whose label means no chain (-1, a blank, nan, None, "
        "null): each is a singleton, or that file lacks them. Without this option such a label "
        "of several mentions is an error.",
        rare=True,
    ),
]
CorpusName = Annotated[
    str | None,
    option(
        "--corpus",
        "PATH|NAME",
        "Folder, zip file or name; by default ECB+. One with several readings of "
        "the key: gvc:one-chain. Default: the path in the variable CDEC_ECBPLUS, else the added "
        "ECB+, else the embedded sample.",
    ),
]
Kind = Annotated[
    str | None,
    option(
        "--mentions",
        "event|entity|all",
        "The mentions to cluster and score. Default: event, or entity for a corpus without events.",
        known="cdec.cli.options:KINDS",
        kind="mention kind",
    ),
]
_PART = (
    "train, dev, test or all; or SPLIT/PART, as cybulska/test or my.toml/dev. A split without a "
    "part (cybulska) means its default part. "
)
Part = Annotated[
    str | None,
    option(
        "--split",
        "[SPLIT/]PART",
        f"{_PART}Default: the part that the responses cover; else test, or all for a corpus "
        "without a test part.",
    ),
]
WholeSplit = Annotated[
    str | None,
    option(
        "--split",
        "SPLIT",
        "The split: ycf, cybulska or my.toml. A part, as in cybulska/test, is ignored. "
        "Default: the split of the corpus.",
    ),
]
TunedPart = Annotated[
    str,
    option("--split", "[SPLIT/]PART", f"{_PART}Not test."),
]
_PARTS = ("train", "dev", "test", "all")


def split_part(value: str | None, default: str = "test") -> str | None:
    """Return ``[SPLIT/]PART``; a split without a part gets the default part."""
    if value is None or value in _PARTS or not _is_split(value):
        return value
    return f"{value}/{default}"


def whole_split(value: str | None) -> str | None:
    """Return the split of ``SPLIT`` or ``[SPLIT/]PART``; None is the default of the corpus."""
    from cdec.corpus.splits import OFFICIAL, load_split

    if value is None or value in _PARTS or _is_split(value):
        return None if value in _PARTS else value
    named, _, part = value.rpartition("/")
    if named != OFFICIAL:
        one_of("part", part, [*load_split(named or value).parts, "all"])
    return named


def _is_split(text: str) -> bool:
    from cdec.corpus.splits import OFFICIAL, split_names

    return text.endswith(".toml") or text in (*split_names(), OFFICIAL)


# ---- groups ----


@dataclass
class Whole:
    """A corpus, and its mentions."""

    panel: ClassVar[str] = "Which corpus"
    corpus: CorpusName = None
    mentions: Kind = None

    def load(self, split: str | None = "all", key_patch: Path | None = None) -> Corpus:
        """Return the corpus, or a part of it."""
        import cdec

        return cdec.load_corpus(self.corpus, split, mentions=self.mentions, key_patch=key_patch)


@dataclass
class Source:
    """A part of a corpus to score on."""

    panel: ClassVar[str] = "Which corpus"
    corpus: CorpusName = None
    mentions: Annotated[
        str | None,
        option(
            "--mentions",
            "KIND|FILE",
            "The mentions to cluster and score: event, entity, all, or those of a FILE. "
            "Default: event, or entity for a corpus without events. FILE: systems cluster the "
            "mentions of this response file and do not see its chains.",
        ),
    ] = None
    split: Part = None

    def __post_init__(self) -> None:
        """Raise UnknownNameError for mentions that are neither a kind nor a file."""
        self.file = self.mentions if self.mentions and Path(self.mentions).is_file() else None
        if self.mentions and not self.file:
            one_of("mention kind", self.mentions, KINDS)
        self.kind = None if self.file else self.mentions
        self.split = split_part(self.split)

    def load(self, key_patch: Path | None = None, *, default: str | None = None) -> Corpus:
        """Return the part of --split; by default the whole, of which responses cover a part."""
        import cdec

        split = self.split or default
        return cdec.load_corpus(self.corpus, split, mentions=self.kind, key_patch=key_patch)

    def placed(
        self, answers: Iterable[str], key_patch: Path | None = None
    ) -> tuple[Corpus, dict[str, Any]]:
        """Return the part to score on, and the files among the answers, opened, by their text."""
        from cdec.baselines import names_system
        from cdec.corpus.splits import part_of
        from cdec.evaluation.parts import covered_part
        from cdec.evaluation.response import named

        files = {text: named(text) for text in answers if not names_system(text)}
        corpus = self.load(key_patch)
        if self.split:
            return corpus, files
        given = list(files.values())
        return (covered_part(corpus, given, None) if given else part_of(corpus, None)), files

    def training(self, part: Corpus) -> tuple[Corpus, Corpus]:
        """Return train and dev of the split that ``part`` is of."""
        from cdec.corpus.splits import named_part, select, split_of

        home = (self.split or named_part(part.part) or "").rpartition("/")[0]
        whole = Whole(self.corpus, self.kind).load()
        chosen = split_of(whole, home or None)
        return select(whole, "train", chosen), select(whole, "dev", chosen)


@dataclass
class Parameters:
    """How systems are made: their pipeline, configurations and model."""

    panel: ClassVar[str] = "Systems"
    nlp: Nlp = "hanta"
    config: Annotated[
        list[Path] | None,
        option(
            "--config",
            "FILE.toml",
            "Parameters of a baseline, as written by `cdec tune` (repeatable).",
            rare=True,
        ),
    ] = None
    model: Annotated[
        Path | None,
        option(
            "--model",
            "FILE",
            f"A model from `cdec train`, for {listed(LEARNERS)}. Default: reuse the model of "
            "an earlier run on the same data, else train one.",
            rare=True,
        ),
    ] = None

    def configured(self, names: Iterable[str] = ()) -> list[Any]:
        """Return the configuration files; ``names`` are the systems of the call."""
        from cdec.baselines.config import read_config

        return [read_config(path, list(names)) for path in self.config or []]

    def ready(self, names: Iterable[str], source: Source, part: Corpus) -> list[System]:
        """Return the systems, trained, on the mentions that the call names.

        The model of a trainable one is loaded from --model, else it is trained on train and dev of
        the split. Raises UsageError for --model unless exactly one of the systems is trainable.
        """
        from cdec.baselines import names_of, system_id
        from cdec.baselines.config import make_systems
        from cdec.errors import warn_of
        from cdec.evaluation.aligned import on_mentions
        from cdec.files.jobs import chosen_jobs
        from cdec.files.progress import notebook
        from cdec.system import is_learner

        unique = list(dict.fromkeys(map(system_id, names)))
        if not (unique or self.model):
            return []
        configs = self.configured(unique)
        about = {"pipeline": self.nlp, "progress": notebook()}
        systems = make_systems(unique, configs, part if configs else None, **about)
        learners = [system for system in systems if is_learner(system)]
        if self.model and len(learners) != 1:
            message = f"--model requires exactly one trainable system, got {len(learners)}"
            hint = f"name one of {', '.join(names_of(is_learner))}, or drop --model"
            raise UsageError("system-invalid", message, place=self.model, hint=hint)
        trained = {}
        parts = source.training(part) if learners and not self.model else None
        for one in learners:
            own = one.fit(*parts, jobs=chosen_jobs()) if parts else one.load(self.model)  # type: ignore[arg-type]
            trained[one.name] = own
            if own.has_seen(part):
                message = f"{own.name} was trained on documents of the evaluated part"
                warn_of([Notice("trained-on-part", 1, message)])
        made = [trained.get(system.name, system) for system in systems]
        return [on_mentions(part, one, source.file) for one in made] if source.file else made


@dataclass
class Files:
    """How irregular response files are treated."""

    panel: ClassVar[str] = "Response files"
    repeated: Annotated[
        str,
        option(
            "--repeated",
            "first|error|drop",
            "If a response mention occurs more than once: keep the first occurrence (as the "
            "reference scorer does), reject the file, or drop all occurrences.",
            rare=True,
        ),
    ] = "first"
    allow_empty: Annotated[
        bool,
        option(
            "--allow-empty",
            None,
            "Score a response even if it contains no mention of the key.",
            rare=True,
        ),
    ] = False
    match: Annotated[
        str,
        option(
            "--match",
            "exact|head|partial|overlap:X",
            "When a response mention matches a key mention: same tokens; same head; inside "
            "the key mention, with its head; or at least X of all their tokens in common. Equal "
            "mentions first, then one to one with the greatest overlap. Brackets, and start and "
            "end, match a corpus mention with a gap by its first and last token; lists of tokens "
            "match exactly.",
            rare=True,
        ),
    ] = "exact"
    missing: Annotated[
        str | None,
        option(
            "--missing",
            "count|singletons|drop",
            "Key mentions that are missing from the response: count them as not found, make "
            "each a singleton of the response (for a response without its singletons), or remove "
            "them from the key. Default: count; without this option `cdec compare` refuses "
            "responses with mentions in different documents.",
            rare=True,
        ),
    ] = None
    noise: Noise = None

    def policy(self, **more: Any) -> FilePolicy:
        """Return the policy of the call."""
        from cdec.matching.policy import FilePolicy

        own = {
            name: getattr(self, name) for name in ("repeated", "allow_empty", "missing", "noise")
        }
        return FilePolicy(alignment=self.match, **own, **more)


@dataclass
class Draws:
    """How often is resampled, and from which seed."""

    panel: ClassVar[str] = "Uncertainty"
    resamples: Annotated[
        int,
        option("--resamples", "N", "Number of resamples.", rare=True),
    ] = 1000
    seed: Annotated[
        int,
        option("--seed", "N", "Random seed.", rare=True),
    ] = 0

    def plan(self) -> Plan:
        """Return the plan of resampling. Raises UsageError for an invalid value."""
        from cdec.statistics.draws import Plan

        return Plan(resamples=self.resamples, seed=self.seed)


@dataclass
class Intervals(Draws):
    """Whether there are confidence intervals, and how they are drawn."""

    ci: Annotated[
        bool,
        option("--ci", None, "Add confidence intervals."),
    ] = False

    def wanted(self, by: str | None = None) -> Plan | None:
        """Return the plan of --ci; None without it.

        Raises UsageError for its options without --ci, and for --ci with --by.
        """
        if not self.ci:
            require("--ci", "resamples", "seed")
            return None
        if by is not None:
            hint = "drop one of them: intervals are computed for the overall score only"
            raise UsageError("option-conflict", "--ci cannot be combined with --by", hint=hint)
        return self.plan()


@dataclass
class Work:
    """Who does the work; the result is the same. The workers are open while the command runs."""

    panel: ClassVar[str] = "Work"
    jobs: Annotated[
        int | None,
        option(
            "--jobs -j",
            "N",
            "Divide the work among N cores; the result is the same. Default: all cores.",
            min=1,
            rare=True,
        ),
    ] = None
    scheduler: Annotated[
        str | None,
        option(
            "--scheduler",
            "ADDRESS",
            "Divide the work among the workers of this Dask scheduler, as in "
            "tcp://host:8786; the result is the same.",
            rare=True,
        ),
    ] = None

    def __enter__(self) -> None:
        """Choose the workers."""
        from cdec.files.jobs import workers

        self._open = ExitStack()
        self._open.enter_context(workers(self.jobs, self.scheduler))

    def __exit__(self, *raised: object) -> None:
        """Release the workers."""
        self._open.close()


class Screen:
    """Messages on the standard error; its fields are ``quiet`` and ``verbose``."""

    quiet: bool
    verbose: bool

    def __enter__(self) -> None:
        """Show notices and progress while the command runs."""
        self._open = ExitStack()
        self._open.enter_context(shown_by(self.notify))
        self._open.enter_context(showing(None if self.quiet else bar))

    def __exit__(self, *raised: object) -> None:
        """Show them no longer."""
        self._open.close()

    def say(self, message: str) -> None:
        """Print a line for information, unless quiet."""
        if not self.quiet:
            print(f"cdec: {message}", file=sys.stderr)

    def notify(self, notices: Iterable[Notice]) -> None:
        """Print each notice in a line; if verbose with its code and all its cases."""
        for notice in notices:
            code = f"[{notice.code}]" if self.verbose else ""
            self.say(f"{'warning' if notice.warning else 'note'}{code}: {notice}")
            for case in notice.all_cases if self.verbose else ():
                self.say(f"    {case}")

    def save(self, lines: Iterable[str], target: Path | str, said: str) -> None:
        """Write lines to a file, then say so."""
        from cdec.files.output import save

        save(lines, target)
        self.say(said)


Output = Annotated[
    Path | None,
    option("--output -o", "FILE", "Write to this file."),
]
Quiet = Annotated[
    bool,
    option("--quiet -q", None, "Show no notices and no progress."),
]
Verbose = Annotated[
    bool,
    option("--verbose -v", None, "Show codes, and every case of a notice."),
]
Format = Annotated[
    str | None,
    option(
        "--format -f",
        "FORMAT",
        "table, markdown, latex, csv, json or html. Default: the format of the ending of "
        "--output (.md, .tex, .csv, .json, .html), else table. Must agree with that ending.",
        known="cdec.render:FORMATS",
        kind="format",
    ),
]
To = Annotated[
    str | None,
    option(
        "--to",
        "FORMAT",
        f"{listed(FILE_FORMATS)}. Default: the format of the ending of --output, else conll. "
        "Must agree with that ending.",
        known="cdec.formats:FORMATS",
        kind="format",
    ),
]


@dataclass
class Messages(Screen):
    """The options of a command that shows no page."""

    panel: ClassVar[str] = "Output"
    quiet: Quiet = False
    verbose: Verbose = False


@dataclass
class Report(Screen):
    """The options of a command that shows a page."""

    panel: ClassVar[str] = "Output"
    output: Output = None
    format: Format = None
    quiet: Quiet = False
    verbose: Verbose = False
    endings: ClassVar[dict[str, str]] = {}

    def __post_init__(self) -> None:
        """Raise UsageError if --output has the ending of another format, or cannot be written."""
        from cdec.files.output import PAGES

        known = {**PAGES, **self.endings}
        self.kind = format_of(self.output, self.format, known, "table", "--format")

    def show(self, page: Page) -> None:
        """Render a page and print it, or write it to the file: completely or not at all."""
        from cdec.files.output import save
        from cdec.render import render
        from cdec.render.terminal import to_text

        on_screen = self.kind == "table" and self.output is None and sys.stdout.isatty()
        columns = shutil.get_terminal_size().columns
        text = to_text(page, columns) if on_screen else render(page, self.kind)
        save([text], self.output or "-")


@dataclass
class Cases(Report):
    """The options of a command whose page can also be a list of cases, in JSON Lines."""

    endings: ClassVar[dict[str, str]] = {".jsonl": "jsonl"}


@dataclass
class Printed(Screen):
    """The options of a command that prints a page, and writes something else to --output."""

    panel: ClassVar[str] = "Output"
    format: Format = "table"
    quiet: Quiet = False
    verbose: Verbose = False

    def show(self, page: Page) -> None:
        """Render a page and print it."""
        Report(None, self.format, self.quiet, self.verbose).show(page)


@dataclass
class Chains(Screen):
    """The options of a command that writes mentions and chains."""

    panel: ClassVar[str] = "Output"
    output: Output = None
    to: To = None
    quiet: Quiet = False
    verbose: Verbose = False

    def __post_init__(self) -> None:
        """Raise UsageError as ``Report`` does."""
        endings = {f".{name}": name for name in FILE_FORMATS}
        self.kind = format_of(self.output, self.to, endings, "conll", "--to")

    def write(self, annotation: Annotation) -> None:
        """Write mentions and chains to the file or the terminal.

        In CoNLL, labels become numbers: the reference scorer ignores other labels in silence.
        """
        from cdec.formats import write

        written = annotation.numbered() if self.kind == "conll" else annotation
        write(written, self.output or "-", self.kind, self.notify)


# Formats whose files have the ending of another one.
_ALSO = {"documents": ("jsonl", "json"), "crac-json": ("json",)}
# Endings that name a format; any other ending, such as .txt or .out, fits every format.
_MEANINGFUL = {
    *(".md", ".tex", ".csv", ".json", ".html"),
    *(".conll", ".jsonl", ".tsv", ".toml", ".svg", ".png", ".pdf"),
}


def format_of(
    path: Path | None, requested: str | None, known: Mapping[str, str], default: str, option: str
) -> str:
    """Return the format to write: ``requested``, else by the ending, else ``default``.

    ``known`` maps ending → format. Raises UsageError if the ending belongs to another format, and
    CdecError if the file cannot be written there.
    """
    ending = path.suffix.lower() if path else ""
    implied = known.get(ending)
    chosen = requested or implied or default
    hint = ""
    if implied is None and ending in _MEANINGFUL:
        hint = f"choose one of {', '.join(known)}"
    elif implied not in {None, chosen, *_ALSO.get(chosen, ())}:
        hint = f"choose another ending, or leave out {option}"
    if hint:
        message = f"a file ending in {ending} cannot contain {chosen}"
        raise UsageError("file-unwritable", message, place=path, hint=hint)
    if path:
        check_writable(path)
    return chosen


def check_file(path: Path, content: str, *endings: str) -> None:
    """Raise UsageError if ``content`` is not for files with this ending, else as format_of."""
    ending = path.suffix.lower()
    if ending in _MEANINGFUL and ending not in endings:
        message = f"a file ending in {ending} cannot contain {content}"
        hint = f"choose another ending{f', such as {endings[0]}' if endings else ''}"
        raise UsageError("file-unwritable", message, place=path, hint=hint)
    check_writable(path)


def check_writable(path: Path) -> None:
    """Raise CdecError if the path is a folder, or its folder does not exist."""
    if not path.parent.is_dir():
        message, hint = "the folder does not exist", "create it, or choose another one"
        raise CdecError("file-unwritable", message, place=path.parent, hint=hint)
    if path.is_dir():
        message, hint = "expected a file, got a folder", "name a file in it"
        raise CdecError("file-unwritable", message, place=path, hint=hint)
