"""Coreference in treebanks: CorefUD, the CRAC shared tasks, and their choices of a score.

What the core finds by name: ``formats``, ``presets``, ``placing``, ``datasets``, ``statistics``.
"""
