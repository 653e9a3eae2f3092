"""The scorer in the model selection of scikit-learn."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

from cdec.arrays import Floats
from cdec.metrics import b3, make_scorer
from tests.refusals import refused

# Three topics of two chains each, two mentions a chain; chains are 1 apart, topics share labels.
POINTS = np.array([[0.0], [0.1], [1.0], [1.1]] * 3)
MENTIONS = [f"m{number}" for number in range(12)]
TOPIC = pd.Series(np.repeat(["t1", "t2", "t3"], 4), index=MENTIONS)
KEY = pd.Series(["fire", "fire", "rain", "rain"] * 3, index=MENTIONS)


def test_a_grid_search_finds_the_threshold_that_separates_the_chains() -> None:
    search = GridSearchCV(
        AgglomerativeClustering(n_clusters=None, linkage="single"),
        {"distance_threshold": [0.01, 0.5, 5.0]},
        scoring=make_scorer("conll"),
        cv=GroupKFold(3),
        error_score="raise",
    )
    search.fit(POINTS, KEY, groups=TOPIC)
    assert search.best_params_ == {"distance_threshold": 0.5}
    assert search.best_score_ == 1.0


def test_a_label_in_two_meta_documents_is_two_chains() -> None:
    class OneChainEach(BaseEstimator):  # type: ignore[misc]
        def fit(self, features: Floats, key: object = None) -> "OneChainEach":
            return self

        def predict(self, features: Floats) -> list[str]:
            return ["fire" if x < 0.5 else "rain" for x in features[:, 0]]

    together = cross_val_score(OneChainEach(), POINTS, KEY, scoring=make_scorer("b3"), cv=2)
    apart = cross_val_score(
        OneChainEach(), POINTS, KEY, scoring=make_scorer("b3", meta=TOPIC), cv=2
    )
    assert together.tolist() == apart.tolist() == [1.0, 1.0]
    other = KEY.where(TOPIC == "t1", TOPIC + KEY)
    scorer = make_scorer("b3", meta=TOPIC)
    assert scorer(OneChainEach(), POINTS, other) == 1.0
    assert make_scorer("b3")(OneChainEach(), POINTS, other) < 1.0


def test_predict_where_there_is_one_else_a_copy_is_fitted() -> None:
    fitted = KMeans(2, n_init=1, random_state=0).fit(POINTS)
    copied = make_scorer("b3", method="fit_predict")(fitted, POINTS[:4], KEY[:4])
    assert make_scorer("b3")(fitted, POINTS[:4], KEY[:4]) == copied == 1.0
    clusterer = DBSCAN(eps=0.01)
    with refused("label-ambiguous"):
        make_scorer("b3")(clusterer, POINTS[:4], KEY[:4])
    score = make_scorer("b3", noise="singleton", value="precision")(clusterer, POINTS[:4], KEY[:4])
    assert score == 1.0
    assert not hasattr(clusterer, "labels_")


def test_a_scorer_goes_to_other_processes() -> None:
    scorer = pickle.loads(pickle.dumps(make_scorer("lea", value="recall")))  # noqa: S301
    assert scorer(KMeans(2, n_init=1).fit(POINTS), POINTS[:4], KEY[:4]) == 1.0
    assert pickle.loads(pickle.dumps(b3)) is b3  # noqa: S301


@pytest.mark.parametrize(
    ("code", "values"),
    [
        ("name-unknown", {"metric": "muck"}),
        ("name-unknown", {"value": "f2"}),
        ("name-unknown", {"method": "transform"}),
        ("name-unknown", {"noise": "x"}),
        ("metric-unsupported", {"value": "recall"}),
        ("annotation-missing", {"metric": "mor"}),
        ("argument-type", {"metric": None}),
        ("argument-type", {"metric": b3}),
        ("argument-type", {"metric": ["b3"]}),
        ("argument-type", {"noise": True}),
        ("argument-type", {"value": 1}),
        ("argument-type", {"method": 1}),
        ("argument-type", {"meta": TOPIC.to_numpy()}),
        ("argument-type", {"meta": TOPIC.tolist()}),
        ("argument-type", {"meta": TOPIC.to_dict()}),
        ("argument-type", {"meta": TOPIC.to_frame()}),
        ("mention-duplicate", {"meta": pd.concat([TOPIC, TOPIC[:1]])}),
    ],
)
def test_what_is_refused(code: str, values: dict[str, Any]) -> None:
    with refused(code) as caught:
        make_scorer(**values)
    assert caught.value.hint


def test_what_is_refused_when_it_is_called() -> None:
    estimator = KMeans(2, n_init=1, random_state=0).fit(POINTS)
    with refused("argument-type", "ndarray"):
        make_scorer(meta=TOPIC)(estimator, POINTS, KEY.to_numpy())
    with refused("argument-type"):
        make_scorer(meta=TOPIC[:4])(estimator, POINTS, KEY)
    with refused("argument-type"):
        make_scorer()(estimator, POINTS[:4], KEY)


def test_noise_of_a_list_of_predictions() -> None:
    class Clusterer:
        def predict(self, features: Floats) -> list[int | None]:
            return [0, -1, None, 1]

    with refused("label-ambiguous", "1 mention"):
        make_scorer("b3")(Clusterer(), POINTS[:4], KEY[:4])
    recall = make_scorer("b3", noise="absent", value="recall")
    assert recall(Clusterer(), POINTS[:4], KEY[:4]) == pytest.approx(1 / 4)
