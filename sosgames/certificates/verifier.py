"""Decides whether a proof proves its claim about the user's own problem. Search is untrusted; this is not."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any

from sosgames.certificates.claims import VerifiedClaim, check_variables, modulus_claim
from sosgames.certificates.effort import refuse_hostile
from sosgames.certificates.errors import CertificateError, InputError, shown
from sosgames.certificates.gamefiles import HasExact, problem_of
from sosgames.certificates.games import ExactGame
from sosgames.certificates.gaps import check_equilibrium
from sosgames.certificates.identities import check_part
from sosgames.certificates.matrices import Problem
from sosgames.certificates.nearness import changed_game, check_nearest
from sosgames.certificates.prooffiles import from_dict, read_proof
from sosgames.certificates.proofs import (
    EquilibriumProof,
    ModulusProof,
    NearestProof,
    Proof,
    RefutationProof,
    RegretProof,
)
from sosgames.certificates.refutations import check_refutation
from sosgames.certificates.regrets import check_regret, losses
from sosgames.certificates.tangents import affine_equations
from sosgames.certificates.uncollected import uncollected


def verify(
    proof: Proof | dict[str, Any] | str | os.PathLike[str],
    game: Problem | HasExact | str | os.PathLike[str],
) -> VerifiedClaim:
    """Check a proof against the user's own game.

    Parameters
    ----------
    proof
        A proof, its JSON values, or the path of its file.
    game
        The game (or matrix problem) that the claim must be about, or the path of its file.

    Returns
    -------
    VerifiedClaim
        What has been proved; ``text`` says it in words.

    Raises
    ------
    CertificateError
        When the proof does not prove its claim about this game; the message says where it fails.
    InputError
        When a file cannot be read or the game is no game.

    Notes
    -----
    Cost: side cubed over two integer products for each Gram matrix, and one pass over its entries. A proof
    that would take more than `sosgames.certificates.effort.MAX_STEPS` is refused before the work is done.
    """
    with uncollected():
        if isinstance(proof, (str, os.PathLike)):
            read = read_proof(proof)
        else:  # the strict reader looks at objects too: a NumPy integer in one could overflow silently
            read = from_dict(proof.to_dict() if isinstance(proof, Proof) else proof)
        problem = problem_of(game)
        refuse_hostile(read, problem)
        return _decide(read, problem)


def _decide(proof: Proof, problem: Problem) -> VerifiedClaim:
    match proof:
        case ModulusProof():
            return _verify_modulus(proof, problem)
        case RefutationProof():
            return check_refutation(proof, problem)
        case EquilibriumProof():
            modulus = None if proof.certificate is None else _verify_modulus(proof.certificate, problem)
            return check_equilibrium(proof, _game(problem), modulus)
        case RegretProof():
            moduli = {
                name: _loss_modulus(proof, name, loss) for name, loss in losses(proof, _game(problem)).items()
            }
            return check_regret(proof, _game(problem), moduli)
        case NearestProof():
            nearest = changed_game(proof, _game(problem))
            return check_nearest(proof, _game(problem), nearest, _verify_modulus(proof.certificate, nearest))


def _loss_modulus(proof: RegretProof, player: str, loss: Problem) -> Fraction | None:
    try:
        return _verify_modulus(proof.certificates[player], loss).mu
    except CertificateError as error:
        raise CertificateError(f"certificates.{player}: {error}") from None


def _game(problem: Problem) -> ExactGame:
    if isinstance(problem, ExactGame):
        return problem
    raise CertificateError("claim: it is about a game, but the problem is a matrix.")


def _verify_modulus(proof: ModulusProof, problem: Problem) -> VerifiedClaim:
    check_variables(proof, problem)
    players: list[str | None] = [None]
    if proof.property == "concave" and isinstance(problem, ExactGame):
        players = [player.name for player in problem.players if player.variables]
    if [part.player for part in proof.parts] != players:
        raise CertificateError(f"proofs: needed is one part for each of {shown(players)}, in order.")
    for number, part in enumerate(proof.parts):
        try:
            check_part(part, proof, problem)
        except (CertificateError, InputError) as error:
            raise CertificateError(f"proofs[{number}]: {error}") from None
    return modulus_claim(proof, bool(affine_equations(problem, problem.variables)))
