"""What a protocol answers: the estimate, what is estimated, the noise in it, and how it was made."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from privacy_stats.aggregation import State
from privacy_stats.aggregation.state import read_json, write_json
from privacy_stats.errors import ArgumentError, DocumentError
from privacy_stats.results.limits import Limits, Target, clipped_limits, full_limits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Estimand = Literal["finite-population sum", "finite-population mean", "population mean"]
ESTIMANDS: tuple[Estimand, ...] = ("finite-population sum", "finite-population mean", "population mean")
_FORMAT, _VERSION = "privacy_stats.survey-estimate", 1


@dataclass(frozen=True, slots=True)
class SurveyEstimate:
    """The estimate of a survey, with everything needed to see how it was made.

    Parameters
    ----------
    value : ndarray of float, shape () or (d,)
        The estimate, in the values' unit.
    standard_error : ndarray of float, shape () or (d,)
        Standard deviation of the noise in the value, per coordinate, given the thresholds in use: the spread
        around the same quantity of the clipped values. What clipping took away is not in it.
    estimand : {"finite-population sum", "finite-population mean", "population mean"}
        What is estimated.
    n_reports : int
        Users whose reports went into the last round.
    protocol : dict
        JSON form of the protocol.
    states : tuple of State
        The server's integers, one state per round; empty for an oracle.
    details : dict
        Public facts found on the way (thresholds, scales, centres), JSON-ready. Limits rest on some of them:
        see `privacy_stats.results.limits`.
    private : bool
        False for oracles, which look at the raw values.
    simulated : bool
        Whether any report came from a seeded generator.

    Raises
    ------
    ArgumentError
        If shapes or the name of the estimand are wrong.
    """

    value: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    estimand: Estimand
    n_reports: int
    protocol: Mapping[str, Any]
    states: tuple[State, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    private: bool = True
    simulated: bool = False

    def __post_init__(self) -> None:
        for name in ("value", "standard_error"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if self.value.shape != self.standard_error.shape or self.value.ndim > 1:
            raise ArgumentError("standard_error: wanted the shape of value")
        if self.estimand not in ESTIMANDS:
            raise ArgumentError(f"estimand: got {self.estimand!r}, wanted one of {', '.join(ESTIMANDS)}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SurveyEstimate) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self.value.ndim:
            shown = f"{self.value.size} coordinates, standard error at most {self.standard_error.max():.3g}"
        else:
            shown = f"{self.value:.6g}, standard error {self.standard_error:.3g}"
        mark = "" if self.private else ", NON-PRIVATE"
        return f"SurveyEstimate({self.protocol.get('name')}, {self.estimand}: {shown}{mark})"

    def as_mean(self) -> SurveyEstimate:
        """Return the finite-population mean that belongs to a sum: everything divided by the reports.

        Raises
        ------
        ArgumentError
            If this is a population mean, or nobody reported.
        """
        if self.estimand == "finite-population mean":
            return self
        if self.estimand != "finite-population sum" or self.n_reports < 1:
            raise ArgumentError("as_mean: wanted a finite-population sum of at least one report")
        return replace(
            self,
            value=self.value / self.n_reports,
            standard_error=self.standard_error / self.n_reports,
            estimand="finite-population mean",
        )

    def interval(
        self,
        coverage: float = 0.95,
        *,
        target: Target = "clipped",
        value_range: tuple[float, float] | None = None,
    ) -> Limits:
        """Return limits of the sum (or mean) of those who reported; the target must be named right.

        Parameters
        ----------
        coverage : float
            In (0, 1); of each coordinate separately.
        target : {"clipped", "full"}
            ``"clipped"``: of the values after clipping, for the noise alone. ``"full"``: of the values
            themselves, for noise and clipping.
        value_range : (float, float), optional
            For ``"full"``: a range that is known to hold every value.

        Returns
        -------
        tuple of ndarray
            Lower and upper limits, of the shape of `value`.

        Raises
        ------
        ArgumentError
            If no interval is honest: the reason is said, and what to do instead.

        Notes
        -----
        For the mean of a population that users are a sample of, see `population_mean`.
        """
        if not 0 < coverage < 1:
            raise ArgumentError(f"coverage: got {coverage}, wanted a number in (0, 1), such as 0.95")
        if target not in ("clipped", "full"):
            raise ArgumentError(f"target: got {target!r}, wanted 'clipped' or 'full'")
        if not self.private:
            raise ArgumentError("interval: an oracle saw the raw values; its error is known, not estimated")
        size = self.n_reports if self.estimand == "finite-population mean" else 1
        value, error = self.value * size, self.standard_error * size
        if target == "clipped":
            low, high = clipped_limits(value, error, self.details, coverage)
        else:
            try:
                low, high = full_limits(value, error, self.details, coverage, self.n_reports, value_range)
            except (KeyError, TypeError, ValueError, OverflowError) as fault:
                if isinstance(fault, ArgumentError):
                    raise
                raise ArgumentError(f"details, value_range: not usable as limits ({fault})") from None
        return low / size, high / size

    def plot(self, ax: Axes | None = None) -> Any:
        """Draw the estimate, coordinate by coordinate, with bands that hold 95 % and 50 % of the noise.

        Raises
        ------
        MissingPackageError
            If matplotlib is not installed.
        """
        from privacy_stats.plotting import plot_bands

        values, error = np.atleast_1d(self.value), np.atleast_1d(self.standard_error)
        bands = {f"{share:.0%} of the noise": ndtri(0.5 + share / 2) * error for share in (0.95, 0.5)}
        axes = plot_bands([str(k) for k in range(values.size)], values, bands, ax)
        axes.set(xlabel="coordinate", ylabel=self.estimand)
        return axes

    def summary(self) -> str:
        """Say in words what holds and what does not."""
        rounds = f", {len(self.states)} round{'s' if len(self.states) > 1 else ''}" if self.states else ""
        users = f"{self.n_reports} user{'s' if self.n_reports > 1 else ''}"
        lines = [f"{self.estimand} by {self.protocol.get('name')} from {users}{rounds}"]
        reach = float(ndtri(0.975)) * self.standard_error
        for k, (value, half) in enumerate(zip(np.atleast_1d(self.value), np.atleast_1d(reach), strict=True)):
            if k == 10:
                lines.append(f"  ... {self.value.size - 10} more coordinates")
                break
            name = f"  [{k}] " if self.value.ndim else "  "
            lines.append(f"{name}{value:.6g}, 95 % of the noise within +-{half:.3g}")
        lines.append("  the noise is that of the clipped values; what clipping takes away comes on top")
        if not self.private:
            lines.append("  NON-PRIVATE: an oracle that looked at the raw values; for comparison only")
        if self.simulated:
            lines.append("  SIMULATED: reports came from a seeded generator and protected nobody")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary that `from_dict` reads back."""
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "value": self.value.tolist(),
            "standard_error": self.standard_error.tolist(),
            "estimand": self.estimand,
            "n_reports": self.n_reports,
            "protocol": dict(self.protocol),
            "states": [state.to_dict() for state in self.states],
            "details": dict(self.details),
            "private": self.private,
            "simulated": self.simulated,
        }

    def to_json(self) -> str:
        """Return `to_dict` as one line of JSON."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_dict(cls, document: Any) -> SurveyEstimate:
        """Read what `to_dict` wrote.

        Raises
        ------
        DocumentError
            If the document is not of that form.
        """
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise DocumentError(f"survey estimate: wanted an object of format {_FORMAT!r}")
        if document.get("version") != _VERSION:
            raise DocumentError(f"survey estimate: version {document.get('version')!r} is not {_VERSION}")
        types = {"estimand": str, "n_reports": int, "protocol": dict, "states": list, "details": dict}
        types |= {"private": bool, "simulated": bool}
        for name, wanted in types.items():
            if type(document.get(name)) is not wanted:
                raise DocumentError(f"survey estimate: {name!r} must be of type {wanted.__name__}")
        states = tuple(State.from_dict(state) for state in document["states"])
        fields = {name: document[name] for name in types} | {"states": states}
        try:
            found = cls(document["value"], document["standard_error"], **fields)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DocumentError(f"survey estimate: {error}") from None
        error_ = found.standard_error
        if not ((abs(found.value) < 1e300).all() and ((error_ >= 0) & (error_ < 1e300)).all()):
            raise DocumentError("survey estimate: 'value' must be finite and 'standard_error' not negative")
        if not 1 <= found.n_reports < 1 << 31:
            raise DocumentError("survey estimate: 'n_reports' must be a positive integer below 2**31")
        return found

    @classmethod
    def from_json(cls, text: str | bytes) -> SurveyEstimate:
        """Read what `to_json` wrote.

        Raises
        ------
        DocumentError
            If the text is not of that form.
        """
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DocumentError(f"survey estimate: not JSON ({type(error).__name__})") from None
        return cls.from_dict(document)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the estimate as JSON; the file is replaced at once."""
        write_json(path, self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SurveyEstimate:
        """Read what `save` wrote.

        Raises
        ------
        DocumentError
            If the file is not a saved estimate.
        """
        return cls.from_dict(read_json(path))
