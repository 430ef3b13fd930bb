"""Ctrl-C ends each command with code 130 and a word, also while its libraries are still being loaded."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import MetaPathFinder
from typing import Any

import pytest


class Interrupted(MetaPathFinder):
    """An import that is interrupted."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(self, name: str, *_: Any) -> None:
        if name == self.name:
            raise KeyboardInterrupt


@pytest.mark.parametrize("package", ["sosgames", "privacy_stats", "cascades"])
def test_ctrl_c_while_libraries_are_loaded_ends_with_130(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = import_module(f"{package}.cli")
    monkeypatch.delitem(sys.modules, f"{package}.cli.app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupted(f"{package}.cli.app"), *sys.meta_path])
    with pytest.raises(SystemExit) as end:
        command.main()
    assert end.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"
