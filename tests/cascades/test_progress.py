"""A bar on stderr: for people at a terminal, late enough to spare them flicker, and gone afterwards."""

from __future__ import annotations

import io
from contextlib import redirect_stderr

import pytest

import cascades as cs
from cascades import progress as module


class Terminal(io.StringIO):
    """A stderr that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show the bar at once, on a terminal that can draw it."""
    monkeypatch.setattr(module, "DELAY", 0.0)
    monkeypatch.setenv("TERM", "xterm")


def test_long_work_shows_its_label_and_its_count() -> None:
    with redirect_stderr(Terminal()) as screen, module.progress(3, "receivers") as advance:
        for _ in range(3):
            advance(1)
    assert "receivers" in screen.getvalue()
    assert "3/3" in screen.getvalue()


def test_an_interrupted_bar_leaves_the_cursor_shown() -> None:
    def interrupted() -> None:
        with module.progress(3, "receivers") as advance:
            advance(1)
            raise KeyboardInterrupt

    with redirect_stderr(Terminal()) as screen, pytest.raises(KeyboardInterrupt):
        interrupted()
    hidden, shown = "\x1b[?25l", "\x1b[?25h"
    assert screen.getvalue().rfind(shown) > screen.getvalue().rfind(hidden) >= 0


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DELAY", 60.0)
    with redirect_stderr(Terminal()) as screen, module.progress(1, "receivers") as advance:
        advance(1)
    assert not screen.getvalue()


def test_a_pipe_and_quiet_work_show_nothing() -> None:
    for screen, shown in ((Terminal(), False), (io.StringIO(), True)):
        with redirect_stderr(screen), module.progress(1, "receivers", shown=shown) as advance:
            advance(1)
        assert not screen.getvalue()


def test_a_fit_counts_its_receivers(medium: tuple[cs.Network, cs.Cascades]) -> None:
    data = medium[1]
    with redirect_stderr(Terminal()) as screen:
        cs.NetRate().fit(data)
    assert f"{data.n_nodes}/{data.n_nodes}" in screen.getvalue()
