"""Audit every mechanism at full size, and broken ones beside them; prints three tables.

    make audit-privacy                        4,000,000 draws per audit, about ten minutes on one core
    python benchmarks/privacy_audits.py 400000

First table: every mechanism at every level must pass both the split-sample bound (false alarm 1e-6) and the
chi-square test against its exact probabilities. Second: the same mechanisms with 5 % too little noise;
"bound" or "chi-square" says what refuted them, "no" that neither did. Third: the power that the chi-square
test has against them, by the noncentral approximation. The exit code is 1 if an honest mechanism fails.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from scipy import stats

import privacy_stats as ps
from privacy_stats.audits.goodness import compare, exact_pmf
from privacy_stats.budgets import BILLION, parse_amount
from privacy_stats.mechanisms import Mechanism

LEVELS = ["0.01", "0.05", "0.1", "0.5", "1", "2", "4", "10"]
ERROR = 1e-6
PURE: list[Mechanism] = [
    ps.OneBit(0, 1),
    ps.Piecewise(0, 1, 1024),
    ps.Hybrid(0, 1, 1024),
    ps.Laplace(0, 1, 1024),
    ps.RandomisedResponse(5),
]
ZCDP: list[Mechanism] = [ps.Gaussian(0, 1, 1024), ps.VectorGaussian(3, 1.0, radius=1024)]


def honest(mechanism: Mechanism, level: str, draws: int) -> tuple[str, bool]:
    kind = mechanism.kinds[0]
    claim = {"epsilon": float(level)} if kind == "pure" else {"rho": float(level)}
    found = ps.audit(ps.mechanism_sampler(mechanism, kind, level), n_draws=draws, false_alarm=ERROR, **claim)
    fit = ps.goodness_of_fit(mechanism, kind, level, n_draws=draws)
    return f"{found.lower_bound:.4g} p={fit.p_value:.2g}", found.passed and fit.p_value > ERROR


def mutant(mechanism: Mechanism, level: str, draws: int) -> str:
    kind = mechanism.kinds[0]
    claim = {"epsilon": float(level)} if kind == "pure" else {"rho": float(level)}
    more = str(float(level) * (1.05 if kind == "pure" else 1.05**2))
    sampler = ps.mechanism_sampler(mechanism, kind, more)
    if not ps.audit(sampler, n_draws=draws, false_alarm=ERROR, **claim).passed:
        return "bound"
    right, wrong = channels(mechanism, level), channels(mechanism, more)
    if len(right) > 1:
        return "no"
    values = np.broadcast_to(*upper(mechanism, draws))
    _, report = mechanism.randomise(values, np.zeros(draws, dtype=np.int32), [wrong], ps.SystemRandomness())
    drawn = report[:, -1] if report.ndim == 2 else report
    statistic, degrees = compare(drawn, *exact_pmf(right[0], position(mechanism)))
    return "chi-square" if degrees and stats.chi2.sf(statistic, degrees) < ERROR else "no"


def power(mechanism: Mechanism, level: str, draws: int) -> str:
    factor = 1.05 if mechanism.kinds[0] == "pure" else 1.05**2
    right, wrong = channels(mechanism, level), channels(mechanism, str(float(level) * factor))
    if len(right) > 1:
        return "by arm"
    return f"{ps.chi_square_power(right[0], wrong[0], position(mechanism), draws, ERROR):.3f}"


def channels(mechanism: Mechanism, level: str) -> tuple[ps.mechanisms.Channel, ...]:
    kind = mechanism.kinds[0]
    return mechanism.channels(kind, Fraction(parse_amount(level, kind), BILLION))


def position(mechanism: Mechanism) -> int:
    return getattr(mechanism, "steps", 0)  # the upper end; 0 for categories and vectors


def upper(mechanism: Mechanism, draws: int) -> tuple[np.ndarray, tuple[int, ...]]:
    if mechanism.width > 1:
        return np.zeros(mechanism.width), (draws, mechanism.width)
    return np.array(1.0 if hasattr(mechanism, "grid") else 0.0), (draws,)


def main() -> int:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000_000
    console, failed = Console(width=150), 0
    titles = (
        "lower bound and chi-square p-value",
        "5 % too little noise is refuted by",
        "power of chi-square",
    )
    tables = [Table("mechanism", *LEVELS, title=title) for title in titles]
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("audits", total=len(PURE + ZCDP) * len(LEVELS))
        for mechanism in PURE + ZCDP:
            rows: list[list[str]] = [[], [], []]
            for level in LEVELS:
                text, passed = honest(mechanism, level, draws)
                failed += not passed
                rows[0].append(text if passed else f"FAILED {text}")
                rows[1].append(mutant(mechanism, level, draws))
                rows[2].append(power(mechanism, level, draws))
                progress.advance(task)
            for table, row in zip(tables, rows, strict=True):
                table.add_row(mechanism.name, *row)
    for table in tables:
        console.print(table)
    console.print(f"{draws} draws per audit, false alarm {ERROR:g}; {failed} honest mechanisms failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
