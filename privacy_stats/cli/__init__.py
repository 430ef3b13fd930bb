"""The shell command `privacy-stats`."""

from privacy_stats.cli.app import main, run

__all__ = ["main", "run"]
