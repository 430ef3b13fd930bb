"""Is a polynomial game concave? monotone? A verdict with a proof that can be checked without trusting us.

Names are imported from their modules when they are first used, so that the verifier in
`sosgames.certificates` runs with nothing installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

_HOMES = {
    "sosgames.certificates.claims": ("VerifiedClaim",),
    "sosgames.certificates.verifier": ("verify",),
    "sosgames.equilibria": ("Assurance", "Equilibrium", "solve"),
    "sosgames.errors": ("CertificateError", "InputError", "LimitError", "SolverError", "SosgamesError"),
    "sosgames.games": (
        "Ball",
        "Box",
        "Constraint",
        "Constraints",
        "Game",
        "ProbabilitySimplex",
        "Simplex",
        "Space",
        "load",
        "load_matrix",
    ),
    "sosgames.literature": ("catalog", "network_game", "random_game"),
    "sosgames.nearness": ("Change", "KeptConstraint", "NearestGame", "nearest"),
    "sosgames.nearness.constraints": ("Coefficients",),
    "sosgames.results": ("Certification", "Verdict"),
    "sosgames.search": ("Program", "certify", "certify_many", "certify_matrix", "program"),
    "sosgames.solvers": ("solver_table",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Assurance",
    "Ball",
    "Box",
    "CertificateError",
    "Certification",
    "Change",
    "Coefficients",
    "Constraint",
    "Constraints",
    "Equilibrium",
    "Game",
    "InputError",
    "KeptConstraint",
    "LimitError",
    "NearestGame",
    "ProbabilitySimplex",
    "Program",
    "Simplex",
    "SolverError",
    "SosgamesError",
    "Space",
    "Verdict",
    "VerifiedClaim",
    "catalog",
    "certify",
    "certify_many",
    "certify_matrix",
    "load",
    "load_matrix",
    "nearest",
    "network_game",
    "program",
    "random_game",
    "solve",
    "solver_table",
    "verify",
]

if TYPE_CHECKING:
    from sosgames.certificates.claims import VerifiedClaim
    from sosgames.certificates.verifier import verify
    from sosgames.equilibria import Assurance, Equilibrium, solve
    from sosgames.errors import CertificateError, InputError, LimitError, SolverError, SosgamesError
    from sosgames.games import (
        Ball,
        Box,
        Constraint,
        Constraints,
        Game,
        ProbabilitySimplex,
        Simplex,
        Space,
        load,
        load_matrix,
    )
    from sosgames.literature import catalog, network_game, random_game
    from sosgames.nearness import Change, KeptConstraint, NearestGame, nearest
    from sosgames.nearness.constraints import Coefficients
    from sosgames.results import Certification, Verdict
    from sosgames.search import Program, certify, certify_many, certify_matrix, program
    from sosgames.solvers import solver_table
else:

    def __getattr__(name: str) -> object:
        if name not in _HOME_OF:
            raise AttributeError(f"module 'sosgames' has no attribute '{name}'")
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
