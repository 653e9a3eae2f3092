"""The site of the documentation: it builds without a warning, and its pages load nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import running
from tests.guides import ROOT

LOCAL = ("file:", "blob:", "data:")
PAGES = ("index.html", "guides/python.html", "reference/cdec.html", "errors.html", "RESULTS.html")


@pytest.mark.slow
def test_the_site_builds_and_its_pages_stand_alone(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-d", str(tmp_path / "s")],
        cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr
    with running() as browser:
        for page in PAGES:
            with browser.visit(tmp_path / "s" / page) as visit:
                assert visit.page.title()
                assert [r for r in visit.requests if not r.startswith(LOCAL)] == []
