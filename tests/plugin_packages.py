"""An installed package that adds metrics to cdec."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cdec.metrics import REGISTRY

# Metrics of a package "extra" 1.2: two with counts (the second is not additive over chains), and
# four derived ones, none of them a mean.
CODE = """
from cdec.metrics import Counts, DerivedMetric, Metric, Value


def exact(contingency):
    of_key = contingency.overlap == contingency.key_sizes[contingency.rows]
    of_response = contingency.overlap == contingency.response_sizes[contingency.cols]
    found = int((of_key & of_response).sum())
    return Counts(found, len(contingency.response_sizes), found, len(contingency.key_sizes))


def largest(contingency):
    return Counts(1, contingency.response_sizes.max(), 1, contingency.key_sizes.max())


def derived(id, label, needs, value):
    return DerivedMetric(id=id, label=label, citation="none", needs=needs, value=value)


EXACT = Metric(id="exact", label="Exact", citation="none", count=exact)
LARGEST = Metric(id="largest", label="Largest", citation="none", count=largest)
MIN = derived("min", "Min", ("muc", "b3"), lambda muc, b3: Value(None, None, min(muc.f1, b3.f1)))
BEST = derived("best", "Best", ("exact", "b3"), lambda e, b3: Value(e.recall, b3.recall, e.f1))
CIRCLE = derived("circle", "Circle", ("min",), lambda least: Value(None, None, least.f1))
LOST = derived("lost", "Lost", ("none",), lambda none: Value(None, None, none.f1))
NUMBER = 7
"""
POINTS = {
    "exact": "EXACT",
    "largest": "LARGEST",
    "min": "MIN",
    "best": "BEST",
    "circle": "CIRCLE",
    "lost": "LOST",
    "number": "NUMBER",
    "other": "EXACT",
    "muc": "EXACT",
}


def install(folder: Path) -> None:
    """Write the package and its entry points to ``folder``, as pip does."""
    (folder / "extra_metrics.py").write_text(CODE, "utf-8")
    about = folder / "extra-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: extra\nVersion: 1.2\n", "utf-8")
    points = "\n".join(f"{name} = extra_metrics:{value}" for name, value in POINTS.items())
    (about / "entry_points.txt").write_text(f"[cdec.metrics]\n{points}\n", "utf-8")


@contextmanager
def installed(folder: Path) -> Iterator[None]:
    """Install the package for this process, and remove it afterwards."""
    install(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        _forget()
        yield
    _forget()


def _forget() -> None:
    vars(REGISTRY).pop("_points", None)
    for name in POINTS.keys() & vars(REGISTRY)["_loaded"].keys() - set(REGISTRY.own):
        del vars(REGISTRY)["_loaded"][name]
