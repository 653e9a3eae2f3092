"""Evaluation harness for cross-document event coreference.

>>> import cdec
>>> key = {"d1/a": 1, "d1/b": 1, "d2/c": 1, "d2/d": 2}
>>> response = {"d1/a": "x", "d1/b": "x", "d2/c": "y", "d2/d": "y"}
>>> results = cdec.score(key, response, scope="corpus")
>>> round(results["b3"].f1, 4)
0.7059

The public API consists of the names in ``__all__`` of ``cdec``, ``cdec.metrics``, ``cdec.settings``
and ``cdec.baselines``, the entry-point groups of plug-ins (``cdec.plugins``), and the command line.
Everything else is internal and may change in any release without notice.
"""

from importlib import import_module
from typing import Any

from cdec._version import __version__
from cdec.rooms import added, find_packages

find_packages()

# Imported on first use, so that `cdec --help` and `import cdec` do not import pandas.
_HOMES = {
    "CdecError": "cdec.errors",
    "CdecWarning": "cdec.errors",
    "Clustering": "cdec.clustering",
    "Corpus": "cdec.corpus.model",
    "FilePolicy": "cdec.evaluation.response",
    "Plan": "cdec.statistics.draws",
    "ResponseFile": "cdec.evaluation.response",
    "Results": "cdec.evaluation.results",
    "SampleWarning": "cdec.errors",
    "System": "cdec.system",
    "build_corpus": "cdec.api",
    "audit": "cdec.analyses",
    "compare": "cdec.analyses",
    "diagnose": "cdec.analyses",
    "evaluate": "cdec.api",
    "load_corpus": "cdec.api",
    "load_results": "cdec.evaluation.saved",
    "predict": "cdec.api",
    "score": "cdec.api",
    "train": "cdec.analyses",
    "tune": "cdec.analyses",
    **added("verb"),
}

__all__ = ["__version__"]
__all__.extend(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        from cdec.errors.notices import current  # noqa: PLC0415  few names are not known

        (name,) = current("module cdec", {name: None})
    if name not in _HOMES:
        raise AttributeError(f"module 'cdec' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
