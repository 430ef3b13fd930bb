"""The second checker's reading of refutations, equilibria, regrets and nearest games."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from typing import Any

import sympy
from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement

from sosgames.certificates.gamefiles import loads
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Ball, Box, Constraints, ProbabilitySimplex, Simplex
from tests.sosgames.certificates.second_checker import ModulusChecker, q


class SecondChecker(ModulusChecker):
    """Says whether the claim of a proof is true of a problem, as far as the proof shows it."""

    def refutation(self, proof: dict[str, Any]) -> bool:
        claim = proof["claim"]
        if proof["variables"] != self.names or not proof["witnesses"]:
            return False
        if claim["weights"] == "free":
            assert claim["property"] == "monotone"
            movers = [p.name for p in self.problem.players]
            tests = [
                self.matrix("monotone", claim["player"], {m: QQ(int(m == p)) for m in movers}) for p in movers
            ]
        else:
            tests = [self.matrix(claim["property"], claim["player"], self.weights(claim["weights"]))]
        rows = tests[0][0]
        left_out = self.chart(claim["chart"], rows)[1]
        totals = [QQ(0)] * len(tests)
        for witness in proof["witnesses"]:
            x, y = {k: q(v) for k, v in witness["x"].items()}, {k: q(v) for k, v in witness["y"].items()}
            if not (self.inside(x) and set(y) <= set(rows) and any(y.values()) and q(witness["c"]) > 0):
                return False
            vector = [y.get(row, QQ(0)) for row in rows]
            if any(self.equations(rows) * sympy.Matrix([sympy.Rational(str(v)) for v in vector])):
                return False
            for t, (_, matrix, metric) in enumerate(tests):
                for i, j in itertools.product(range(len(rows)), repeat=2):
                    value = matrix[i][j].evaluate([(self.gen[n], x[n]) for n in self.names])
                    totals[t] += q(witness["c"]) * vector[i] * vector[j] * value
                for i, row in enumerate(rows):
                    if row not in left_out:
                        totals[t] -= q(witness["c"]) * q(claim["value"]) * metric[i] * vector[i] ** 2
        return all(total <= 0 for total in totals)

    def equilibrium(self, proof: dict[str, Any]) -> bool:
        claim = proof["claim"]
        x = {k: q(v) for k, v in claim["point"].items()}
        movers = [p for p in self.problem.players if p.variables]
        if not self.inside(x) or set(claim["gaps"]) != {p.name for p in movers}:
            return False
        if not all(self.gap_holds(p, x, q(claim["gaps"][p.name])) for p in movers):
            return False
        if not claim["regret"] and claim["distance_squared"] is None:
            return True
        if not self.modulus(proof["certificate"]):
            return False
        inner = proof["certificate"]["claim"]
        convex = all(
            c.polynomial.degree <= 1
            for p in movers
            for part in p.strategies
            if isinstance(part, Constraints)
            for c in part.constraints
        )
        if q(inner["mu"]) < 0 or not convex:
            return False
        if claim["distance_squared"] is None:
            return True
        weights = self.weights(inner["weights"]) or {p.name: QQ(1) for p in movers}
        total = sum((weights[name] * q(gap) for name, gap in claim["gaps"].items()), QQ(0))
        return (
            inner["property"] == "monotone"
            and q(inner["mu"]) > 0
            and q(claim["distance_squared"]) * q(inner["mu"]) >= total
        )

    def gap_holds(self, player: ExactPlayer, x: dict[str, Any], gap: Any) -> bool:
        utility, values = self.poly(player.utility), [(self.gen[n], x[n]) for n in self.names]
        slope = {v: utility.diff(self.gen[v]).evaluate(values) for v in player.variables}
        rest = gap + sum((slope[v] * x[v] for v in player.variables), QQ(0))
        under_root = QQ(0)
        for part in player.strategies:
            s = [slope[v] for v in part.variables]
            if isinstance(part, Box):
                corners = itertools.product(*part.bounds)
                rest -= max(
                    sum(a * QQ(c.numerator, c.denominator) for a, c in zip(s, corner, strict=True))
                    for corner in corners
                )
            elif isinstance(part, (Simplex, ProbabilitySimplex)):
                rest -= max(s + ([QQ(0)] if isinstance(part, Simplex) else []))
            elif isinstance(part, Ball):
                rest -= sum(a * QQ(c.numerator, c.denominator) for a, c in zip(s, part.center, strict=True))
                assert under_root == 0
                under_root = QQ(part.radius_squared.numerator, part.radius_squared.denominator) * sum(
                    a * a for a in s
                )
            elif any(s):
                return False
        return rest >= 0 and rest**2 >= under_root

    def regret(self, proof: dict[str, Any]) -> bool:
        """By the utility with all but the player's own variables replaced, term by term."""
        claim = proof["claim"]
        x = {k: q(v) for k, v in claim["point"].items()}
        movers = {p.name: p for p in self.problem.players if p.variables}
        if not self.inside(x) or not set(claim["regrets"]) == set(proof["certificates"]) == set(movers):
            return False
        for name, player in movers.items():
            loss = Polynomial.constant(player.utility({k: Fraction(str(v)) for k, v in x.items()}))
            for monomial, c in player.utility.terms.items():
                own = tuple((v, e) for v, e in monomial if v in player.variables)
                fixed = Fraction(1)
                for v, e in monomial:
                    fixed *= Fraction(1) if v in player.variables else Fraction(str(x[v])) ** e
                loss = loss - Polynomial({own: c * fixed})
            problem = MatrixProblem(((loss,),), player.variables, player.strategies)
            certificate = proof["certificates"][name]
            if certificate["claim"]["property"] != "matrix" or not SecondChecker(problem).modulus(
                certificate
            ):
                return False
            if q(claim["regrets"][name]) < -q(certificate["claim"]["mu"]):
                return False
        return True

    def nearest(self, proof: dict[str, Any]) -> bool:
        claim = proof["claim"]
        game = loads(json.dumps(claim["game"]), "json")
        assert isinstance(game, ExactGame)
        inner = SecondChecker(game)
        same = [(p.name, p.variables, p.strategies) for p in game.players]
        if same != [(p.name, p.variables, p.strategies) for p in self.problem.players]:
            return False
        certificate = proof["certificate"]
        if not inner.modulus(certificate) or q(certificate["claim"]["mu"]) < 0:
            return False
        if (
            certificate["claim"]["property"] != claim["property"]
            or certificate["claim"]["weights"] is not None
        ):
            return False
        free = {
            name: [self.read([[1, 1, m]], self.ring) for m in ms] for name, ms in proof["changeable"].items()
        }
        free = {name: list(dict.fromkeys(ms)) for name, ms in free.items()}
        sums: dict[Any, Any] = {}
        for old, new in zip(self.problem.players, game.players, strict=True):
            for exponents, c in (self.poly(new.utility) - self.poly(old.utility)).terms():
                sums[exponents] = sums.get(exponents, QQ(0)) + c
        if claim["zero_sum"] and any(sums.values()):
            return False
        changes = []
        for old, new in zip(self.problem.players, game.players, strict=True):
            for exponents, c in (self.poly(new.utility) - self.poly(old.utility)).terms():
                if self.ring.from_dict({exponents: QQ(1)}) not in free.get(old.name, []):
                    return False
                changes.append(abs(c))
        distance = {
            "linf": max(changes, default=QQ(0)),
            "l1": sum(changes, QQ(0)),
            "l2": sum((c * c for c in changes), QQ(0)),
        }
        if q(claim["distance"]) != distance[claim["norm"]]:
            return False
        if claim["distance_lower"] is None:
            return True
        return self.lower_bound_holds(claim, proof["functionals"], free)

    def lower_bound_holds(
        self, claim: dict[str, Any], functionals: list[Any], free: dict[str, list[PolyElement]]
    ) -> bool:
        """By the matrices of single monomials."""
        points = []
        for f in functionals:
            x, y = {k: q(v) for k, v in f["x"].items()}, {k: q(v) for k, v in f["y"].items()}
            vector = [y.get(name, QQ(0)) for name in self.names]
            off = any(self.equations(self.names) * sympy.Matrix([sympy.Rational(str(v)) for v in vector]))
            if (
                not self.inside(x)
                or off
                or not any(vector)
                or q(f["c"]) <= 0
                or not set(y) <= set(self.names)
            ):
                return False
            points.append((q(f["c"]), [(self.gen[n], x[n]) for n in self.names], y))

        def value(player: ExactPlayer, utility: PolyElement) -> Any:
            total = QQ(0)
            for c, at, y in points:
                for a in player.variables:
                    for b in player.variables if claim["property"] == "concave" else self.names:
                        second = utility.diff(self.gen[a]).diff(self.gen[b]).evaluate(at)
                        total -= c * y.get(a, QQ(0)) * y.get(b, QQ(0)) * second
            return total

        start = sum((value(p, self.poly(p.utility)) for p in self.problem.players), QQ(0))
        signed = [(m, value(p, m)) for p in self.problem.players for m in free.get(p.name, [])]
        slopes = [abs(s) for _, s in signed]
        if claim["zero_sum"]:
            slopes = []
            for monomial in {m for m, _ in signed}:
                group = [s for m, s in signed if m == monomial]
                # the best common shift is one of these, for whichever norm
                ends = [*group, (min(group) + max(group)) / 2, sum(group, QQ(0)) / len(group)]
                size = {"linf": sum, "l1": max, "l2": lambda v: sum(a * a for a in v)}[claim["norm"]]
                slopes += min(([abs(s - e) for s in group] for e in ends), key=size)
        lower = q(claim["distance_lower"])
        if lower <= 0:
            return lower == 0
        if start >= 0:
            return False
        if claim["norm"] == "l2":
            return lower * sum((s * s for s in slopes), QQ(0)) <= start**2
        dual = sum(slopes, QQ(0)) if claim["norm"] == "linf" else max(slopes, default=QQ(0))
        return lower * dual <= -start
