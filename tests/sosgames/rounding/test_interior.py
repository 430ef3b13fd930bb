"""A step along the interior point: any symmetric matrices prove a bound, and good ones nearly the best."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import ModulusProof
from sosgames.certificates.sets import Ball, Box, Simplex
from sosgames.certificates.verifier import verify
from sosgames.conic import modulus_system, program_scaling
from sosgames.conic.forms import GramSolution
from sosgames.conic.problem import svec_scale
from sosgames.rounding import ProofStatus, prove
from sosgames.rounding.dyadic import round_to_identity
from sosgames.rounding.interior import PATIENCE, Interior, Watch, find_interior
from sosgames.rounding.parts import assemble_part
from sosgames.solvers import solve_system
from sosgames.sos import SosProgram, build_program
from sosgames.sos.program import triangle_of
from tests.sosgames.families import fourth_powers

x, y = (Polynomial.variable(name) for name in "xy")
PROBLEM = MatrixProblem(
    ((300 + 100 * x, 100 * y), (100 * y, 300 - 100 * x)),
    ("x", "y"),
    (Box({"x": (0, 2)}), Ball(["y"], [0], 4)),
)
MODULUS = 300 - 100 * 8**0.5
"""At x = 2, y = 2."""


def program_of(problem: MatrixProblem = PROBLEM, level: int | None = 4) -> SosProgram:
    return build_program(modulus_matrix(problem, "matrix"), problem, level)


def interior_of(program: SosProgram) -> Interior:
    scaling = program_scaling(program)
    return find_interior(program, scaling, modulus_system(program, scaling))


def residual(interior: Interior, solution: GramSolution) -> float:
    system = interior.system
    q = np.concatenate([triangle_of(gram) * svec_scale(len(gram)) for gram in solution.grams])
    return float(np.abs(system.A @ q + system.c * solution.tau - system.b).max())


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.floats(-50, 50))
def test_any_symmetric_matrices_become_a_proof_of_a_bound_that_holds(seed: int, tau: float) -> None:
    program, rng = program_of(), np.random.default_rng(seed)
    interior = interior_of(program)
    grams = [rng.normal(size=(side, side)) for side in program.sides]
    reached = interior.reached(GramSolution(tuple(g + g.T for g in grams), np.zeros(0), tau))
    assert residual(interior, reached) < 1e-9 * (1 + abs(reached.tau))
    smallest = min(np.linalg.eigvalsh(gram)[0] for gram in reached.grams)
    assert abs(smallest) < 1e-9 * (1 + abs(reached.tau))
    scaling = program_scaling(program)
    assert reached.tau * float(scaling.size) < MODULUS + 1e-6
    lowered = interior.lowered(reached, 1e-6 * (1 + abs(reached.tau)))
    mu = Fraction(lowered.tau) * scaling.size
    part = assemble_part(program, round_to_identity(program, scaling, interior.assembly(lowered), mu))
    assert verify(ModulusProof("matrix", PROBLEM.variables, (part,)), PROBLEM).mu == mu


def test_the_point_of_a_solver_loses_no_more_than_its_errors() -> None:
    interior = interior_of(program_of())
    for solver in ("scs", "clarabel", "interior"):
        _, solution = solve_system(interior.system, solver)
        assert interior.reached(solution).tau == pytest.approx(solution.tau, abs=1e-4)


def test_other_sets_have_no_interior_point_in_closed_form() -> None:
    program = program_of(MatrixProblem(((1 + x * y,),), ("x", "y"), (Simplex(["x", "y"]),)))
    scaling = program_scaling(program)
    assert find_interior(program, scaling, modulus_system(program, scaling)) is None


def test_a_watch_keeps_the_best_and_ends_at_enough_or_without_progress() -> None:
    interior = interior_of(program_of())
    _, good = solve_system(interior.system, "clarabel")
    poor = GramSolution(tuple(np.zeros_like(gram) for gram in good.grams), good.free, good.tau - 1)
    patient = Watch(interior, None, 1e-6)
    assert [patient(point) for point in (poor, good, *[poor] * PATIENCE)] == [False] * (PATIENCE + 1) + [True]
    assert patient.best.tau == pytest.approx(good.tau, abs=1e-4)
    content = Watch(interior, good.tau - 1e-3, 1e-6)
    assert not content(poor)
    assert content(good)


def test_a_large_program_is_solved_until_enough_is_proved() -> None:
    game = fourth_powers(9, bounded=True)
    program = build_program(modulus_matrix(game, "monotone"), game)
    assert max(program.sides) > 80
    enough = Fraction(3, 2)
    bound = prove(program, enough=enough)
    assert bound.status is ProofStatus.PROVED
    assert enough - Fraction(1, 10**4) < bound.mu < 2
    assert bound.solver_status.startswith("stopped")
    assert bound.numeric_mu == pytest.approx(float(bound.mu), abs=1e-3)
    assert verify(ModulusProof("monotone", game.variables, (bound.part,)), game).mu == bound.mu
