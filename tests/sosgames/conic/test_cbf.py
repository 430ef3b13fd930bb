"""Files of the conic benchmark format hold the problem, cone by cone, and read back to the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import sosgames as sg
from sosgames.conic import Cones, ConicProblem
from sosgames.conic.cbf import load_cbf, save_cbf
from sosgames.conic.sdpa import load_sdpa
from sosgames.solvers import clarabel_direct
from sosgames.solvers.status import SolverOptions


def mixed() -> ConicProblem:
    """An equation, two inequalities, a disc and two semidefinite blocks, with entries of 17 digits."""
    cones = Cones(1, 2, (2, 1), (3,))
    rng = np.random.default_rng(7)
    A = rng.normal(size=(cones.n_rows, 4)) * (rng.random((cones.n_rows, 4)) < 0.7)
    return ConicProblem(sparse.csc_array(A), rng.normal(size=cones.n_rows), rng.normal(size=4), cones)


def test_a_problem_of_every_cone_is_read_back_as_it_was(tmp_path: Path) -> None:
    for problem in (mixed(), sg.program(sg.catalog("chasnov2020")).conic):
        save_cbf(problem, tmp_path / "problem.cbf")
        again = load_cbf(tmp_path / "problem.cbf")
        assert again.cones == problem.cones
        assert np.array_equal(again.c, problem.c)
        assert again.b == pytest.approx(problem.b, rel=1e-15)
        assert (again.A - problem.A).toarray() == pytest.approx(0, abs=1e-15)


def test_the_numbers_in_the_file_are_those_of_the_format(tmp_path: Path) -> None:
    """[[1, x], [x, 2]] >= 0 and x <= 3, minimising -x: off the diagonal stands x, in the lower half."""
    A = sparse.csc_array(np.array([[1.0], [0.0], [-np.sqrt(2.0)], [0.0]]))
    problem = ConicProblem(A, np.array([3.0, 1.0, 0.0, 2.0]), np.array([-1.0]), Cones(0, 1, (2,)))
    save_cbf(problem, tmp_path / "tiny.cbf")
    words = (tmp_path / "tiny.cbf").read_text(encoding="ascii").split("\n\n")
    assert "OBJACOORD\n1\n0 -1.0" in words
    assert "ACOORD\n1\n0 0 -1.0" in words
    assert "BCOORD\n1\n0 3.0" in words
    (entry,) = (section for section in words if section.startswith("HCOORD"))
    assert entry.split("\n")[2].split()[:4] == ["0", "0", "1", "0"]
    assert float(entry.split()[-1]) == pytest.approx(1.0, rel=1e-15)
    assert "DCOORD\n2\n0 0 0 1.0\n0 1 1 2.0\n" in [f"{section}\n" for section in map(str.strip, words)]


@pytest.mark.parametrize(
    "text", ["", "VER\n3\n", "OBJSENSE\nMAX\n\nVAR\n1 1\nF 1\n", "OBJSENSE\nMIN\n\nVAR\n1 1\nL+ 1\n"]
)
def test_a_file_of_another_kind_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.cbf").write_text(text, encoding="ascii")
    with pytest.raises(sg.InputError, match=r"other\.cbf: this is no conic problem"):
        load_cbf(tmp_path / "other.cbf")


def test_a_program_is_the_same_for_cvxpy_in_files_and_for_certify(tmp_path: Path) -> None:
    game = sg.catalog("krawczyk2000")
    known = sg.certify(game, "monotone").lower
    assert known is not None
    program = sg.program(game)
    model, modulus = program.to_cvxpy()
    model.solve(solver="CLARABEL")
    assert modulus.value == pytest.approx(float(known), abs=1e-5)
    for ending, load in (("dat-s", load_sdpa), ("cbf", load_cbf)):
        program.save(tmp_path / f"game.{ending}")
        problem = load(tmp_path / f"game.{ending}")
        point = clarabel_direct.solve(problem, SolverOptions()).point
        assert point is not None
        assert float(program.size) * point.x[-1] == pytest.approx(float(known), abs=1e-4)
    with pytest.raises(sg.InputError, match=r"use \.dat-s or \.cbf"):
        program.save(tmp_path / "game.mps")
