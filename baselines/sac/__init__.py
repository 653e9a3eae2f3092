"""SAC: a learned pairwise classifier and greedy agglomerative clustering.

``cdec.baselines.sac.system`` holds the systems; pairs and features are those of ``cdec.pairs``.
"""
