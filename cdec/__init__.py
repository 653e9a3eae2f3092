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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdec._version import __version__
from cdec.catalogue import added

# In a checkout settings, baselines and configs lie beside this folder; a wheel has them inside.
_inside = Path(__file__).parent
if not (_inside / "settings").is_dir() and (_inside.parent / "settings").is_dir():
    __path__.append(str(_inside.parent))

if TYPE_CHECKING:
    from cdec.api import compare, evaluate, load_corpus, predict, score, train
    from cdec.clustering import Clustering
    from cdec.corpus.interchange import build_corpus
    from cdec.corpus.model import Corpus
    from cdec.diagnosis.page import diagnose as diagnose
    from cdec.errors import CdecError, CdecWarning, SampleWarning
    from cdec.evaluation.conversion import export
    from cdec.evaluation.results import Results
    from cdec.evaluation.saved import load_results
    from cdec.matching.policy import FilePolicy
    from cdec.statistics.draws import Plan
    from cdec.system import System
    from cdec.tuning import tune as tune

# Imported on first use, so that `cdec --help` and `import cdec` do not import pandas.
_HOMES = {
    **dict.fromkeys(("CdecError", "CdecWarning", "SampleWarning"), "cdec.errors"),
    **dict.fromkeys(("compare", "evaluate", "load_corpus"), "cdec.api"),
    **dict.fromkeys(("predict", "score", "train"), "cdec.api"),
    "build_corpus": "cdec.corpus.interchange",
    "export": "cdec.evaluation.conversion",
    "FilePolicy": "cdec.matching.policy",
    "Clustering": "cdec.clustering",
    "Corpus": "cdec.corpus.model",
    "Plan": "cdec.statistics.draws",
    "Results": "cdec.evaluation.results",
    "System": "cdec.system",
    "load_results": "cdec.evaluation.saved",
    **added("verb"),
}

__all__ = ["CdecError", "CdecWarning", "SampleWarning", "__version__"]
__all__ += ["Clustering", "Corpus", "FilePolicy", "Plan", "Results", "System"]
__all__ += [
    "build_corpus",
    "compare",
    "evaluate",
    "export",
    "load_corpus",
    "load_results",
]
__all__ += ["predict", "score", "train"]
__all__.extend(added("verb"))


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cdec' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
