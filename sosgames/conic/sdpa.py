r"""Conic problems as SDPA's sparse text format (``.dat-s``), which most semidefinite solvers read.

The format holds :math:`\min c'x` subject to :math:`\sum_i x_i F_i - F_0 \succeq 0`, block by block.
Inequalities are one diagonal block, an equation two inequalities in it, a second-order cone an arrow matrix.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from sosgames.conic.problem import Cones, ConicProblem, FloatArray, svec_scale
from sosgames.errors import InputError

Entry = tuple[int, int, int, int, float]
"""Matrix (0 for the constant one), block, row, column, all but the matrix from 1, and the value."""


def save_sdpa(problem: ConicProblem, path: str | os.PathLike[str]) -> None:
    """Write a problem as a ``.dat-s`` file, numbers with all their digits.

    `load_sdpa` reads it back to the same problem, with equations as pairs of inequalities and second-order
    cones as semidefinite ones.
    """
    cones = problem.cones
    n_diagonal = 2 * cones.zero + cones.nonnegative
    blocks = ([-n_diagonal] if n_diagonal else []) + [*cones.second_order, *cones.semidefinite]
    lines = [str(problem.n_variables), str(len(blocks)), " ".join(map(str, blocks))]
    lines.append(" ".join(repr(float(value)) for value in problem.c))
    lines += [f"{i} {b} {p} {q} {v!r}" for i, b, p, q, v in sorted(_entries(problem))]
    Path(path).write_text("\n".join(lines) + "\n", encoding="ascii")


def _entries(problem: ConicProblem) -> Iterator[Entry]:
    places = list(_places(problem.cones))
    terms = sparse.coo_array(problem.A)
    rows = [(0, row, float(problem.b[row])) for row in np.flatnonzero(problem.b).tolist()]
    rows += [(j + 1, i, float(v)) for i, j, v in zip(*terms.coords, terms.data, strict=True)]
    for matrix, row, value in rows:
        for block, p, q, factor in places[row]:
            yield matrix, block, p, q, -value * factor


def _places(cones: Cones) -> Iterator[list[tuple[int, int, int, float]]]:
    """Where each row of a conic problem goes: block, row, column and factor."""
    for k in range(1, cones.zero + 1):
        yield [(1, 2 * k - 1, 2 * k - 1, 1.0), (1, 2 * k, 2 * k, -1.0)]
    for k in range(2 * cones.zero + 1, 2 * cones.zero + cones.nonnegative + 1):
        yield [(1, k, k, 1.0)]
    block = int(cones.zero + cones.nonnegative > 0)
    for size in cones.second_order:
        block += 1
        yield [(block, k, k, 1.0) for k in range(1, size + 1)]
        yield from ([(block, 1, k, 1.0)] for k in range(2, size + 1))
    for side in cones.semidefinite:
        block += 1
        p, q = np.triu_indices(side)
        for a, b, scale in zip(p.tolist(), q.tolist(), svec_scale(side).tolist(), strict=True):
            yield [(block, a + 1, b + 1, 1.0 / scale)]


def load_sdpa(path: str | os.PathLike[str]) -> ConicProblem:
    """Read a ``.dat-s`` file.

    Raises
    ------
    InputError
        When the file is no such file; the message names it.
    """
    file = Path(path)
    try:
        lines = [line for line in file.read_text(encoding="ascii").splitlines() if line[:1] not in ('"', "*")]
        n, blocks = int(lines[0]), [int(size) for size in lines[2].translate(_PUNCTUATION).split()]
        c = np.array([float(v) for v in lines[3].translate(_PUNCTUATION).split()])
        entries = [_entry(line) for line in lines[4:] if line.strip()]
        return _problem(n, blocks, c, entries)
    except (ValueError, IndexError, KeyError, UnicodeDecodeError) as error:
        raise InputError(f"{file.name}: this is no SDPA sparse file ({error}).") from None


_PUNCTUATION = str.maketrans("{}(),", "     ")


def _entry(line: str) -> Entry:
    i, block, p, q, value = line.split()
    return int(i), int(block), min(int(p), int(q)), max(int(p), int(q)), float(value)


def _problem(n: int, blocks: list[int], c: FloatArray, entries: Iterable[Entry]) -> ConicProblem:
    """Diagonal blocks first, then the semidefinite ones."""
    diagonal = [(b, k) for b, size in enumerate(blocks, start=1) if size < 0 for k in range(1, 1 - size)]
    row = {(b, k, k): i for i, (b, k) in enumerate(diagonal)}
    scale = [1.0] * len(diagonal)
    for b, side in enumerate(blocks, start=1):
        if side > 0:
            p, q = np.triu_indices(side)
            row |= {
                (b, i + 1, j + 1): len(row) + k
                for k, (i, j) in enumerate(zip(p.tolist(), q.tolist(), strict=True))
            }
            scale += svec_scale(side).tolist()
    A, b_vector = sparse.lil_array((len(row), n)), np.zeros(len(row))
    for matrix, block, i, j, value in entries:
        place = row[block, i, j]
        if matrix:
            A[place, matrix - 1] = -value * scale[place]
        else:
            b_vector[place] = -value * scale[place]
    cones = Cones(0, len(diagonal), tuple(size for size in blocks if size > 0))
    return ConicProblem(sparse.csc_array(A), b_vector, c, cones)
