"""Evaluation settings: the six of the literature, and those that users define."""

from cdec.settings.catalog import (
    BH,
    IS,
    PURE_CDEC,
    SETTINGS,
    SIMPLE_CDEC,
    ST,
    YCF,
    Settings,
    as_settings,
    find_setting,
    label_of,
    signed,
)
from cdec.settings.setting import Scope, Setting

__all__ = [
    "BH",
    "IS",
    "PURE_CDEC",
    "SETTINGS",
    "SIMPLE_CDEC",
    "ST",
    "YCF",
    "Scope",
    "Setting",
]
__all__ += ["Settings", "as_settings", "find_setting", "label_of", "signed"]
