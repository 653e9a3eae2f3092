"""``cdec audit`` refuses what cannot be found before it looks for anything."""

import pytest
from typer.testing import CliRunner

from cdec.cli.app import app
from cdec.errors import UnknownNameError


def test_an_unknown_topic_is_a_wrong_call() -> None:
    with pytest.raises(UnknownNameError, match="unknown topic 'nope'"):
        CliRunner().invoke(
            app, ["audit", "run", "--corpus", "sample", "--topic", "nope"], catch_exceptions=False
        )
