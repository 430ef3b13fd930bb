"""The shell command `cascades`: fit, simulate, compare, show."""

from cascades.cli.app import main

__all__ = ["main"]
