"""The board from outside: its saved results."""

from __future__ import annotations

import pytest

from tests.program import Run


@pytest.mark.parametrize(
    ("system", "simple", "pure"),
    [("nath-2024-roec-ckd", 86.98, 85.00), ("nath-2024-roec", 84.78, 82.96)],
)
def test_pairs_on_a_listed_part_are_chains_of_the_whole_list(
    system: str, simple: float, pure: float, cdec: Run
) -> None:
    ran = cdec("leaderboard", "show", system, "--task", "ecb+847", "--format", "json")
    f1 = {row["setting"]: row["f1"] for row in ran.json["rows"] if row["metric"] == "conll"}
    assert 100 * f1["simple"] == pytest.approx(simple, abs=0.005)
    assert 100 * f1["pure"] == pytest.approx(pure, abs=0.005)
