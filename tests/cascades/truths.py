"""Truths in the form of fits, to start from."""

from __future__ import annotations

import numpy as np

import cascades as cs


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
