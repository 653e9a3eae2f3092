"""The notebooks of docs/notebooks run from the first cell to the last."""

import re
from pathlib import Path

import pytest

from tests.guides import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # those of Jupyter
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "clear the outputs"
    resources = {"metadata": {"path": tmp_path}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    errors = "".join(output["text"] for output in shown if output.get("name") == "stderr")
    progress = re.compile(r"\r(resampling:.*|\s*)")  # a bar, if the machine is slow
    assert progress.sub("", errors) == ""
    # Only the plot is displayed: all else is the value of its cell, and shown once.
    displayed = [output["data"] for output in shown if output["output_type"] == "display_data"]
    assert ["image/png" in data for data in displayed] == [True]
    assert any("image/png" in output.get("data", {}) for output in shown)
    assert sum("<table" in output.get("data", {}).get("text/html", "") for output in shown) >= 4
    assert (tmp_path / "scores.json").exists()
