"""SAC: a learned pairwise classifier and greedy agglomerative clustering.

The systems are in ``cdec.baselines.sac.system``, pairs and features in ``cdec.pairs``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
