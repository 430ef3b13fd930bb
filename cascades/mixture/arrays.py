"""What the kernels of a pass read and write: arrays of records, so that one of them is one cache line.

Factors are lists of their non-zero entries by row, so that a pass costs what is not zero. Edges and entries
carry their own tallies; a node and a factor have a record that is used anew for every cascade.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cascades.exposures import Timeline
from cascades.mixture.decays import NONE, Decays
from cascades.mixture.state import Edges, Parameters, Sums
from cascades.tables.types import Floats, Integers
from cascades.transmission import EXPONENTIAL, RAYLEIGH

Records = NDArray[np.void]
UNTOUCHED, SURVIVES = np.inf, 1e300
N_KINDS = 4
"""Of sums that fade: what is sent; of receivers, exposed ones, shares, squares."""


def _floats(*names: str) -> list[tuple[str, str]]:
    return [(name, "f8") for name in names]


EDGE = np.dtype([("sender", "i8"), *_floats("rate", "sent", "exposure")])
"""An edge of theta, listed by receiver, and what it is expected to have passed on for rate 1."""

ENTRY = np.dtype([("place", "i8"), *_floats("value", "sent", "exposure", "squares")])
"""A non-zero entry of a factor; `place` is its column."""

NODE = np.dtype(_floats("pi", "posterior", "weight", "damping"))
"""A node: its preference pi; in a cascade the posterior of theta, (1 - posterior) / P(activated through psi)
(-1: no explanation)."""

SENT = np.dtype(_floats("zeroth", "first", "second", "time"))
"""A factor: the sum of U over active senders, its integral, the integral of that, up to `time`.

By pairs and by sums that fade `zeroth` is weighted by the hazard, and `first` is the exposure.
"""

RECEIVED = np.dtype(
    _floats("exposed", "exposed1", "exposed2", "share", "share1", "square", "square1", "square2", "time")
)
"""A factor: receivers later than `time`: exposed ones, shares of activations, squares; and integrals.

By sums that fade `exposed` are survivors, `exposed1` is the exposure; `share` is weighted by the hazard, and
`square` by its square.
"""


class Table(NamedTuple):
    """The cascades, as in `Timeline`."""

    starts: Integers
    members: Integers
    times: Floats
    horizons: Floats


class Clock(NamedTuple):
    """The law, the width of bins, and the kind of sweep.

    With `running` sums the hazard is what is being sent (exponential) or its integral (Rayleigh, `delayed`),
    the exposure one integral more. With `fading` sums it is a sum of exponentials; else pairs are swept.
    """

    code: int
    parameter: float
    width: float
    running: bool
    delayed: bool
    fading: bool
    pairwise: bool


class Graph(NamedTuple):
    """Theta's edges by receiver, and the receivers of each sender."""

    into: Integers
    edges: Records
    out: Integers
    receivers: Integers


class Factors(NamedTuple):
    """Entries of U and V by row; nodes with entries of V, and whether each node has any at all."""

    u_rows: Integers
    u: Records
    v_rows: Integers
    v: Records
    receivers: Integers
    used: NDArray[np.bool_]


class Scratch(NamedTuple):
    """Nodes and factors in the cascade under way; lists of nodes; per node the sums for pi; the likelihood.

    `when` is a node's time of activation, `UNTOUCHED` if it was not activated and `SURVIVES` once it is known
    to have been exposed. `log` holds a product whose log is still to be taken, the log-likelihood, and how
    many activations had no explanation. `fading` holds sums by kind, term of `decays` and factor, `sums`
    those over terms; `left` and `gone` say what a time leaves of each term; `until` is what a sender exposes
    survivors to.
    """

    when: Floats
    nodes: Records
    sent: Records
    received: Records
    touched: Integers
    plain: Integers
    listed: Integers
    latent: Integers
    shares: Floats
    counts: Floats
    log: Floats
    decays: Decays
    fading: Floats
    sums: Floats
    left: Floats
    gone: Floats
    until: Floats


