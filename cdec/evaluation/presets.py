"""Presets: the choices of the shared tasks, as data in ``configs/presets``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cdec.configs import read_toml, toml_names
from cdec.errors import one_of

_FOLDER = "presets"


@dataclass(frozen=True)
class Preset:
    """The choices of a shared task: fields of FilePolicy, and the metrics it reports."""

    name: str
    title: str
    policy: Mapping[str, Any]
    metrics: tuple[str, ...]


def preset_names() -> list[str]:
    """Return the names of the presets.

    >>> preset_names()
    ['conll12', 'crac22', 'crac24', 'crac25', 'crac26']
    """
    return list(toml_names(_FOLDER))


PRESETS = preset_names()


def find_preset(name: str) -> Preset:
    """Return a preset; raises UnknownNameError.

    >>> find_preset("crac22").policy["alignment"]
    'partial'
    """
    table = read_toml(f"{_FOLDER}/{one_of('preset', name, preset_names())}.toml")
    metrics, title = tuple(table.pop("metrics")), table.pop("title")
    return Preset(name, title, {"alignment": table.pop("match"), **table}, metrics)
