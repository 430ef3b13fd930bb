"""Faces: V H V' with the kernels that were asked for, and the map on H that the program's own map implies."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Box, Space
from sosgames.faces.diagonal import without_forced_zeros
from sosgames.faces.face import Face, face_equations, restricted, whole_face
from sosgames.faces.zeros import null_directions, on_face, zero_kernels
from sosgames.sos import SosProgram, build_program
from sosgames.sos.exact import ExactEntries
from sosgames.sos.program import triangle_of

x, y = Polynomial.variable("x"), Polynomial.variable("y")
ONE = Polynomial.constant(1)


def _program(entry: Polynomial, *names: str) -> SosProgram:
    problem = MatrixProblem(((entry,),), names, (Box(dict.fromkeys(names, (-1, 1))),))
    return build_program(modulus_matrix(problem, "matrix"), problem, modulus=Fraction(0))


def _two_rows() -> SosProgram:
    rows = ((ONE + x**2, x * y), (x * y, ONE + y**2 + x))
    problem = MatrixProblem(rows, ("x", "y"), (Box({"x": (-1, 1), "y": (-1, 1)}),))
    return build_program(modulus_matrix(problem, "matrix"), problem)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_the_equations_of_a_face_are_those_of_the_program_at_vhv(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program = _two_rows()
    ranks = [int(rng.integers(0, side + 1)) for side in program.sides]
    pairs = zip(program.sides, ranks, strict=True)
    face = Face(program, tuple(rng.integers(-2, 3, (side, rank)) for side, rank in pairs))
    grams = [np.array(rng.integers(-4, 5, (rank, rank)), dtype=np.int64) for rank in ranks]
    grams = [gram + gram.T for gram in grams]
    equations = face_equations(face)
    assert equations is not None
    reduced = np.concatenate([triangle_of(gram) for gram in grams])
    lifted = [V @ gram @ V.T for V, gram in zip(face.vectors, grams, strict=True)]
    whole = program.coefficients.apply(np.concatenate([triangle_of(gram) for gram in lifted]))
    assert (equations @ reduced == whole.astype(np.int64)).all()


def test_kernel_vectors_of_exact_zeros_are_orthogonal_to_the_face() -> None:
    program = _program((x - y) ** 2, "x", "y")
    point = {"x": Fraction(1, 3), "y": Fraction(1, 3)}
    kernels = zero_kernels(program, Fraction(0), [point])
    face = restricted(whole_face(program), on_face(whole_face(program), kernels))
    assert face is not None
    assert not face.is_whole
    for V, kernel in zip(face.vectors, kernels, strict=True):
        assert all((V.T @ np.array(k) == 0).all() for k in kernel)
        assert V.shape[1] == V.shape[0] - len(kernel)


def test_a_point_where_the_matrix_is_definite_says_nothing() -> None:
    program = _two_rows()
    origin = {"x": Fraction(0), "y": Fraction(0)}
    entries = ExactEntries(program.entries)
    assert null_directions(program, entries, Fraction(0), origin) == []
    assert null_directions(program, entries, Fraction(1), origin) != []
    assert not any(zero_kernels(program, Fraction(0), [origin]))


def test_the_diagonal_rule_empties_what_motzkins_form_cannot_use() -> None:
    motzkin = x**4 * y**2 + x**2 * y**4 - 3 * x**2 * y**2 + 1
    problem = MatrixProblem(((motzkin,),), ("x", "y"), (Space(["x", "y"]),))
    program = build_program(modulus_matrix(problem, "matrix"), problem, modulus=Fraction(0))
    cut = without_forced_zeros(whole_face(program), program.target)
    assert cut is not None
    basis = {tuple(e.tolist()) for block in program.blocks for e in block.exponents}
    assert basis == {(0, 0), (1, 1), (2, 1), (1, 2)}


def test_equations_too_large_for_64_bits_are_left_alone() -> None:
    program = _two_rows()
    V = tuple(np.full((side, 1), 10**10, dtype=np.int64) for side in program.sides)
    assert face_equations(Face(program, V)) is None
