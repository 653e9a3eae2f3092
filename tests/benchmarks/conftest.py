"""Benchmarks run only if the command line names their folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cdec.corpus import load_split, read, select
from tests.benchmarks import made_up

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if any(HERE.name in str(argument) for argument in config.invocation_params.args):
        return
    skip = pytest.mark.skip(reason="benchmark: run with `pytest tests/benchmarks`")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def ecbplus_test(request: pytest.FixtureRequest) -> tuple[pd.Series[Any], pd.Series[Any]]:
    """Key and head-word response of the ECB+ test split; without ECB+, synthetic data like it."""
    try:
        folder = request.getfixturevalue("ecbplus")
    except pytest.skip.Exception:
        return made_up.like_ecbplus()
    events = select(read(folder), "test", load_split("ycf")).selected
    return events["chain"], events["text"].str.split().str[-1].str.lower()
