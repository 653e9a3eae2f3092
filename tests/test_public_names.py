"""Every public name has a docstring with a worked example, and the examples are right.

Public is what these modules list in ``__all__`` (their own names, where they have none), and what
is named one by one in ``NAMED``: what a notebook needs of the packages without a list.
"""

from __future__ import annotations

import doctest
import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import cdec

MODULES = (
    *("cdec", "cdec.metrics", "cdec.settings", "cdec.baselines", "cdec.formats", "cdec.render"),
    *("cdec.clustering", "cdec.metrics.contingency", "cdec.metadocument", "cdec.metrics.scores"),
)
NAMED = {
    "cdec.corpus.model": ("Corpus", "Document"),
    "cdec.evaluation.response": ("FilePolicy", "ResponseFile"),
    "cdec.metrics.b_cubed": ("b_cubed",),
    "cdec.metrics.blanc": ("blanc", "blanc_coref", "blanc_noncoref"),
    "cdec.metrics.ceaf": ("ceaf_e", "ceaf_m"),
    "cdec.metrics.lea": ("lea",),
    "cdec.metrics.links": ("Links", "links", "pairs"),
    "cdec.metrics.muc": ("muc",),
    "cdec.signature": ("Signature",),
    "cdec.statistics.draws": ("Plan",),
    "cdec.audit.config": ("AuditConfig",),
    "cdec.audit.patches.model": ("Patch",),
}
WITHOUT_EXAMPLE = {
    "SampleWarning": "a warning: nothing to call",
    "detect": "`read` shows what it tells",
    "Layout": "what a reader fills in",
    "parse_source": "`read`, of which it is the second half, has one",
    "save": "writes files",
    "save_bytes": "writes files",
    "with_coverage": "the last step of `match_files`, which has one",
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


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_described_with_an_example(name: str) -> None:
    found = PUBLIC[name]
    assert found.__doc__
    methods = [value for key, value in vars(found).items() if _is_method(key, value)]
    for method in methods if inspect.isclass(found) else []:
        assert inspect.getdoc(method), f"{name} has a method without a docstring"
    assert (">>>" in found.__doc__) != (found.__name__ in WITHOUT_EXAMPLE)


def _is_method(key: str, value: object) -> bool:
    return not key.startswith("_") and (inspect.isfunction(value) or isinstance(value, property))


def test_no_reason_outlives_its_name() -> None:
    assert WITHOUT_EXAMPLE.keys() <= {found.__name__ for found in PUBLIC.values()}


MODULE_NAMES = [
    info.name
    for info in pkgutil.walk_packages(cdec.__path__, "cdec.")
    if not info.name.startswith(("cdec.cli", "cdec.__main__"))
]


def test_the_examples_are_right() -> None:
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner()
    for name in ["cdec", *MODULE_NAMES]:
        for test in finder.find(import_module(name), name):
            runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    assert runner.tries > len(PUBLIC) - len(WITHOUT_EXAMPLE)
