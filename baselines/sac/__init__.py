"""SAC: a learned pairwise classifier and greedy agglomerative clustering.

The system is in ``cdec.baselines.sac.system``, pairs and features in ``cdec.pairs``.
"""
