"""The guides: each is followed to the letter, and shows what its reader will see."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.guides import ROOT, Guide

FOLDER = ROOT / "docs" / "guides"
PAGES = sorted(FOLDER.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_guide_does_what_it_says(
    page: Path,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    if page.stem == "reproduce-the-paper":
        (tmp_path / "ECB+_LREC2014").symlink_to(request.getfixturevalue("ecbplus"))
    guide = Guide(page, tmp_path)
    made = guide.followed()
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        page.write_text(made, "utf-8")
    assert made == guide.text
