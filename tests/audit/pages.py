"""What a review page shows and exports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cdec.auditing import Case, ShortList, to_page
from cdec.corpus import Corpus


def counts(page: Any) -> str:
    return str(page.inner_text("#counts"))


def rename(page: Any, name: str) -> None:
    page.fill("#reviewer", name)
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")


def exported(page: Any, file: Path) -> dict[str, Any]:
    with page.expect_download() as caught:
        page.keyboard.press("x")
    caught.value.save_as(file)
    content: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return content


def page_of(case: Case, sample: Corpus, file: Path) -> Path:
    """Write the page of one case of the sample."""
    about = {"corpus": "sample", "digest": sample.digest}
    file.write_text(to_page(ShortList((case,), about), sample), "utf-8")
    return file
