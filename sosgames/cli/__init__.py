"""The shell command `sosgames`."""

from sosgames.cli.app import app, main

__all__ = ["app", "main"]
