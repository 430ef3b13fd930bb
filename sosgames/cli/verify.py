"""`sosgames verify`: check a proof against a game, with the trusted code alone."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from sosgames.certificates.claims import VerifiedClaim
from sosgames.certificates.gamefiles import read_problem
from sosgames.certificates.parts import pair_of
from sosgames.certificates.verifier import verify
from sosgames.cli.exits import ExitCode
from sosgames.cli.options import AsJson, Debug, GameFile, ProofFile, Quiet


def verify_command(
    proof: ProofFile, game: GameFile, as_json: AsJson = False, quiet: Quiet = False, debug: Debug = False
) -> ExitCode:
    """Check a proof against the game it claims to be about.

    Everything is recomputed from the game file. Exit code 0: the proof holds; 4: it does not.

    Example: sosgames verify proof.json game.toml
    """
    claim = verify(proof, read_problem(game))
    if as_json:
        print(json.dumps(_as_json(claim)))
    elif not quiet:
        print(claim.text)
    return ExitCode.DONE


def _as_json(claim: VerifiedClaim) -> dict[str, Any]:
    return {
        "kind": claim.kind,
        "claim": claim.text,
        "property": claim.property,
        "mu": _pair(claim.mu),
        "value": _pair(claim.value),
        "moduli": {player: _pair(mu) for player, mu in claim.moduli.items()},
        "regrets": {player: _pair(regret) for player, regret in claim.regrets.items()},
    }


def _pair(number: Fraction | None) -> list[int] | None:
    return None if number is None else pair_of(number)
