"""Agreement of two reviewers on verdict and correction, and the decisions that settle a case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import bootstrap, t
from sklearn.metrics import cohen_kappa_score

from cdec.auditing import (
    Decision,
    Operation,
    Review,
    ac1,
    agreement,
    kappa,
    make_patch,
    read_reviews,
    settled,
    tally,
)
from tests.audit.test_patch import decisions
from tests.refusals import refused


def test_cohen_s_kappa(tmp_path: Path) -> None:
    # Cohen (1960) by hand: agreement 3/4, chance (3·2 + 1·2) / 16 = 1/2, κ = (3/4 − 1/2) / (1/2).
    one = {"a-b": "error", "c-d": "error", "e-f": "error", "g-h": "not-error"}
    two = {"a-b": "error", "c-d": "error", "e-f": "not-error", "g-h": "not-error", "i-j": "error"}
    files = [decisions(tmp_path / "1", one, "ann"), decisions(tmp_path / "2", two, "bob")]
    table = agreement(read_reviews(files))
    row, of_kind = table[table["on"] == "verdict"].to_dict("records")
    assert (row["kind"], of_kind["kind"]) == ("all", "missing-singleton-cluster")
    assert (row["cases"], row["agreed"], row["kappa"]) == (4, 0.75, pytest.approx(0.5))
    counts = tally(read_reviews(files)).set_index(["reviewer", "verdict"])["count"]
    assert counts.to_dict() == {
        ("ann", "error"): 3,
        ("ann", "not-error"): 1,
        ("bob", "error"): 3,
        ("bob", "not-error"): 2,
    }


def test_agreement_is_on_verdict_and_correction(tmp_path: Path) -> None:
    """Two reviewers call the same 16 cases errors, and correct each of them differently."""
    cases = [f"a{n}-b{n}" for n in range(16)]
    files = [decisions(tmp_path / name, dict.fromkeys(cases, "error"), name) for name in "xy"]
    assert on_all(files)["agreed"].to_list() == [1, 1, 1]
    content = json.loads(files[1].read_text("utf-8"))
    for made in content["decisions"]:
        made["operation"] = {"move": made["operation"]["merge"][:1]}
    files[1].write_text(json.dumps(content), "utf-8")
    reviews = read_reviews(files)
    table = on_all(files)
    assert table["cases"].to_list() == [16, 16, 16]
    assert table["agreed"].to_list() == [1, 0, 0]
    assert table["ac1"].to_list() == [1, -1, 0]  # of two forms, that of ann and that of bob
    assert len(settled(reviews)[1]) == 16
    for made in content["decisions"]:
        made["operation"] = {"merge": made["case"].split("-")[::-1]}
    files[1].write_text(json.dumps(content), "utf-8")
    assert on_all(files)["agreed"].to_list() == [1, 1, 1]  # the order of mentions is free


def on_all(files: list[Path]) -> pd.DataFrame:
    """The agreement on all kinds of cases: verdict, correction, both."""
    table = agreement(read_reviews(files))
    return table[table["kind"] == "all"]


def test_gwet_s_ac1() -> None:
    # 8 of 10 agree; mean shares .9 and .1 of two categories: chance .9·.1 + .1·.9 = .18.
    left, right = np.array([0] * 9 + [1]), np.array([0] * 8 + [1] + [0])
    value, low, high = ac1(left, right, 2)
    assert value == pytest.approx((0.8 - 0.18) / (1 - 0.18))
    assert low < value < high <= 1
    assert ac1(left, left, 2)[0] == 1


def test_ac1_of_the_worked_example_of_irrcac() -> None:
    """Two abstractors of 100 records; AC1 and its standard error are printed in its vignette."""
    table = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]])  # cont3x3abstractors
    places = (np.repeat(codes, table.ravel()) for codes in np.indices((3, 3)).reshape(2, -1))
    left, right = (place.astype(float) for place in places)
    value, low, high = ac1(left, right, 3)
    assert value == pytest.approx(0.8493305, abs=5e-8)
    # The table of counts has n in the denominator of the variance, ratings by case n − 1.
    error = (value - low) / t.ppf(0.975, 99) * (99 / 100) ** 0.5
    assert error == pytest.approx(0.04321747, abs=5e-9)
    assert (low, high) == pytest.approx((0.764, 0.935), abs=1e-3)


def test_kappa_of_the_worked_example_of_fleiss() -> None:
    """Fleiss, Levin and Paik (2003), table 18.3: κ = .68; bootstrap and scikit-learn as checks."""
    table = np.array([[75, 1, 4], [5, 4, 1], [0, 0, 10]])
    places = (np.repeat(codes, table.ravel()) for codes in np.indices((3, 3)).reshape(2, -1))
    left, right = (place.astype(np.int64) for place in places)
    value, low, high = kappa(left, right, 3)
    assert round(value, 2) == 0.68
    assert value == pytest.approx(cohen_kappa_score(left, right))
    drawn = bootstrap(
        (left, right),
        lambda one, two: kappa(one, two, 3)[0],
        paired=True,
        vectorized=False,
        n_resamples=999,
        method="percentile",
        rng=1,
    ).confidence_interval
    assert (low, high) == pytest.approx((drawn.low, drawn.high), abs=0.03)


def test_kappa_of_one_verdict_only_is_missing(tmp_path: Path) -> None:
    files = [decisions(tmp_path / n, {"a-b": "error"}, n) for n in ("1", "2")]
    assert agreement(read_reviews(files))["kappa"].isna().all()


LINK = Operation(merge=("a", "b"))
MOVE = Operation(merge=("a", "b"), move=("a",))


def review(name: str, /, **facts: Any) -> Review:
    """One decision on one case; keywords are its fields, ``adjudicates`` that of the review."""
    judge = {"adjudicates": facts.pop("adjudicates", False)}
    fields = {"case": "c", "kind": "spurious-member", "operation": LINK, **facts}
    return Review(reviewer=name, decisions=(Decision(**fields),), about={}, places={}, **judge)


@pytest.mark.parametrize(
    ("two", "three", "expected"),
    [
        # (verdict of bob, of the adjudicator) → readers, agreement, reason
        ({"verdict": "error"}, {"verdict": "not-error"}, (("ann", "bob"), "2 of 2", "x; y")),
        (
            {"verdict": "not-error"},
            {"verdict": "error"},
            (("ann", "cid"), "1 of 2, adjudicated by cid", "z"),
        ),
        (
            {"verdict": "error", "operation": MOVE},
            {"verdict": "error", "operation": MOVE},
            (("bob", "cid"), "1 of 2, adjudicated by cid", "z"),
        ),
        (
            {"verdict": "unsure"},
            {"verdict": "error", "operation": Operation()},
            (("cid",), "0 of 2, adjudicated by cid", "z"),
        ),
        ({"verdict": "unsure"}, {"verdict": "error", "case": "d"}, (("ann",), "1 of 2", "x")),
        ({"verdict": "unsure"}, {"verdict": "unsure"}, None),
        ({"verdict": "not-error"}, {"verdict": "error", "case": "d"}, None),
    ],
)
def test_the_adjudicator_decides_where_readers_differ(
    two: dict[str, Any], three: dict[str, Any], expected: tuple[Any, ...] | None
) -> None:
    def reason(fields: dict[str, Any], text: str) -> dict[str, Any]:
        return fields if fields["verdict"] == "not-error" else fields | {"reason": text}

    ann = review("ann", verdict="error", reason="x")
    bob = review("bob", **reason(two, "y"))
    cid = review("cid", **reason(three, "z"), adjudicates=True)
    for order in ([ann, bob, cid], [cid, ann, bob]):
        found, disputed = settled(order)
        assert disputed == (() if expected else ("c",))
        said = [(one.readers, one.agreement, "; ".join(one.reasons)) for one in found]
        assert said == [expected] * bool(expected)
    assert set(agreement([ann, bob, cid])["two"]) == {"bob"}


def test_reviewers_and_one_adjudicator(tmp_path: Path) -> None:
    files = [decisions(tmp_path / n, {"a-b": "error"}, n) for n in ("ann", "bob", "cid")]
    reviews = read_reviews(files[:2], files[2])
    assert [one.adjudicates for one in reviews] == [False, False, True]
    judge = json.loads(files[0].read_text("utf-8")) | {"adjudicates": True}
    files[0].write_text(json.dumps(judge), "utf-8")
    for given in (files[:2], files[:1]):
        with refused("input-mismatch", "adjudicator"):
            read_reviews(given, files[2] if len(given) > 1 else None)
    assert make_patch(settled(reviews)[0], reviews)[0].merge == (("a", "b"),)
