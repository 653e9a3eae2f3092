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
from typing import TYPE_CHECKING, Any

from cdec._version import __version__
from cdec.rooms import added, find_packages

if TYPE_CHECKING:
    from cdec.api import build_corpus, evaluate, load_corpus, predict, score
    from cdec.clustering import Clustering
    from cdec.corpus.model import Corpus
    from cdec.errors import CdecError, CdecWarning, SampleWarning
    from cdec.evaluation.response import FilePolicy, ResponseFile
    from cdec.evaluation.results import Results
    from cdec.statistics.draws import Plan
    from cdec.system import System

find_packages()

_VERBS = {**added("verb"), **dict.fromkeys(added("scores of papers"), "cdec.analyses")}
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
    "report": "cdec.analyses",
    "score": "cdec.api",
    "train": "cdec.analyses",
    "tune": "cdec.analyses",
    **_VERBS,
}

__all__ = [
    "CdecError",
    "CdecWarning",
    "Clustering",
    "Corpus",
    "FilePolicy",
    "Plan",
    "ResponseFile",
    "Results",
    "SampleWarning",
    "System",
    "__version__",
    "audit",
    "build_corpus",
    "compare",
    "diagnose",
    "evaluate",
    "load_corpus",
    "load_results",
    "predict",
    "report",
    "score",
    "train",
    "tune",
]
__all__.extend(_VERBS)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cdec' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
