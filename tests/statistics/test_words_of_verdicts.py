"""The explanation of an interval and a p that seem to contradict each other."""

from __future__ import annotations

import pandas as pd
import pytest

from cdec.statistics import COLUMNS, Comparison, Plan, explained, verdicts


def comparison(low: float, high: float, p: float) -> Comparison:
    row = {
        "setting": "pure", "a": "mine", "b": "theirs", "metric": "conll", "f1_a": 0.7, "f1_b": 0.6,
        "difference": 0.1, "low": low, "high": high, "p": p, "p_holm": p, "exchanges": 1000,
        "exact": False, "unit": "topic", "units": 20, "test": "topic", "p_unit": p, "p_word": None,
        "words": None, "shared": None, "least_p": 0.001, "f1_a_sd": None, "f1_b_sd": None,
    }  # fmt: skip
    table = pd.DataFrame([row], columns=list(COLUMNS))
    return Comparison(table, Plan(), {"setting": "pure"}, {"mine": {}, "theirs": {}})


@pytest.mark.parametrize(
    ("low", "high", "p", "said"),
    [
        (-0.02, 0.2, 0.021, "an interval contains 0 although"),
        (0.01, 0.2, 0.08, "an interval excludes 0 although"),
        (0.01, 0.2, 0.021, ""),
        (-0.02, 0.2, 0.5, ""),
    ],
)
def test_which_to_report(low: float, high: float, p: float, said: str) -> None:
    lines = [line for line in explained(comparison(low, high, p)) if line.startswith("an interval")]
    assert bool(lines) == bool(said)
    assert all(line.startswith(said) and "report" in line.casefold() for line in lines)


def test_the_verdict_uses_p() -> None:
    (better,) = verdicts(comparison(-0.02, 0.2, 0.021))
    assert "mine is better" in better
    (unclear,) = verdicts(comparison(0.01, 0.2, 0.08))
    assert "no significant difference" in unclear
