"""The CoNLL reference scorer v8.01 as a fixture: key and response texts → its counts."""

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

import pytest

from cdec.matching import Matched
from cdec.metadocument import MetaDocuments
from cdec.metrics.scores import score
from cdec.settings.setting import Setting, build

_LINE = re.compile(r"Recall: \((\S+) / (\S+)\).*Precision: \((\S+) / (\S+)\)")
METRICS = {
    "muc": ["muc"],
    "bcub": ["b3"],
    "ceafm": ["ceafm"],
    "ceafe": ["ceafe"],
    "blanc": ["blanc_coref", "blanc_noncoref"],
}
MENTIONS = "mentions"  # the identification of mentions, which the scorer prints with every metric
Scored = dict[str, tuple[float, ...]]


class PerlScorer(Protocol):
    """(key text, response text) → metric → (p_num, p_den, r_num, r_den)."""

    def __call__(self, key: str, response: str, metrics: Iterable[str] = ("all",)) -> Scored: ...


@pytest.fixture(scope="session")
def perl_scorer(tmp_path_factory: pytest.TempPathFactory) -> PerlScorer:
    """Return a function that runs the reference scorer.

    It counts repeated mentions over all metrics of a run and stops after ten; if there are
    repeated mentions, name the metrics one by one.
    """
    path = Path(os.environ.get("CDEC_REFERENCE_SCORER", ""))
    if not path.is_file():
        message = "CDEC_REFERENCE_SCORER does not name the scorer.pl of the CoNLL reference scorer"
        if os.environ.get("CDEC_REQUIRE_REFERENCE_SCORER") == "1":
            pytest.fail(message)
        pytest.skip(message)
    folder = tmp_path_factory.mktemp("perl")

    def run(key: str, response: str, metrics: Iterable[str] = ("all",)) -> Scored:
        files = folder / "key", folder / "response"
        for file, text in zip(files, (key, response), strict=True):
            file.write_text(text)
        scored: Scored = {}
        for metric in metrics:
            asked = "muc" if metric == MENTIONS else metric
            command: list[str | Path] = ["perl", path, asked, *files, "none"]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            scored |= _parse(done.stdout if metric == "all" else f"METRIC {metric}:{done.stdout}")
        return scored

    return run


def _parse(output: str) -> Scored:
    scored: Scored = {}
    for section in output.split("METRIC ")[1:]:
        metric, *lines = section.replace("version:", "\n", 1).splitlines()
        found = [match.groups() for line in lines if (match := _LINE.search(line))]
        name = metric.rstrip(":")
        names, first = ([name], 0) if name == MENTIONS else (METRICS[name], 1)
        for name, counts in zip(names, found[first : first + len(names)], strict=True):
            r_num, r_den, p_num, p_den = map(float, counts)
            scored[name] = (p_num, p_den, r_num, r_den)
    return scored


def ours(metas: MetaDocuments) -> Scored:
    """The counts of cdec in the same form."""
    names = [MENTIONS, *(name for names in METRICS.values() for name in names)]
    counts = score(metas, names).counts
    chosen = {name: counts[name] for name in names}
    return {name: (c.p_num, c.p_den, c.r_num, c.r_den) for name, c in chosen.items()}


def by_document(matched: Matched) -> MetaDocuments:
    """The meta-documents of ``cdec score`` with scope document."""
    setting = Setting("none", "none", "document")
    return build(setting, matched.mentions, matched.key, matched.response)
