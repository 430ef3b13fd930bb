"""The header of reports: which round they answer, by which mechanism and range, in which version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privacy_stats.errors import DocumentError
from privacy_stats.rounds import Round

VERSION = 1


@dataclass(frozen=True, slots=True)
class Header:
    """Identity of the round that reports answer, and whether they were only simulated.

    Parameters
    ----------
    survey : str
        Name of the survey.
    number : int
        Number of the round.
    mechanism : dict
        JSON form of the mechanism, range included.
    fingerprint : str
        Fingerprint of the whole announcement.
    simulated : bool
        Whether the noise came from a seeded generator.
    version : int
        Version of the report format.
    """

    survey: str
    number: int
    mechanism: dict[str, Any]
    fingerprint: str
    simulated: bool = False
    version: int = VERSION

    @classmethod
    def of(cls, round_: Round, *, simulated: bool) -> Header:
        """Return the header of reports that answer `round_`."""
        return cls(round_.survey, round_.number, round_.mechanism.to_dict(), round_.fingerprint, simulated)

    def difference(self, round_: Round) -> str | None:
        """Say in words why these reports do not answer `round_`; None if they do."""
        wanted = Header.of(round_, simulated=self.simulated)
        if self.fingerprint == wanted.fingerprint and self == wanted:
            return None
        for name in ("version", "survey", "number"):
            if getattr(self, name) != getattr(wanted, name):
                return f"{name} is {str(getattr(self, name))[:60]!r}, wanted {getattr(wanted, name)!r}"
        if self.mechanism != wanted.mechanism:
            return f"mechanism is {str(self.mechanism)[:120]}, wanted {wanted.mechanism}"
        return (
            f"fingerprint is {str(self.fingerprint)[:20]!r}, wanted {wanted.fingerprint!r}: "
            "another announcement of the same name (other levels, users or share)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "format": "privacy_stats.report",
            "version": self.version,
            "survey": self.survey,
            "round": self.number,
            "mechanism": self.mechanism,
            "fingerprint": self.fingerprint,
            "simulated": self.simulated,
        }

    @classmethod
    def from_dict(cls, document: Any) -> Header:
        """Read what `to_dict` wrote; other keys are left to the caller.

        Raises
        ------
        DocumentError
            If a field is missing or of another type.
        """
        if not isinstance(document, dict) or document.get("format") != "privacy_stats.report":
            raise DocumentError("report: wanted an object of format 'privacy_stats.report'")
        if document.get("version") != VERSION:
            raise DocumentError(f"report: version {str(document.get('version'))[:20]} is not {VERSION}")
        types = {"survey": str, "round": int, "mechanism": dict, "fingerprint": str, "simulated": bool}
        for name, wanted in types.items():
            if type(document.get(name)) is not wanted:
                raise DocumentError(f"report: {name!r} must be of type {wanted.__name__}")
        return cls(*(document[name] for name in types))
