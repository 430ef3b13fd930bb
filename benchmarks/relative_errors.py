"""What studies of protocols share: relative errors of repeated runs, in a file that a stopped run reads."""

from __future__ import annotations

import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import privacy_stats as ps


def relative_errors(protocol: Any, values: Any, budgets: ps.Budgets, runs: int) -> list[float]:
    """Return ``|estimate - truth| / |truth|`` of all runs; an oracle knows its error: one run says all."""
    truth = values.sum(axis=0)
    size = float(np.linalg.norm(truth))
    if isinstance(protocol, ps.Oracle):
        once = ps.estimate_sum(values, budgets, protocol=protocol, rng=ps.simulation_rng(0))
        bias = float(np.linalg.norm(np.squeeze(once.details["clipped_sum"]) - truth))
        noise = np.broadcast_to(once.standard_error, np.shape(truth))
        return [math.hypot(bias, float(np.linalg.norm(noise))) / size]
    found = ps.repeat_estimates(values, budgets, protocol=protocol, runs=runs)
    gaps = (found - truth).reshape(len(found), -1)
    return [float(e) for e in np.linalg.norm(gaps, axis=1) / size]


def rms(found: list[float]) -> float:
    """Return the root mean square."""
    return math.sqrt(sum(e * e for e in found) / len(found))


def few_levels(rho: Any) -> ps.Budgets:
    """Return budgets of at most 64 levels, rounded down."""
    budgets = ps.Budgets.zcdp(rho)
    if len(budgets.levels) <= 64:
        return budgets
    return budgets.rounded_down(np.geomspace(rho.min(), rho.max(), 64))


class Table:
    """Relative errors by cell and protocol, in a JSON file that is replaced after every entry."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.errors: dict[str, list[float]] = json.loads(path.read_text()) if path.exists() else {}

    def fill(
        self, cell: str, protocols: list[Any], data: tuple[Any, ps.Budgets], runs: dict[str, int]
    ) -> None:
        """Run what is missing of a cell, as often as `runs` says for a protocol, or for "all" others.

        A `HullDiameter` that looks for no centre is its inner protocol, which comes before it.
        """
        values, budgets = data
        for protocol in protocols:
            key = f"{cell}|{protocol.name}"
            if key in self.errors:
                continue
            start = time.perf_counter()
            if isinstance(protocol, ps.HullDiameter) and protocol.for_budgets(
                budgets
            ) == protocol.inner.for_budgets(budgets):
                self.errors[key] = self.errors[f"{cell}|{protocol.inner.name}"]
            else:
                often = runs.get(protocol.name, runs["all"])
                self.errors[key] = relative_errors(protocol, values, budgets, often)
            took = time.perf_counter() - start
            print(f"{key}: {rms(self.errors[key]):.4f} in {took:.1f} s", file=sys.stderr, flush=True)
            part = self.path.with_suffix(".part")
            part.write_text(json.dumps(self.errors))
            part.replace(self.path)
