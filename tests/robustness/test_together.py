"""Simultaneous runs share the cache and the data folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdec.corpus import sample_path
from tests.robustness.runs import Job, Place

INSTALL = Job(f"corpus install {sample_path()} --name mine -q", ("data/corpora/mine.zip",))
EVALS = tuple(Job(f"eval -q --system lemma -f json -o {n}.json", (f"{n}.json",)) for n in "abc")


def together(place: Place, *jobs: Job) -> list[dict[str, bytes]]:
    """Run the jobs simultaneously, check that all succeed, and return their files."""
    processes = [place.start(job) for job in jobs]
    ends = [(*process.communicate(), process.returncode) for process in processes]
    assert ends == [(b"", b"", 0)] * len(jobs)
    assert place.parts() == []
    return [place.files(job) for job in jobs]


@pytest.mark.slow
def test_two_installations_and_three_evaluations(tmp_path: Path) -> None:
    results = together(Place(tmp_path / "shared"), INSTALL, INSTALL, *EVALS)
    alone = Place(tmp_path / "alone")
    assert results[0] == results[1] == alone.run(INSTALL)
    expected = alone.run(EVALS[0])["a.json"]
    assert [content for files in results[2:] for content in files.values()] == [expected] * 3


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3])
def test_the_same_output_from_several_runs_on_ecbplus(
    count: int, ecbplus: Path, tmp_path: Path
) -> None:
    corpus = {"CDEC_ECBPLUS": str(ecbplus)}
    install = Job(f"corpus install {ecbplus} -q", ("data/corpora/ecb+.zip",))
    cases = Job("eval -q --system lemma --ci --resamples 100 -f json -o out.json", ("out.json",))
    for job in (install, cases):
        results = together(Place(tmp_path / "shared", corpus), *[job] * count)
        assert results == [Place(tmp_path / "alone", corpus).run(job)] * count
