"""The probabilities of cases: the fit, its interval, its files, and the extrapolation."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cdec.auditing import (
    AuditConfig,
    Calibration,
    Decision,
    Findings,
    Judged,
    Rate,
    Review,
    ShortList,
    audit,
    calibrated,
    calibration_of,
    cross_validated,
    default_calibration,
    estimated,
    expected,
    fitted,
    match,
    read_calibration,
    read_judged,
    sampled,
    to_csv,
    to_jsonl,
)
from cdec.corpus import Corpus, by_digest
from tests.refusals import refused


def drawn(size: int = 2000) -> Judged:
    chance = np.random.default_rng(0)
    table = pd.DataFrame({"a": chance.normal(size=size), "b": chance.normal(size=size)})
    p = 1 / (1 + np.exp(-(2 * table["a"].to_numpy() - 1)))
    error = chance.random(size) < p
    return Judged(table, error, chance.integers(0, 20, size), np.ones(size))


def test_the_fit_finds_the_weights_and_is_calibrated_on_other_topics() -> None:
    judged = drawn()
    model = fitted(judged)
    a, b, constant = model.weights / np.append(model.scale, 1)
    assert (a, b) == (pytest.approx(2, abs=0.25), pytest.approx(0, abs=0.2))
    assert constant == pytest.approx(-1, abs=0.3)
    p = cross_validated(judged)
    for low in np.arange(0, 1, 0.2):
        inside = (p >= low) & (p < low + 0.2)
        assert judged.error[inside].mean() == pytest.approx(p[inside].mean(), abs=0.08)


def test_a_missing_column_counts_as_the_mean() -> None:
    model = fitted(drawn())
    rows = pd.DataFrame({"a": [np.nan, model.mean[0]], "b": [0.0, 0.0]})
    one, two = model.probabilities(rows)
    assert one == pytest.approx(two)


def test_expected_errors_have_the_variance_of_cases_and_estimation() -> None:
    p = np.full(100, 0.5)
    total, low, high = expected(p, [])
    assert (total, round(high - low, 1)) == (50, 19.6)
    wider = expected(p, [(np.ones((100, 1)), np.full((1, 1), 0.01))])
    assert wider[1] < low


def test_a_rate_without_judged_cases_is_a_half() -> None:
    assert Rate(0, 0).probability == 0.5
    assert Rate(9, 9).probability == 0.95


def test_a_calibration_is_written_and_read(tmp_path: Path) -> None:
    one, file = default_calibration(), tmp_path / "c.json"
    file.write_text(one.to_json(), "utf-8")
    assert read_calibration(file).digest == one.digest
    file.write_text(one.to_json().replace('"weights": [', '"weights": [1.0, '), "utf-8")
    with refused("file-invalid", place=file):
        read_calibration(file)


def test_probabilities_are_those_of_one_corpus_and_key(
    sample: Corpus, sample_cases: ShortList, scored_cases: ShortList
) -> None:
    ids = [case.id for case in sample_cases.cases]
    assert ids == [case.id for case in scored_cases.cases]
    assert [case.rank for case in sample_cases.cases] == list(range(1, len(ids) + 1))
    assert {case.score for case in sample_cases.cases} == {None}
    assert all(case.score is not None for case in scored_cases.cases)
    assert (sample_cases.expected, bool(scored_cases.expected)) == ((), True)
    assert [n.code for n in sample_cases.notices] == ["probabilities-elsewhere"]
    assert scored_cases.notices == ()
    lines = "".join(to_jsonl(sample_cases, sample)).splitlines()[1:]
    assert {json.loads(line)["score"] for line in lines} == {None}
    rows = list(csv.DictReader("".join(to_csv(sample_cases, sample)).splitlines()))
    assert {row["score"] for row in rows} == {""}
    assert [row["rank"] for row in rows] == [str(rank + 1) for rank in range(len(rows))]


def test_a_calibration_holds_for_the_digest_and_the_key(
    own_calibration: Calibration, sample: Corpus
) -> None:
    assert own_calibration.holds_for(sample.about)
    assert own_calibration.holds_for(sample.about | {"corpus": "renamed", "split": "test"})
    assert not own_calibration.holds_for(sample.select("entity").about)
    assert not own_calibration.holds_for(sample.about | {"digest": "0"})
    assert not own_calibration.holds_for(sample.about | {"key_patch_digest": "0"})
    assert not own_calibration.model_copy(update={"about": {}}).holds_for({})


def test_the_shipped_calibration_is_of_ecbplus() -> None:
    digest = str(default_calibration().about["digest"])
    known = by_digest(digest)
    assert known is not None
    assert known.name == default_calibration().about["corpus"] == "ecb+"
    assert default_calibration().holds_for({"corpus": "any", "digest": digest})


def judged_file(cases: ShortList, file: Path, most: int | None = None) -> Path:
    """Write verdicts on all missing links and spurious members: every second one is an error."""
    lines = ["ranking,verdict,mentions"]
    for kind in ("missing", "spurious"):
        listed = [case for case in cases.cases if case.kind.startswith(kind)]
        for case, verdict in zip(listed, cycle(["error", "not-error"]), strict=False):
            mentions = [id_ for side in case.sides[:2] for id_ in side.mentions]
            lines.append(f"{case.kind},{verdict},{' '.join(mentions)}")
    file.write_text("\n".join(lines[:most]), "utf-8")
    return file


def of_one_topic(corpus: Corpus) -> Corpus:
    return replace(corpus, mentions=corpus.mentions.assign(topic="1"), digest="0" * 64)


def test_the_units_of_judged_cases_are_sub_topics_in_a_corpus_of_one_topic(
    sample: Corpus, sample_cases: ShortList, sample_findings: Findings, tmp_path: Path
) -> None:
    judged = read_judged([judged_file(sample_cases, tmp_path / "judged.csv")])
    one_topic = replace(sample_findings.key, corpus=of_one_topic(sample))
    topics = match(judged, sample_findings)["topic"]
    units = match(judged, replace(sample_findings, key=one_topic))["topic"]
    assert 1 < topics.nunique() <= units.nunique()


def test_too_few_judged_cases_are_no_calibration(
    sample_cases: ShortList, sample_findings: Findings, tmp_path: Path
) -> None:
    judged = read_judged([judged_file(sample_cases, tmp_path / "judged.csv", 20)])
    with refused("part-too-small", "spurious members"):
        calibrated(sample_findings, judged, {})


@pytest.mark.slow
@pytest.mark.parametrize("topics", ["all", "one"])
def test_calibrate_names_the_corpus_whose_cases_were_judged(
    topics: str, sample: Corpus, sample_cases: ShortList, cached: None, tmp_path: Path
) -> None:
    corpus = sample if topics == "all" else of_one_topic(sample)
    file = judged_file(sample_cases, tmp_path / "judged.csv")
    fit = calibration_of(corpus, AuditConfig(), [file])
    assert (fit.about["corpus"], fit.about["digest"]) == ("sample", corpus.digest)
    assert audit(corpus, AuditConfig(), calibration=fit).expected


def test_a_judged_error_may_say_whether_the_correction_is_right(tmp_path: Path) -> None:
    verdicts = ("error", "error-this-fix", "error-other-fix", "not-error", "unsure")
    file = tmp_path / "judged.csv"
    rows = ["ranking,verdict,mentions", *(f"x,{verdict},a b" for verdict in verdicts)]
    file.write_text("\n".join(rows) + "\n", "utf-8")
    assert read_judged([file])["error"].tolist() == [1, 1, 1, 0]


def test_files_of_judged_cases(tmp_path: Path) -> None:
    file = tmp_path / "judged.csv"
    file.write_text("ranking,verdict,mentions\nx,error,a b\nx,unsure,c d\nx,not-error,e\n", "utf-8")
    table = read_judged([file])[["ranking", "error", "mentions"]]
    assert table.to_numpy().tolist() == [["x", 1.0, ["a", "b"]], ["x", 0.0, ["e"]]]
    file.write_text("ranking,verdict,mentions\nx,maybe,a b\n", "utf-8")
    with refused("table-invalid", place=f"{file}:2"):
        read_judged([file])


def test_a_sample_is_extrapolated(sample: Corpus, sample_cases: ShortList) -> None:
    part = sampled(sample_cases, sample, 40, 10, 1)
    assert part == sampled(sample_cases, sample, 40, 10, 1)
    assert len(part.cases) == 50
    assert len({case.id for case in part.cases}) == 50
    decisions = tuple(
        Decision(
            case=case.id,
            kind=case.kind,
            verdict="error" if case.detectors else "not-error",
            operation=case.fixes[0].operation,
        )
        for case in part.cases
    )
    about = dict(part.about)
    rows = estimated([Review(reviewer="ann", decisions=decisions, about=about, places={})])
    assert sum(row.cases for row in rows[:-1]) == len(sample_cases.cases)
    assert all(row.share[0] == 1 for row in rows[:-1])
    assert (rows[-1].judged, rows[-1].errors) == (10, 0)
    assert 0 < rows[-1].share[2] < 0.3
    with refused("parameter-invalid"):
        sampled(sample_cases, sample, 0, 0, 1)


def test_other_columns_of_judged_cases_are_not_read(tmp_path: Path) -> None:
    file = tmp_path / "judged.csv"
    row = 'links,error,a b,"{""merge"": [""a"", ""b""]}","one, as said"\n'
    file.write_text(f"ranking,verdict,mentions,correction,reason\n{row}", "utf-8")
    (tmp_path / "old.csv").write_text("ranking,verdict,mentions\nlinks,error,e f\n", "utf-8")
    table = read_judged([file, tmp_path / "old.csv"])
    assert table.to_numpy().tolist() == [["links", 1, ["a", "b"]], ["links", 1, ["e", "f"]]]
    for wrong in ("links,error", "links,error,a b,,,", 'links,error,a b,"'):
        file.write_text(f"ranking,verdict,mentions\n\nlinks,error,a b\n{wrong}\n", "utf-8")
        with refused("table-invalid", place=f"{file}:4"):
            read_judged([file])
