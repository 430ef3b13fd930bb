"""An estimate: value, standard error of the noise, what is estimated, and how it was made."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from privacy_stats.errors import ArgumentError, DocumentError


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, or an array of numbers, with the standard error that noise gives it.

    Parameters
    ----------
    value : ndarray of float, shape () or (k,)
        The estimate, in the values' unit.
    standard_error : ndarray of float, shape () or (k,)
        Standard deviation of the noise. Where it depends on the values it is estimated from the reports
        (Piecewise), or bounded by them (one bit); see `privacy_stats.inference.moments.noise_of`.
    estimand : str
        What is estimated, in words.
    n_reports : int
        Number of reports.
    method : str
        How it was made.
    simulated : bool
        Whether reports came from a seeded generator.
    """

    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    estimand: str
    n_reports: int
    method: str
    simulated: bool = False

    def __post_init__(self) -> None:
        for name in ("value", "standard_error"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if self.value.shape != self.standard_error.shape or self.value.ndim > 1:
            raise ArgumentError("standard_error: wanted the shape of value")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Estimate) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shape = f"{self.value.size} values" if self.value.ndim else f"{self.value:.6g}"
        error = (
            f"at most {self.standard_error.max():.3g}" if self.value.ndim else f"{self.standard_error:.3g}"
        )
        return f"Estimate({self.estimand}: {shape}, standard error {error}, n_reports={self.n_reports})"

    def interval(self, coverage: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return limits of the estimand for the noise alone: value -+ z standard errors.

        The estimand is a sum or mean over the users who reported, after clamping to the announced range; what
        clamping took away and who did not report are not covered. The noise is a sum of independent bounded
        or sub-Gaussian terms, taken as normal; with fewer than about 30 reports that is a rough guide.

        Parameters
        ----------
        coverage : float
            In (0, 1); of each coordinate separately.

        Raises
        ------
        ArgumentError
            If `coverage` is outside (0, 1).
        """
        if not 0 < coverage < 1:
            raise ArgumentError(f"coverage: got {coverage}, wanted a number in (0, 1), such as 0.95")
        reach = float(ndtri(0.5 + coverage / 2)) * self.standard_error
        return self.value - reach, self.value + reach

    def summary(self) -> str:
        """Say in words what holds and what does not."""
        reports = f"{self.n_reports} report{'' if self.n_reports == 1 else 's'}"
        lines = [f"{self.estimand} from {reports} ({self.method})"]
        low, high = (np.atleast_1d(end) for end in self.interval(0.95))
        for k, (value, error) in enumerate(
            zip(np.atleast_1d(self.value), np.atleast_1d(self.standard_error), strict=True)
        ):
            if k == 10:
                lines.append(f"  ... {self.value.size - 10} more")
                break
            name = f"  [{k}] " if self.value.ndim else "  "
            lines.append(
                f"{name}{value:.6g}, noise {error:.3g}, 95 % of noise within {low[k]:.6g} .. {high[k]:.6g}"
            )
        lines.append("  covers the noise; not clamping to the announced range, nor who did not report")
        if self.n_reports < 30:
            lines.append(
                f"  {reports} {'is' if self.n_reports == 1 else 'are'} few: take limits as a rough guide"
            )
        if self.simulated:
            lines.append("  SIMULATED: reports came from a seeded generator and protected nobody")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary that `from_dict` reads back."""
        return {
            "format": "privacy_stats.estimate",
            "version": 1,
            "value": self.value.tolist(),
            "standard_error": self.standard_error.tolist(),
            "estimand": self.estimand,
            "n_reports": self.n_reports,
            "method": self.method,
            "simulated": self.simulated,
        }

    @classmethod
    def from_dict(cls, document: Any) -> Estimate:
        """Read what `to_dict` wrote.

        Raises
        ------
        DocumentError
            If the document is not of that form.
        """
        if not isinstance(document, dict) or document.get("format") != "privacy_stats.estimate":
            raise DocumentError("estimate: wanted an object of format 'privacy_stats.estimate'")
        names = ("value", "standard_error", "estimand", "n_reports", "method", "simulated")
        try:
            found = cls(*(document[name] for name in names))
        except (KeyError, TypeError, ValueError) as error:
            raise DocumentError(f"estimate: {error}") from None
        if not all(math.isfinite(x) for x in np.atleast_1d(found.value)):
            raise DocumentError("estimate: 'value' must be finite")
        return found
