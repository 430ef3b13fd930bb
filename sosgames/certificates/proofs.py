"""What a proof file says, as values: five kinds of claims and what backs them.

These classes mirror the JSON format (docs/reference/certificate-format.md) field by field and check nothing:
`sosgames.certificates.prooffiles` reads them strictly and `sosgames.certificates.verifier` decides.
"""

from __future__ import annotations

import builtins
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from sosgames.certificates.errors import CertificateError
from sosgames.certificates.parts import (
    CoordinateChart,
    IndexMonomial,
    Numbers,
    Part,
    lists_of,
    optional_dict,
    pair_of,
    pairs_of,
)
from sosgames.certificates.writing import write_whole

FORMAT = "certikit sosgames proof"
VERSION = 1


class _Saved(ABC):
    """What every kind of proof can do: become JSON, and be saved."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The proof as JSON values."""

    def dumps(self) -> str:
        """The proof as the text of a file."""
        try:
            return json.dumps(self.to_dict(), separators=(",", ":"), allow_nan=False) + "\n"
        except ValueError as error:  # an integer with more digits than Python converts
            raise CertificateError(
                f"the proof cannot be written: {error}; round it to fewer digits."
            ) from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the proof to a file, whole or not at all."""
        write_whole(path, self.dumps())


@dataclass(frozen=True, slots=True)
class ModulusProof(_Saved):
    """The claim M(x) >= mu R for every x in X; one part a player (concave), or one (monotone, matrix)."""

    property: str
    variables: tuple[str, ...]
    parts: tuple[Part, ...]
    weights: Numbers | None = None

    def __post_init__(self) -> None:
        if not self.parts:
            raise CertificateError("proofs: the list is empty; a modulus needs at least one part.")

    @builtins.property
    def mu(self) -> Fraction:
        """The modulus that is claimed: the smallest of the parts'."""
        return min(part.mu for part in self.parts)

    @builtins.property
    def strict(self) -> bool:
        """Whether the claim is strict: mu > 0."""
        return self.mu > 0

    def to_dict(self) -> dict[str, Any]:
        claim = {
            "type": "modulus",
            "property": self.property,
            "weights": None if self.weights is None else pairs_of(self.weights),
            "mu": pair_of(self.mu),
            "strict": self.strict,
        }
        parts = [part.to_dict() for part in self.parts]
        return _document(claim, variables=list(self.variables), proofs=parts)


@dataclass(frozen=True, slots=True)
class Witness:
    """A point x of X, a direction y (by row; rows that are not named are 0) and a positive factor c."""

    x: Numbers
    y: Numbers
    c: Fraction = Fraction(1)

    def to_dict(self) -> dict[str, Any]:
        return {"x": pairs_of(self.x), "y": pairs_of(self.y), "c": pair_of(self.c)}


@dataclass(frozen=True, slots=True)
class RefutationProof(_Saved):
    """The claim that the modulus is at most ``value``; below 0 it refutes the property."""

    property: str
    variables: tuple[str, ...]
    value: Fraction
    witnesses: tuple[Witness, ...]
    player: str | None = None
    weights: Numbers | Literal["free"] | None = None
    chart: CoordinateChart | None = None

    def to_dict(self) -> dict[str, Any]:
        claim = {
            "type": "refutation",
            "property": self.property,
            "player": self.player,
            "weights": pairs_of(self.weights) if isinstance(self.weights, Mapping) else self.weights,
            "chart": optional_dict(self.chart),
            "value": pair_of(self.value),
        }
        witnesses = [witness.to_dict() for witness in self.witnesses]
        return _document(claim, variables=list(self.variables), witnesses=witnesses)


@dataclass(frozen=True, slots=True)
class EquilibriumProof(_Saved):
    """The claim that ``point`` is as close to an equilibrium as ``gaps`` and ``distance_squared`` say."""

    point: Numbers
    gaps: Numbers
    distance_squared: Fraction | None = None
    regret: bool = False
    certificate: ModulusProof | None = None

    def to_dict(self) -> dict[str, Any]:
        claim = {
            "type": "equilibrium",
            "point": pairs_of(self.point),
            "gaps": pairs_of(self.gaps),
            "distance_squared": None if self.distance_squared is None else pair_of(self.distance_squared),
            "regret": self.regret,
        }
        return _document(claim, certificate=None if self.certificate is None else self.certificate.to_dict())


@dataclass(frozen=True, slots=True)
class RegretProof(_Saved):
    """The claim that no player gains more than ``regrets`` by leaving ``point``, whatever the deviation.

    Each certificate bounds the modulus of the player's loss of deviating (`sosgames.certificates.regrets`).
    """

    point: Numbers
    regrets: Numbers
    certificates: Mapping[str, ModulusProof]

    def to_dict(self) -> dict[str, Any]:
        claim = {"type": "regret", "point": pairs_of(self.point), "regrets": pairs_of(self.regrets)}
        return _document(claim, certificates={p: proof.to_dict() for p, proof in self.certificates.items()})


@dataclass(frozen=True, slots=True)
class NearestProof(_Saved):
    """The claim that ``game`` has the property and lies at ``distance`` from the user's game.

    ``distance_lower`` bounds the distance of every game with the property that differs from the user's only
    in the ``changeable`` monomials and, where ``zero_sum``, keeps the sum of all utilities. For the norm "l2"
    both are squared.
    """

    property: str
    game: Mapping[str, Any]
    norm: str
    distance: Fraction
    certificate: ModulusProof
    changeable: Mapping[str, tuple[IndexMonomial, ...]]
    distance_lower: Fraction | None = None
    functionals: tuple[Witness, ...] = ()
    zero_sum: bool = False

    def to_dict(self) -> dict[str, Any]:
        claim = {
            "type": "nearest",
            "property": self.property,
            "game": dict(self.game),
            "norm": self.norm,
            "zero_sum": self.zero_sum,
            "distance": pair_of(self.distance),
            "distance_lower": None if self.distance_lower is None else pair_of(self.distance_lower),
        }
        return _document(
            claim,
            certificate=self.certificate.to_dict(),
            changeable={
                player: [lists_of(m) for m in monomials] for player, monomials in self.changeable.items()
            },
            functionals=[functional.to_dict() for functional in self.functionals],
        )


Proof = ModulusProof | RefutationProof | EquilibriumProof | RegretProof | NearestProof


def _document(claim: dict[str, Any], **body: Any) -> dict[str, Any]:
    return {"format": FORMAT, "version": VERSION, "claim": claim, **body}
