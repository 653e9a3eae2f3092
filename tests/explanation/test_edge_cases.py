"""Singletons, undefined values, unknown names."""

from fractions import Fraction

import pandas as pd
import pytest

from cdec.errors import UnknownNameError
from cdec.evaluation import SystemRun
from cdec.explanation import Explanation, explain
from cdec.explanation.page import explanation_page
from cdec.metadocument import MetaDocuments
from cdec.metrics import METRICS, Counts
from cdec.metrics.contribution import bracketed, brief, full
from cdec.metrics.sheet import Sheet
from cdec.settings import Setting
from cdec.signature import Signature
from tests.explanation.conftest import clustering, pradhan
from tests.pages import notes_of
from tests.refusals import refused

CORPUS = Setting("none", "scope corpus", "corpus")


Chains = dict[str, str]


def explained(
    key: Chains, response: Chains, metric: str, setting: Setting = CORPUS, **choice: str
) -> Explanation:
    mentions = pd.DataFrame({"doc": "d"}, index=pd.Index(list("abcdefghi"), dtype=object))
    answer = SystemRun("response", mentions, clustering(key), clustering(response))
    return explain(answer, setting, metric, **choice)


def notes(explanation: Explanation) -> tuple[str, ...]:
    """The lines below the table, without the legend of its columns."""
    return notes_of(explanation_page(explanation, Signature.from_fields()))[1:]


def test_a_singleton_has_its_self_link_in_lea() -> None:
    both = notes(explained({"k": "a"}, {"r": "a"}, "lea", chain="k"))
    assert both[1:3] == (
        "LEA: K is a singleton with one link, to itself; it is also a singleton in the response",
        "LEA: importance × resolution = 1 × 1/1 = 1 of |K| = 1",
    )
    one = notes(explained({"k": "a", "l": "b"}, {"r": "ab"}, "lea", chain="k"))
    assert one[1:3] == (
        "LEA: K is a singleton with one link, to itself; it is not a singleton in the response",
        "LEA: importance × resolution = 1 × 0/1 = 0 of |K| = 1",
    )


def test_an_undefined_value_is_a_dash_with_a_legend() -> None:
    lines = notes(explained({"k": "a"}, {"r": "a"}, "muc", chain="k"))
    assert lines[0].startswith("–: undefined (0/0)")
    assert "MUC recall = 0 / 0 = –: all 1 key chain" in lines
    assert "MUC F1 = 2 P R / (P + R) = –" in lines
    half = notes(explained({"k": "a", "l": "b"}, {"r": "ab"}, "muc", chain="k"))
    assert any(line.startswith("MUC recall = ") and "= –: " in line for line in half)
    assert half[-2].endswith("= 0.0000 (0.0 %)")


def test_a_defined_value_of_zero_is_not_a_dash() -> None:
    lines = notes(explained({"k": "ab"}, {"r": "a", "s": "bc"}, "muc", chain="k"))
    assert not any("–:" in line or "= –" in line for line in lines)


def test_a_document_without_links_has_dashes() -> None:
    mentions = pd.DataFrame({"doc": ["d", "e", "e"]}, index=pd.Index(list("abc"), dtype=object))
    chains = clustering({"k": "a", "l": "bc"})
    answer = SystemRun("response", mentions, chains, chains)
    setting = Setting("none", "scope document", "document")
    lines = notes(explain(answer, setting, "muc", document="d"))
    assert lines[0].startswith("–: undefined (0/0)")
    assert lines[1] == "MUC in d alone: recall –, precision –, F1 –"


