"""Pradhan et al. (2014), figure 2: key {a b c} {d e f g}, response {a b} {c d} {f g h i}.

The numbers are those of section 3 of the paper, calculated by hand.
"""

import pytest

from cdec.explanation.page import explanation_page
from cdec.signature import Signature
from tests.explanation.conftest import pradhan
from tests.pages import notes_of, view_of

K2 = "K = key chain k2 = {d e f g}, |K| = 4"
R2 = "R = response chain r2 = {c d}, |R| = 2"

GOLDEN = {
    ("muc", "k2"): [
        K2,
        "MUC: p(K) = {d} {e} {f g}; a twinless mention is a separate part",
        "MUC: |K| − |p(K)| = 4 − 3 = 1 of |K| − 1 = 3",
        "MUC recall = (1 + 1) / (3 + 2) = 2 / 5 = 0.4000 (40.0 %): this chain + 1 other key chain",
        "MUC precision = 2 / 5 = 0.4000 (40.0 %): all 3 response chains",
        "MUC F1 = 2 P R / (P + R) = 2 · 0.4000 · 0.4000 / (0.4000 + 0.4000) = 0.4000 (40.0 %)",
    ],
    ("muc", "r2"): [
        R2,
        "MUC: p(R) = {c} {d}",
        "MUC: |R| − |p(R)| = 2 − 2 = 0 of |R| − 1 = 1",
        "MUC recall = 2 / 5 = 0.4000 (40.0 %): all 2 key chains",
        "MUC precision = (0 + 2) / (1 + 4) = 2 / 5 = 0.4000 (40.0 %): "
        "this chain + 2 other response chains",
        "MUC F1 = 2 P R / (P + R) = 2 · 0.4000 · 0.4000 / (0.4000 + 0.4000) = 0.4000 (40.0 %)",
    ],
    ("b3", "k2"): [
        K2,
        "B³: Σ |K ∩ R| / |K| over the mentions = 1/4 + 0/4 + 2/4 + 2/4 = 5/4 = 1.2500 of |K| = 4",
        "B³ recall = (5/4 + 5/3) / (4 + 3) = (35/12) / 7 = 0.4167 (41.7 %): "
        "this chain + 1 other key chain",
        "B³ precision = 4 / 8 = 0.5000 (50.0 %): all 3 response chains",
        "B³ F1 = 2 P R / (P + R) = 2 · 0.5000 · 0.4167 / (0.5000 + 0.4167) = 0.4545 (45.5 %)",
    ],
    ("ceafm", "k2"): [
        K2,
        "CEAF_m: best one-to-one alignment: K ↔ response r3, response r2 ↔ none",
        "CEAF_m: φ₃(K, R) = |K ∩ R| = 2 of |K| = 4",
        "CEAF_m recall = (2 + 2) / (4 + 3) = 4 / 7 = 0.5714 (57.1 %): "
        "this chain + 1 other key chain",
        "CEAF_m precision = 4 / 8 = 0.5000 (50.0 %): all 3 response chains",
        "CEAF_m F1 = 2 P R / (P + R) = 2 · 0.5000 · 0.5714 / (0.5000 + 0.5714) = 0.5333 (53.3 %)",
    ],
    ("ceafe", "k2"): [
        K2,
        "CEAF_e: best one-to-one alignment: K ↔ response r3, response r2 ↔ none",
        "CEAF_e: φ₄(K, R) = 2 |K ∩ R| / (|K| + |R|) = 2 · 2 / (4 + 4) = 1/2 = 0.5000 "
        "of 1 (each chain counts 1)",
        "CEAF_e recall = (1/2 + 4/5) / (1 + 1) = (13/10) / 2 = 0.6500 (65.0 %): "
        "this chain + 1 other key chain",
        "CEAF_e precision = (13/10) / 3 = 0.4333 (43.3 %): all 3 response chains",
        "CEAF_e F1 = 2 P R / (P + R) = 2 · 0.4333 · 0.6500 / (0.4333 + 0.6500) = 0.5200 (52.0 %)",
    ],
    ("ceafe", "r2"): [
        R2,
        "CEAF_e: best one-to-one alignment: R ↔ none, key k1 ↔ response r1, key k2 ↔ response r3",
        "CEAF_e: 0 of 1 (each chain counts 1)",
        "CEAF_e recall = (13/10) / 2 = 0.6500 (65.0 %): all 2 key chains",
        "CEAF_e precision = (0 + 13/10) / (1 + 2) = (13/10) / 3 = 0.4333 (43.3 %): "
        "this chain + 2 other response chains",
        "CEAF_e F1 = 2 P R / (P + R) = 2 · 0.4333 · 0.6500 / (0.4333 + 0.6500) = 0.5200 (52.0 %)",
    ],
    ("blanc", "k2"): [
        K2,
        "BLANC PW: Σ |K ∩ R| (|K ∩ R| − 1) / 2 = 0 + 1 = 1 right "
        "of |K| (|K| − 1) / 2 = 4 · 3 / 2 = 6 links, 5 missed",
        "BLANC PWN: a link between two chains counts half in each",
        "BLANC PWN: ½ Σ |K ∩ R| · (common mentions outside K and R) = ½ · (1 · 2 + 2 · 3) = 4 "
        "right of ½ |K| · (key mentions outside K) = ½ · 4 · 3 = 6, 2 missed",
        "BLANC PW recall = (1 + 1) / (6 + 3) = 2 / 9 = 0.2222 (22.2 %): "
        "this chain + 1 other key chain",
        "BLANC PW precision = 2 / 8 = 0.2500 (25.0 %): all 3 response chains",
        "BLANC PW F1 = 2 P R / (P + R) = 2 · 0.2500 · 0.2222 / (0.2500 + 0.2222) = 0.2353 (23.5 %)",
        "BLANC PWN recall = (4 + 4) / (6 + 6) = 8 / 12 = 0.6667 (66.7 %): "
        "this chain + 1 other key chain",
        "BLANC PWN precision = 8 / 20 = 0.4000 (40.0 %): all 3 response chains",
        "BLANC PWN F1 = 2 P R / (P + R) = 2 · 0.4000 · 0.6667 / (0.4000 + 0.6667) "
        "= 0.5000 (50.0 %)",
        "BLANC P = (P(BLANC PW) + P(BLANC PWN)) / 2 = (0.2500 + 0.4000) / 2 = 0.3250",
        "BLANC R = (R(BLANC PW) + R(BLANC PWN)) / 2 = (0.2222 + 0.6667) / 2 = 0.4444",
        "BLANC F = (F(BLANC PW) + F(BLANC PWN)) / 2 = (0.2353 + 0.5000) / 2 = 0.3676",
    ],
    ("lea", "k2"): [
        K2,
        "LEA: link(n) = n (n − 1) / 2",
        "LEA: importance × resolution = |K| × Σ link(|K ∩ R|) / link(|K|) = 4 × (0 + 1)/6 "
        "= 2/3 = 0.6667 of |K| = 4",
        "LEA recall = (2/3 + 1) / (4 + 3) = (5/3) / 7 = 0.2381 (23.8 %): "
        "this chain + 1 other key chain",
        "LEA precision = (8/3) / 8 = 0.3333 (33.3 %): all 3 response chains",
        "LEA F1 = 2 P R / (P + R) = 2 · 0.3333 · 0.2381 / (0.3333 + 0.2381) = 0.2778 (27.8 %)",
    ],
}


