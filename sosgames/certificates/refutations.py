r"""Checks that points and directions bound a modulus from above.

With fixed weights there is one matrix M. If M(x) - mu R is positive semidefinite on X, mu y'Ry is at most
y'M(x)y for every x in X, and a positive combination over several points keeps that. With free weights
:math:`M_r = \sum_i r_i M_i`, and one combination must bound the modulus for each :math:`M_i`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from sosgames.certificates.claims import VerifiedClaim, check_point, check_variables, listing, number
from sosgames.certificates.errors import CertificateError, InputError, shown
from sosgames.certificates.games import ExactGame
from sosgames.certificates.matrices import PolyMatrix, Problem, modulus_matrix, weighted_matrix
from sosgames.certificates.parts import Numbers
from sosgames.certificates.proofs import RefutationProof, Witness
from sosgames.certificates.tangents import Row, affine_equations, check_chart, is_tangent


def check_refutation(proof: RefutationProof, problem: Problem) -> VerifiedClaim:
    """The claim of a refutation that holds; `CertificateError` otherwise."""
    check_variables(proof, problem)
    try:
        matrices = _matrices(proof, problem)
    except InputError as error:
        raise CertificateError(f"claim: {error}") from None
    rows = matrices[0].rows
    equations = affine_equations(problem, rows)
    if proof.chart is not None:
        left_out = check_chart(proof.chart, equations, rows)[1]
        matrices = [_measured_without(matrix, left_out) for matrix in matrices]
    if not proof.witnesses:
        raise CertificateError("witnesses: the list is empty.")
    directions = [
        check_witness(witness, problem, rows, equations, f"witnesses[{k}]")
        for k, witness in enumerate(proof.witnesses)
    ]
    for matrix in matrices:
        if _excess(matrix, proof, directions) > 0:
            raise CertificateError(f"claim.value: the witnesses do not prove {number(proof.value)}.")
    return VerifiedClaim("refutation", _text(proof), proof.property, value=proof.value, weights=proof.weights)


def check_witness(
    witness: Witness, problem: Problem, rows: Sequence[str], equations: Sequence[Row], where: str
) -> list[Fraction]:
    """The direction of a witness, once its point is in X, the direction tangent, the factor positive."""
    check_point(witness.x, problem, where)
    y = _vector(witness.y, rows, where)
    if not any(y):
        raise CertificateError(f"{where}: the direction y is zero.")
    if not is_tangent(y, equations):
        raise CertificateError(f"{where}: the direction y leaves the affine equations of X.")
    if witness.c <= 0:
        raise CertificateError(f"{where}: the factor c is {number(witness.c)}; it must be positive.")
    return y


def _matrices(proof: RefutationProof, problem: Problem) -> list[PolyMatrix]:
    """The matrix of the property; with free weights the matrix of each player, who alone has weight 1."""
    if proof.weights != "free":
        along = {row for witness in proof.witnesses for row in witness.y}
        matrix = modulus_matrix(
            problem, proof.property, player=proof.player, weights=proof.weights, along=along
        )
        if not matrix.side:
            raise CertificateError(f"claim.player: {shown(proof.player)} has no variables.")
        return [matrix]
    if not isinstance(problem, ExactGame) or proof.property != "monotone" or proof.player is not None:
        raise CertificateError("claim.weights: free weights belong to the property 'monotone' of a game.")
    movers = [player for player in problem.players if player.variables]
    return [weighted_matrix([(player, Fraction(1))], problem.variables) for player in movers]


def _measured_without(matrix: PolyMatrix, left_out: frozenset[int]) -> PolyMatrix:
    metric = tuple(Fraction(0) if a in left_out else weight for a, weight in enumerate(matrix.metric))
    return replace(matrix, metric=metric)


def _excess(matrix: PolyMatrix, proof: RefutationProof, directions: Sequence[Sequence[Fraction]]) -> Fraction:
    """The number sum_k c_k (y_k'M(x_k)y_k - value y_k'Ry_k)."""
    total = Fraction(0)
    for witness, y in zip(proof.witnesses, directions, strict=True):
        total += witness.c * (matrix.form(witness.x, y) - proof.value * matrix.norm(y))
    return total


def _vector(y: Numbers, rows: Sequence[str], where: str) -> list[Fraction]:
    if not y.keys() <= set(rows):
        raise CertificateError(
            f"{where}: the direction y has entries for {shown(sorted(y.keys() - set(rows)))}."
        )
    return [y.get(row, Fraction(0)) for row in rows]


def _text(proof: RefutationProof) -> str:
    what = "the matrix" if proof.property == "matrix" else "the game"
    adjective = "positive semidefinite" if proof.property == "matrix" else proof.property
    if isinstance(proof.weights, Mapping):
        adjective += f" with the weights {listing(proof.weights)}"
    elif proof.weights == "free":
        adjective += " with any positive weights"
    text = f"The modulus is at most {number(proof.value)}"
    text += "." if proof.value >= 0 else f": {what} is not {adjective}."
    if proof.player is not None:
        text += f" The bound is on player {shown(proof.player)}."
    first, more = proof.witnesses[0], len(proof.witnesses) - 1
    text += f" Seen at ({listing(first.x)}) along the direction ({listing(first.y)})"
    return text + (f" and at {more} more." if more else ".")
