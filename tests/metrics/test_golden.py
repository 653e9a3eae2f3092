"""Worked examples of the papers, as exact fractions: (recall, precision) of each metric."""

from fractions import Fraction as Q

import pytest

from tests.metrics.cases import counts_of, value_of

PRADHAN_2014 = ("abc defg", "ab cd fghi")
LUO_2005 = "12345 67 89ABC"
TEST_CASES_A = "a bc def"

EXAMPLES: dict[str, tuple[str, str, dict[str, tuple[Q, Q]]]] = {
    # Pradhan, Luo, Recasens, Hovy, Ng and Strube (2014), section 4
    "Pradhan 2014": (
        *PRADHAN_2014,
        {
            "muc": (Q(2, 5), Q(2, 5)),
            "b3": (Q(35, 12) / 7, Q(4, 8)),
            "ceafm": (Q(4, 7), Q(4, 8)),
            "ceafe": (Q(13, 10) / 2, Q(13, 10) / 3),
            "blanc_coref": (Q(2, 9), Q(2, 8)),
            "blanc_noncoref": (Q(8, 12), Q(8, 20)),
            "blanc": ((Q(2, 9) + Q(8, 12)) / 2, (Q(2, 8) + Q(8, 20)) / 2),
        },
    ),
    # Moosavi and Strube (2016), section 4: the same clusterings
    "Moosavi 2016": (
        *PRADHAN_2014,
        {"lea": ((3 * Q(1, 3) + 4 * Q(1, 6)) / 7, (2 * Q(1) + 2 * Q(0) + 4 * Q(1, 6)) / 8)},
    ),
    # Vilain et al. (1995), table 1 and the two longer examples
    "Vilain 1995, row 1": ("ABCD", "AB CD", {"muc": (Q(2, 3), Q(2, 2))}),
    "Vilain 1995, row 2": ("AB CD", "ABCD", {"muc": (Q(2, 2), Q(2, 3))}),
    "Vilain 1995, row 3": ("ABCD", "ABCD", {"muc": (Q(3, 3), Q(3, 3))}),
    "Vilain 1995, row 5": ("ABC", "AC", {"muc": (Q(1, 2), Q(1, 1))}),
    "Vilain 1995, seven": ("BCDEGHJ", "ABC DEF GHI", {"muc": (Q(3, 6), Q(3, 6))}),
    "Vilain 1995, two chains": ("ABC DEFG", "AB CD FGH", {"muc": (Q(2, 5), Q(2, 4))}),
    # Bagga and Baldwin (1998), figures 2 and 3
    "Bagga 1998, small": (
        LUO_2005,
        "12345 6789ABC",
        {"muc": (Q(9, 9), Q(9, 10)), "b3": (Q(1), Q(16, 21))},
    ),
    "Bagga 1998, big": (
        LUO_2005,
        "1234589ABC 67",
        {"muc": (Q(9, 9), Q(9, 10)), "b3": (Q(1), Q(7, 12))},
    ),
    # Luo (2005), table 1, systems a to d
    "Luo 2005, a": (
        LUO_2005,
        "12345 6789ABC",
        {"ceafm": (Q(10, 12), Q(10, 12)), "ceafe": (Q(11, 6) / 3, Q(11, 6) / 2)},
    ),
    "Luo 2005, b": (
        LUO_2005,
        "1234589ABC 67",
        {"ceafm": (Q(7, 12), Q(7, 12)), "ceafe": (Q(5, 3) / 3, Q(5, 3) / 2)},
    ),
    "Luo 2005, c": (
        LUO_2005,
        "123456789ABC",
        {
            "muc": (Q(9, 9), Q(9, 11)),
            "b3": (Q(1), Q(54, 144)),
            "ceafm": (Q(5, 12), Q(5, 12)),
            "ceafe": (Q(10, 17) / 3, Q(10, 17)),
        },
    ),
    "Luo 2005, d": (
        LUO_2005,
        "1 2 3 4 5 6 7 8 9 A B C",
        {
            "muc": (Q(0), Q(0)),
            "b3": (Q(3, 12), Q(1)),
            "ceafm": (Q(3, 12), Q(3, 12)),
            "ceafe": (Q(4, 3) / 3, Q(4, 3) / 12),
        },
    ),
    # Luo et al. (2014): a spurious and a missing mention; and with a third, perfect chain
    "Luo 2014, two": (
        "ab cde",
        "bcx de",
        {
            "blanc_coref": (Q(1, 4), Q(1, 4)),
            "blanc_noncoref": (Q(2, 6), Q(2, 6)),
            "blanc": (Q(7, 24), Q(7, 24)),
            "lea": (Q(1, 5), Q(2, 5)),
        },
    ),
    "Luo 2014, three": (
        "ab cde fg",
        "bcx de fg",
        {
            "blanc_coref": (Q(2, 5), Q(2, 5)),
            "blanc_noncoref": (Q(10, 16), Q(10, 16)),
            "blanc": (Q(41, 80), Q(41, 80)),
            "lea": (Q(3, 7), Q(4, 7)),
        },
    ),
    # Test cases of the reference scorer; LEA as its authors added it
    "A-1": (
        TEST_CASES_A,
        "a bc def",
        {name: (Q(1), Q(1)) for name in ("muc", "b3", "ceafm", "ceafe", "blanc", "lea")},
    ),
    "A-2": (
        TEST_CASES_A,
        "a de",
        {
            "muc": (Q(1, 3), Q(1)),
            "b3": (Q(7, 18), Q(1)),
            "ceafm": (Q(3, 6), Q(1)),
            "ceafe": (Q(9, 5) / 3, Q(9, 5) / 2),
            "blanc_coref": (Q(1, 4), Q(1)),
            "blanc_noncoref": (Q(2, 11), Q(1)),
            "lea": (Q(2, 6), Q(1)),
        },
    ),
    "A-3": (
        TEST_CASES_A,
        "a bcx defy z",
        {
            "muc": (Q(1), Q(3, 5)),
            "b3": (Q(1), (4 + Q(7, 12)) / 9),
            "ceafm": (Q(1), Q(6, 9)),
            "ceafe": ((1 + Q(4, 5) + Q(6, 7)) / 3, (1 + Q(4, 5) + Q(6, 7)) / 4),
            "blanc_coref": (Q(1), Q(4, 9)),
            "blanc_noncoref": (Q(1), Q(11, 27)),
            "lea": (Q(1), Q(4, 9)),
        },
    ),
    "A-4": (
        TEST_CASES_A,
        "a bcx dy z",
        {
            "muc": (Q(1, 3), Q(1, 3)),
            "b3": (Q(5, 9), Q(17, 42)),
            "ceafm": (Q(4, 6), Q(4, 7)),
            "ceafe": (Q(11, 5) / 3, Q(11, 5) / 4),
            "blanc_coref": (Q(1, 4), Q(1, 4)),
            "blanc_noncoref": (Q(5, 11), Q(5, 17)),
            "lea": (Q(3, 6), Q(2, 7)),
        },
    ),
    "A-10": (
        TEST_CASES_A,
        "a b c d e f",
        {
            "muc": (Q(0), Q(0)),
            "b3": (Q(3, 6), Q(1)),
            "blanc_coref": (Q(0), Q(0)),
            "blanc_noncoref": (Q(1), Q(11, 15)),
            "lea": (Q(1, 6), Q(1, 6)),
        },
    ),
    "A-11": (
        TEST_CASES_A,
        "abcdef",
        {
            "muc": (Q(1), Q(3, 5)),
            "b3": (Q(1), Q(7, 18)),
            "blanc_coref": (Q(1), Q(4, 15)),
            "blanc_noncoref": (Q(0), Q(0)),
            "lea": (Q(5, 6), Q(4, 15)),
        },
    ),
    "A-12": (
        TEST_CASES_A,
        "a x y c d e z",
        {
            "muc": (Q(0), Q(0)),
            "b3": (Q(13, 36), Q(4, 7)),
            "blanc_noncoref": (Q(5, 11), Q(5, 21)),
            "lea": (Q(1, 6), Q(1, 7)),
        },
    ),
    "A-13": (
        TEST_CASES_A,
        "axycdez",
        {
            "muc": (Q(1, 3), Q(1, 6)),
            "b3": (Q(17, 36), Q(6, 49)),
            "blanc_coref": (Q(1, 4), Q(1, 21)),
            "lea": (Q(1, 6), Q(1, 21)),
        },
    ),
    "M-3": ("abcdef", "ab cde f", {"blanc": (Q(4, 15), Q(1)), "lea": (Q(4, 15), Q(5, 6))}),
    "M-4": ("abcdef", "abcxyz", {"blanc": (Q(3, 15), Q(3, 15)), "lea": (Q(3, 15), Q(3, 15))}),
    "M-6": ("abcdef", "ab cxy z", {"blanc": (Q(1, 15), Q(1, 4)), "lea": (Q(1, 15), Q(2, 6))}),
    "N-3": ("a b c d e f", "ab cde f", {"blanc": (Q(11, 15), Q(1)), "lea": (Q(1, 6), Q(1, 6))}),
    "N-4": ("a b c d e f", "a b c x y z", {"blanc": (Q(3, 15),) * 2, "lea": (Q(3, 6),) * 2}),
    "N-6": ("a b c d e f", "ab cxy z", {"blanc": (Q(2, 15), Q(2, 11)), "lea": (Q(0), Q(0))}),
}

