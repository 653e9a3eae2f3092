import contextlib
import io
import sys
from collections.abc import Callable, Iterable
from typing import TypeAlias

import pytest

from cdec.io import bar, silent
from cdec.io import progress as module

Shown: TypeAlias = Callable[[Iterable[int], float], str]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    """Return a function that runs the bar on a terminal and returns the terminal output."""

    def show(items: Iterable[int], patience: float) -> str:
        # Not in the fixture: pytest replaces the stream between set-up and test.
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(module, "PATIENCE", patience)
        with contextlib.suppress(ZeroDivisionError):
            assert list(bar(items, 3, "annotating")) == [0, 1, 2]
        return terminal.getvalue()

    return show


def test_silent_passes_everything_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(silent(range(3), 3, "work")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


def test_long_work_shows_a_bar_on_a_terminal(shown: Shown) -> None:
    assert "annotating" in shown(range(3), -1.0)


def test_short_work_shows_nothing(shown: Shown) -> None:
    assert "annotating" not in shown(range(3), 60.0)


def test_no_terminal_no_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "PATIENCE", -1.0)
    assert list(bar(range(3), 3, "annotating")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


def test_the_cursor_is_back_when_the_work_fails(shown: Shown) -> None:
    text = shown((1 // (1 - i) for i in range(3)), -1.0)
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1
