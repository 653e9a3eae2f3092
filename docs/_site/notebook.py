"""A notebook, which is stored without outputs, as Markdown with them: it is run at build time."""

from __future__ import annotations

import base64
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_NOT_SHOWN = re.compile(r"<style.*?</style>|\sstyle=\"[^\"]*\"|\sclass=\"dataframe\"", re.DOTALL)
Pictures = dict[str, bytes]


def run(path: Path) -> tuple[str, Pictures]:
    """Return the page of a notebook that was run on the sample, and its pictures by name."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=300,
            resources={"metadata": {"path": folder}},
            extra_arguments=["--log-level=ERROR"],  # not that its port is on this machine
        )
        client.execute()
    pictures: Pictures = {}
    blocks = [b for cell in notebook.cells for b in _cell(cell, path.stem, pictures)]
    note = f"This page is [the notebook]({path.name}), run when the site was built."
    return "\n\n".join([blocks[0], note, *blocks[1:]]) + "\n", pictures


def _cell(cell: Any, name: str, pictures: Pictures) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield cell.source
        return
    yield f"```python\n{cell.source}\n```"
    for output in cell.outputs:
        if output.get("name") != "stderr":  # progress
            yield _output(output, cell.source, name, pictures)


def _output(output: Any, code: str, name: str, pictures: Pictures) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        picture = f"{name}-{len(pictures) + 1}.png"
        pictures[picture] = base64.b64decode(data["image/png"])
        return f"![What `{code.splitlines()[-1]}` draws]({picture})"
    if data.get("text/html", "").startswith("<table"):  # not a page with its own head
        return re.sub(r"\n\s*", "\n", _NOT_SHOWN.sub("", data["text/html"])).strip()
    text = data.get("text/plain") or output.get("text", "")
    return f"```text\n{_COLOUR.sub('', text).rstrip()}\n```"
