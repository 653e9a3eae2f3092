"""The options that several commands take, once each: types of parameters, and groups of them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from cdec.cli.command import argument, listed, option, refuse, require
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
BASELINES = ("lemma", "lemma-wd", "lemma-delta", *LEARNERS)
SETTINGS = ("bh", "st", "is", "ycf", "simple", "pure")
STRATA = (
    *("seen", "lemma", "seen-lemma", "lemmas-per-chain", "chains-per-lemma"),
    *("class", "size", "distance"),
)
KINDS = ("event", "entity", "all")
UNITS = ("chain", "document", "subtopic", "topic", "kind", "group")
# Ending of a file → the formats that it may have, the usual one first.
ENDINGS = {
    **{".md": ("markdown",), ".tex": ("latex",), ".html": ("html",), ".csv": ("csv",)},
    **{".json": ("json", "crac-json", "documents"), ".jsonl": ("jsonl", "documents")},
    **{".conll": ("conll",), ".tsv": ("tsv",), ".conllu": ("conllu",), ".crac": ("crac",)},
}
PAGES = ("markdown", "latex", "html", "csv", "json")
CHAINS = ("conll", "jsonl", "csv", "tsv", "json", "documents", "conllu", "crac", "crac-json")
_PLAIN = ("", ".txt", ".out")  # endings of any text
_IDS = listed(BASELINES)
_UNIT = "Also score each document, subtopic, topic, kind or chain"

# ---- options: T | None is not given ----

Text = str | None
Texts = list[str] | None
Place = Path | None

Answers = Annotated[
    Texts,
    argument(
        "[NAME=]FILE|SYSTEM…",
        "Response files, baselines, leaderboard:NAME or pairs:FILE@T. Several runs of a system as "
        "NAME=FILE,FILE or NAME='PATTERN'; scored pairs in a file, linked at the threshold T.",
    ),
]
Systems = Annotated[Texts, option("--system SYSTEM", f"A baseline: {_IDS}. Or module:Class.")]
Settings = Annotated[
    list[str],
    option(
        "--setting -s SETTING",
        f"{', '.join(SETTINGS)} or all. Or your own, as scope=topic,ignore_singletons=yes.",
    ),
]
Metrics = Annotated[
    Texts, option("--metric METRIC", "Such as conll, or all; `cdec plugins` lists them.")
]
ByUnit = Annotated[Text, option("--by UNIT", f"{_UNIT}.")]
Stratum = Annotated[
    Text, option("--by STRATUM", f"Also divide links by a stratum. One of {listed(STRATA)}.")
]
Scorer = Annotated[
    str, option("--scorer cdec|neleval", "Who computes the metrics: cdec, or neleval.", rare=True)
]
Topics = Annotated[Place, option("--topics FILE", "A table of document, topic and subtopic.")]
KeyPatch = Annotated[
    Place,
    option("--key-patch FILE|NAME", "Correct the key: a patch of `cdec audit apply`.", rare=True),
]
Nlp = Annotated[
    str, option("--nlp PIPELINE", "Who finds lemmas and tags: hanta or spacy:MODEL.", rare=True)
]
Noise = Annotated[
    Text,
    option(
        "--noise singletons|absent",
        "Mentions whose label means no chain (-1, blank, nan): each a singleton, or not there. "
        "Without this option such a label of several mentions is an error.",
        rare=True,
    ),
]
CorpusName = Annotated[
    Text,
    option(
        "--corpus PATH|NAME",
        "Folder, zip or name, by default ECB+. One with several readings: gvc:one-chain.",
    ),
]
Kind = Annotated[
    Text, option("--mentions event|entity|all", "The mentions to score. Default: event, if any.")
]
Part = Annotated[
    Text,
    option(
        "--split [SPLIT/]PART",
        "train, dev, test, all or SPLIT/PART. As cybulska/test or my.toml/dev. Default: the part "
        "that the responses cover; else test, or all.",
    ),
]
WholeSplit = Annotated[Text, option("--split SPLIT", "The split: ycf, cybulska or my.toml.")]


def split_part(value: str | None, default: str = "test") -> str | None:
    """Return ``[SPLIT/]PART``; a split without a part gets the default part."""
    from cdec.corpus.splits import OFFICIAL, SPLITS

    is_split = value and (value.endswith(".toml") or value in (*SPLITS, OFFICIAL))
    return f"{value}/{default}" if is_split else value


# ---- groups ----


@dataclass
class Whole:
    """A corpus, and its mentions."""

    corpus: CorpusName = None
    mentions: Kind = None

    def load(self, split: str | None = "all", key_patch: Path | None = None) -> Corpus:
        """Return the corpus, or a part of it."""
        import cdec

        return cdec.load_corpus(self.corpus, split, mentions=self.mentions, key_patch=key_patch)


@dataclass
class Parameters:
    """How systems are made: their pipeline, configurations and model."""

    nlp: Nlp = "hanta"
    config: list[Path] | None = option(
        "--config FILE.toml", "Parameters of a baseline, of `cdec tune`.", default=None, rare=True
    )
    model: Place = option(
        "--model FILE",
        f"A model of `cdec train`, for {listed(LEARNERS)}. Default: train one, or reuse that of an "
        "earlier run on the same data.",
        default=None,
        rare=True,
    )

    def configured(self) -> list[str]:
        """Return the systems that the configuration files name."""
        from cdec.baselines.config import read_config

        return [read_config(path).system for path in self.config or []]


@dataclass
class PartOf:
    """A part of a corpus to score on."""

    corpus: CorpusName = None
    mentions: Text = option(
        "--mentions KIND|FILE",
        "event, entity, all, or those of a FILE. Systems cluster the mentions of this response "
        "file and do not see its chains.",
        default=None,
    )
    split: Part = None

    def __post_init__(self) -> None:
        """Raise UnknownNameError for mentions that are neither a kind nor a file."""
        self.file = self.mentions if self.mentions and Path(self.mentions).is_file() else None
        self.kind = None if self.file else self.mentions
        if self.kind:
            one_of("mention kind", self.kind, KINDS)
        self.split = self.split and split_part(self.split)

    def load(self, key_patch: Path | None = None) -> Corpus:
        """Return the part of --split; without it the whole, of which responses cover a part."""
        import cdec

        return cdec.load_corpus(self.corpus, self.split, mentions=self.kind, key_patch=key_patch)

    def responses(
        self, names: Iterable[str], made: Parameters, key_patch: Path | None = None
    ) -> tuple[Corpus, list[Any]]:
        """Return the part to score on, and the files and systems, ready, that the call names."""
        from cdec.baselines import names_system, system_id
        from cdec.evaluation.parts import covered_part
        from cdec.evaluation.response import read_response

        unique = list(dict.fromkeys(names))
        files = {text: read_response(text) for text in unique if not names_system(text)}
        part = self.load(key_patch)
        if not self.split:
            part = covered_part(part, files.values(), None)
        names = [name for name in unique if name not in files]
        if self.file and not names:
            message = "mentions of a file have no effect on a response, which has its own"
            raise UsageError("option-conflict", message, hint="name a system, or drop mentions")
        systems = self.systems(names, made, part) if names or made.model else {}
        return part, [files.get(name) or systems[system_id(name)] for name in unique]

    def systems(self, names: list[str], made: Parameters, part: Corpus) -> dict[str, System]:
        """Return the systems by id, on the mentions that the call names.

        The model of a trainable one is loaded from --model, else it is trained on train and dev of
        the split. Raises UsageError for --model unless exactly one of the systems is trainable.
        """
        from cdec.baselines import names_of, system_id
        from cdec.baselines.config import make_systems, read_config
        from cdec.errors import warn_of
        from cdec.evaluation.systems import on_mentions
        from cdec.files.jobs import chosen_jobs
        from cdec.files.progress import notebook
        from cdec.system import is_learner

        ids = list(dict.fromkeys(map(system_id, names)))
        configs = [read_config(path, ids) for path in made.config or []]
        about = {"pipeline": made.nlp, "progress": notebook()}
        systems = make_systems(ids, configs, part, **about)
        learners = [one for one in systems if is_learner(one)]
        if made.model and len(learners) != 1:
            message = f"--model requires exactly one trainable system, got {len(learners)}"
            hint = f"name one of {', '.join(names_of(is_learner))}, or drop --model"
            raise UsageError("system-invalid", message, place=made.model, hint=hint)
        parts: Any = self.training(part) if learners and not made.model else None
        for one in learners:
            ready: Any = one.load(made.model) if made.model else one.fit(*parts, jobs=chosen_jobs())
            systems[systems.index(one)] = ready
            if ready.has_seen(part):
                message = f"{ready.name} was trained on documents of the evaluated part"
                warn_of([Notice("trained-on-part", 1, message)])
        if self.file:
            systems = [on_mentions(part, one, self.file) for one in systems]
        return dict(zip(ids, systems, strict=True))

    def training(self, part: Corpus) -> tuple[Corpus, Corpus]:
        """Return train and dev of the split that ``part`` is of."""
        from cdec.corpus.splits import named_part, select, split_of

        home = (self.split or named_part(part.part) or "").rpartition("/")[0]
        whole = Whole(self.corpus, self.kind).load()
        chosen = split_of(whole, home or None)
        return select(whole, "train", chosen), select(whole, "dev", chosen)


@dataclass
class Files:
    """How irregular response files are treated."""

    allow_empty: bool = option(
        "--allow-empty", "Score a response without any key mention.", default=False, rare=True
    )
    match: str = option(
        "--match exact|head|partial|overlap:X",
        "When a response mention matches a key mention: same tokens; same head; inside the key "
        "mention, with its head; or at least X of all their tokens in common (docs/formats.md).",
        default="exact",
        rare=True,
    )
    missing: Text = option(
        "--missing count|singletons|drop",
        "Key mentions that the response lacks: not found, singletons of the response, or removed "
        "from the key. Without it `cdec compare` refuses responses to different documents.",
        default=None,
        rare=True,
    )
    noise: Noise = None

    def policy(self, **more: Any) -> FilePolicy:
        """Return the policy of the call."""
        from cdec.matching.policy import FilePolicy

        own = vars(self).copy()
        return FilePolicy(alignment=own.pop("match"), **own, **more)


@dataclass
class Draws:
    """How often is resampled, and from which seed."""

    resamples: int = option("--resamples N", "Number of resamples.", default=1000, rare=True)
    seed: int = option("--seed N", "Random seed.", default=0, rare=True)

    def plan(self) -> Plan:
        """Return the plan of resampling. Raises UsageError for an invalid value."""
        from cdec.statistics.draws import Plan

        return Plan(resamples=self.resamples, seed=self.seed)


@dataclass
class Intervals(Draws):
    """Whether there are confidence intervals, and how they are drawn."""

    ci: bool = option("--ci", "Add confidence intervals.", default=False)

    def wanted(self, by: str | None = None) -> Plan | None:
        """Return the plan of --ci, None without it. Raises UsageError for its options alone."""
        if not self.ci:
            require("--ci", "resamples", "seed")
            return None
        if by:
            refuse("--ci", "by")
        return self.plan()


@dataclass
class Work:
    """Who does the work; the result is the same."""

    jobs: int | None = option(
        "--jobs -j N", "Use N cores. Default: all.", default=None, rare=True, min=1
    )
    scheduler: Text = option(
        "--scheduler ADDRESS", "Use a Dask cluster, as tcp://host:8786.", default=None, rare=True
    )

    def opened(self) -> AbstractContextManager[None]:
        """Choose the workers, and release them at the end."""
        from cdec.files.jobs import workers

        return workers(self.jobs, self.scheduler)


@dataclass
class Messages:
    """Messages on the standard error: the options of a command that shows no page."""

    quiet: bool = option("--quiet -q", "Show no notices and no progress.", default=False)
    verbose: bool = option("--verbose -v", "Show codes, and all cases of notices.", default=False)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Show notices and progress while the command runs."""
        with shown_by(self.notify), showing(None if self.quiet else bar):
            yield

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

    def render(self, page: Page, kind: str, output: Path | None = None) -> None:
        """Print a page, or write it to the file: completely or not at all."""
        from cdec.files.output import save
        from cdec.render import render
        from cdec.render.terminal import to_text

        on_screen = kind == "table" and output is None and sys.stdout.isatty()
        columns = shutil.get_terminal_size().columns
        save([to_text(page, columns) if on_screen else render(page, kind)], output or "-")


