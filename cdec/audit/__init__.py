"""Annotation errors: find them, judge them, and measure what they cost.

``detect`` (``pool``: candidate pairs and their features; detectors: ``svm``, ``held_out``,
``duplicates``, ``tags``; ``evidence`` by chain) → ``find`` → ``ranking`` → ``cases`` → a
``shortlist`` that people judge → ``review`` (page, ``decisions``, ``verdicts``) makes a patch →
``patches`` correct the key and score against it. ``benchmark`` plants errors and measures the
detectors.
"""