def clock_of(line: Timeline, decays: Decays | None = None) -> Clock:
    """Return how this timeline's pairs interact; exact exponential and Rayleigh times have running sums."""
    code, fading = line.law.code, decays is not None
    running = code in (EXPONENTIAL, RAYLEIGH) and line.width == 0.0
    delayed, pairwise = running and code == RAYLEIGH, not (running or fading)
    return Clock(code, line.law.parameter, line.width, running, delayed, fading, pairwise)


def table_of(line: Timeline) -> Table:
    """Return the arrays of a timeline."""
    return Table(line.starts, line.members, line.times, line.horizons)


def graph_of(edges: Edges, theta: Floats) -> Graph:
    """Return theta's edges with empty tallies."""
    records = _records(EDGE, sender=edges.senders, rate=theta)
    return Graph(edges.in_pointers, records, edges.out_pointers, edges.receivers)


def factors_of(p: Parameters) -> Factors:
    """Return both factors with empty tallies; a column that is empty in one is left out of the other."""
    used = p.used
    u, v = sp.csr_array(np.where(used, p.u, 0.0)), sp.csr_array(np.where(used, p.v, 0.0))
    pointers = [m.indptr.astype(np.int64) for m in (u, v)]
    entries = [_records(ENTRY, place=m.indices.astype(np.int64), value=m.data) for m in (u, v)]
    sends, receives = (np.diff(rows) > 0 for rows in pointers)
    return Factors(
        pointers[0], entries[0], pointers[1], entries[1], np.flatnonzero(receives), sends | receives
    )


def scratch_of(p: Parameters, decays: Decays | None = None) -> Scratch:
    """Return scratch for a sweep with these parameters."""
    terms = decays or NONE
    n_terms = len(terms.hazard)
    left, gone = np.zeros((2, n_terms))
    n, rank = p.u.shape
    nodes = _records(NODE, pi=p.pi)
    touched, plain, listed, latent = np.zeros((4, n + 1), dtype=np.int64)
    shares, counts = np.zeros((2, n))
    sent, received, log = np.zeros(rank, SENT), np.zeros(rank, RECEIVED), np.array([1.0, 0.0, 0.0])
    return Scratch(
        np.full(n, UNTOUCHED),
        nodes,
        sent,
        received,
        touched,
        plain,
        listed,
        latent,
        shares,
        counts,
        log,
        terms,
        np.zeros((N_KINDS, n_terms, rank)),
        np.zeros((3, rank)),
        left,
        gone,
        np.zeros(n),
    )


def sums_of(graph: Graph, factors: Factors, scratch: Scratch, p: Parameters) -> Sums:
    """Return the tallies in the order of the parameters; 0 for entries of a factor that are 0."""
    n, rank = p.u.shape
    sums = Sums.zeros(n, rank, len(p.theta))
    sums.theta[:] = graph.edges["sent"] * p.theta
    sums.theta_exposure[:] = graph.edges["exposure"]
    for name, rows, entries in (("u", factors.u_rows, factors.u), ("v", factors.v_rows, factors.v)):
        where = (np.repeat(np.arange(len(rows) - 1), np.diff(rows)), entries["place"])
        for suffix, field in (("", "sent"), ("_exposure", "exposure"), ("_squares", "squares")):
            getattr(sums, name + suffix)[where] = entries[field]
    sums.pi[:], sums.touched[:] = scratch.shares, scratch.counts
    sums.log_likelihood[0] = scratch.log[1] + np.log(scratch.log[0])
    sums.unexplained[0] = scratch.log[2]
    return sums


def _records(kind: np.dtype[Any], **fields: Floats | Integers) -> Records:
    records = np.zeros(len(next(iter(fields.values()))), kind)
    for name, values in fields.items():
        records[name] = values
    return records
