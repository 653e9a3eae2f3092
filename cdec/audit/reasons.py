"""What speaks for a case, in sentences."""

from __future__ import annotations

from typing import Any

from scipy.special import expit


def link_reasons(found: Any, flags: dict[str, float]) -> list[str]:
    """Return why the chains of a link or group are suspected to be one, detector by detector."""
    reasons = []
    if "duplicate" in flags:
        same = "identical" if flags["duplicate"] == 1 else f"{flags['duplicate']:.0%} identical"
        reasons.append(f"the same place of sentences that are {same} is not linked")
    if "svm" in flags:
        reasons.append(f"the SVM had to memorise that they are apart (anchor {found['slack']:.2f})")
    if "held-out" in flags:
        odds = _share(found["held-out"])
        reasons.append(f"a model of the other topics would link them ({odds:.0%})")
    if "companions" in flags:
        count = int(found["companions"])
        reasons.append(f"{count} other pairs of their sentences are linked, or nearly")
    return reasons


def member_reasons(found: Any, flags: dict[str, float]) -> list[str]:
    """Return why a mention is suspected to be in the wrong chain, detector by detector."""
    reasons = []
    if "svm" in flags:
        reasons.append(
            f"no member of its chain is like it: the SVM had to memorise even the nearest "
            f"(anchor {found['slack']:.2f})"
        )
    if "held-out" in flags:
        odds = _share(found["held-out"])
        reasons.append(f"a model of the other topics would link it with no member ({odds:.0%})")
    return reasons


def _share(margin: float) -> float:
    """Return the odds of a margin as a share: half the log-odds are on the scale of a margin."""
    return float(expit(2 * margin))
