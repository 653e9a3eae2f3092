"""No input breaks a reader: a few inputs in every run, 100,000 per reader with ``-m slow``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.catalog import READERS
from tests.fuzz.reader import survives

INPUTS = os.environ.get("CDEC_FUZZ_INPUTS", "100000")
RUN = Path(__file__).with_name("run.py")


@pytest.mark.parametrize("name", READERS)
def test_seeds(name: str, tmp_path: Path) -> None:
    for seed in READERS[name].seeds:
        survives(READERS[name], tmp_path, seed)


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_changed_seeds(
    name: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    reader = READERS[name]
    pieces = st.sampled_from(reader.tokens).map(str.encode) | st.binary(max_size=4)
    content = bytearray(data.draw(st.sampled_from(reader.seeds)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 6))] = data.draw(pieces)
    survives(reader, tmp_path_factory.getbasetemp(), bytes(content))


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_many_inputs(name: str) -> None:
    pytest.importorskip("atheris", reason="install the group `fuzz`")
    ran = subprocess.run(
        [sys.executable, "-P", RUN, INPUTS, name], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    assert f"{name}: {INPUTS} inputs" in ran.stdout
