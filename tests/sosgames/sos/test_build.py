"""The coefficient map is the identity's left side: compared with products of polynomials, term by term."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sosgames.certificates.constraints import Constraint
from sosgames.certificates.games import MatrixProblem
from sosgames.certificates.matrices import PolyMatrix, modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Ball, Box, Constraints, ProbabilitySimplex, Simplex, Space
from sosgames.errors import InputError, LimitError
from sosgames.sos import MultiGradedBases, build_program, lowest_level
from sosgames.sos.exponents import monomial_of
from sosgames.sos.program import SosProgram, join_columns, split_columns

x, y, z = (Polynomial.variable(name) for name in "xyz")
ONE = Polynomial.constant(1)
CUBIC = Constraint(x**3 - x, "==")


def matrix_on(rows, names, *sets) -> tuple[PolyMatrix, MatrixProblem]:
    problem = MatrixProblem(rows, tuple(names), sets)
    return modulus_matrix(problem, "matrix"), problem


CASES = {
    "box": matrix_on(((2 - x * y, x + y), (x + y, 3 + x**2)), "xy", Box({"x": (0, 1), "y": (-3, "7/2")})),
    "simplex": matrix_on(((2 + x**3,),), "xy", Simplex(["x", "y"])),
    "ball": matrix_on(((x + 2, z), (z, ONE)), "xz", Ball(["x", "z"], ["1/3", 0], "9/4")),
    "probabilities": matrix_on(((1 + x * y + z,),), "xyz", ProbabilitySimplex(["x", "y", "z"])),
    "odd power": matrix_on(((2 - x**2,),), "x", Constraints([Constraint((1 - x**2) ** 3)])),
    "equation": matrix_on(((2 - x * y, ONE), (ONE, y**4)), "xy", Constraints([CUBIC, Constraint(1 - y**2)])),
    "space": matrix_on(((x**2 - 2 * x + 2, x), (x, x**2)), "x", Space(["x"])),
}


def expand(program: SosProgram, entries: np.ndarray) -> dict[tuple, Fraction]:
    """The coefficients of the sum of the multipliers with these integer Gram and free entries."""
    names = program.coordinates.names
    to_coordinates = program.coordinates.to_coordinates
    total: dict[tuple[int, int], Polynomial] = {}
    grams, free = split_columns(program, entries)
    for block, gram in zip(program.blocks, grams, strict=True):
        g = (
            to_coordinates(program.description.polynomial(block.generator))
            * program.multiples[block.generator]
        )
        elements = [
            (int(r), Polynomial({monomial_of(e, names): 1}))
            for r, e in zip(block.rows, block.exponents, strict=True)
        ]
        for i, (a, p) in enumerate(elements):
            for j, (b, q) in enumerate(elements):
                if a <= b:
                    total[a, b] = total.get((a, b), Polynomial()) + p * q * g * int(gram[i, j])
    equations = dict(program.description.equations)
    start = 0
    for part in program.free:
        h = to_coordinates(equations[part.equation]) * program.equation_multiples[part.equation]
        for a, b, e in zip(part.rows.tolist(), part.columns.tolist(), part.exponents, strict=True):
            t = Polynomial({monomial_of(e, names): int(free[start])})
            total[a, b] = total.get((a, b), Polynomial()) + t * h
            start += 1
    return {(*key, m): c for key, p in total.items() for m, c in p.terms.items()}


def as_coefficients(program: SosProgram, values: np.ndarray, divisor: int = 1) -> dict[tuple, Fraction]:
    keys = program.keys
    return {
        (int(a), int(b), monomial_of(e, program.coordinates.names)): Fraction(int(v), divisor)
        for a, b, e, v in zip(keys.rows, keys.columns, keys.exponents, values, strict=True)
        if v
    }


@pytest.mark.parametrize("size", [9, 2**45], ids=["64-bit integers", "integers of any size"])
@pytest.mark.parametrize("name", CASES)
def test_the_coefficient_map_is_the_sum_of_the_multipliers(name: str, size: int) -> None:
    matrix, problem = CASES[name]
    program = build_program(matrix, problem, lowest_level(matrix, problem) + 2)
    rng = np.random.default_rng(1)
    entries = rng.integers(-size, size + 1, program.coefficients.shape[1])
    image = as_coefficients(program, program.coefficients.apply(entries))
    assert image == expand(program, entries)
    in_floats = program.coefficients.to_csc() @ entries.astype(float)
    assert np.allclose(in_floats, program.coefficients.apply(entries).astype(float), rtol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_the_right_side_is_the_matrix_in_coordinates(name: str) -> None:
    matrix, problem = CASES[name]
    program = build_program(matrix, problem)
    expected = {
        (*key, m): c
        for key, p in matrix.entries.items()
        for m, c in program.coordinates.to_coordinates(p).terms.items()
    }
    assert as_coefficients(program, program.target, program.denominator) == expected
    metric = as_coefficients(program, program.metric, program.denominator)
    assert metric == {(a, a, ()): Fraction(1) for a in range(matrix.side)}


@pytest.mark.parametrize("name", CASES)
def test_columns_split_into_blocks_and_join_again(name: str) -> None:
    program = build_program(*CASES[name])
    entries = np.arange(program.coefficients.shape[1], dtype=np.int64)
    grams, free = split_columns(program, entries)
    assert [len(gram) for gram in grams] == list(program.sides)
    assert all((gram == gram.T).all() for gram in grams)
    assert (join_columns(grams, free) == entries).all()


def test_the_block_of_one_covers_every_coefficient_once_and_disjointly() -> None:
    for name in ("box", "simplex", "ball", "probabilities", "equation"):
        program = build_program(*CASES[name])
        n_first = program.offsets[sum(block.generator == 0 for block in program.blocks)]
        first = program.coefficients.columns < n_first
        assert len(np.unique(program.coefficients.columns[first])) == first.sum() == n_first
        assert set(program.coefficients.equations[first]) == set(range(program.n_equations))


def test_variables_that_do_not_matter_stay_out_and_tied_ones_come_in() -> None:
    free_z = matrix_on(((2 - x**2,),), "xz", Box({"x": (-1, 1), "z": (0, 5)}))
    assert build_program(*free_z).coordinates.names == ("x",)
    tied = matrix_on(((2 - x**2,),), "xz", Ball(["x", "z"], [0, 0], 1))
    assert set(build_program(*tied).coordinates.names) == {"x", "z"}


def test_affine_equations_are_solved_and_leave_no_free_multiplier() -> None:
    program = build_program(*CASES["probabilities"])
    assert program.coordinates.names == ("x", "y")
    assert list(program.coordinates.solved) == ["z"]
    assert program.n_free == 0


def test_the_lowest_level_is_even_and_reaches_matrix_and_generators() -> None:
    assert lowest_level(*matrix_on(((1 + x,),), "x", Box({"x": (0, 1)}))) == 2
    assert lowest_level(*matrix_on(((1 + x**3,),), "x", Box({"x": (0, 1)}))) == 4
    assert lowest_level(*matrix_on(((1 + x,),), "x", Constraints([Constraint(1 - x**4)]))) == 4


@pytest.mark.parametrize("level", [3, 2, 0, -2])
def test_a_level_that_is_odd_or_too_low_is_refused_with_the_lowest_one(level: int) -> None:
    quartic = matrix_on(((1 + x**4,),), "x", Box({"x": (0, 1)}))
    with pytest.raises(InputError, match=rf"got {level}; it must be even and at least 4"):
        build_program(*quartic, level)


def test_sign_symmetry_splits_an_even_matrix_and_components_split_rows() -> None:
    even = matrix_on(((2 - x**2 * y**2, x * y), (x * y, 3 - y**2)), "xy", Box({"x": (-1, 1), "y": (-1, 1)}))
    assert max(build_program(*even, 4).sides) < 12
    apart = matrix_on(((2 - x, Polynomial()), (Polynomial(), 2 - y)), "xy", Box({"x": (-1, 1), "y": (-1, 1)}))
    program = build_program(*apart)
    assert all(len(set(block.rows.tolist())) == 1 for block in program.blocks)


def test_idle_monomials_go_where_no_inequality_can_use_them() -> None:
    matrix, problem = CASES["space"]
    (block,) = build_program(matrix, problem, modulus=Fraction(0)).blocks
    elements = {(int(r), int(e[0])) for r, e in zip(block.rows, block.exponents, strict=True)}
    assert elements == {(0, 0), (0, 1), (1, 1)}
    quartic = matrix_on(((1 + x**4 * y**2 + y**2,),), "xy", Space(["x", "y"]))
    blocks = build_program(*quartic).blocks
    assert {tuple(e) for block in blocks for e in block.exponents.tolist()} == {
        (0, 0),
        (0, 1),
        (2, 1),
        (1, 1),
    }


def test_multi_graded_bases_are_smaller_and_still_cover_the_matrix() -> None:
    matrix, problem = matrix_on(
        ((3 + x**2 * y**2, x), (x, 2 + y**2)), "xy", Box({"x": (0, 1)}), Box({"y": (0, 1)})
    )
    full = build_program(matrix, problem)
    graded = build_program(matrix, problem, bases=MultiGradedBases((("x",), ("y",))))
    assert sum(graded.sides) < sum(full.sides)
    covered = np.unique(graded.coefficients.equations)
    assert {k for k in range(graded.n_equations) if graded.target[k]} <= set(covered.tolist())


def test_many_variables_need_integers_beyond_64_bits_and_get_them() -> None:
    names = [f"v{i}" for i in range(60)]
    total = sum((Polynomial.variable(n) ** 2 for n in names), Polynomial())
    matrix, problem = matrix_on(((70 - total,),), names, Box(dict.fromkeys(names, (-1, 1))))
    program = build_program(matrix, problem)
    assert program.n_equations == 61
    assert as_coefficients(program, program.target)[0, 0, ()] == 70


def test_a_program_that_cannot_fit_is_refused_at_once_with_its_size_and_advice() -> None:
    names = [f"v{i}" for i in range(60)]
    total = sum((Polynomial.variable(n) ** 8 for n in names), Polynomial())
    matrix, problem = matrix_on(((total,),), names, Box(dict.fromkeys(names, (-1, 1))))
    with pytest.raises(LimitError, match=r"side up to 635,376, .* the limit is 4 GiB; lower the level"):
        build_program(matrix, problem)
    small = CASES["box"]
    with pytest.raises(LimitError, match="raise memory_limit"):
        build_program(*small, memory_limit=1000)
    assert build_program(*small, memory_limit=None).sides == build_program(*small).sides
