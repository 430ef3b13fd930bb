"""The seam: every solver gives the same optimum, says how it ended, and none breaks the process."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Box
from sosgames.conic import Cones, ConicProblem, modulus_system, moment_form, program_scaling
from sosgames.conic.problem import ConicPoint, svec_scale
from sosgames.errors import LimitError, SolverError
from sosgames.solvers import (
    SolverAnswer,
    SolverOptions,
    SolverStatus,
    clarabel_direct,
    cvxpy_bridge,
    find_solver,
    interior_point,
    scs_direct,
    solve_system,
    solver_table,
    solvers_for,
)
from sosgames.solvers.semidefinite_block import SMALL_SIDE, SemidefiniteBlock
from sosgames.sos import build_program

DIRECT = [clarabel_direct.solve, scs_direct.solve]
OWN = [interior_point.solve]


def bridged(problem: ConicProblem, options: SolverOptions):
    return cvxpy_bridge.solve_with("SCS", problem, options)


def smallest_eigenvalue_problem(matrix: np.ndarray) -> ConicProblem:
    """max t with matrix - t I positive semidefinite, beside an equation and a slack inequality."""
    side = len(matrix)
    p, q = np.triu_indices(side)
    identity = (p == q).astype(float)
    A = np.zeros((2 + len(p), 2))
    A[0, 1] = 1.0  # the second variable is 1
    A[1, 0] = 1.0  # t <= 100
    A[2:, 0] = identity
    b = np.concatenate([[1.0, 100.0], matrix[p, q] * svec_scale(side)])
    return ConicProblem(sparse.csc_array(A), b, np.array([-1.0, 0.0]), Cones(1, 1, (side,)))


MATRIX = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 1.0]])


@pytest.mark.parametrize("solve", [*DIRECT, *OWN, bridged])
def test_every_back_end_finds_the_smallest_eigenvalue_and_its_dual_matrix(solve) -> None:
    problem = smallest_eigenvalue_problem(MATRIX)
    answer = solve(problem, SolverOptions(tolerance=1e-8))
    assert answer.status is SolverStatus.SOLVED
    values, vectors = np.linalg.eigh(MATRIX)
    assert answer.point.x[0] == pytest.approx(values[0], abs=1e-4)
    assert np.abs(problem.A.T @ answer.point.z + problem.c).max() < 1e-4
    assert np.abs(problem.A @ answer.point.x + answer.point.s - problem.b).max() < 1e-4
    dual = answer.point.z[2:] / svec_scale(3)
    expected = np.outer(vectors[:, 0], vectors[:, 0])[np.triu_indices(3)]
    assert np.abs(dual - expected).max() < 1e-3
    assert answer.seconds > 0
    assert answer.solver


@pytest.mark.parametrize("solve", DIRECT)
def test_infeasible_and_unbounded_problems_are_told_apart(solve) -> None:
    impossible = ConicProblem(
        sparse.csc_array(np.array([[1.0], [-1.0]])), np.array([0.0, -1.0]), np.array([0.0]), Cones(0, 2, ())
    )
    assert solve(impossible, SolverOptions()).status is SolverStatus.INFEASIBLE
    endless = ConicProblem(
        sparse.csc_array(np.array([[1.0]])), np.array([0.0]), np.array([1.0]), Cones(0, 1, ())
    )
    answer = solve(endless, SolverOptions())
    assert answer.status is SolverStatus.UNBOUNDED
    assert not answer.status.has_point


def system_of_a_quartic_game(n: int):
    names = [f"x{i}" for i in range(n)]
    variables = [Polynomial.variable(name) for name in names]
    rows = [[Polynomial() for _ in range(n)] for _ in range(n)]
    for i, a in enumerate(variables):
        for j, b in enumerate(variables):
            rows[i][j] = a * b + (4 if i == j else 0)
    problem = MatrixProblem(rows, tuple(names), (Box(dict.fromkeys(names, (-1, 1))),))
    program = build_program(modulus_matrix(problem, "matrix"), problem, 4)
    return modulus_system(program, program_scaling(program))


def never(point: ConicPoint) -> bool:
    assert point.is_finite
    return False


def test_a_watch_sees_points_that_improve_and_ends_the_solve_when_it_says_so() -> None:
    problem, _ = moment_form(system_of_a_quartic_game(3))
    seen: list[float] = []

    def residual(point: ConicPoint) -> float:
        return float(np.abs(problem.A @ point.x + point.s - problem.b).max())

    def watch(point: ConicPoint) -> bool:
        seen.append(residual(point))
        return len(seen) == 3

    answer = scs_direct.solve(problem, SolverOptions(tolerance=1e-13, watch=watch))
    assert answer.status is SolverStatus.STOPPED
    assert answer.iterations == 3 * scs_direct.WATCHED_ITERATIONS
    assert residual(answer.usable_point) == seen[-1] < seen[0]
    patient = scs_direct.solve(problem, SolverOptions(watch=never))
    plain = scs_direct.solve(problem, SolverOptions())
    assert patient.status is plain.status is SolverStatus.SOLVED
    assert problem.c @ patient.point.x == pytest.approx(problem.c @ plain.point.x, abs=1e-4)


def test_a_watched_solve_keeps_its_limits() -> None:
    problem, _ = moment_form(system_of_a_quartic_game(3))
    endless = SolverOptions(tolerance=0.0, watch=never)
    few = scs_direct.solve(problem, replace(endless, max_iterations=70))
    assert (few.status, few.iterations) == (SolverStatus.ITERATION_LIMIT, 100)
    short = scs_direct.solve(problem, replace(endless, time_limit=0.2))
    assert short.status is SolverStatus.TIME_LIMIT
    assert short.usable_point is not None


@pytest.mark.parametrize("solve", [*DIRECT, *OWN])
def test_limits_end_a_solve_and_say_which(solve, capsys) -> None:
    problem = smallest_eigenvalue_problem(np.diag(np.arange(1.0, 40.0)) + 1e-3)
    short = solve(problem, SolverOptions(max_iterations=2, tolerance=1e-9))
    assert short.status is SolverStatus.ITERATION_LIMIT
    assert "raise max_iterations" in short.status.value
    hurried = solve(problem, SolverOptions(time_limit=1e-9, tolerance=1e-13))
    assert hurried.status in {SolverStatus.TIME_LIMIT, SolverStatus.SOLVED}
    assert hurried.seconds < 5
    assert capsys.readouterr().out == ""


def test_a_panic_inside_a_solver_is_a_failed_solve_and_an_interrupt_stays_one(monkeypatch) -> None:
    class Panic(BaseException):
        pass

    problem = smallest_eigenvalue_problem(MATRIX)
    for raised in (Panic("called `Result::unwrap()`"), KeyboardInterrupt()):

        def panicking(*_args, _raised=raised):
            raise _raised

        monkeypatch.setattr(clarabel_direct.clarabel, "DefaultSolver", panicking)
        if isinstance(raised, KeyboardInterrupt):
            with pytest.raises(KeyboardInterrupt):
                clarabel_direct.solve(problem, SolverOptions())
        else:
            answer = clarabel_direct.solve(problem, SolverOptions())
            assert (answer.status, answer.point) == (SolverStatus.FAILED, None)
            assert "unwrap" in answer.detail


@pytest.mark.parametrize("solve", [*DIRECT, *OWN, bridged])
def test_numbers_that_are_not_finite_end_as_a_failed_solve(solve) -> None:
    problem = smallest_eigenvalue_problem(np.full((3, 3), np.nan))
    answer = solve(problem, SolverOptions())
    assert answer.status is not SolverStatus.SOLVED


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_point_with_numbers_that_are_not_finite_is_not_used_whatever_the_status(bad: float) -> None:
    good = ConicPoint(np.zeros(2), np.zeros(3), np.zeros(3))
    for status in SolverStatus:
        answer = SolverAnswer(status, good, "a solver", 0.0, 1)
        assert answer.usable_point is (good if status.has_point else None)
        for part in ("x", "z", "s"):
            point = replace(good, **{part: np.array([1.0, bad])})
            assert replace(answer, point=point).usable_point is None
    assert SolverAnswer(SolverStatus.SOLVED, None, "a solver", 0.0, 1).usable_point is None


def test_small_blocks_go_to_clarabel_and_large_ones_to_the_first_order_solver() -> None:
    assert solvers_for((3, 5), 40) == ("clarabel",)
    assert solvers_for((), 0) == ("clarabel",)
    assert solvers_for((3, 20), 150) == ("scs", "clarabel")
    assert solvers_for((3, 60), 700) == ("scs", "interior")
    assert solvers_for((3, 60), 70_000) == ("scs",)
    assert solvers_for((3, 500), 700) == ("scs",)


def test_an_unknown_solver_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        SolverError, match=r"'gurobbi' is not known; choose one of auto, clarabel, scs, interior, mosek"
    ):
        find_solver("gurobbi")


def test_a_solver_that_is_not_installed_or_has_no_licence_says_so() -> None:
    for row in solver_table():
        if row.available:
            answer, solution = solve_system(system_of_a_quartic_game(2), row.name)
            assert solution is not None, answer
        else:
            assert row.note
            with pytest.raises(SolverError, match=r"cannot be used: .*; use 'auto'"):
                find_solver(row.name)


def test_the_table_lists_mosek_with_the_reason_when_its_licence_test_fails() -> None:
    rows = {row.name: row for row in solver_table()}
    assert rows["clarabel"].available
    assert rows["scs"].available
    assert rows["mosek"].available or "icense" in rows["mosek"].note or rows["mosek"].note == "not installed"


def test_every_status_says_what_to_do() -> None:
    for status in SolverStatus:
        assert status.value.endswith(".")
    assert {s for s in SolverStatus if s.has_point} >= {SolverStatus.SOLVED, SolverStatus.TIME_LIMIT}


def test_a_solve_that_cannot_fit_is_refused_before_it_starts() -> None:
    system = system_of_a_quartic_game(3)
    with pytest.raises(LimitError, match=r"'clarabel' on .* the limit is 1 KiB; use 'scs'"):
        solve_system(system, "clarabel", SolverOptions(memory_limit=1024))
    assert solve_system(system, "clarabel", SolverOptions(memory_limit=None))[1] is not None


def test_the_gram_matrices_of_the_interior_point_method_are_strictly_feasible() -> None:
    for n in (2, 3):
        system = system_of_a_quartic_game(n)
        answer, solution = solve_system(system, "interior")
        assert answer.status is SolverStatus.SOLVED
        assert solution is not None
        q = np.concatenate([g[np.triu_indices(len(g))] * svec_scale(len(g)) for g in solution.grams])
        residual = np.abs(system.A @ q + solution.tau * system.c - system.b).max()
        smallest = min(np.linalg.eigvalsh(gram)[0] for gram in solution.grams)
        assert smallest > 10 * residual
        _, by_clarabel = solve_system(system, "clarabel")
        assert by_clarabel is not None
        assert solution.tau == pytest.approx(by_clarabel.tau, abs=1e-4)


@pytest.mark.parametrize("side", [3, SMALL_SIDE, SMALL_SIDE + 1])
def test_the_schur_complement_of_a_block_is_a_trace_of_products(side: int) -> None:
    rng = np.random.default_rng(0)
    p, _ = np.triu_indices(side)
    A = sparse.random_array((len(p), 5), density=0.2, rng=rng, format="csr")
    block = SemidefiniteBlock(A, np.zeros(len(p)), side)
    Z, W = (m @ m.T for m in rng.standard_normal((2, side, side)))
    total = np.zeros((5, 5))
    block.add_schur_complement(Z, W, total)
    matrices = [block.image(e) for e in np.eye(5)]
    expected = [[np.trace(a @ Z @ b @ W) for b in matrices] for a in matrices]
    assert np.allclose(total, expected)
    assert np.allclose(block.adjoint(Z), [np.sum(a * Z) for a in matrices])
    assert np.allclose(block.unpack(block.pack(Z)), Z)


@pytest.mark.parametrize("solve", [*DIRECT, bridged])
def test_a_second_order_cone_is_understood_by_every_back_end(solve) -> None:
    # min 3x + 4y on the unit disc: -5 at (-3/5, -4/5); z = (5, 3, 4) up to the sign that A'z + c = 0 fixes
    A = sparse.csc_array(np.array([[0.0, 0.0], [-1.0, 0.0], [0.0, -1.0]]))
    problem = ConicProblem(A, np.array([1.0, 0.0, 0.0]), np.array([3.0, 4.0]), Cones(second_order=(3,)))
    answer = solve(problem, SolverOptions())
    assert answer.point is not None
    assert answer.point.x == pytest.approx([-0.6, -0.8], abs=1e-4)
    assert problem.A.T @ answer.point.z + problem.c == pytest.approx([0.0, 0.0], abs=1e-4)
    assert answer.point.z[0] == pytest.approx(5.0, abs=1e-3)


def test_the_own_solver_refuses_second_order_cones_and_says_so() -> None:
    A = sparse.csc_array(np.array([[0.0], [-1.0]]))
    problem = ConicProblem(A, np.array([1.0, 0.0]), np.array([1.0]), Cones(second_order=(2,)))
    answer = interior_point.solve(problem, SolverOptions())
    assert answer.point is None
    assert "second-order" in answer.detail
