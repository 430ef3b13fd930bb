"""What one writes without a sum-of-squares package: SymPy expands, cvxpy compares each coefficient."""

from __future__ import annotations

import cvxpy
import sympy
from exchange import Clock, answer, multipliers, read_problem

problem, clock = read_problem(), Clock()
n = problem.n
x, y = sympy.symbols(f"x:{n}"), sympy.symbols(f"y:{n}")
mu = cvxpy.Variable()
constraints: list[cvxpy.Constraint] = []
found: dict[tuple[int, ...], object] = {}
for k in multipliers(problem):
    degree = problem.half if k is None else problem.half - 1
    basis = [
        y[a] * sympy.prod([v**e for v, e in zip(x, m, strict=True)])
        for a in range(n)
        for m in problem.monomials(degree)
    ]
    Q = cvxpy.Variable((len(basis), len(basis)), PSD=True)
    generator = sympy.Integer(1) if k is None else 1 - x[k] ** 2
    for p in range(len(basis)):
        for q in range(p, len(basis)):
            product = sympy.Poly(basis[p] * basis[q] * generator, *x, *y)
            for monomial, c in product.terms():
                found[monomial] = found.get(monomial, 0) + float(c) * (1 if p == q else 2) * Q[p, q]
left = sympy.Poly(problem.form(list(x), list(y), sympy.Rational), *x, *y)
wanted = {m: float(c) for m, c in left.terms()}
norm = {tuple(2 * int(v == n + a) for v in range(2 * n)) for a in range(n)}
for monomial in {*found, *wanted}:
    shift = mu if monomial in norm else 0
    constraints.append(found.get(monomial, 0) == wanted.get(monomial, 0) - shift)
clock.stage("build")
task = cvxpy.Problem(cvxpy.Maximize(mu), constraints)
task.solve(solver="CLARABEL")
clock.stage("solve")
answer(None if mu.value is None else float(mu.value), task.status, clock)
