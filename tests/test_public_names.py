"""What is public, and what plug-ins use, has a worked example (``cli/test_promise.py`` pins it).

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

from cdec.rooms import PACKAGES

MODULES = (
    *("cdec", "cdec.metrics", "cdec.settings", "cdec.baselines", "cdec.formats", "cdec.render"),
    *("cdec.clustering", "cdec.metrics.contingency", "cdec.metadocument", "cdec.metrics.scores"),
)
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
