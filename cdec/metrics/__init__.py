"""Coreference metrics.

``measure`` counts, ``derive`` computes precision, recall and F1 from counts; ``score`` does both
for meta-documents. Counts of several meta-documents are summed before dividing. A metric is one
object in one file, a ``Metric`` or a ``DerivedMetric``; other packages add metrics by entry points
of the group ``cdec.metrics``, see ``registry``.

``muc``, ``b3``, ``ceafm``, ``ceafe``, ``blanc``, ``lea`` and ``conll`` take arrays of labels and
return a float, as the clustering metrics of scikit-learn do; ``make_scorer`` is for its model
selection. The modules of the same names (``cdec.metrics.muc``, …) define the metrics.
"""

import lazy_loader

# Names that are also those of a module are imported at once, over it.
from cdec.metrics.labels import blanc, lea, muc  # noqa: F401

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
