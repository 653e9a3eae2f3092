"""Annotation errors: find them, judge them, and measure what they cost.

``pool`` (candidate pairs and their features) → detectors (``svm``, ``held_out``, ``duplicates``,
``tags``, ``unfinished``) → ``evidence`` by chain → ``cases`` → a short-list that people judge →
``decisions`` → ``verdicts`` make a ``patch`` → ``correction`` of the key → ``rescoring``.
``planted`` and ``benchmark`` measure the detectors.
"""
