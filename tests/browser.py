"""A browser for tests of HTML pages: Debian's Chromium, driven over its own protocol.

Playwright, because ``chromium --dump-dom`` shows no console, requests, phone width or print styles.
It uses the Chromium of the system and downloads none.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PHONE, DESK = 400, 1280
_NAMES = ("chromium", "chromium-browser", "google-chrome")


@dataclass
class Visit:
    """An open page, its console messages, and its requests."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def violations(self) -> list[str]:
        """Return the rules of accessibility that the page breaks, light or dark (axe)."""
        from axe_playwright_python.sync_playwright import Axe

        broken = []
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            broken += Axe().run(self.page).response["violations"]
        return [f"{one['id']}: {one['nodes'][0]['html']}" for one in broken]

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        root = "document.documentElement"
        width = self.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth")
        return int(width)


@dataclass(frozen=True)
class Browser:
    """A running Chromium."""

    engine: Any

    @contextmanager
    def visit(self, file: Path, width: int = DESK, media: str = "screen") -> Iterator[Visit]:
        """Open ``file`` in a window of this width; its requests exclude the file itself."""
        page = self.engine.new_page(viewport={"width": width, "height": 900})
        visit = Visit(page)
        page.on("console", lambda message: visit.complaints.append(message.text))
        page.on("pageerror", lambda error: visit.complaints.append(str(error)))
        page.on("request", lambda request: visit.requests.append(request.url))
        page.emulate_media(media=media)
        page.goto(file.as_uri())
        visit.requests.remove(file.as_uri())
        try:
            yield visit
        finally:
            page.close()


@contextmanager
def running() -> Iterator[Browser]:
    """Run the system's Chromium, or skip; fail instead where CDEC_REQUIRE_BROWSER is 1."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        reason = "no browser: apt-get install chromium, pip install playwright"
        if os.environ.get("CDEC_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as play:
        # In a container Chromium's sandbox lacks permissions; the pages are our own.
        engine = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield Browser(engine)
        finally:
            engine.close()
