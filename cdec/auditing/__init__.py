"""Annotation errors: detection, review, correction of the key, and the effect on scores.

Detection: ``detectors`` find cases among candidate pairs (``pool``) and by chain (``evidence``).
``findings`` runs them, ``cases`` orders the results, ``shortlist`` writes them for annotators.
``review`` makes the page, reads the decisions and turns them into a patch, which ``patches`` apply
to a key.
"""
