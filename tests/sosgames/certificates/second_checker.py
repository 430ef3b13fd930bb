"""A second checker of proofs, on SymPy: other arithmetic, other algorithms, the same question.

It reads the JSON values itself, expands both sides with SymPy's sparse rings and decides semidefiniteness by
the signs of the characteristic polynomial. It looks at no congruence and no clique, since neither is needed
for the truth of a claim. Only used to confirm what the verifier accepts, so it may be slow.
"""

from __future__ import annotations

import itertools
import json
from functools import cache
from typing import Any

import sympy
from sympy.polys.domains import QQ, ZZ
from sympy.polys.matrices import DomainMatrix
from sympy.polys.rings import PolyElement, PolyRing, ring

from sosgames.certificates.games import ExactGame, MatrixProblem
from sosgames.certificates.polynomials import Polynomial

Problem = ExactGame | MatrixProblem


def q(pair: list[int]) -> Any:
    return QQ(pair[0], pair[1])


class ModulusChecker:
    """Says whether a modulus is proved, and knows the problem in its own way."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.names = list(problem.variables)
        self.ring: PolyRing = ring(self.names, QQ)[0]
        self.gen = dict(zip(self.names, self.ring.gens, strict=True))
        self.known: dict[str, bool] = {}

    # -- the problem ----------------------------------------------------------------------------

    def poly(self, polynomial: Polynomial, target: PolyRing | None = None) -> PolyElement:
        target = target or self.ring
        place = {str(symbol): i for i, symbol in enumerate(target.symbols)}
        terms = {}
        for monomial, c in polynomial.terms.items():
            exponents = [0] * len(place)
            for name, e in monomial:
                exponents[place[name]] = e
            terms[tuple(exponents)] = QQ(c.numerator, c.denominator)
        return target.from_dict(terms)

    def matrix(
        self, prop: str, player: str | None, weights: dict[str, Any] | None
    ) -> tuple[list[str], list[list[PolyElement]], list[Any]]:
        """Rows, M and the diagonal of R."""
        if prop == "matrix":
            assert isinstance(self.problem, MatrixProblem)
            assert player is None
            assert weights is None
            rows = [str(i + 1) for i in range(self.problem.side)]
            return rows, [[self.poly(p) for p in row] for row in self.problem.rows], [QQ(1)] * len(rows)
        assert isinstance(self.problem, ExactGame)
        r = {p.name: QQ(1) for p in self.problem.players}
        if prop == "concave":
            assert weights is None
            (chosen,) = [p for p in self.problem.players if p.name == player]
            rows = list(chosen.variables)
        else:
            assert prop == "monotone"
            assert player is None
            rows = self.names
            if weights is not None:
                r = weights
        owner = {v: p for p in self.problem.players for v in p.variables}
        jacobian = [
            [
                (self.poly(owner[a].utility) * r[owner[a].name]).diff(self.gen[a]).diff(self.gen[b])
                for b in rows
            ]
            for a in rows
        ]
        n = range(len(rows))
        matrix = [[(jacobian[i][j] + jacobian[j][i]) * QQ(-1, 2) for j in n] for i in n]
        return rows, matrix, [r[owner[a].name] for a in rows]

    def equations(self, rows: list[str]) -> sympy.Matrix:
        """Linear parts of the affine equations."""
        lines = []
        if isinstance(self.problem, ExactGame):
            for c in self.problem.constraints:
                if c.kind == "==" and c.polynomial.degree == 1:
                    line = [sympy.Rational(str(c.polynomial.coefficient(((row, 1),)))) for row in rows]
                    if any(line):
                        lines.append(line)
        return sympy.Matrix(len(lines), len(rows), [v for line in lines for v in line])

    def inside(self, x: dict[str, Any]) -> bool:
        values = [(self.gen[name], x[name]) for name in self.names]
        for c in self.problem.constraints:
            value = self.poly(c.polynomial).evaluate(values)
            if value < 0 or (c.kind == "==" and value != 0):
                return False
        return set(x) == set(self.names)

    # -- claims ---------------------------------------------------------------------------------

    def proves(self, proof: dict[str, Any]) -> bool:
        kind = proof["claim"]["type"]
        return bool(getattr(self, kind)(proof))

    def modulus(self, proof: dict[str, Any]) -> bool:
        claim = proof["claim"]
        prop = claim["property"]
        players = [None]
        if prop == "concave":
            players = [p.name for p in self.problem.players if p.variables]
        if proof["variables"] != self.names or [part["player"] for part in proof["proofs"]] != players:
            return False
        weights = self.weights(claim["weights"])
        mus = [q(part["mu"]) for part in proof["proofs"]]
        if q(claim["mu"]) != min(mus) or claim["strict"] != (min(mus) > 0):
            return False
        return all(self.part(part, prop, weights) for part in proof["proofs"])

    def weights(self, weights: dict[str, Any] | None) -> dict[str, Any] | None:
        if weights is None:
            return None
        assert set(weights) == {p.name for p in self.problem.players}
        assert all(q(w) > 0 for w in weights.values())
        return {name: q(w) for name, w in weights.items()}

    def part(self, part: dict[str, Any], prop: str, weights: dict[str, Any] | None) -> bool:
        said = {k: v for k, v in part.items() if k != "cliques"}
        said["blocks"] = [{k: v for k, v in block.items() if k != "proof"} for block in part["blocks"]]
        key = json.dumps(
            [said, prop, weights and sorted((k, str(v)) for k, v in weights.items())], sort_keys=True
        )
        if key not in self.known:
            self.known[key] = self._part(part, prop, weights)
        return self.known[key]

    def _part(self, part: dict[str, Any], prop: str, weights: dict[str, Any] | None) -> bool:
        rows, matrix, metric = self.matrix(prop, part["player"], weights)
        basis, left_out = self.chart(part["chart"], rows)
        width, mu = len(basis[0]), q(part["mu"])
        here = range(len(rows))
        shifted = [
            [matrix[i][j] - (mu * metric[i] if i == j and rows[i] not in left_out else 0) for j in here]
            for i in here
        ]
        compressed = [
            [
                sum((shifted[i][j] * (basis[i][a] * basis[j][b]) for i in here for j in here), self.ring(0))
                for b in range(width)
            ]
            for a in range(width)
        ]
        length = [
            [
                sum((basis[i][a] * basis[i][b] for i in here if rows[i] not in left_out), QQ(0))
                for b in range(width)
            ]
            for a in range(width)
        ]
        scalar = part["form"] == "scalar"
        big = ring(self.names + [f"w{j}_" for j in range(width if scalar else 0)], QQ)[0]
        inner = [[p.set_ring(big) for p in row] for row in compressed]
        den = part["denominator"]
        if den and "x0" in den and not self.zero_is_fine(den, compressed):
            return False
        left = self.left(part, inner, length, big)
        right = self.right(part, big, len(left))
        return part["scale"] > 0 and right is not None and left == right

    def chart(self, chart: dict[str, Any] | None, rows: list[str]) -> tuple[list[list[Any]], set[str]]:
        n = len(rows)
        if chart is None:
            return [[QQ(int(i == j)) for j in range(n)] for i in range(n)], set()
        equations = self.equations(rows)
        if "basis" in chart:
            basis = sympy.Matrix(chart["basis"])
            gone: list[str] = []
        else:
            gone = chart["eliminated"]
            assert len(set(gone)) == len(gone)
            out = [rows.index(name) for name in gone]
            kept = [i for i in range(n) if i not in out]
            solved = -(equations[:, out].pinv() * equations[:, kept]) if gone else None
            basis = sympy.zeros(n, len(kept))
            for j, i in enumerate(kept):
                basis[i, j] = 1
                for line, o in enumerate(out):
                    basis[o, j] = solved[line, j]
        assert basis.shape == (n, n - equations.rank())
        assert basis.rank() == basis.shape[1]
        assert all(v == 0 for v in equations * basis)
        return [[QQ(int(v.p), int(v.q)) for v in basis.row(i)] for i in range(n)], set(gone)

    def left(
        self, part: dict[str, Any], inner: list[list[PolyElement]], length: list[list[Any]], big: PolyRing
    ) -> list[list[PolyElement]]:
        factor = big(part["scale"])
        den = part["denominator"]
        if den and "x0" in den:
            factor *= (
                sum(((big.gens[self.names.index(name)] - q(v)) ** 2 for name, v in den["x0"].items()), big(0))
                ** den["k"]
            )
        n = range(len(inner))
        if part["form"] == "scalar":
            w = list(big.gens[len(self.names) :])
            square = sum((w[a] * w[b] * length[a][b] for a in n for b in n), big(0))
            if den and "y_power" in den:
                factor *= square ** den["y_power"]
            form = factor * sum((w[a] * w[b] * inner[a][b] for a in n for b in n), big(0))
            if part["sphere"] is not None:
                form -= self.read(part["sphere"], big) * (1 - square)
            result = [[form]]
        else:
            assert part["sphere"] is None
            assert not (den and "y_power" in den)
            result = [[factor * inner[a][b] for b in n] for a in n]
        for equality in part["equalities"]:
            c = self.problem.constraints[equality["constraint"]]
            assert c.kind == "=="
            h = self.poly(c.polynomial).set_ring(big)
            for a, b, t in equality["matrix"]:
                result[a][b] -= self.read(t, big) * h
                if a != b:
                    result[b][a] -= self.read(t, big) * h
        return result

    def right(self, part: dict[str, Any], big: PolyRing, side: int) -> list[list[PolyElement]] | None:
        generators = [big(1)]
        for g in part["generators"]:
            if "constraint" in g:
                c = self.problem.constraints[g["constraint"]]
                assert c.kind == ">="
                generators.append(self.poly(c.polynomial).set_ring(big))
            elif "product" in g:
                generators.append(generators[g["product"][0]] * generators[g["product"][1]])
            elif "multiple" in g:
                assert q(g["by"]) > 0
                generators.append(generators[g["multiple"]] * q(g["by"]))
            else:
                root = self.read(g["root"], big)
                assert root ** (2 * g["k"] + 1) == generators[g["odd_root"]]
                generators.append(root)
        total = [[big(0) for _ in range(side)] for _ in range(side)]
        for block in part["blocks"]:
            if not is_semidefinite(tuple(tuple(row) for row in block["gram"])):
                return None
            z = [[big(0) for _ in range(side)] for _ in block["basis"]]
            for vector, terms in zip(z, block["basis"], strict=True):
                for c, row, monomial in terms:
                    vector[row] += self.read([[c, 1, monomial]], big)
            g = generators[block["generator"]]
            for p, r in itertools.product(range(len(z)), repeat=2):
                entry = block["gram"][max(p, r)][min(p, r)]
                for a, b in itertools.product(range(side), repeat=2):
                    if entry and z[p][a] and z[r][b]:
                        total[a][b] += g * z[p][a] * z[r][b] * entry
        return total

    def read(self, terms: list[Any], big: PolyRing) -> PolyElement:
        total = big(0)
        for numerator, denominator, monomial in terms:
            exponents = [0] * big.ngens
            for i, e in monomial:
                assert i >= 0
                exponents[i] += e
            total += big.from_dict({tuple(exponents): QQ(numerator, denominator)})
        return total

    def zero_is_fine(self, den: dict[str, Any], compressed: list[list[PolyElement]]) -> bool:
        n = len(compressed)
        values = []
        for row in compressed:
            for p in row:
                value = p
                for name, pair in den["x0"].items():
                    value = value.subs(self.gen[name], q(pair)) if value else value
                if value and not value.is_ground:
                    return False
                values.append(value.coeff(1) if value else QQ(0))
        scale = int(sympy.ilcm(1, *(v.denominator for v in values)))
        whole = [[int(values[a * n + b] * scale) for b in range(a + 1)] for a in range(n)]
        return is_semidefinite(tuple(tuple(row) for row in whole))


@cache
def is_semidefinite(gram: tuple[tuple[int, ...], ...]) -> bool:
    """By the elementary symmetric functions of the eigenvalues."""
    n = len(gram)
    if n == 0:
        return True
    full = [[ZZ(gram[max(i, j)][min(i, j)]) for j in range(n)] for i in range(n)]
    coefficients = DomainMatrix(full, (n, n), ZZ).charpoly()
    return all(c * (-1) ** k >= 0 for k, c in enumerate(coefficients))
