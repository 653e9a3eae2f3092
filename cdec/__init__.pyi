from typing import Any

from ._version import __version__ as __version__
from .api import build_corpus as build_corpus
from .api import evaluate as evaluate
from .api import load_corpus as load_corpus
from .api import predict as predict
from .api import score as score
from .clustering import Clustering as Clustering
from .corpus.model import Corpus as Corpus
from .errors import CdecError as CdecError
from .errors import CdecWarning as CdecWarning
from .errors import SampleWarning as SampleWarning
from .evaluation.response import FilePolicy as FilePolicy
from .evaluation.response import ResponseFile as ResponseFile
from .evaluation.results import Results as Results
from .statistics.draws import Plan as Plan
from .system import System as System

def __getattr__(name: str) -> Any: ...