Output = Annotated[Place, option("--output -o FILE", "Write to this file.")]
Format = Annotated[
    Text,
    option("--format -f FORMAT", "table, markdown, latex, csv, json, html. Default: by ending."),
]
Figures = Annotated[
    Place, option("--figures DIR", "Also write each figure as SVG and PDF.", rare=True)
]
To = Annotated[
    Text, option("--to FORMAT", f"{listed(CHAINS)}. Default: by the ending, else conll.")
]


@dataclass
class Report(Messages):
    """The options of a command that shows a page."""

    output: Output = None
    format: Format = None
    figures: Figures = None
    formats: ClassVar[tuple[str, ...]] = PAGES

    def __post_init__(self) -> None:
        """Raise UsageError if --output has the ending of another format, or cannot be written."""
        from cdec.render import FORMATS

        if self.format:
            one_of("format", self.format, FORMATS)
        self.kind = self.format or "table"
        if self.output:
            self.kind = format_of(self.output, self.format, self.formats, "table")

    def show(self, page: Page) -> None:
        """Print a page, or write it to --output; write its figures to --figures.

        Raises UsageError for a page without any.
        """
        from cdec.files.output import save
        from cdec.render.charts import PAPER

        self.render(page, self.kind, self.output)
        if self.figures is None:
            return
        if not page.figures:
            message, hint = "the page has no figure", "diagnose and pairs have figures"
            raise UsageError("argument-invalid", message, hint=hint)
        for name, chart in page.figures.items():
            for form in PAPER:
                save([chart.draw(format=form)], self.figures / f"{name}.{form}", parents=True)


