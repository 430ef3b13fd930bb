"""Cases of known modulus against the search: no bound may be on its wrong side.

    python -m tests.sosgames.soundness 10000 --log soundness.jsonl      # begun again, it goes on where it was

`make soundness` runs 10,000 of them; a sample runs with the tests. A case is a class of problem, the distance
of its modulus from 0 (from 0 down to 1e-10 times its size, on both sides) and its scale, 1e-9 to 1e9. Printed
are, by class and by what is true, how many were decided, then how many bounds were false, and the seconds.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path

import sosgames as sg
from sosgames.certificates.games import ExactGame, MatrixProblem
from sosgames.certificates.sets import Constraints
from tests.sosgames.families import (
    Known,
    ball_player,
    double_well,
    potential_game,
    simplex_player,
    square_matrix,
)

CLASSES = (
    "potential game",
    "simplex player",
    "square matrix",
    "redundant description",
    "empty set",
    "permuted variables",
    "ball player",
    "double well",
    "scalar form",
    "schmuedgen form",
    "sdsos cone",
)
OPTIONS = {
    "scalar form": {"form": "scalar"},
    "schmuedgen form": {"form": "schmuedgen"},
    "sdsos cone": {"cone": "sdsos"},
}
"""What is asked for besides the defaults."""
POWERS = range(-9, 10, 3)
BATCH = 100
"""Cases between two lines of progress."""


@dataclass(frozen=True)
class Outcome:
    """What the search said of one case."""

    kind: str
    sign: str
    verdict: str
    false_lower: bool
    false_upper: bool
    seconds: float = 0.0


def case(seed: int) -> tuple[str, Known]:
    """The case of that number: its class and the problem."""
    rng = random.Random(seed)
    kind = CLASSES[seed % len(CLASSES)]
    distance = rng.choice([Fraction(0), *(Fraction(s, 10**k) for k in range(11) for s in (-1, 1))])
    match kind:
        case "simplex player":
            known = simplex_player(rng, 2, distance)
        case "square matrix" | "scalar form":
            known = square_matrix(rng, 2, 2, distance)
        case "double well":
            known = double_well(rng, rng.choice((1, 2)), distance)
        case "ball player" | "schmuedgen form":
            known = ball_player(rng, rng.choice((1, 2)), distance)
        case "permuted variables":
            known = permuted(potential_game(rng, 3, distance))
        case _:
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


def permuted(known: Known) -> Known:
    """The same game with its players the other way round."""
    game = known.problem
    assert isinstance(game, ExactGame)
    return replace(known, problem=ExactGame(tuple(reversed(game.players))))


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
    start = time.process_time()
    result = sg.certify(known.problem, known.property, max_level=6, **OPTIONS.get(kind, {}))
    seconds = time.process_time() - start
    result.verify()
    empty = kind == "empty set"
    return Outcome(
        kind,
        "holds" if known.modulus >= 0 or empty else "fails",
        result.verdict.value,
        not empty and result.lower is not None and result.lower > known.modulus,
        result.upper is not None and (empty or result.upper < known.modulus),
        seconds,
    )


def report(outcomes: Iterable[Outcome]) -> str:
    """The counts as a Markdown table, one row for each class, and the sums under it."""
    found = list(outcomes)
    lines = ["| class | holds: certified | fails: refuted | decided |", "|---|---:|---:|---:|"]
    for kind in CLASSES:
        verdicts = Counter((o.sign, o.verdict) for o in found if o.kind == kind)
        holds, fails = (sum(n for (s, _), n in verdicts.items() if s == sign) for sign in ("holds", "fails"))
        certified, refuted = verdicts["holds", "certified"], verdicts["fails", "refuted"]
        if total := holds + fails:
            share = f"{100 * (certified + refuted) / total:.1f} %"
            lines.append(f"| {kind} | {certified} of {holds} | {refuted} of {fails} | {share} |")
    seconds = [o.seconds for o in found] or [0.0]
    lines += [
        "",
        f"{len(found)} cases; false certificates: {sum(o.false_lower for o in found)};"
        f" false refutations: {sum(o.false_upper for o in found)}",
        f"CPU seconds a case: median {statistics.median(seconds):.2f}, largest {max(seconds):.1f}",
    ]
    return "\n".join(lines)


def outcomes(seeds: Sequence[int], workers: int | None) -> Iterator[Outcome]:
    """The outcomes of the cases of these numbers, in order, as they come."""
    with ProcessPoolExecutor(workers) as executor:
        yield from executor.map(outcome, seeds, chunksize=5)


def logged(path: Path | None) -> list[Outcome]:
    """The outcomes that an earlier run wrote, one JSON object a line; a line cut short is left out."""
    if path is None or not path.exists():
        return []
    lines = path.read_text().splitlines(keepends=True)
    whole = [line for line in lines if line.endswith("\n")]
    path.write_text("".join(whole))
    return [Outcome(**json.loads(line)) for line in whole]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=int, nargs="?", default=10_000)
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--only", choices=CLASSES, help="the cases of one class alone")
    parser.add_argument("--log", type=Path, help="where outcomes are kept, to go on after an interruption")
    asked = parser.parse_args()
    seeds = [s for s in range(asked.cases) if asked.only in (None, CLASSES[s % len(CLASSES)])]
    found = logged(asked.log)[: len(seeds)]
    for result in outcomes(seeds[len(found) :], asked.workers):
        found.append(result)
        if asked.log is not None:
            with asked.log.open("a") as log:
                log.write(json.dumps(asdict(result)) + "\n")
        if len(found) % BATCH == 0:
            false = sum(o.false_lower or o.false_upper for o in found)
            decided = sum(o.verdict != "undecided" for o in found)
            print(f"{len(found)} cases, {decided} decided, {false} false", file=sys.stderr, flush=True)
    print(report(found))
    sys.exit(any(o.false_lower or o.false_upper for o in found))


if __name__ == "__main__":
    main()
