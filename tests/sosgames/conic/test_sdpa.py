"""SDPA files hold the problem: what is read back is the same, or has the same optimum."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import sosgames as sg
from sosgames.certificates.matrices import modulus_matrix
from sosgames.conic import Cones, ConicProblem, gram_form, modulus_system, moment_form, program_scaling
from sosgames.conic.sdpa import load_sdpa, save_sdpa
from sosgames.solvers import clarabel_direct
from sosgames.solvers.status import SolverOptions
from sosgames.sos import build_program


def _system():
    game = sg.catalog("chasnov2020").exact
    program = build_program(modulus_matrix(game, "monotone"), game)
    return modulus_system(program, program_scaling(program))


def test_a_problem_of_inequalities_and_matrices_is_read_back_as_it_was(tmp_path: Path) -> None:
    problem, _ = moment_form(_system())
    assert problem.cones.zero == 0
    save_sdpa(problem, tmp_path / "moment.dat-s")
    again = load_sdpa(tmp_path / "moment.dat-s")
    assert again.cones == problem.cones
    assert np.array_equal(again.c, problem.c)
    assert again.b == pytest.approx(problem.b, rel=1e-15)
    assert (again.A - problem.A).toarray() == pytest.approx(0, abs=1e-15)


def test_equations_and_second_order_cones_keep_the_optimum(tmp_path: Path) -> None:
    problem, _ = gram_form(_system())
    disc = ConicProblem(
        sparse.csc_array(np.array([[1.0, 1.0], [0.0, 0.0], [-1.0, 0.0], [0.0, -1.0]])),
        np.array([0.0, 1.0, 0.0, 0.0]),
        np.array([1.0, 0.0]),
        Cones(1, 0, (), (3,)),
    )
    for original, name in ((problem, "gram"), (disc, "disc")):
        save_sdpa(original, tmp_path / f"{name}.dat-s")
        again = load_sdpa(tmp_path / f"{name}.dat-s")
        values = []
        for either in (original, again):
            point = clarabel_direct.solve(either, SolverOptions()).point
            assert point is not None
            values.append(float(either.c @ point.x))
        assert values[0] == pytest.approx(values[1], abs=1e-5)


def test_a_file_of_another_kind_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "other.dat-s"
    file.write_text("2\n1\n2\n1 1\n1 9 1 1 1.0\n", encoding="ascii")
    with pytest.raises(sg.InputError, match=r"other\.dat-s: this is no SDPA sparse file"):
        load_sdpa(file)
