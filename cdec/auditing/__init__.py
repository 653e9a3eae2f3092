"""Annotation errors: detection, review, correction of the key, and the effect on scores.

Detection: ``detect`` has the candidate pairs (``pool``), the detectors (``svm``, ``held_out``,
``duplicates``, ``tags``) and the scores by chain (``evidence``). ``find`` runs the detectors,
``ranking`` orders the results, ``cases`` and ``shortlist`` write them for annotators. Review:
``review`` makes the page, reads the decisions and turns them into a patch. ``patches`` apply a
patch to a key. ``benchmark`` evaluates the detectors on planted errors.
"""
