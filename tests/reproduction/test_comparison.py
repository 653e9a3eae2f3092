"""Comparison with the published values, and agreement."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import pytest

from cdec.corpus.statistics import COLUMNS
from cdec.evaluation import Results
from cdec.metrics import Counts
from cdec.metrics.scores import Scores
from cdec.reproduction import Agreement, compared_counts, compared_scores, printed_scores, tidy
from cdec.signature import Signature


def result(setting: str, system: str, counts: Mapping[str, Counts]) -> Results:
    """A result with these counts."""
    return of_scores(setting, system, Scores(tuple(counts), counts))


def of_scores(setting: str, system: str, scores: Scores) -> Results:
    head = {"corpus": "ecb+", "split": "ycf-test", "setting": setting, "system": system}
    return Results.of_scores(head, scores, Signature.from_fields())


MUC = {"muc": Counts(3, 10, 3, 4)}


def test_our_score_and_the_published_value() -> None:
    table = compared_scores("table2", result("bh", "lemma", MUC))
    records = table.to_dict("records")
    cells = {(r["setting"], r["system"], r["metric"], r["field"]): r for r in records}
    cell = cells["bh", "lemma", "muc", "precision"]
    assert cell["ours"] == pytest.approx(0.3)
    assert cell["printed"] == pytest.approx(0.374)
    assert cell["difference"] == pytest.approx(0.3 - 0.374)
    empty = cells["bh", "lemma", "b3", "f1"]
    assert pd.isna([empty["ours"], empty["difference"]]).all()


def test_published_rows_come_first() -> None:
    table = compared_scores(
        "table2", Results.joined([result("st", "mine", MUC), result("pure", "mine", MUC)])
    )
    printed = printed_scores("table2")
    assert table["column"].iloc[: len(printed)].tolist() == printed["column"].tolist()
    rest = table.iloc[len(printed) :]
    assert set(rest["system"]) == {"mine"}
    assert set(rest["setting"]) == {"st"}  # Table 2 has no PURE-CDEC
    assert rest["printed"].isna().all()
    assert (rest["notes"] == "").all()


def test_without_published_values() -> None:
    table = compared_scores("table2", result("bh", "lemma", MUC), printed=False)
    assert table["printed"].isna().all()
    assert table["ours"].tolist() == [0.3, 0.75, pytest.approx(3 / 7)]


def test_means_have_f_only() -> None:
    counts = {name: Counts(1, 2, 1, 2) for name in ("muc", "b3", "ceafe")}
    scores = Scores(("conll",), counts)
    table = tidy(of_scores("bh", "x", scores))
    assert table[["metric", "field", "ours"]].to_numpy().tolist() == [["conll", "f1", 0.5]]


def table_of(*cells: tuple[str, str, str, float, str]) -> pd.DataFrame:
    """Compared cells of one setting: system, metric, column, difference, notes."""
    names = ["system", "metric", "column", "difference", "notes"]
    return pd.DataFrame(cells, columns=names).assign(setting="simple", field="f1")


def test_agreement_is_over_f_cells_without_a_note() -> None:
    agreement = Agreement.from_compared(
        table_of(
            ("lemma", "muc", "muc_f", 0.01, ""),
            ("lemma", "b3", "b3_f", -0.03, ""),
            ("lemma", "conll", "conll_avg", 0.5, "averages"),
            ("lemma", "muc", "muc_p", 0.5, ""),
            ("sac", "muc", "muc_f", 0.5, ""),
            ("lemma-wd", "muc", "muc_f", float("nan"), ""),
        )
    )
    assert agreement is not None
    assert (agreement.cells, agreement.noted) == (2, 1)
    assert agreement.mean == pytest.approx(0.02)
    assert agreement.largest == pytest.approx(0.03)
    assert agreement.outside["column"].tolist() == ["b3_f"]


def test_a_row_in_two_tables_counts_once() -> None:
    both = pd.concat([table_of(("lemma", "muc", "muc_f", 0.01, ""))] * 2)
    agreement = Agreement.from_compared(both)
    assert agreement is not None
    assert agreement.cells == 1


def test_no_agreement_without_compared_cells() -> None:
    assert Agreement.from_compared(table_of(("sac", "muc", "muc_f", 0.5, ""))) is None


def test_published_counts() -> None:
    counts = [("annotation", "WD", "train", 24), ("size", "singletons", "train", 7)]
    table = compared_counts(pd.DataFrame(counts, columns=list(COLUMNS)))
    assert table["difference"].tolist()[0] == 1
    assert table["printed"].isna().tolist() == [False, True]
    assert table["notes"].tolist() == ["", ""]
    bare = compared_counts(pd.DataFrame(counts, columns=list(COLUMNS)), printed=False)
    assert bare["printed"].isna().all()
