"""The JSON of every command has the same keys at its top level."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Done, Run

CALLS = (
    "eval -s pure --system lemma",
    "eval -s pure --system lemma --by topic",
    "eval -s pure --system lemma --ci --resamples 20",
    "score key.conll mine.conll --scope document",
    "explain key.conll mine.conll -m muc -d 4_1ecb",
    "tune",
    "train",
    "compare lemma lemma-wd --resamples 20",
    "diagnose lemma",
    "reproduce figure3",
    "reproduce table2",
    "corpus stats",
    "corpus stats --diversity",
    "audit run",
    "audit benchmark --plant detach --errors 2 --seeds 1",
    "corpus verify",
)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("call", CALLS)
def test_signature_and_rows_at_the_top_level(call: str, done: Done) -> None:
    content = json.loads(done(*call.split(), "--format", "json"))
    assert isinstance(content["signature"], str)
    assert "cdec:" in content["signature"]
    assert all(isinstance(signature, dict) for signature in content["signatures"])
    assert len(content["signatures"]) >= 1
    assert content["rows"]


def test_figure3_needs_no_corpus(cdec: Run) -> None:
    ran = cdec("reproduce", "figure3", "--corpus", "/no/such/place")
    assert (ran.code, ran.err) == (0, "")
    assert "sample" not in ran.out