@pytest.mark.parametrize(("metric", "chain"), GOLDEN)
def test_a_chain_is_written_out(metric: str, chain: str) -> None:
    page = explanation_page(pradhan(metric, chain=chain), Signature.from_fields())
    expected = GOLDEN[metric, chain]
    assert list(notes_of(page)[1 : len(expected) + 1]) == expected


def test_mentions_and_their_chains_on_the_other_side() -> None:
    view = view_of(explanation_page(pradhan("muc", chain="k2"), Signature.from_fields()))
    assert list(view.columns) == ["Chain", "Mention", "Is in", "Shared", "Its size"]
    assert view.to_numpy().tolist() == [
        ["key k2", "d", "r2", "1", "2"],
        ["key k2", "e", "twinless", "0", "–"],
        ["key k2", "f", "r3", "2", "4"],
        ["key k2", "g", "r3", "2", "4"],
    ]


def test_a_document_lists_its_chains_and_their_sums() -> None:
    view = view_of(explanation_page(pradhan("b3", document="corpus"), Signature.from_fields()))
    assert view.to_numpy().tolist() == [
        ["key k1", "3", "5/3 = 1.6667", "3"],
        ["key k2", "4", "5/4 = 1.2500", "4"],
        ["key: all 2", "7", "35/12 = 2.9167", "7"],
        ["response r1", "2", "2", "2"],
        ["response r2", "2", "1", "2"],
        ["response r3", "4", "1", "4"],
        ["response: all 3", "8", "4", "8"],
    ]


def test_means_are_written_as_means() -> None:
    conll = notes_of(explanation_page(pradhan("conll", chain="k1"), Signature.from_fields()))[-2]
    assert (
        conll
        == "CoNLL F = (F(MUC) + F(B³) + F(CEAF_e)) / 3 = (0.4000 + 0.4545 + 0.5200) / 3 = 0.4582"
    )
    avg4 = notes_of(explanation_page(pradhan("avg4", chain="k1"), Signature.from_fields()))[-2]
    assert avg4 == (
        "Avg-4 F = (F(MUC) + F(B³) + F(CEAF_e) + F(BLANC)) / 4 "
        "= (0.4000 + 0.4545 + 0.5200 + 0.3676) / 4 = 0.4355"
    )
