"""PICOS as a modelling layer: Gram matrices as symmetric variables, one equation for each coefficient."""

from __future__ import annotations

import picos
from exchange import Clock, answer, multipliers, read_problem

problem, clock = read_problem(), Clock()
n = problem.n
task = picos.Problem()
mu = picos.RealVariable("mu")
found: dict[tuple[int, int, tuple[int, ...]], object] = {}
for number, k in enumerate(multipliers(problem)):
    degree = problem.half if k is None else problem.half - 1
    basis = [(a, m) for a in range(n) for m in problem.monomials(degree)]
    Q = picos.SymmetricVariable(f"Q{number}", len(basis))
    task.add_constraint(Q >> 0)
    square = None if k is None else tuple(2 * int(v == k) for v in range(n))
    for p, (a, m) in enumerate(basis):
        for q, (b, o) in enumerate(basis[p:], start=p):
            product = tuple(i + j for i, j in zip(m, o, strict=True))
            entry = (2 if a == b and p != q else 1) * Q[p, q]
            key = (min(a, b), max(a, b))
            found[*key, product] = found.get((*key, product), 0) + entry
            if square is not None:
                higher = tuple(i + j for i, j in zip(product, square, strict=True))
                found[*key, higher] = found.get((*key, higher), 0) - entry
wanted = {(a, b, e): p / q for (a, b), terms in problem.entries.items() for p, q, e in terms}
zero = (0,) * n
for key in {*found, *wanted}:
    shift = mu if key[0] == key[1] and key[2] == zero else 0
    task.add_constraint(found.get(key, 0) == wanted.get(key, 0) - shift)
task.set_objective("max", mu)
clock.stage("build")
solution = task.solve(solver="cvxopt", primals=None)
clock.stage("solve")
answer(float(mu.value), str(solution.problemStatus), clock)
