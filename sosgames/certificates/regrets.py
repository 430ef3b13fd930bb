r"""What a player could gain by leaving a point, bounded over all deviations and not to first order only.

Fix the others' strategies :math:`x_{-i}`. The loss :math:`L_i(z) = u_i(x) - u_i(z, x_{-i})` is a polynomial
in player i's own variables z, computed here from the user's game. A proof that the 1 by 1 matrix L_i has a
modulus of at least :math:`-\varepsilon_i` on :math:`X_i` says that :math:`u_i(z, x_{-i}) \le u_i(x) +
\varepsilon_i` for every z in X_i. No concavity is needed, and the set need not be convex.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from sosgames.certificates.claims import VerifiedClaim, check_point, listing, number
from sosgames.certificates.errors import CertificateError, InputError, shown
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import RegretProof


def loss_of_deviating(player: ExactPlayer, x: Mapping[str, Fraction]) -> MatrixProblem:
    """The question whether a player loses by every deviation from x: is L_i >= 0 on the player's set?

    Raises
    ------
    InputError
        When the polynomial passes a size limit.

    Examples
    --------
    >>> from sosgames.certificates.sets import Box
    >>> u = Polynomial.variable("z") * Polynomial.variable("y")
    >>> player = ExactPlayer("P", ("z",), u, (Box({"z": (0, 1)}),))
    >>> print(loss_of_deviating(player, {"z": Fraction(1), "y": Fraction(2, 3)}).rows[0][0])
    -2*z/3 + 2/3
    """
    others = {name: Polynomial.constant(x[name]) for name in player.utility.variables - {*player.variables}}
    loss = player.utility(x) - player.utility.substitute(others)
    return MatrixProblem(((loss,),), player.variables, player.strategies)


def losses(proof: RegretProof, game: ExactGame) -> dict[str, MatrixProblem]:
    """The problems that the proof's certificates must be about, by player."""
    check_point(proof.point, game, "claim.point")
    movers = {player.name: player for player in game.players if player.variables}
    for where, named in (("claim.regrets", proof.regrets), ("certificates", proof.certificates)):
        if named.keys() != movers.keys():
            raise CertificateError(f"{where}: there must be one for each player who has variables.")
    try:
        return {name: loss_of_deviating(player, proof.point) for name, player in movers.items()}
    except InputError as error:
        raise CertificateError(f"claim.point: {error}") from None


def check_regret(proof: RegretProof, game: ExactGame, moduli: Mapping[str, Fraction | None]) -> VerifiedClaim:
    """The claim of a proof of regrets that holds, given the moduli that its certificates prove of losses."""
    for name, modulus in moduli.items():
        if modulus is None or proof.regrets[name] < -modulus:
            raise CertificateError(
                f"claim.regrets: the certificate of player {shown(name)} proves more only."
            )
    payoffs = {name: game.player(name).utility(proof.point) for name in moduli}
    return VerifiedClaim("regret", _text(proof, payoffs), regrets=dict(proof.regrets))


def _text(proof: RegretProof, payoffs: Mapping[str, Fraction]) -> str:
    epsilon = max(proof.regrets.values())
    text = f"At ({listing(proof.point)}) the payoffs are {listing(payoffs)}."
    if len(payoffs) == 1:
        (name,) = payoffs
        return f"{text} No strategy of player {shown(name)} has more than {number(payoffs[name] + epsilon)}."
    text += f" No player gains more by deviating than {listing(proof.regrets)}:"
    return text + (
        f" an epsilon-equilibrium with epsilon = {number(epsilon)}." if epsilon else " an equilibrium."
    )
