"""SAC: a learned pairwise classifier and greedy agglomerative clustering.

The systems are in ``cdec.baselines.sac.system``, pairs and features in ``cdec.pairs``.
"""
