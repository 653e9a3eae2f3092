"""Presets: the choices of the shared tasks, for ``cdec score --preset``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """The choices of a shared task: the metrics that it reports, and fields of ``FilePolicy``."""

    title: str
    metrics: tuple[str, ...]
    alignment: str
    singletons: str = "drop"
    zeros: str = "linear"

    @property
    def policy(self) -> dict[str, str]:
        """The fields of ``FilePolicy``."""
        return {name: getattr(self, name) for name in ("alignment", "singletons", "zeros")}


_OF_CRAC = ("muc", "b3", "ceafe", "blanc", "lea", "conll", "mor", "zeros")
_OF_CONLL = ("mentions", "muc", "b3", "ceafm", "ceafe", "blanc", "conll")
# Pradhan et al. (2012), section 4.5; Pradhan et al. (2014).
CONLL12 = Preset("CoNLL-2011/2012", _OF_CONLL, "exact", "keep")
# Žabokrtský et al. (2022), section 3.
CRAC22 = Preset("CRAC 2022", _OF_CRAC, "partial")
# Since 2024: head match, and zeros aligned by their dependents; since 2025 also for plain text.
CRAC24 = Preset("CRAC 2024", _OF_CRAC, "head", zeros="dependent")
CRAC25 = Preset("CRAC 2025", _OF_CRAC, "head", zeros="dependent")
CRAC26 = Preset("CRAC 2026", _OF_CRAC, "head", zeros="dependent")
