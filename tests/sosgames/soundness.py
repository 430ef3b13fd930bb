"""Cases of known modulus against the search: no bound may be on its wrong side.

`make soundness` runs 10,000 of them; a sample runs with the tests. A case is a class of problem, the distance
of its modulus from 0 (from 0 down to 1e-10 times its size, on both sides) and its scale, 1e-9 to 1e9.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction

import sosgames as sg
from sosgames.certificates.games import ExactGame, MatrixProblem
from sosgames.certificates.sets import Constraints
from tests.sosgames.families import Known, potential_game, simplex_player, square_matrix

CLASSES = ("potential game", "simplex player", "square matrix", "redundant description", "empty set")
POWERS = range(-9, 10, 3)


@dataclass(frozen=True)
class Outcome:
    """What the search said of one case."""

    kind: str
    sign: str
    verdict: str
    false_lower: bool
    false_upper: bool


def case(seed: int) -> tuple[str, Known]:
    """The case of that number: its class and the problem."""
    rng = random.Random(seed)
    kind = CLASSES[seed % len(CLASSES)]
    distance = rng.choice([Fraction(0), *(Fraction(s, 10**k) for k in range(11) for s in (-1, 1))])
    if kind == "simplex player":
        known = simplex_player(rng, 2, distance)
    elif kind == "square matrix":
        known = square_matrix(rng, 2, 2, distance)
    else:
        known = potential_game(rng, rng.choice((1, 2)), distance)
    known = scaled(known, Fraction(10) ** rng.choice(POWERS))
    if kind == "redundant description":
        known = with_constraints(known, [f"{known.problem.variables[0]}**2 <= {10**6}"])
    if kind == "empty set":
        known = with_constraints(known, [f"{known.problem.variables[0]} >= 100"])
    return kind, known


def scaled(known: Known, factor: Fraction) -> Known:
    """The same problem in other units; the modulus scales along."""
    problem = known.problem
    if isinstance(problem, MatrixProblem):
        rows = tuple(tuple(factor * entry for entry in row) for row in problem.rows)
        return replace(known, problem=replace(problem, rows=rows), modulus=factor * known.modulus)
    players = tuple(replace(p, utility=factor * p.utility) for p in problem.players)
    return replace(known, problem=ExactGame(players), modulus=factor * known.modulus)


def with_constraints(known: Known, texts: list[str]) -> Known:
    """The game with further conditions for the owner of its first variable."""
    game = known.problem
    assert isinstance(game, ExactGame)
    name = game.owner(game.variables[0])
    extra = Constraints(texts)
    players = tuple(
        replace(p, strategies=(*p.strategies, extra)) if p.name == name else p for p in game.players
    )
    return replace(known, problem=ExactGame(players))


def outcome(seed: int) -> Outcome:
    """Search, check the proofs again, and compare with what is known."""
    kind, known = case(seed)
    result = sg.certify(known.problem, known.property, max_level=6)
    result.verify()
    empty = kind == "empty set"
    return Outcome(
        kind,
        "holds" if known.modulus >= 0 or empty else "fails",
        result.verdict.value,
        not empty and result.lower is not None and result.lower > known.modulus,
        result.upper is not None and (empty or result.upper < known.modulus),
    )


def report(outcomes: Iterable[Outcome]) -> str:
    """The counts, class by class."""
    found = list(outcomes)
    lines = [f"{len(found)} cases"]
    lines.append(f"false certificates: {sum(o.false_lower for o in found)}")
    lines.append(f"false refutations: {sum(o.false_upper for o in found)}")
    for kind in CLASSES:
        for sign in ("holds", "fails"):
            verdicts = Counter(o.verdict for o in found if (o.kind, o.sign) == (kind, sign))
            if total := sum(verdicts.values()):
                decided = total - verdicts["undecided"]
                lines.append(
                    f"  {kind}, {sign}: {decided} of {total} decided ({100 * decided / total:.1f} %)"
                )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int, nargs="?", default=10_000)
    parser.add_argument("--workers", type=int, default=None)
    asked = parser.parse_args()
    with ProcessPoolExecutor(asked.workers) as executor:
        found = list(executor.map(outcome, range(asked.cases), chunksize=20))
    print(report(found))
    sys.exit(any(o.false_lower or o.false_upper for o in found))


if __name__ == "__main__":
    main()
