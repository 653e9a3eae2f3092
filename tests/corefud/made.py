"""Scores of two CoNLL-U files as counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple
from pathlib import Path
from typing import Any

from cdec.formats import Annotation, read
from cdec.matching import FilePolicy, Matched, match_files
from cdec.metrics import Contingency, measure
from cdec.settings import Setting, build

DOCUMENT = Setting("none", "scope document", "document")


def matched(key: Annotation | Path, response: Annotation | Path, **policy: Any) -> Matched:
    sides = [read(side, "conllu") if isinstance(side, Path) else side for side in (key, response)]
    return match_files(sides[0], sides[1], FilePolicy(allow_empty=True, **policy))


def counts(match: Matched, metrics: Iterable[str]) -> dict[str, list[float]]:
    """Return metric → [recall numerator, denominator, those of precision]."""
    metas = build(DOCUMENT, match.mentions, match.key, match.response, match.words)
    measured = measure(Contingency.from_meta_documents(metas), metrics)
    return {name: [*astuple(c)[2:], *astuple(c)[:2]] for name, c in measured.items()}
