"""Evaluation settings: the six of the literature, and those that users define."""

from cdec.settings.catalog import (
    BH,
    IS,
    PURE_CDEC,
    SETTINGS,
    SIMPLE_CDEC,
    ST,
    YCF,
    find_setting,
    find_settings,
    label_of,
    signed,
)
from cdec.settings.setting import SCOPES, SINGLETONS, Scope, Setting, Singletons, homes

__all__ = [
    "BH",
    "IS",
    "PURE_CDEC",
    "SCOPES",
    "SETTINGS",
    "SIMPLE_CDEC",
    "SINGLETONS",
    "ST",
    "YCF",
    "Scope",
    "Setting",
    "Singletons",
    "find_setting",
    "find_settings",
    "homes",
    "label_of",
    "signed",
]
