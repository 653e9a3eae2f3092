"""A scorer for the model selection of scikit-learn.

``GridSearchCV(estimator, grid, scoring=make_scorer("conll"))`` and ``cross_val_score`` call it with
an estimator, its features and the key labels; scikit-learn is imported only to copy an estimator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from cdec.errors import ScoringError, UsageError, one_of
from cdec.labels import Noise
from cdec.metrics.arguments import Labels, label_series
from cdec.metrics.labels import Field, number, score_labels

Method = Literal["predict", "fit_predict"]
_METHODS = ("predict", "fit_predict")


@dataclass(frozen=True, eq=False)
class LabelScorer:
    """A function (estimator, features, key labels) → value of a metric; see ``make_scorer``."""

    metric: str
    value: Field
    method: Method | None
    meta: pd.Series[Any] | None
    noise: Noise | None

    def __call__(self, estimator: Any, features: Any, key_labels: Labels) -> float:
        """Return the value of the labels that ``estimator`` gives to ``features``."""
        response = label_series(self._predicted(estimator, features))
        if isinstance(key_labels, pd.Series) and len(key_labels) == len(response):
            response = response.set_axis(key_labels.index)
        meta = None if self.meta is None else self._meta_of(key_labels)
        scores = score_labels(key_labels, response, [self.metric], meta=meta, noise=self.noise)
        return number(scores, self.metric, self.value)

    def _predicted(self, estimator: Any, features: Any) -> Labels:
        method = self.method or ("predict" if hasattr(estimator, "predict") else "fit_predict")
        if method == "predict":
            predicted: Labels = estimator.predict(features)
            return predicted
        # scikit-learn is slow to import, and is not needed for an estimator that predicts.
        from sklearn.base import clone  # noqa: PLC0415

        clustered: Labels = clone(estimator).fit_predict(features)
        return clustered

    def _meta_of(self, key_labels: Labels) -> pd.Series[Any]:
        if not isinstance(key_labels, pd.Series):
            message = f"with meta, key labels must be a Series, got {type(key_labels).__name__}"
            hint = "pass y as a Series whose index is that of meta"
            raise UsageError("argument-type", message, hint=hint)
        return self.meta.reindex(key_labels.index)  # type: ignore[union-attr]  # asked by __call__


def make_scorer(
    metric: str = "conll",
    *,
    value: Field = "f1",
    method: Method | None = None,
    meta: pd.Series[Any] | None = None,
    noise: Noise | None = None,
) -> LabelScorer:
    """Return a scorer for ``scoring=`` of scikit-learn's model selection; higher is better.

    * ``method``: ``predict`` calls the fitted estimator; ``fit_predict`` clusters the scored
      mentions with an unfitted copy of it, for clusterers that have no training. By default
      ``predict`` if the estimator has it. KMeans and the like have it: it assigns mentions to the
      clusters of the training part, which is hardly ever what coreference needs.
    * ``meta``: the meta-document of each mention, a Series; y must then be a Series with the same
      index, because the scorer sees a part of the mentions.
      It must be a Series: an array or list has no index to choose these mentions by.
    * ``noise``: the meaning of the label −1, see ``cdec.metrics.score_labels``.

    Raises UnknownNameError for an unknown name, UsageError for an argument of another type or a
    metric without ``value``, ScoringError for a mention that is twice in ``meta`` or a metric that
    label arrays are not enough for.

    >>> import numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> scorer = make_scorer("b3", method="fit_predict")
    >>> points, key = np.array([[0.0], [0.1], [5.0], [5.1]]), ["a", "a", "b", "b"]
    >>> scorer(AgglomerativeClustering(n_clusters=2), points, key)
    1.0
    """
    if method is not None:
        one_of("method", method, _METHODS)
    if meta is not None:
        _check_meta(meta)
    # A trial: an error in a fold of the model selection would only be a warning and NaN.
    number(score_labels([0, 0], [0, 0], [metric], noise=noise), metric, value)
    return LabelScorer(metric, value, method, meta, noise)


def _check_meta(meta: object) -> None:
    if not isinstance(meta, pd.Series):
        message = f"meta must be a Series, got {type(meta).__name__}"
        hint = "use pd.Series(meta, index=y.index)"
        raise UsageError("argument-type", message, hint=hint)
    if not meta.index.is_unique:
        message = f"duplicate mention '{meta.index[meta.index.duplicated()][0]}' in meta"
        raise ScoringError("mention-duplicate", message, hint="give each mention one entry")