CASES = [
    pytest.param(key, response, metric, expected, id=f"{example} {metric}")
    for example, (key, response, scores) in EXAMPLES.items()
    for metric, expected in scores.items()
]


@pytest.mark.parametrize(("key", "response", "metric", "expected"), CASES)
def test_worked_example(key: str, response: str, metric: str, expected: tuple[Q, Q]) -> None:
    recall, precision = expected
    value = value_of(metric, key, response)
    assert value.recall == pytest.approx(float(recall), rel=1e-12)
    assert value.precision == pytest.approx(float(precision), rel=1e-12)


@pytest.mark.parametrize(
    ("response", "muc", "b3", "ceafm", "ceafe"),
    [
        ("12345 6789ABC", 0.947, 0.865, 0.833, 0.733),
        ("1234589ABC 67", 0.947, 0.737, 0.583, 0.667),
        ("123456789ABC", 0.900, 0.545, 0.417, 0.294),
        ("1 2 3 4 5 6 7 8 9 A B C", 0.0, 0.400, 0.250, 0.178),
    ],
)
def test_f1_in_luo_2005(response: str, muc: float, b3: float, ceafm: float, ceafe: float) -> None:
    printed = {"muc": muc, "b3": b3, "ceafm": ceafm, "ceafe": ceafe}
    actual = {name: round(value_of(name, LUO_2005, response).f1, 3) for name in printed}
    assert actual == printed


def test_means_are_means_of_f1() -> None:
    blanc_f1 = (Q(2, 9) * Q(2, 8) * 2 / (Q(2, 9) + Q(2, 8)) + Q(1, 2)) / 2
    f1 = [Q(2, 5), Q(5, 11), Q(13, 25)]
    assert value_of("conll", *PRADHAN_2014).f1 == pytest.approx(float(sum(f1) / 3), rel=1e-12)
    expected = float((sum(f1) + blanc_f1) / 4)
    assert value_of("avg4", *PRADHAN_2014).f1 == pytest.approx(expected, rel=1e-12)
    assert value_of("avg4", *PRADHAN_2014)[:2] == (None, None)


def test_counts_are_the_fractions_of_the_paper() -> None:
    counts = counts_of("blanc_noncoref", *PRADHAN_2014)
    assert (counts.r_num, counts.r_den, counts.p_num, counts.p_den) == (8, 12, 8, 20)
