"""Names that options take: those that ``--help`` lists, and those that the shell completes.

Help starts fast because it lists the names below; the registries import numpy and pandas. A test
sees to it that both agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from cdec.errors import UnknownNameError

SYSTEM_IDS = ("lemma", "lemma-wd", "lemma-delta", "lemma-docs", "sac", "sac-plus")
SETTING_IDS = ("bh", "st", "is", "ycf", "simple", "pure")
SINGLE_METRIC_IDS = ("muc", "b3", "ceafm", "ceafe", "blanc_coref", "blanc_noncoref", "lea")
MEAN_METRIC_IDS = ("blanc", "conll", "avg4")
METRIC_IDS = (*SINGLE_METRIC_IDS[:-1], "blanc", "lea", "conll", "avg4")


def listed(names: Iterable[str], last: str = "or") -> str:
    """Return the names as a sentence has them.

    >>> listed(["key", "response"])
    'key or response'
    """
    *most, end = names
    return f"{', '.join(most)} {last} {end}" if most else end


@dataclass(frozen=True)
class Names:
    """The names in ``module.attribute``, which is imported when they are asked for; then ``more``.

    >>> Names("format", "cdec.render", "FORMATS").check("csv")
    'csv'
    """

    kind: str
    module: str
    attribute: str
    more: tuple[str, ...] = ()

    def complete(self) -> list[str]:
        """Return the names."""
        return [*getattr(import_module(self.module), self.attribute), *self.more]

    def check(self, value: str | None) -> str | None:
        """Return the value of an option; raise UnknownNameError for one that is no such name."""
        if value is not None and value not in self.complete():
            raise UnknownNameError(self.kind, value, self.complete())
        return value


SYSTEMS = Names("system", "cdec.baselines", "SYSTEMS")
SETTINGS = Names("setting", "cdec.settings", "SETTINGS", ("all",))
METRICS = Names("metric", "cdec.metrics", "ALL")
SCORERS = Names("scorer", "cdec.metrics.scores", "SCORERS")
FORMATS = Names("format", "cdec.render", "FORMATS")
FILE_FORMATS = Names("format", "cdec.formats", "FORMATS")
PARTITIONS = Names("unit", "cdec.evaluation.experiment", "UNITS")
UNITS = Names("unit", "cdec.statistics.units", "UNITS")
METHODS = Names("kind of interval", "cdec.statistics.draws", "METHODS")
TESTS = Names("test", "cdec.statistics.draws", "TESTS")
REPEATED = Names("policy for repeated mentions", "cdec.matching.policy", "REPEATED")
WORDS = Names("policy for words that differ", "cdec.matching.policy", "WORDS")
SIDES = Names("side", "cdec.explanation", "SIDES")
GRIDS = Names("grid", "cdec.tuning", "GRIDS")
ARTEFACTS = Names("artefact", "cdec.reproduction.page", "ARTEFACTS", ("all",))
DETECTORS = Names("detector", "cdec.audit.config", "DETECTORS")
PLANTED = Names("kind of planted error", "cdec.audit.benchmark.plant", "KINDS")
CASES = Names("kind of case", "cdec.audit.case", "KINDS")


def choice(*names: str) -> Callable[[], list[str]]:
    """Return what completes to these names."""
    return lambda: list(names)


def paths(incomplete: str, *endings: str) -> list[str]:
    """Return the folders and files (with one of the endings, if any) that begin like this."""
    folder = incomplete[: incomplete.rfind("/") + 1]
    found = sorted(Path(folder or ".").glob("[!.]*"))
    fit = [path for path in found if not endings or path.is_dir() or path.suffix in endings]
    names = [f"{folder}{path.name}{'/' if path.is_dir() else ''}" for path in fit]
    return [name for name in names if name.startswith(incomplete)]


def tunable() -> list[str]:
    """Return the systems that `cdec tune` takes."""
    from cdec.baselines import names_of
    from cdec.system import is_tunable

    return names_of(is_tunable)


def answers(incomplete: str) -> list[str]:
    """Return the systems, and the files that begin like this."""
    return [*SYSTEMS.complete(), *paths(incomplete)]


def corpora(incomplete: str) -> list[str]:
    """Return the corpora that have a name, and the folders and zips that begin like this."""
    from cdec.corpus.known import known_corpora
    from cdec.corpus.store.locate import installed

    named = dict.fromkeys([*(known.name for known in known_corpora()), *installed()])
    return [*named, *paths(incomplete, ".zip")]


def splits(incomplete: str) -> list[str]:
    """Return the parts of every split that comes with cdec, and the TOML files that fit."""
    from cdec.corpus.splits import ALL, load_split, split_names

    loaded = [load_split(name) for name in split_names()]
    parts = [*dict.fromkeys(part for split in loaded for part in split.topics), ALL]
    named = [f"{split.name}/{part}" for split in loaded for part in (*split.topics, ALL)]
    return [*parts, *split_names(), *named, *paths(incomplete, ".toml")]
