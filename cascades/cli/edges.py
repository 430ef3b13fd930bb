"""Edge tables: a header that names sender and receiver, and perhaps a weight, then one edge a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from cascades.errors import InputError
from cascades.files import listed, read_rows
from cascades.networks import Network
from cascades.tables.types import Label

NAMES = {
    "sender": ("sender", "from", "source"),
    "receiver": ("receiver", "to", "target"),
    "weight": ("weight", "rate"),
}
"""Headers by which a column is known, in any case; others are ignored."""


def read_edges(path: Path, nodes: Sequence[Label] | None = None, *, weighted: bool = False) -> Network:
    """Read a network over `nodes`, or over the labels of the table; edges without a weight get 1.

    Raises
    ------
    InputError
        Naming the row of a fault: an unknown node, a self-loop, an edge that stands twice, a weight that is
        no number above 0.
    """
    header, rows = read_rows(path)
    at = _columns(path, header)
    if weighted and "weight" not in at:
        raise InputError(f"{path}: no column weight or rate; found {listed(header)}")
    labels = nodes or sorted({row[at[end]] for row in rows for end in ("sender", "receiver")})
    known = {str(n): n for n in labels}
    edges: dict[tuple[Label, Label], float] = {}
    faults: list[str] = []
    for number, row in enumerate(rows, start=1):
        sender, receiver = row[at["sender"]], row[at["receiver"]]
        weight = _weight(row[at["weight"]]) if "weight" in at else 1.0
        fault = _fault(sender, receiver, weight, known)
        if not fault and (known[sender], known[receiver]) in edges:
            fault = f"{sender} -> {receiver} stands twice; keep one row"
        if fault:
            faults.append(f"{path}, row {number}: {fault}")
        else:
            edges[known[sender], known[receiver]] = weight
    if faults:
        raise InputError(faults)
    return Network.from_edges(edges, nodes=labels)


def _columns(path: Path, header: list[str]) -> dict[str, int]:
    """Return which column holds what."""
    plain = [name.strip().lower() for name in header]
    found = {what: [plain.index(n) for n in names if n in plain] for what, names in NAMES.items()}
    missing = [what for what in ("sender", "receiver") if not found[what]]
    if missing:
        raise InputError(
            f"{path}: its first line is {listed(header)!r}; wanted a header with a column sender (or from, "
            "source) and a column receiver (or to, target)"
        )
    return {what: places[0] for what, places in found.items() if places}


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _fault(sender: str, receiver: str, weight: float, known: dict[str, Label]) -> str:
    for label in (sender, receiver):
        if label not in known:
            return f"unknown node {label!r}; the table of cascades has no such node"
    if sender == receiver:
        return f"{sender} -> {receiver} is a self-loop; nobody passes on to themselves, drop the row"
    if not (math.isfinite(weight) and weight > 0):
        return f"the weight of {sender} -> {receiver} is no number above 0"
    return ""