@dataclass
class Cases(Report):
    """The options of a command whose page can also be a list of cases, in JSON Lines."""

    formats: ClassVar[tuple[str, ...]] = (*PAGES, "jsonl")


@dataclass
class Printed(Messages):
    """The options of a command that prints a page, and writes something else to --output."""

    format: Format = "table"

    def show(self, page: Page) -> None:
        """Print a page."""
        self.render(page, self.format or "table")


@dataclass
class Chains(Messages):
    """The options of a command that writes mentions and chains."""

    output: Output = None
    to: To = None

    def __post_init__(self) -> None:
        """Raise UsageError as ``Report`` does."""
        from cdec.formats import FORMATS

        if self.to:
            one_of("format", self.to, FORMATS)
        self.kind = self.to or "conll"
        if self.output:
            self.kind = format_of(self.output, self.to, CHAINS, "conll")

    def write(self, annotation: Annotation) -> None:
        """Write mentions and chains to the file or the terminal.

        In CoNLL, labels become numbers: the reference scorer ignores other labels in silence.
        """
        from cdec.formats import write

        written = annotation.numbered() if self.kind == "conll" else annotation
        write(written, self.output or "-", self.kind, self.notify)


def format_of(path: Path, requested: Text, known: tuple[str, ...], default: str) -> str:
    """Return the format to write: ``requested``, else by the ending, else ``default``.

    ``known`` are the formats that an ending can choose. Raises UsageError if the ending belongs to
    another format, or, without a request, to none; CdecError as ``check_writable``.
    """
    ending = path.suffix.lower()
    own = ENDINGS.get(ending, ())
    implied = next((name for name in own if name in known), None)
    fits = implied or ending in _PLAIN
    if requested:
        fits = requested in own or not own
    if not fits:
        endings = ", ".join(one for one, names in ENDINGS.items() if {*names} & {*known})
        message = f"the ending {ending} is not that of {requested or 'a known format'}"
        hint = f"choose one of {endings}{'' if requested else ', or name the format'}"
        raise UsageError("file-unwritable", message, place=path, hint=hint)
    check_writable(path)
    return requested or implied or default


def check_file(path: Path, content: str, *endings: str) -> None:
    """Raise UsageError if ``content`` is not for files with this ending, else as format_of."""
    ending = path.suffix.lower()
    if ending and (ending not in endings if endings else ending in ENDINGS):
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
