"""What the library says about its arguments, in the words of the shell."""

from __future__ import annotations

import re

OPTIONS = {
    "background": "background",
    "cascade": "cascade",
    "degree": "degree",
    "fdr": "fdr",
    "horizon": "horizon",
    "level": "level",
    "never": "never",
    "n_cascades": "cascades",
    "n_edges": "edges",
    "n_folds": "folds",
    "n_layers": "layers",
    "n_nodes": "nodes",
    "node": "node",
    "nuclear": "nuclear",
    "rank": "rank",
    "resolution": "resolution",
    "support": "support",
    "ties": "ties",
    "time": "time",
    "transmission": "law",
    "unit": "unit",
    "window": "window",
}
"""The option for an argument of the library."""

_ARGUMENT = re.compile(rf"\b({'|'.join(OPTIONS)})=(?:'([^']*)'|([\w.+-]*))")
_FIRST = re.compile(rf"^({'|'.join(OPTIONS)})(?=:)")


def in_shell(message: str) -> str:
    """Return a message with the library's arguments written as options.

    Examples
    --------
    >>> in_shell("n_folds: got 1, wanted 2 to 9")
    '--folds: got 1, wanted 2 to 9'
    >>> in_shell("read with never=None, or give window= (how long)")
    'read with --never none, or give --window (how long)'
    """
    return _ARGUMENT.sub(_option, _FIRST.sub(lambda found: f"--{OPTIONS[found[1]]}", message))


def _option(found: re.Match[str]) -> str:
    value = (found[2] or found[3] or "").rstrip(".")
    option = f"--{OPTIONS[found[1]]}"
    if value == "True" or not value:
        return option
    return f"{option} {'none' if value == 'None' else value}"
