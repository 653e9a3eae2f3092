"""neleval returns the same counts; its silent failures are errors."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings

from cdec.metadocument import MetaDocuments
from cdec.metrics import METRICS, Counts, measure
from cdec.metrics.contingency import Contingency
from cdec.metrics.neleval import coref_metrics, score
from tests.refusals import refused
from tests.strategies import meta_documents, meta_documents_of

SHARED = METRICS.keys() - {"lea"}


def assert_same(documents: MetaDocuments) -> None:
    ours = measure(Contingency.from_meta_documents(documents), SHARED)
    theirs = score(documents)
    assert theirs.keys() == SHARED
    for name, counts in theirs.items():
        for field in ("p_num", "p_den", "r_num", "r_den"):
            assert getattr(ours[name], field) == pytest.approx(
                getattr(counts, field), rel=0, abs=1e-9
            ), (name, field)


@given(meta_documents())
@settings(max_examples=150)
def test_same_counts_on_small_meta_documents(documents: MetaDocuments) -> None:
    assert_same(documents)


@pytest.mark.parametrize("seed", range(100))
def test_same_counts_on_random_clusterings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size, chains = int(rng.integers(20, 150)), int(rng.integers(2, 60))
    key, response = rng.integers(-1, chains, (2, size)).tolist()
    assert_same(meta_documents_of(key, response, rng.integers(0, 3, size).tolist()))


@pytest.mark.parametrize("twinless", ["key", "response", "both"])
def test_same_counts_with_an_empty_side(twinless: str) -> None:
    here, none = [0, 0, 1], [-1, -1, -1]
    key = none if twinless in ("key", "both") else here
    response = none if twinless in ("response", "both") else here
    assert_same(meta_documents_of(key, response, [0, 0, 0]))


def test_only_requested_and_known_metrics() -> None:
    documents = meta_documents_of([0, 0], [0, 1], [0, 0])
    assert score(documents, ["lea", "muc"]).keys() == {"muc"}
    assert score(documents, ["conll"]).keys() == {"muc", "b3", "ceafe"}
    with refused("name-unknown", "unknown metric", "ceafx"):
        score(documents, ["ceafx"])


@pytest.mark.filterwarnings("ignore:timeout for CEAF:UserWarning")
def test_a_time_out_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_slow(_: object) -> None:
        raise coref_metrics().TimeoutError

    monkeypatch.setattr(coref_metrics(), "linear_assignment", too_slow)
    documents = meta_documents_of([0, 0, 1], [0, 1, 1], [0, 0, 0])
    with refused("metric-unsupported", "ceafe", place="d0"):
        score(documents, ["ceafe"])


def test_zeros_without_chains_are_not_a_time_out() -> None:
    nothing = meta_documents_of([-1], [-1], [0])
    assert score(nothing, ["ceafe"])["ceafe"] == Counts(0, 0, 0, 0)


def test_works_in_threads() -> None:
    documents = meta_documents_of([0, 0, 1, 1, 2], [0, 1, 1, 0, 2], [0] * 5)
    results: list[dict[str, Counts]] = []
    threads = [threading.Thread(target=lambda: results.append(score(documents))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [score(documents)] * 4


def test_neleval_is_imported_on_first_use() -> None:
    code = "import sys, cdec.metrics.scores, cdec.api; assert 'neleval' not in sys.modules"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def test_numpy_and_the_regular_import_of_neleval_do_not_change() -> None:
    code = """
import numpy
from neleval import coref_metrics, munkres
others = (numpy, coref_metrics, munkres)
before = [vars(module).copy() for module in others]
import pandas
from cdec.metadocument import MetaDocuments
from cdec.metrics.neleval import score
table = pandas.DataFrame({"meta": 0, "key": [0, 0, 1, 1], "response": [0, 1, 0, 1]})
assert score(MetaDocuments(table), ["ceafe"])["ceafe"].p_num
for module, names in zip(others, before):
    assert vars(module).keys() == names.keys()
    assert all(vars(module)[name] is value for name, value in names.items())
assert not hasattr(numpy, "int")
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
