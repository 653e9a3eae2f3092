"""The features of SAC: those that it shares with the audit.

A saved model is valid for the columns of its families in the order of ``FAMILIES``.
"""

from __future__ import annotations

from collections.abc import Iterable

from cdec.pairs.features import FAMILIES, Family

REVISION = "1"  # increase it when a feature changes: older models are then rejected


def select_families(families: Iterable[str]) -> dict[str, Family]:
    """Return these families in the order of ``FAMILIES``."""
    names = set(families)
    return {name: family for name, family in FAMILIES.items() if name in names}
