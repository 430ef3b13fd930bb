"""Both conic forms have the same optimum, and the recovered Gram matrices satisfy the system."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sosgames.certificates.constraints import Constraint
from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Box, Constraints, Space
from sosgames.conic import GramSystem, gram_form, margin_system, modulus_system, moment_form, program_scaling
from sosgames.conic.problem import svec_scale
from sosgames.conic.systems import MARGIN_CAP, power_of_two
from sosgames.solvers import SolverOptions, find_solver
from sosgames.sos import SosProgram, build_program

x, y = (Polynomial.variable(name) for name in "xy")


def program(*rows, sets, level=None) -> SosProgram:
    problem = MatrixProblem(rows, tuple(sorted({v for s in sets for v in s.variables})), sets)
    return build_program(modulus_matrix(problem, "matrix"), problem, level)


SQUARE = Box({"x": (0, 1), "y": (-1, 3)})
PROGRAMS = {
    "matrix on a box": program((2 - x * y, x), (x, 3 + y), sets=[SQUARE]),
    "equation": program((2 + x * y,), sets=[Constraints([Constraint(x**3 - x, "=="), Constraint(1 - y**2)])]),
    "global": program((x**4 - 3 * x + 7,), sets=[Space(["x"])]),
}


def residual(system: GramSystem, solution) -> float:
    q = np.concatenate([g[np.triu_indices(len(g))] * svec_scale(len(g)) for g in solution.grams])
    return float(np.abs(system.A @ q + system.F @ solution.free + solution.tau * system.c - system.b).max())


def smallest_eigenvalue(solution) -> float:
    return min(float(np.linalg.eigvalsh(gram)[0]) for gram in solution.grams)


@pytest.mark.parametrize("solver", ["clarabel", "scs", "interior"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_gram_and_moment_form_agree_and_satisfy_the_identity(name: str, solver: str) -> None:
    scaling = program_scaling(PROGRAMS[name])
    system = modulus_system(PROGRAMS[name], scaling)
    taus = []
    for form in (gram_form, moment_form):
        problem, recover = form(system)
        answer = find_solver(solver)(problem, SolverOptions(tolerance=1e-8))
        assert answer.point is not None
        solution = recover(answer.point)
        assert residual(system, solution) < 1e-5
        assert smallest_eigenvalue(solution) > -1e-6
        taus.append(solution.tau)
    assert taus[0] == pytest.approx(taus[1], abs=1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_margin_falls_to_zero_at_the_optimum(name: str) -> None:
    scaling = program_scaling(PROGRAMS[name])

    def solve(system: GramSystem) -> float:
        problem, recover = gram_form(system)
        answer = find_solver("clarabel")(problem, SolverOptions())
        assert answer.point is not None
        return recover(answer.point).tau

    best = Fraction(solve(modulus_system(PROGRAMS[name], scaling))) * scaling.size
    step = scaling.size / 8
    margins = [solve(margin_system(PROGRAMS[name], scaling, best + k * step)) for k in (-2, -1, 1)]
    assert margins[0] > margins[1] > 1e-6
    assert margins[2] < -1e-6


def test_an_empty_set_leaves_the_problem_bounded_by_its_cap() -> None:
    empty = program((x,), sets=[Constraints([Constraint(-1 - x**2)])])
    system = modulus_system(empty, program_scaling(empty))
    for form in (gram_form, moment_form):
        problem, recover = form(system)
        answer = find_solver("clarabel")(problem, SolverOptions())
        assert answer.point is not None
        assert recover(answer.point).tau == pytest.approx(system.cap, rel=1e-5)
    assert margin_system(empty, program_scaling(empty), Fraction(0)).cap == MARGIN_CAP


def test_scaling_divides_by_powers_of_two_and_keeps_the_optimum() -> None:
    sizes = []
    for factor in (1, 10**9, Fraction(1, 10**9)):
        scaled = program([(2 - x * y) * factor], sets=[SQUARE])
        scaling = program_scaling(scaled)
        assert scaling.size == power_of_two(scaling.size_bits)
        system = modulus_system(scaled, scaling)
        assert 0.4 < np.abs(system.b).max() < 4
        sizes.append(float(np.abs(system.b).max() * scaling.size / factor))
    assert sizes == pytest.approx([sizes[0]] * 3)


def test_problem_arrays_cannot_be_written_to() -> None:
    problem, _ = gram_form(modulus_system(PROGRAMS["global"], program_scaling(PROGRAMS["global"])))
    for array in (problem.b, problem.c, problem.A.data):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
