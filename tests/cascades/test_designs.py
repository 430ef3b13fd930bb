"""The named designs have the shapes that their source prints."""

from __future__ import annotations

import numpy as np
import pytest

import cascades as cs


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def overlap_of(design: cs.designs.Design) -> float:
    a, b = design.support.matrix.toarray() > 0, design.psi.matrix.toarray() > 0
    return float((a & b).sum() / (a | b).sum())


@pytest.mark.parametrize("law", ["exponential", "rayleigh", "power-law"])
def test_b2_gives_each_node_one_shared_edge_and_one_of_a_alone(law: str) -> None:
    design = cs.designs.b2(law, rng=rng())  # type: ignore[arg-type]
    a, b = design.support.matrix.toarray() > 0, design.psi.matrix.toarray() > 0
    assert ((a & ~b).sum(axis=0) == 1).all()
    assert ((a & b).sum(axis=0) == b.any(axis=0)).all()
    low, high = (0.02, 2.0) if law == "rayleigh" else (2.0, 5.0)
    assert low <= design.theta.weights.min() <= design.theta.weights.max() <= high


def test_b3_has_the_printed_densities() -> None:
    """Psi 0.01, A 0.001 plus the edges that no node may lack; a tenth of either way is many deviations."""
    sizes = [
        (d.psi.n_edges, d.support.n_edges) for d in (cs.designs.b3(n_nodes=500, rng=rng(s)) for s in range(8))
    ]
    assert np.mean([p for p, _ in sizes]) / 500**2 == pytest.approx(0.01, rel=0.2)
    assert all(a > 0.0007 * 500**2 for _, a in sizes)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_c1_shares_the_printed_part_of_the_edges(share: float) -> None:
    design = cs.designs.c1(share, rng=rng(3))
    assert overlap_of(design) == pytest.approx(share, abs=0.01)
    both = (design.psi.matrix.toarray() > 0) & (design.theta.matrix.toarray() > 0)
    on = design.theta.matrix.toarray()[both]
    assert (((on >= 0.1) & (on <= 0.2)) | ((on >= 1.9) & (on <= 2.0))).all()
    assert design.psi.n_edges / 200**2 == pytest.approx(0.025, rel=0.3)


def test_c3_has_a_hundred_nodes_and_the_printed_overlap() -> None:
    design = cs.designs.c3(rng=rng(1))
    assert design.psi.n_nodes == 100
    assert overlap_of(design) == pytest.approx(0.15, abs=0.005)
    assert design.theta.n_edges == 198


def test_an_overlap_of_one_is_refused() -> None:
    with pytest.raises(cs.ArgumentError, match="overlap: got 1"):
        cs.designs.c1(1.0, rng=rng())