def test_each_table_has_a_legend() -> None:
    for explanation, column in (
        (explained({"k": "ab"}, {"r": "ab"}, "b3", chain="k"), "Shared: "),
        (explained({"k": "ab"}, {"r": "ab"}, "b3", document="d"), "num, den: "),
    ):
        page = explanation_page(explanation, Signature.from_fields())
        assert column in notes_of(page)[0]


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        ({"k": "a", "l": "b"}, {"r": "ab"}, "BLANC F = F(BLANC PWN) = 0.0000"),
        ({"k": "ab"}, {"r": "ab"}, "BLANC F = F(BLANC PW) = 1.0000"),
        ({"k": "a"}, {"r": "a"}, "BLANC F = 0.0000: there is no value to average"),
    ],
)
def test_a_half_of_blanc_without_links_is_dropped(
    key: Chains, response: Chains, expected: str
) -> None:
    lines = notes(explained(key, response, "blanc", chain="k"))
    assert lines[-2] == expected
    assert any("is dropped" in line for line in lines)


def test_a_counted_metric_has_no_steps_of_a_mean() -> None:
    assert METRICS["muc"].steps_of({"muc": Counts(1, 2, 1, 2)}) == ()


def test_a_label_of_both_sides_explains_both() -> None:
    key, response = {"1": "abc"}, {"1": "ab"}
    both = explained(key, response, "muc", chain="1")
    assert [chain.side for chain in both.chosen] == ["key", "response"]
    one = explained(key, response, "muc", chain="1", side="response")
    assert [chain.side for chain in one.chosen] == ["response"]


def test_a_label_of_two_meta_documents_is_two_chains() -> None:
    table = pd.DataFrame(
        {"meta": ["x", "x", "y"], "key": [1, 1, 1], "response": [1, 2, 2]}, index=list("abc")
    )
    sheet = Sheet.from_meta_documents(MetaDocuments(table))
    assert [(c.meta, c.label, c.mentions) for c in sheet.key] == [
        ("x", "1", ("a", "b")),
        ("y", "1", ("c",)),
    ]


def test_mentions_that_the_setting_leaves_out_are_counted() -> None:
    pure = Setting("pure", "PURE-CDEC", "corpus", reduce_within_document=True)
    lines = notes(explained({"k": "abc"}, {"r": "abc"}, "b3", pure, chain="k"))
    assert lines[1] == (
        "the key has 3 mentions in k, of which PURE-CDEC (scope=corpus,reduce_within_document=yes) "
        "puts 1 here"
    )


def test_a_chain_that_the_setting_leaves_out() -> None:
    setting = Setting("is", "I.S.", "corpus", ignore_singletons=True)
    with refused("chain-excluded", "'is'", "'l'"):
        explained({"k": "ab", "l": "c"}, {"r": "abc"}, "b3", setting, chain="l")


def test_an_unknown_chain_names_the_nearest() -> None:
    with refused("name-unknown", "unknown chain", "'k22'", "'k2'"):
        pradhan("muc", chain="k22")


def test_many_unknown_chains_are_not_all_listed() -> None:
    key = {f"event{i}": letter for i, letter in enumerate("abcdefghi")}
    many = {f"{label}{n}": "" for label in key for n in range(9)}
    names = UnknownNameError("chain", "evnt3", [*key, *many])
    assert "did you mean 'event3'?" in str(names)
    assert "nearest of 90" in str(names)
    assert "event88" not in str(names)


@pytest.mark.parametrize(
    ("choice", "code", "value"),
    [
        ({}, "argument-missing", "chain"),
        ({"document": "d9"}, "name-unknown", "'d9'"),
        ({"chain": "k1", "side": "left"}, "name-unknown", "'left'"),
        ({"chain": "k1", "side": "response"}, "chain-excluded", "'k1'"),
    ],
)
def test_an_invalid_selection(choice: dict[str, str], code: str, value: str) -> None:
    with refused(code, value):
        pradhan("muc", **choice)


def test_an_unknown_metric() -> None:
    with refused("name-unknown", "unknown metric", "'muc'"):
        pradhan("mucc", chain="k1")


def test_short_fractions_are_exact() -> None:
    assert full(Fraction(4, 2)) == "2"
    assert full(Fraction(4, 3)) == "4/3 = 1.3333"
    assert full(Fraction(10001, 10000)) == brief(Fraction(10001, 10000)) == "1.0001"
    assert [bracketed(terms) for terms in ([], [1], [1, 2])] == ["0", "1", "(1 + 2)"]
