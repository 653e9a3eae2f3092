"""SAC: a learned pairwise classifier and greedy agglomerative clustering.

``cdec.baselines.sac.system`` holds the systems. Pairs and features (``mentions.encode``,
``pairs.candidates``, ``features.features``) stand by themselves, for whoever needs them.
"""
