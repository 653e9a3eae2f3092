"""The edge cases in the docstrings of the metrics: one test per cell."""

import pytest

from cdec.metrics import METRICS, Counts, Value
from cdec.metrics.blanc import blanc
from tests.metrics.cases import counts_of, value_of

MENTION_METRICS = ["b3", "ceafm", "ceafe", "lea"]


@pytest.mark.parametrize("metric", [*METRICS, "blanc", "conll", "avg4"])
def test_no_mentions_score_zero(metric: str) -> None:
    assert value_of(metric, "", "").f1 == 0


@pytest.mark.parametrize("metric", [*METRICS, "blanc"])
def test_empty_response_is_zero_not_an_error(metric: str) -> None:
    assert value_of(metric, "ab cd", "") == Value(0, 0, 0)


@pytest.mark.parametrize("metric", [*METRICS, "blanc"])
def test_empty_key_is_zero_not_an_error(metric: str) -> None:
    assert value_of(metric, "", "ab cd") == Value(0, 0, 0)


@pytest.mark.parametrize("metric", [*METRICS, "blanc"])
def test_no_common_mention_is_zero(metric: str) -> None:
    assert value_of(metric, "ab c", "xy z") == Value(0, 0, 0)


@pytest.mark.parametrize("metric", MENTION_METRICS)
def test_singletons_on_both_sides_score_one(metric: str) -> None:
    assert value_of(metric, "a b c", "a b c") == Value(1, 1, 1)


def test_muc_of_singletons_is_zero() -> None:
    assert counts_of("muc", "a b c", "a b c") == Counts(0, 0, 0, 0)
    assert value_of("muc", "a b c", "a b c") == Value(0, 0, 0)


def test_muc_ignores_singletons() -> None:
    assert counts_of("muc", "ab c d", "ab cd") == counts_of("muc", "ab", "ab cd")


def test_lea_self_link_needs_singletons_on_both_sides() -> None:
    assert counts_of("lea", "a bc", "a b c") == Counts(p_num=1, p_den=3, r_num=1, r_den=3)
    assert counts_of("lea", "a", "ab") == Counts(p_num=0, p_den=2, r_num=0, r_den=1)


def test_b_cubed_of_a_key_singleton_in_a_longer_chain() -> None:
    assert counts_of("b3", "a", "ab") == Counts(p_num=0.5, p_den=2, r_num=1, r_den=1)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("muc", Counts(p_num=1, p_den=2, r_num=1, r_den=2)),
        ("b3", Counts(p_num=4 / 3, p_den=3, r_num=4 / 3, r_den=3)),
        ("ceafm", Counts(p_num=2, p_den=3, r_num=2, r_den=3)),
        ("ceafe", Counts(p_num=4 / 6, p_den=1, r_num=4 / 6, r_den=1)),
        ("blanc_coref", Counts(p_num=1, p_den=3, r_num=1, r_den=3)),
        ("blanc_noncoref", Counts(p_num=0, p_den=0, r_num=0, r_den=0)),
        ("lea", Counts(p_num=1, p_den=3, r_num=1, r_den=3)),
    ],
)
def test_twinless_mentions_count_on_their_side(metric: str, expected: Counts) -> None:
    assert counts_of(metric, "abc", "abx") == expected


def test_a_chain_of_twinless_mentions_counts_in_the_denominators() -> None:
    assert counts_of("ceafe", "ab cd", "ab xy z") == Counts(p_num=1, p_den=3, r_num=1, r_den=2)
    assert counts_of("lea", "ab c", "ab x") == Counts(p_num=2, p_den=3, r_num=2, r_den=3)


HALF = Counts(p_num=1, p_den=2, r_num=1, r_den=4)
FULL = Counts(p_num=1, p_den=1, r_num=1, r_den=1)
FALSE_LINKS = Counts(p_num=0, p_den=3, r_num=0, r_den=0)
MISSED_LINKS = Counts(p_num=0, p_den=0, r_num=0, r_den=3)
NO_LINKS = Counts(0, 0, 0, 0)


def single(counts: Counts) -> Value:
    return Value(counts.precision, counts.recall, counts.f1)


@pytest.mark.parametrize(
    ("coref", "noncoref", "expected"),
    [
        pytest.param(HALF, FULL, Value(0.75, 0.625, (1 / 3 + 1) / 2), id="both"),
        pytest.param(MISSED_LINKS, FULL, Value(0.5, 0.5, 0.5), id="response without C"),
        pytest.param(FULL, MISSED_LINKS, Value(0.5, 0.5, 0.5), id="response without N"),
        pytest.param(NO_LINKS, HALF, single(HALF), id="no C at all"),
        pytest.param(FALSE_LINKS, HALF, single(HALF), id="key without C"),
        pytest.param(HALF, NO_LINKS, single(HALF), id="no N at all"),
        pytest.param(HALF, FALSE_LINKS, single(HALF), id="key without N"),
        pytest.param(NO_LINKS, NO_LINKS, Value(0, 0, 0), id="no links"),
        pytest.param(FALSE_LINKS, FALSE_LINKS, Value(0, 0, 0), id="key without links"),
    ],
)
def test_blanc_drops_the_half_whose_key_has_no_links(
    coref: Counts, noncoref: Counts, expected: Value
) -> None:
    assert blanc(coref, noncoref) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ("a b", "a b", 1),  # key of singletons: the N half
        ("a b", "ab", 0),
        ("ab", "ab", 1),  # key of one chain: the C half
        ("ab", "a b", 0),
        ("a", "a", 0),  # no link
        ("ab c", "ab c", 1),
        ("ab c", "a b c", (0 + 2 * (2 / 3) / (2 / 3 + 1)) / 2),
    ],
)
def test_blanc_on_clusterings(key: str, response: str, expected: float) -> None:
    assert value_of("blanc", key, response).f1 == pytest.approx(expected, rel=1e-12)
