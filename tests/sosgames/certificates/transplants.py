"""Edits of valid proofs that keep their shape: a part of a proof takes the place of another of the same kind.

Random edits of single values are mostly refused by the reader. These get past it: a Gram matrix of another
block, a condition of another player, a basis of another clique, one player's certificate in place of
another's, and several of them at once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from tests.sosgames.certificates.constructions import Case
from tests.sosgames.certificates.mutations import accepts
from tests.sosgames.certificates.second_claims import SecondChecker

Place = tuple[Any, Any]
Role = tuple[Any, ...]


def roles(value: Any, path: Role = ()) -> Iterator[tuple[Role, Place]]:
    """Every place inside JSON values, with what it is: its path, all items of a list alike."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        role = (*path, key if isinstance(value, dict) else "*")
        if path and path[-1] in ("certificates", "point", "gaps", "regrets", "x", "y", "x0", "weights"):
            role = (*path, "*")  # names of players, variables and rows
        yield role, (value, key)
        yield from roles(value[key], role)


def transplanted(proof: dict[str, Any], rng: Random, most: int = 3) -> dict[str, Any]:
    """A copy of a proof in which one to ``most`` places hold what another place of their role held."""
    values = deepcopy(proof)
    for _ in range(rng.randint(1, most)):
        by_role: dict[Role, list[Place]] = {}
        for role, place in roles(values):
            by_role.setdefault(role, []).append(place)
        several = [
            found
            for found in by_role.values()
            if len({json.dumps(c[k], sort_keys=True) for c, k in found}) > 1
        ]
        if not several:
            break
        found = rng.choice(several)
        (container, key), (other, where) = rng.sample(found, 2)
        kind = rng.choice(["copy", "exchange", "drop", "double"])
        if kind == "exchange":
            container[key], other[where] = deepcopy(other[where]), deepcopy(container[key])
        elif kind == "copy" or not isinstance(container, list):
            container[key] = deepcopy(other[where])
        elif kind == "drop":
            del container[key]
        else:
            container.insert(key, deepcopy(container[key]))
    return values


def survey_transplants(cases: Sequence[Case], edits: int, seed: int = 0) -> Counter[str]:
    """Transplant ``edits`` times in each case and count what happens.

    Raises
    ------
    AssertionError
        When a proof is accepted and the second checker does not confirm the claim as it then stands.
    """
    counts: Counter[str] = Counter()
    for case in cases:
        rng, checker = Random(f"{seed} {case.name}"), SecondChecker(case.problem)
        for edit in range(edits):
            values = transplanted(case.proof, rng)
            if values == case.proof:
                counts["nothing changed"] += 1
                continue
            if not accepts(values, case.problem):
                counts["refused"] += 1
                continue
            assert checker.proves(values), f"{case.name}, transplant {edit}: accepted, but not confirmed"
            same = values["claim"] == case.proof["claim"]
            counts["accepted, the same claim" if same else "accepted, another true claim"] += 1
    return counts
