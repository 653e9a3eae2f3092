"""The options that several commands take, once each: types of parameters, and groups of them."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from cdec.catalogue import added, entries
from cdec.cli.command import argument, listed, option, require
from cdec.errors import CdecError, Notice, UsageError, one_of

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus
    from cdec.evaluation.response import Response
    from cdec.formats import Annotation
    from cdec.matching.policy import FilePolicy
    from cdec.render import Page
    from cdec.statistics.draws import Plan

_PLAIN = ("", ".txt", ".out")  # endings of any text
_USUAL = 1000  # resamples

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
Settings = Annotated[
    list[str],
    option(
        "--setting -s SETTING",
        f"{', '.join(entries('setting'))} or all. Or your own, as "
        "scope=topic,ignore_singletons=yes.",
    ),
]
Metrics = Annotated[
    Texts,
    option(
        "--metric METRIC",
        "Such as conll, or all; `cdec plugins` lists them.",
    ),
]
ByUnit = Annotated[
    Text,
    option(
        "--by UNIT",
        "Also score each document, file (of a folder), subtopic, topic, kind or chain.",
    ),
]
Stratum = Annotated[
    Text,
    option(
        "--by STRATUM",
        "Also divide links by a stratum. One of seen, lemma, seen-lemma, lemmas-per-chain, "
        "chains-per-lemma, class, size or distance.",
    ),
]
Scorer = Annotated[
    str,
    option(
        "--scorer cdec|neleval",
        "Who computes the metrics: cdec, or neleval.",
        rare=True,
    ),
]
Topics = Annotated[
    Place, option("--topics FILE", "A table of document, topic and subtopic.")
]
KeyPatch = Annotated[
    Place,
    option(
        "--key-patch FILE|NAME",
        "Correct the key: a patch of `cdec audit apply`. `cdec eval` shows both keys.",
        rare=True,
    ),
]
Nlp = Annotated[
    Text,
    option(
        "--nlp PIPELINE",
        "Who finds lemmas and tags: hanta (default) or spacy:MODEL.",
        rare=True,
    ),
]
Noise = Annotated[
    Text,
    option(
        "--noise singletons|absent|label",
        "Mentions whose label means no chain (-1, blank, nan, -, NIL …): each a singleton, or not "
        "there; label: it is a chain. Without this option such a label of several mentions is an "
        "error.",
        rare=True,
    ),
]
KeyLabels = Annotated[
    Text,
    option(
        "--key-labels document|corpus",
        "Where the chain labels of a key file hold: document, if each document numbers its chains "
        "anew; corpus, if a label is one chain in all documents.",
        rare=True,
    ),
]
Columns = Annotated[
    Texts,
    option(
        "--columns FIELD=NAME,…",
        "Names of columns, or of fields of a record: doc, start, end, tokens, chain, mention, "
        "sentence. As start=startIndex,chain=cluster_predicted.",
        rare=True,
    ),
]
Lenient = Annotated[
    bool,
    option(
        "--lenient",
        "Answers of a language model: read what is complete of one that is truncated, and prose "
        "such as 'Yes, because …' for pairs. The rest is missing, or unanswered.",
        rare=True,
    ),
]
CorpusName = Annotated[
    Text,
    option(
        "--corpus PATH|NAME",
        "Folder, zip or name, by default ECB+. One with several readings: gvc:one-chain.",
        kind="corpus",
    ),
]
Kind = Annotated[
    Text,
    option(
        "--mentions event|entity|all", "The mentions to score. Default: event, if any."
    ),
]
Part = Annotated[
    Text,
    option(
        "--split [SPLIT/]PART",
        "train, dev, test, all or SPLIT/PART. As cybulska/test or my.toml/dev. Default: the part "
        "that the responses cover, or the only one with their documents; else test, or all.",
    ),
]
WholeSplit = Annotated[
    Text, option("--split SPLIT", "The split: ycf, cybulska or my.toml.")
]
Output = Annotated[Place, option("--output -o FILE", "Write to this file.")]


# ---- groups: the corpus, and what is scored on it ----


@dataclass
class Whole:
    """A corpus, and its mentions."""

    corpus: CorpusName = None
    mentions: Kind = None

    def load(self, split: str | None = "all", key_patch: Path | None = None) -> Corpus:
        """Return a part of the corpus; for None the whole, of which responses cover a part."""
        from cdec.api import load_corpus

        part = split_part(split) if split else None
        return load_corpus(
            self.corpus, part, mentions=self.mentions, key_patch=key_patch
        )


def split_part(value: str, default: str = "test") -> str:
    """Return ``[SPLIT/]PART``; a split without a part gets the default part."""
    from cdec.corpus.splits import OFFICIAL, SPLITS

    is_split = value.endswith(".toml") or value in (*SPLITS, OFFICIAL)
    return f"{value}/{default}" if is_split else value


@dataclass
class Parameters:
    """How systems are made: their pipeline, configurations and model."""

    nlp: Nlp = None
    config: list[Path] | None = option(
        "--config FILE.toml",
        "Parameters of a baseline, of `cdec tune`.",
        default=None,
        rare=True,
    )
    model: Place = option(
        "--model FILE",
        f"A model of `cdec train`, for {listed(added('system'))}. Default: train one, or reuse "
        "that of an earlier run on the same data.",
        default=None,
        rare=True,
    )

    def configured(self, names: Iterable[str] = ()) -> list[str]:
        """Return the systems that the configuration files name, beside these of the call."""
        from cdec.baselines.config import read_config
        from cdec.evaluation.response import names_system

        called = [name for name in names if names_system(name)]
        return [read_config(path, called).system for path in self.config or []]


@dataclass
class PartOf(Whole):
    """A part of a corpus, and what is scored on it."""

    split: Part = None

    def responses(
        self,
        names: Iterable[str],
        parameters: Parameters,
        key_patch: Path | None = None,
        policy: FilePolicy | None = None,
    ) -> tuple[Corpus, list[Response]]:
        """Return the part to score on, and the responses that the call names; systems are made.

        ``policy``: how files are read; without one, the command has no --lenient.

        Without --split it is the part that the files cover. The model of a trainable system is
        loaded from --model, else it is trained on train and dev of the split.
        """
        from cdec.evaluation.parts import covered_part
        from cdec.evaluation.response import read_response
        from cdec.matching.policy import FilePolicy

        responses = {}
        for name in names:
            responses[name] = read_response(
                name, policy or FilePolicy(lenient=None), systems=True
            )
        part = self.load(self.split, key_patch)
        if part.undecided:
            part = covered_part(part, responses.values())
        systems = [name for name in responses if not responses[name].runs]
        if systems or parameters.model:
            from cdec.baselines.systems import make_systems
            from cdec.files.progress import notebook

            made = make_systems(
                systems,
                parameters.config or [],
                part,
                parameters.model,
                self.training,
                pipeline=parameters.nlp or "hanta",
                progress=notebook(),
            )
            for name, system in zip(systems, made, strict=True):
                responses[name] = read_response(system)
        return part, [*responses.values()]

    def training(self, part: Corpus) -> tuple[Corpus, Corpus]:
        """Return train and dev of the split that ``part`` is of."""
        from cdec.corpus.splits import named_part, train_and_dev

        home = (self.split or named_part(part.part) or "").rpartition("/")[0]
        return train_and_dev(self.load(), home)


@dataclass
class Files:
    """How irregular response files are treated."""

    allow_empty: bool = option(
        "--allow-empty",
        "Score a response without any key mention.",
        default=False,
        rare=True,
    )
    alignment: str = option(
        "--match exact|head|partial|overlap:X",
        "When a response mention matches a key mention: same tokens; same head; inside the key "
        "mention, with its head; or at least X of all their tokens in common (docs/corefud.md).",
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
    labels: Texts = option(
        "--labels [NAME=]document|corpus",
        "Where the chain labels of a response hold: document, if each document numbers its chains "
        "anew; corpus, if a label is one chain in all documents. Of one response: NAME=document.",
        default=None,
    )
    key_labels: KeyLabels = None
    unknown: Text = option(
        "--unknown error|drop|twinless",
        "Response mentions that the whole corpus does not have: refused, left out, or counted as "
        "mentions that the response invented. Default: error; of two files: twinless.",
        default=None,
        rare=True,
    )
    columns: Columns = None
    lenient: Lenient = False

    def policy(self, **choices: Any) -> FilePolicy:
        """Return the policy that the options choose. Raises UsageError for an invalid value."""
        from cdec.matching.policy import FilePolicy

        options = {**vars(self), **choices}
        if self.labels:
            options["labels"] = named_values("--labels", self.labels, unnamed=True)
        options["columns"] = {}
        if self.columns:
            options["columns"] = named_values("--columns", self.columns)
        return FilePolicy(**options)


def named_values(
    flag: str,
    texts: Texts,
    *,
    unnamed: bool = False,
) -> dict[str, str]:
    """Return name → value of ``name=value,…``; ``unnamed``: a value may lack a name, it has ''.

    >>> named_values("--labels", ["document", "mine=corpus"], unnamed=True)
    {'': 'document', 'mine': 'corpus'}
    """
    values: dict[str, str] = {}
    for text in texts or []:
        for piece in text.split(","):
            name, equals, value = piece.strip().rpartition("=")
            if not value or not (name or (unnamed and not equals)):
                raise UsageError(
                    "argument-invalid",
                    f"{flag} is '{text}', expected NAME=VALUE",
                    hint="see the help of the command",
                )
            if values.setdefault(name, value) != value:
                raise UsageError(
                    "argument-invalid",
                    f"{flag} gives two values for '{name}'",
                    hint="drop one of them",
                )
    return values


# ---- groups: the work ----


@dataclass
class Draws:
    """How often is resampled, and from which seed."""

    resamples: int = option(
        "--resamples N", "Number of resamples.", default=_USUAL, rare=True
    )
    seed: int = option("--seed N", "Random seed.", default=0, rare=True)

    def plan(self) -> Plan:
        """Return the plan of resampling. Raises UsageError for an invalid value."""
        from cdec.statistics.draws import Plan

        return Plan(resamples=self.resamples, seed=self.seed)


@dataclass
class Intervals(Draws):
    """Whether there are confidence intervals, and how they are drawn."""

    ci: bool = option("--ci", "Add confidence intervals.", default=False)

    def wanted(self) -> Plan | None:
        """Return the plan of --ci, None without it. Raises UsageError for its options alone."""
        if self.ci:
            return self.plan()
        if (self.resamples, self.seed) != (_USUAL, 0):
            require("--ci", "resamples", "seed")
        return None


@dataclass
class Work:
    """Who does the work; the result is the same."""

    jobs: int | None = option(
        "--jobs -j N", "Use N cores. Default: all.", default=None, rare=True, min=1
    )
    scheduler: Text = option(
        "--scheduler ADDRESS",
        "Use a Dask cluster, as tcp://host:8786.",
        default=None,
        rare=True,
    )


# ---- groups: what is written ----


@dataclass
class Messages:
    """Messages on the standard error: the options of a command that shows no page."""

    quiet: bool = option(
        "--quiet -q", "Show no notices and no progress.", default=False
    )
    verbose: bool = option(
        "--verbose -v", "Show codes, and all cases of notices.", default=False
    )

    def say(self, message: str) -> None:
        """Print a line for information, unless quiet."""
        if not self.quiet:
            print(f"cdec: {message}", file=sys.stderr)

    def notify(self, notices: Iterable[Notice]) -> None:
        """Print each notice in a line, the same once; if verbose with code and all its cases."""
        for notice, number in Counter(notices).items():
            kind = "warning" if notice.warning else "note"
            times = f" ({number:,} times)" if number > 1 else ""
            if not self.verbose:
                self.say(f"{kind}: {notice}{times}")
                continue
            self.say(f"{kind}[{notice.code}]: {notice}{times}")
            for case in notice.all_cases:
                self.say(f"    {case}")

    def save(
        self,
        lines: Iterable[str | bytes],
        target: Path | str,
        message: str,
    ) -> None:
        """Write lines to a file, then print the message."""
        from cdec.files.output import save

        save(lines, target)
        self.say(message)


@dataclass
class Printed(Messages):
    """The options of a command that prints a page, and writes something else to --output."""

    format: Text = option(
        "--format -f FORMAT",
        f"{listed(entries('page'))}. Default: by ending.",
        default=None,
        kind="page",
    )

    def show(self, page: Page, output: Path | None = None) -> None:
        """Print a page, or write it to a file: completely or not at all."""
        if output is None and self.format in (None, "table"):
            from cdec.render.terminal import to_text

            columns = (
                shutil.get_terminal_size().columns if sys.stdout.isatty() else None
            )
            sys.stdout.write(to_text(page, columns, is_piped=columns is None))
            sys.stdout.flush()
            return
        from cdec.files.output import save
        from cdec.render import render

        save([render(page, self.format or "table")], output or "-")


@dataclass
class Report(Printed):
    """The options of a command that shows a page."""

    output: Output = None
    # Format of the list that the page shows → its endings.
    lists: ClassVar[Mapping[str, Sequence[str]]] = MappingProxyType({})

    def __post_init__(self) -> None:
        """Choose the format as ``format_of`` does."""
        if self.output or self.format:
            from cdec.render import ENDINGS

            endings = {**ENDINGS, **self.lists}
            self.format = format_of(self.output, self.format, endings, "table")

    def show(self, page: Page, output: Path | None = None) -> None:
        """Print a page, or write it to --output."""
        super().show(page, output or self.output)


@dataclass
class Figured(Report):
    """The options of a command whose page has figures."""

    figures: Place = option(
        "--figures DIR",
        "Also write each figure as SVG and PDF, 3.3 and 7 inches wide.",
        default=None,
        file_okay=False,
    )

    def show(self, page: Page, output: Path | None = None) -> None:
        """Print a page, or write it to --output; write its figures to --figures."""
        Printed.show(self, page, output or self.output)
        if self.figures is None:
            return
        from cdec.render.charts import PAPER, WIDTHS

        for name, chart in page.figures.items():
            for width in WIDTHS:
                for form in PAPER:
                    chart.save(self.figures / f"{name}-{width:g}in.{form}", width)


@dataclass
class Chains(Messages):
    """The options of a command that writes mentions and chains."""

    output: Output = None
    to: Text = option(
        "--to FORMAT",
        f"{listed(entries('format'))}. Default: by the ending, else conll.",
        default=None,
    )

    def __post_init__(self) -> None:
        """Choose the format as ``format_of`` does."""
        from cdec.formats.registry import endings_of_formats

        self.kind = format_of(self.output, self.to, endings_of_formats(), "conll")

    def write(self, annotation: Annotation) -> None:
        """Write mentions and chains to the file or the terminal.

        In CoNLL, labels become numbers: the reference scorer ignores other labels in silence.
        """
        from cdec.formats import write

        written = annotation.numbered() if self.kind == "conll" else annotation
        write(
            written,
            self.output or "-",
            self.kind,
            self.notify,
        )


def format_of(
    path: Place,
    requested: Text,
    endings: Mapping[str, Sequence[str]],
    default: str,
) -> str:
    """Return the format to write: as ``requested``, else by the ending, else the ``default``.

    ``endings`` are those of each format. Raises UsageError for an unknown format, and for the
    ending of another one; CdecError as ``check_output``.
    """
    if requested:
        one_of("format", requested, endings)
    if path is None:
        return requested or default
    usable = [*_PLAIN]
    ending = path.suffix.lower()
    by_ending = [name for name in endings if ending in endings[name]]
    if requested and not by_ending:
        from cdec.formats.registry import endings_of_formats
        from cdec.render import ENDINGS

        known = {**ENDINGS, **endings_of_formats()}
        if not any(ending in of_format for of_format in known.values()):
            check_output(path)
            return requested
    for name in endings:
        if requested in (None, name):
            usable += endings[name]
    check_output(path, *usable)
    return requested or next(iter(by_ending), default)


def check_output(path: Path, *endings: str) -> None:
    """Raise UsageError for an ending other than these, CdecError if no file can be made here."""
    if endings and path.suffix.lower() not in ("", *endings):
        usable = ", ".join(dict.fromkeys(filter(None, endings)))
        raise UsageError(
            "file-unwritable",
            f"the ending {path.suffix} is not that of the format",
            place=path,
            hint=f"choose one of {usable}, or another format",
        )
    if path.is_dir() or not path.parent.is_dir():
        raise CdecError(
            "file-unwritable",
            "expected a file in a folder that exists",
            place=path,
            hint="choose another file",
        )
