r"""Conic problems in the conic benchmark format (``.cbf``), which keeps equations and second-order cones.

The format holds :math:`\min c'x` subject to :math:`Ax + b \in K` and, for each semidefinite block,
:math:`\sum_i x_i H_i + D \succeq 0`. Here all variables are free, and each cone is one of its lists.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from sosgames.conic.problem import Cones, ConicProblem, FloatArray, svec_scale
from sosgames.errors import InputError

Sections = Mapping[str, list[list[str]]]
"""The lines that follow each keyword, split into words."""


def save_cbf(problem: ConicProblem, path: str | os.PathLike[str]) -> None:
    """Write a problem as a ``.cbf`` file, numbers with all their digits; `load_cbf` reads it back."""
    Path(path).write_text("\n".join(_lines(problem)) + "\n", encoding="ascii")


def _lines(problem: ConicProblem) -> Iterator[str]:
    cones, n = problem.cones, problem.n_variables
    plain = [("L=", cones.zero), ("L+", cones.nonnegative), *(("Q", size) for size in cones.second_order)]
    listed = [f"{name} {size}" for name, size in plain if size]
    yield from ("VER", "3", "", "OBJSENSE", "MIN", "", "VAR", f"{n} 1", f"F {n}", "")
    if listed:
        yield from ("CON", f"{cones.before_semidefinite} {len(listed)}", *listed, "")
    if cones.semidefinite:
        yield from ("PSDCON", str(len(cones.semidefinite)), *map(str, cones.semidefinite), "")
    yield from _section("OBJACOORD", [f"{j} {v!r}" for j, v in _nonzeros(problem.c)])
    places = list(_places(cones))
    first = cones.before_semidefinite
    terms = sparse.coo_array(problem.A)
    entries = sorted(zip(*(k.tolist() for k in terms.coords), (-terms.data).tolist(), strict=True))
    yield from _section("ACOORD", [f"{i} {j} {v!r}" for i, j, v in entries if i < first])
    yield from _section("BCOORD", [f"{i} {v!r}" for i, v in _nonzeros(problem.b) if i < first])
    inside = ((places[i - first], j, v) for i, j, v in entries if i >= first)
    yield from _section("HCOORD", [f"{k} {j} {p} {q} {v / scale!r}" for (k, p, q, scale), j, v in inside])
    constant = ((places[i - first], v) for i, v in _nonzeros(problem.b) if i >= first)
    yield from _section("DCOORD", [f"{k} {p} {q} {v / scale!r}" for (k, p, q, scale), v in constant])


def _section(keyword: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from (keyword, str(len(lines)), *lines, "")


def _nonzeros(vector: FloatArray) -> list[tuple[int, float]]:
    return [(int(i), float(vector[i])) for i in np.flatnonzero(vector)]


def _places(cones: Cones) -> Iterator[tuple[int, int, int, float]]:
    """Where each row of the semidefinite blocks goes: block, row and column below the diagonal, scale."""
    for k, side in enumerate(cones.semidefinite):
        p, q = np.triu_indices(side)
        for a, b, scale in zip(p.tolist(), q.tolist(), svec_scale(side).tolist(), strict=True):
            yield k, b, a, scale


def load_cbf(path: str | os.PathLike[str]) -> ConicProblem:
    """Read a ``.cbf`` file of the kind that `save_cbf` writes.

    Raises
    ------
    InputError
        When the file is no such file; the message names it.
    """
    file = Path(path)
    try:
        return _problem(_sections(file.read_text(encoding="ascii")))
    except (ValueError, IndexError, KeyError, UnicodeDecodeError) as error:
        raise InputError(
            f"{file.name}: this is no conic problem of free variables in CBF ({error})."
        ) from None


def _sections(text: str) -> Sections:
    sections: dict[str, list[list[str]]] = {}
    lines = [line.split() for line in text.splitlines() if line.strip() and line[0] != "#"]
    keyword = ""
    for words in lines:
        if len(words) == 1 and words[0].isalpha() and words[0] not in ("MIN", "MAX"):
            keyword = words[0]
        else:
            sections.setdefault(keyword, []).append(words)
    return sections


def _problem(sections: Sections) -> ConicProblem:
    (n, _), *free = sections["VAR"]
    if sections["OBJSENSE"] != [["MIN"]] or [name for name, _ in free] != ["F"]:
        raise ValueError("it maximises, or has variables in cones")
    sizes: dict[str, list[int]] = {"L=": [], "L+": [], "Q": []}
    for name, size in sections.get("CON", [[]])[1:]:
        sizes[name].append(int(size))
    sides = tuple(int(words[0]) for words in sections.get("PSDCON", [["0"]])[1:])
    cones = Cones(sum(sizes["L="]), sum(sizes["L+"]), sides, tuple(sizes["Q"]))
    first = cones.before_semidefinite
    row = {(k, p, q): (first + i, scale) for i, (k, p, q, scale) in enumerate(_places(cones))}
    A, b, c = sparse.lil_array((cones.n_rows, int(n))), np.zeros(cones.n_rows), np.zeros(int(n))
    for j, v in sections.get("OBJACOORD", [])[1:]:
        c[int(j)] = float(v)
    for i, j, v in sections.get("ACOORD", [])[1:]:
        A[int(i), int(j)] = -float(v)
    for i, v in sections.get("BCOORD", [])[1:]:
        b[int(i)] = float(v)
    for k, j, p, q, v in sections.get("HCOORD", [])[1:]:
        place, scale = row[int(k), int(p), int(q)]
        A[place, int(j)] = -float(v) * scale
    for k, p, q, v in sections.get("DCOORD", [])[1:]:
        place, scale = row[int(k), int(p), int(q)]
        b[place] = float(v) * scale
    return ConicProblem(sparse.csc_array(A), b, c, cones)
