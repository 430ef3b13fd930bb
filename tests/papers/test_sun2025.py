"""Sums under personalised local privacy: the printed order of methods, and the page that shows it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np

import privacy_stats as ps

HERE = Path(__file__).parent
PRINTED = tomllib.loads((HERE / "sun2025.toml").read_text(encoding="utf-8"))
PAGE = (HERE.parent.parent / "docs" / "papers" / "sun2025.md").read_text(encoding="utf-8")


def test_every_printed_number_is_on_the_page() -> None:
    for row in PRINTED.values():
        assert all(f" {number} " in PAGE for number in row.values())


def test_the_radius_protocol_at_its_best_scale_beats_one_clip_for_all_as_printed() -> None:
    # Paper: 7.39 against 52.67. Here 5 % of the users are careful; the order is the same; seeded.
    rng = np.random.default_rng(0)
    values = rng.uniform(0, 1000, 20_000)
    budgets = ps.Budgets.zcdp(np.where(rng.random(20_000) < 0.05, 1e-6, 10.0))
    radius = ps.SunRadius(1e6, 1, True)
    error = {}
    for protocol in (ps.OptimalUniformClip(1e6, 1, True), ps.OracleScaleRadius(radius), radius):
        found = ps.repeat_estimates(values, budgets, protocol=protocol, runs=10)
        error[protocol.name] = float(np.sqrt(np.mean((found / values.sum() - 1) ** 2)))
    assert error["oracle-scale-radius"] < error["oracle-uniform-clip"]
    assert error["oracle-scale-radius"] < error["sun-radius"]  # the scale chosen from reports costs


def test_the_diameter_protocol_is_better_than_the_radius_where_values_are_far_and_close_together() -> None:
    budgets = ps.Budgets.zcdp(np.full(20_000, 10.0))
    values = 10_000 + np.random.default_rng(0).normal(0, 10, 20_000)
    error = {}
    for protocol in (ps.SunRadius(1e6, 1, True), ps.SunDiameter(1e6)):
        found = ps.repeat_estimates(values, budgets, protocol=protocol, runs=5)
        error[protocol.name] = float(np.abs(found / values.sum() - 1).max())
    assert error["sun-diameter"] < 0.1 * error["sun-radius"]
