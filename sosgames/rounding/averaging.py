r"""A proof without a solver, for a modulus slightly below an upper bound u.

.. math:: M - (u - \delta) R = (M - uR) + \delta R

The first summand gets the Gram matrix in which each coefficient is spread evenly over the entries that feed
it: the one of least norm. It is positive semidefinite for sums of even powers of linear forms and others that
are convex by their construction. The second, R as a positive combination of all squares
(`sosgames.sos.interior`), makes everything definite.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sosgames.certificates.parts import Part
from sosgames.conic.forms import GramSolution
from sosgames.conic.systems import program_scaling
from sosgames.rounding.definite import is_numerically_definite
from sosgames.rounding.dyadic import round_to_identity
from sosgames.rounding.parts import assemble_part
from sosgames.sos.interior import interior_weights
from sosgames.sos.program import SosProgram


def prove_by_averaging(
    program: SosProgram, upper: Fraction, delta: Fraction, *, player: str | None = None
) -> Part | None:
    """The proof of ``upper - delta`` whose Gram matrices are averages, where these are definite.

    None where they are not, or where the set is no product of boxes and balls.

    Parameters
    ----------
    program
        The program, for all moduli.
    upper
        A modulus at which the averages may be semidefinite: an upper bound that is known.
    delta
        What is given up for definiteness, positive.
    player
        Recorded in the part.

    Notes
    -----
    Cost: one rounding and one integer proof, linear in the coefficients and cubic in the sides; no solve.
    """
    weights = None if program.n_free else interior_weights(program)
    if weights is None:
        return None
    scaling = program_scaling(program)
    share = float(delta / scaling.size)
    grams = tuple(np.diag(np.ldexp(w, k) * share) for w, k in zip(weights, scaling.block_bits, strict=True))
    identity = round_to_identity(program, scaling, GramSolution(grams, np.zeros(0), 0.0), upper - delta)
    if identity is None or not all(is_numerically_definite(gram) for gram in identity.grams):
        return None
    return assemble_part(program, identity, player=player)
