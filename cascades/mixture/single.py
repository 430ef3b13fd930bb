"""One network fitted to everything: where the published EM and the search without a support begin."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from cascades.exposures import Timeline
from cascades.optimisation.receiver import Settings, fit_block


def single_network(line: Timeline) -> sp.csr_array:
    """Return NetRate's rates, sender by receiver, in internal units."""
    n = line.n_nodes
    fits = fit_block(line, list(range(n)), Settings(errors=False, tolerance=1e-5, max_sweeps=500))
    receivers = np.repeat([f.receiver for f in fits], [len(f.rates) for f in fits])
    senders = np.concatenate([f.senders for f in fits])
    rates = np.concatenate([f.rates for f in fits])
    return sp.csr_array((rates, (senders, receivers)), shape=(n, n))
