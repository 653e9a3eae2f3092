"""The public surface is pinned; what is on it, and what plug-ins use, has a worked example.

Described with an example is what these modules list in ``__all__`` (their own names, where they
have none), and what is named one by one in ``NAMED``: the examples are run, and right.
"""

from __future__ import annotations

import doctest
import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import cdec
from cdec.rooms import PACKAGES

MODULES = (
    *("cdec", "cdec.metrics", "cdec.settings", "cdec.baselines", "cdec.formats", "cdec.render"),
    *("cdec.clustering", "cdec.metrics.contingency", "cdec.metadocument", "cdec.metrics.scores"),
)
# The public surface; all else is internal. A name is added here by intent, never by accident.
SURFACE = {
    "cdec": {
        *("CdecError", "CdecWarning", "Clustering", "Corpus", "FilePolicy", "Plan", "ResponseFile"),
        *("Results", "SampleWarning", "System", "__version__", "audit", "build_corpus", "compare"),
        *(
            "diagnose",
            "evaluate",
            "leaderboard",
            "leaderboard_check",
            "leaderboard_site",
            "literature",
            "load_corpus",
            "load_results",
            "predict",
            "published",
            "report",
            "score",
            "score_pairs",
        ),
        *("train", "tune"),
    },
    "cdec.baselines": {
        *("SYSTEMS", "Learner", "System", "Tunable", "run", "system", "system_class"),
    },
    "cdec.metrics": {
        *(
            "ALL",
            "DERIVED",
            "METRICS",
            "REGISTRY",
            "Column",
            "Contingency",
            "Contribution",
            "Counts",
        ),
        *("DerivedMetric", "Metric", "Scores", "Share", "UnitValue", "Value", "by_unit"),
        *("derive", "macro", "mean_f1", "measure", "ordered", "prf", "required", "score"),
        *("b3", "blanc", "ceafe", "ceafm", "chain_contributions", "conll", "lea", "make_scorer"),
        *("mention_contributions", "muc", "score_labels", "unit_values"),
    },
    "cdec.settings": {
        *("BH", "IS", "PURE_CDEC", "SIMPLE_CDEC", "ST", "YCF", "SETTINGS", "SCOPES", "Scope"),
        *("SINGLETONS", "Singletons"),
        *("Setting", "build", "find_setting", "find_settings", "homes", "label_of", "signed"),
    },
}
NAMED = {
    "cdec.corpus.model": ("Document",),
    "cdec.metrics.b_cubed": ("b_cubed",),
    "cdec.metrics.blanc": ("blanc", "blanc_coref", "blanc_noncoref"),
    "cdec.metrics.ceaf": ("ceaf_e", "ceaf_m"),
    "cdec.metrics.lea": ("lea",),
    "cdec.metrics.links": ("Links", "links", "pairs"),
    "cdec.metrics.muc": ("muc",),
    "cdec.signature": ("Signature",),
    "cdec.statistics.draws": ("Plan",),
    "cdec.auditing.config": ("AuditConfig",),
    "cdec.auditing.patches.model": ("Patch",),
}
WITHOUT_EXAMPLE = {
    "CdecWarning": "a warning: nothing to call",
    "SampleWarning": "a warning: nothing to call",
    "train": "training takes a minute",
    "leaderboard": "it needs a folder of responses",
    "leaderboard_check": "it needs a folder of responses",
    "leaderboard_site": "it writes a folder of pages",
    "detect": "`read` shows what it tells",
    "Layout": "what a reader fills in",
    "parse_source": "`read`, of which it is the second half, has one",
    "from_meta_documents": "`cdec corpus export --setting`, in its help, is the example",
}


def test_the_public_surface_is_this() -> None:
    modules = {name: import_module(name) for name in SURFACE}
    assert {name: sorted(module.__all__) for name, module in modules.items()} == {
        name: sorted(names) for name, names in SURFACE.items()
    }
    assert all(getattr(m, name) is not None for m in modules.values() for name in m.__all__)


def test_what_cdec_lists_is_what_completion_offers() -> None:
    assert set(dir(cdec)) == set(cdec.__all__)


def public() -> Iterator[tuple[str, Any]]:
    """Yield every public class and function, each once."""
    lists = {name: _listed(import_module(name)) for name in MODULES} | NAMED
    for module, names in lists.items():
        for name in names:
            found = getattr(import_module(module), name)
            if inspect.isclass(found) or inspect.isfunction(found):
                yield f"{found.__module__}.{name}", found


def _listed(module: ModuleType) -> list[str]:
    own = [name for name, value in vars(module).items() if _is_own(module, name, value)]
    return list(getattr(module, "__all__", own))


def _is_own(module: ModuleType, name: str, value: object) -> bool:
    return not name.startswith("_") and getattr(value, "__module__", None) == module.__name__


PUBLIC = dict(public())


def test_every_public_name_is_described_with_an_example() -> None:
    bare = [name for name, found in PUBLIC.items() if not found.__doc__]
    methods = [
        f"{name}.{key}"
        for name, found in PUBLIC.items()
        for key, value in (vars(found).items() if inspect.isclass(found) else ())
        if _is_method(key, value) and not inspect.getdoc(value)
    ]
    examples = {found.__name__ for found in PUBLIC.values() if ">>>" in (found.__doc__ or "")}
    assert bare + methods == []
    assert {found.__name__ for found in PUBLIC.values()} - examples == WITHOUT_EXAMPLE.keys()
    assert not examples & WITHOUT_EXAMPLE.keys()


def _is_method(key: str, value: object) -> bool:
    return not key.startswith("_") and (inspect.isfunction(value) or isinstance(value, property))


MODULE_NAMES = [
    info.name
    for package in ("cdec", *(f"cdec.{name}" for name in PACKAGES))
    for info in pkgutil.walk_packages(import_module(package).__path__, f"{package}.")
    if not info.name.startswith(("cdec.cli", "cdec.__main__"))
]


def test_the_examples_are_right() -> None:
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner()
    for name in ["cdec", *MODULE_NAMES]:
        for test in finder.find(import_module(name), name):
            runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries > len(PUBLIC) - len(WITHOUT_EXAMPLE)
