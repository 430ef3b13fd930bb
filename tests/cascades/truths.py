"""Small designs to fit, and truths in the form of fits, to start from."""

from __future__ import annotations

import numpy as np

import cascades as cs


def small_design(
    seed: int = 3, n_cascades: int = 400, **how: object
) -> tuple[cs.designs.Design, cs.Cascades]:
    """Return two networks over twenty nodes, and cascades drawn from them."""
    rng = np.random.default_rng(seed)
    design = cs.designs.b1("community", n_nodes=20, rank=2, rng=rng)
    data = cs.simulate(
        design.theta, design.psi, design.pi, n_cascades=n_cascades, horizon=5.0, rng=rng, **how
    )  # type: ignore[arg-type]
    return design, data


def truth_of(design: cs.designs.Design, law: cs.Law, *, factors: bool) -> cs.MixtureFit:
    """Return the design as a fit whose psi is given by factors or edge by edge."""
    none = np.zeros((len(design.pi), 0))
    u, v = (design.senders, design.receivers) if factors else (none, none)
    return cs.MixtureFit(
        support=design.support,
        theta=design.theta,
        psi=design.psi,
        u=u,
        v=v,
        pi=design.pi,
        touched=np.zeros(len(design.pi)),
        log_likelihood=0.0,
        n_unexplained=0,
        law=law,
    )
