"""triples, which proves scalar inequalities: y'M(x)y >= 0 for all x and y."""

from __future__ import annotations

import sympy
from exchange import Clock, answer, read_problem
from triples import sum_of_squares

problem, clock = read_problem(), Clock()
x, y = (list(sympy.symbols(f"{name}:{problem.n}")) for name in "xy")
form = sympy.expand(problem.form(x, y, sympy.Rational))
clock.stage("build")
solution = sum_of_squares(form)
clock.stage("solve")
found = solution is not None
answer(0.0 if found else None, "no proof", clock, proved=found)
