"""This package: the same matrix, with a complete exact proof that the verifier has accepted."""

from __future__ import annotations

from fractions import Fraction

from exchange import Clock, answer, read_problem

from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import ModulusProof
from sosgames.certificates.sets import Box, Space
from sosgames.certificates.verifier import verify
from sosgames.rounding import prove
from sosgames.search import certify
from sosgames.sos import build_program

problem, clock = read_problem(), Clock()
names = tuple(f"x{k}" for k in range(problem.n))
rows = [[Polynomial()] * problem.n for _ in names]
for (a, b), terms in problem.entries.items():
    monomials = {
        tuple((v, e) for v, e in zip(names, m, strict=True) if e): Fraction(p, q) for p, q, m in terms
    }
    rows[a][b] = rows[b][a] = Polynomial({tuple(sorted(m)): c for m, c in monomials.items()})
strategies = Box(dict.fromkeys(names, (-1, 1))) if problem.box else Space(names)
exact = MatrixProblem(tuple(map(tuple, rows)), names, (strategies,))
clock.stage("build")
if problem.box and not problem.degenerate:
    bound = prove(build_program(modulus_matrix(exact, "matrix"), exact, 2 * problem.half))
    proof = None if bound.part is None else ModulusProof("matrix", names, (bound.part,))
else:  # no interior point exists at the optimum: faces, exact zeros, the range method
    proof = certify(exact, "matrix").lower_proof
clock.stage("solve")
if proof is not None:
    verify(proof, exact)
clock.stage("verify")
answer(None if proof is None else float(proof.mu), "no proof", clock, proved=proof is not None)
