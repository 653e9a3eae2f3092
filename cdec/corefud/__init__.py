"""Coreference in treebanks: CorefUD, the CRAC shared tasks, and their choices of a score.

``formats``, ``presets``, ``placing`` and ``datasets`` have what the core finds by name.
"""
