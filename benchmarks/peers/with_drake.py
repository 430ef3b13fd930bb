"""Drake's MathematicalProgram: sums of squares over a given basis, solved by the Clarabel in it."""

from __future__ import annotations

from exchange import Clock, answer, multipliers, read_problem
from pydrake.all import ClarabelSolver, MathematicalProgram, Monomial, Polynomial, Variables

problem, clock = read_problem(), Clock()
n = problem.n
task = MathematicalProgram()
x = list(task.NewIndeterminates(n, "x"))
y = list(task.NewIndeterminates(n, "y"))
mu = task.NewContinuousVariables(1, "mu")[0]


def basis(degree: int) -> list[Monomial]:
    """Each y times all monomials of x up to a degree."""
    return [
        Monomial({v: 1} | {w: e for w, e in zip(x, m, strict=True) if e})
        for v in y
        for m in problem.monomials(degree)
    ]


unknowns = Variables([*x, *y])
form = Polynomial(problem.form(x, y) - mu * sum(v**2 for v in y), unknowns)
for k in multipliers(problem):
    if k is not None:
        multiplier = task.NewSosPolynomial(basis(problem.half - 1))[0]
        form -= multiplier * Polynomial(1 - x[k] ** 2, unknowns)
task.AddSosConstraint(form, basis(problem.half))
task.AddLinearCost(-mu)
clock.stage("build")
result = ClarabelSolver().Solve(task)
clock.stage("solve")
answer(float(result.GetSolution(mu)), str(result.get_solution_result()), clock)
