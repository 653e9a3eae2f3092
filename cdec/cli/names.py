"""Names that options accept, as ``--help`` lists them.

Help lists the names below and therefore starts fast; the registries import numpy and pandas. A
test checks that both agree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module

from cdec.errors import one_of
from cdec.rooms import added

LEARNER_IDS = tuple(added("system"))
DEFAULT_IDS = ("lemma", "lemma-wd", "lemma-delta")
SYSTEM_IDS = (*DEFAULT_IDS, *LEARNER_IDS)
PATCH_IDS = ("ecbplus-duplicates", "ecbplus-read-1")
STRATUM_IDS = (
    *("seen", "lemma", "seen-lemma", "lemmas-per-chain", "chains-per-lemma"),
    *("class", "size", "distance"),
)
APPLIED_IDS = ("patch", "ecbplus")
SETTING_IDS = ("bh", "st", "is", "ycf", "simple", "pure")


def listed(names: Iterable[str], last: str = "or") -> str:
    """Return the names as an enumeration.

    >>> listed(["key", "response"])
    'key or response'
    """
    *most, end = [*names] or [""]
    return f"{', '.join(most)} {last} {end}" if most else end


@dataclass(frozen=True)
class Names:
    """The names in ``module.attribute``, imported on demand, followed by ``more``.

    Unless they are ``closed``, an option also has other values: of plug-ins, or in another case.

    >>> Names("format", "cdec.render", "FORMATS").check("csv")
    'csv'
    """

    kind: str
    module: str
    attribute: str
    more: tuple[str, ...] = ()
    closed: bool = True

    def known(self) -> list[str]:
        """Return the names."""
        return [*getattr(import_module(self.module), self.attribute), *self.more]

    def check(self, value: str) -> str:
        """Return the value of an option; raise UnknownNameError if it is not one of the names."""
        return one_of(self.kind, value, self.known())


SYSTEMS = Names("system", "cdec.baselines", "SYSTEMS", closed=False)
SETTINGS = Names("setting", "cdec.settings", "SETTINGS", ("all",), closed=False)
METRICS = Names("metric", "cdec.metrics", "ALL", ("all",), closed=False)
SCORERS = Names("scorer", "cdec.metrics.scores", "SCORERS", closed=False)
FORMATS = Names("format", "cdec.render", "FORMATS")
CORPUS_FORMATS = Names("corpus format", "cdec.corpus.adapter", "CORPORA")
OF_FILES = tuple(added("format"))
EXPORTED_IDS = ("conll", "jsonl", *OF_FILES)
APPLIED = Names("result", "cdec.cli.names", "APPLIED_IDS")
EXPORTED = Names("format", "cdec.cli.names", "EXPORTED_IDS")
FILE_FORMATS = Names("format", "cdec.formats", "FORMATS")
PARTITIONS = Names("unit", "cdec.evaluation.experiment", "UNITS")
UNITS_AND_STRATA = Names("unit", "cdec.evaluation.experiment", "UNITS", STRATUM_IDS)
STRATA = Names("stratum", "cdec.cli.names", "STRATUM_IDS")
KINDS = Names("mention kind", "cdec.corpus.model", "KINDS")
REPEATED = Names("policy", "cdec.matching.policy", "REPEATED")
MISSING = Names("policy", "cdec.matching.policy", "MISSING")
NOISE = Names("noise treatment", "cdec.labels", "NOISE")
PRESET_IDS = tuple(added("preset"))
PRESETS = Names("preset", "cdec.cli.names", "PRESET_IDS")
GRIDS = Names("grid", "cdec.tuning", "GRIDS")
DETECTORS = Names("detector", "cdec.auditing.detectors", "DETECTORS")
CASES = Names("case kind", "cdec.auditing.case", "KINDS")
