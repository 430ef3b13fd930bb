"""SumOfSquares.py: y'(M - mu I)y less multipliers is a sum of squares in x and y."""

from __future__ import annotations

import sympy
from exchange import Clock, answer, multipliers, read_problem
from SumOfSquares import SOSProblem

problem, clock = read_problem(), Clock()
n = problem.n
x, y = list(sympy.symbols(f"x:{n}")), list(sympy.symbols(f"y:{n}"))
mu = sympy.Symbol("mu")
task = SOSProblem()
form = problem.form(x, y, sympy.Rational) - mu * sum(v**2 for v in y)
for k in multipliers(problem):
    if k is None:
        continue
    basis = [
        v * sympy.prod([w**e for w, e in zip(x, m, strict=True)])
        for v in y
        for m in problem.monomials(problem.half - 1)
    ]
    products = sorted({p * q for p in basis for q in basis}, key=str)
    weights = sympy.symbols(f"s{k}_:{len(products)}")
    multiplier = sum(c * m for c, m in zip(weights, products, strict=True))
    task.add_sos_constraint(multiplier, x + y if problem.half > 1 else y, sparse=True)
    form -= multiplier * (1 - x[k] ** 2)
task.add_sos_constraint(sympy.expand(form), x + y, sparse=True)
variable = task.sym_to_var(mu)
task.set_objective("max", variable)
clock.stage("build")
solution = task.solve(solver="cvxopt")
clock.stage("solve")
answer(float(variable.value), str(solution.problemStatus), clock)
