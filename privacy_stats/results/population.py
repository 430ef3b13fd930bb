"""The mean of a population that users were drawn from: estimate, limits, and what they rest on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import stdtrit

from privacy_stats.aggregation import State
from privacy_stats.errors import ArgumentError, DocumentError
from privacy_stats.inference import (
    Moments,
    bernstein_reach,
    heterogeneity,
    moments,
    stratified_mean,
    weighted_mean,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Weights = Literal["inverse-variance", "stratified"]
Method = Literal["auto", "t", "bernstein"]
FEWEST = 30
"""Users that a group of levels and a t interval need."""
ALARM = 1e-3
"""p-value of equal means below which a weighted mean has no honest interval."""
_FORMAT, _VERSION = "privacy_stats.population-mean", 1
_COLUMNS = ("groups", "counts", "means", "errors", "noise_errors", "shares")
_NUMBERS = (
    "value",
    "standard_error",
    "degrees",
    "noise_error",
    "heterogeneity",
    "variance_bound",
    "scale_bound",
)


@dataclass(frozen=True, slots=True)
class PopulationMean:
    """A population mean, estimated from randomised reports of a sample of users.

    Parameters
    ----------
    value, standard_error : float
        The estimate, and its standard error for noise and sampling together.
    degrees : float
        Degrees of freedom of the t distribution.
    weights : {"inverse-variance", "stratified"}
        How groups of budget levels were combined.
    groups : tuple of str
        The groups.
    counts : tuple of int
        Users per group.
    means, errors, noise_errors, shares : tuple of float
        Mean of each group, its standard error, that of its noise alone, and what it contributes.
    noise_error : float
        Standard error of the noise alone in the estimate.
    heterogeneity : float
        p-value of equal means over the groups (Welch's test).
    variance_bound, scale_bound : float
        What Bernstein's inequality needs; given the shares, they follow from public facts.
    simulated : bool
        Whether reports came from a seeded generator.
    """

    value: float
    standard_error: float
    degrees: float
    weights: Weights
    groups: tuple[str, ...]
    counts: tuple[int, ...]
    means: tuple[float, ...]
    errors: tuple[float, ...]
    noise_errors: tuple[float, ...]
    shares: tuple[float, ...]
    noise_error: float
    heterogeneity: float
    variance_bound: float
    scale_bound: float
    simulated: bool = False

    def __post_init__(self) -> None:
        if not self.groups or len({len(getattr(self, name)) for name in _COLUMNS}) != 1:
            raise ArgumentError("groups: wanted at least one, with a count, mean, error and share each")
        if self.weights not in ("inverse-variance", "stratified"):
            raise ArgumentError(f"weights: got {self.weights!r}, wanted 'inverse-variance' or 'stratified'")

    def __repr__(self) -> str:
        return (
            f"PopulationMean({self.value:.6g}, standard error {self.standard_error:.3g}, {self.weights}, "
            f"n_reports={self.n_reports})"
        )

    @property
    def estimand(self) -> str:
        """What is estimated, in words."""
        return "population mean of the clamped values"

    @property
    def n_reports(self) -> int:
        """Number of reports."""
        return sum(self.counts)

    @property
    def differs(self) -> bool:
        """Whether the groups' means differ so much that precision weights estimate something else."""
        return self.weights == "inverse-variance" and self.heterogeneity < ALARM

    def interval(self, coverage: float = 0.95, *, method: Method = "auto") -> tuple[float, float]:
        """Return limits of the population mean, for noise and sampling together.

        Parameters
        ----------
        coverage : float
            In (0, 1).
        method : {"auto", "t", "bernstein"}
            ``"t"``: HC3 or stratified standard error with Student's t, asymptotic. ``"bernstein"``: holds for
            every number of users, and is wider; with several groups it needs stratified weights. ``"auto"``:
            t from 30 reports on, Bernstein below.

        Raises
        ------
        ArgumentError
            If an argument is out of range, or no interval is honest: the groups differ so much that a mean
            weighted by precision is another one, or its weights are not public.
        """
        if not 0 < coverage < 1:
            raise ArgumentError(f"coverage: got {coverage}, wanted a number in (0, 1), such as 0.95")
        if method not in ("auto", "t", "bernstein"):
            raise ArgumentError(f"method: got {method!r}, wanted 'auto', 't' or 'bernstein'")
        if self.differs:
            raise ArgumentError(
                f"interval: means differ between budget levels (p = {self.heterogeneity:.1g}), so a mean "
                "weighted by precision is not the population's; use weights='stratified'"
            )
        if method == "bernstein" or (method == "auto" and self.n_reports < FEWEST):
            if self.weights == "inverse-variance" and len(self.groups) > 1:
                raise ArgumentError(
                    "interval: Bernstein's inequality needs weights that reports do not influence; precision "
                    "weights rest on a pooled estimate of the spread, so use weights='stratified'"
                )
            reach = bernstein_reach(self.variance_bound, self.scale_bound, coverage)
        else:
            reach = float(stdtrit(self.degrees, 0.5 + coverage / 2)) * self.standard_error
        return self.value - reach, self.value + reach

    def summary(self) -> str:
        """Say in words what holds and what does not."""
        lines = [f"{self.estimand} from {self.n_reports} reports, {self.weights} weights"]
        if self.differs:
            lines.append(f"  {self.value:.6g}: NO INTERVAL, the budget levels have different means")
        else:
            low, high = self.interval(0.95)
            how = "t" if self.n_reports >= FEWEST else "Bernstein, few reports"
            lines.append(f"  {self.value:.6g}, 95 % interval {low:.6g} .. {high:.6g} ({how})")
        lines.append(f"  equal means over {len(self.groups)} groups of levels: p = {self.heterogeneity:.2g}")
        if self.weights == "inverse-variance" and self.heterogeneity < 0.05:
            lines.append("  values seem to go with budgets: use weights='stratified'")
        lines.append("  covers noise and sampling; not clamping, nor a sample that is not random")
        if self.simulated:
            lines.append("  SIMULATED: reports came from a seeded generator and protected nobody")
        return "\n".join(lines)

    def plot(self, ax: Axes | None = None) -> Any:
        """Draw the estimate and every group's mean with two nested 95 % bands: of the noise, and of all.

        Raises
        ------
        MissingPackageError
            If matplotlib is not installed.
        """
        from privacy_stats.plotting import plot_bands

        errors = {
            "noise and sampling": [*self.errors, self.standard_error],
            "noise": [*self.noise_errors, self.noise_error],
        }
        bands = {name: 1.96 * np.array(error) for name, error in errors.items()}
        axes = plot_bands([*self.groups, "all"], [*self.means, self.value], bands, ax)
        axes.set(xlabel="budget level", ylabel="mean")
        return axes

    def plot_weights(self, ax: Axes | None = None) -> Any:
        """Draw how much each group of levels contributes, beside its share of the users.

        Raises
        ------
        MissingPackageError
            If matplotlib is not installed.
        """
        from privacy_stats.plotting import new_axes

        axes = new_axes(ax)
        place = np.arange(len(self.groups))
        users = np.array(self.counts) / self.n_reports
        axes.bar(place - 0.2, users, 0.4, label="of the users", color="0.75")
        axes.bar(place + 0.2, self.shares, 0.4, label="of the estimate")
        axes.set_xticks(place, self.groups)
        axes.set(xlabel="budget level", ylabel="share")
        axes.legend()
        return axes

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary that `from_dict` reads back; infinity as the text ``inf``."""
        numbers = {name: getattr(self, name) for name in _NUMBERS}
        columns = {name: list(getattr(self, name)) for name in _COLUMNS}
        return {
            "format": _FORMAT,
            "version": _VERSION,
            **{name: x if math.isfinite(x) else str(x) for name, x in numbers.items()},
            "weights": self.weights,
            **columns,
            "simulated": self.simulated,
        }

    @classmethod
    def from_dict(cls, document: Any) -> PopulationMean:
        """Read what `to_dict` wrote.

        Raises
        ------
        DocumentError
            If the document is not of that form.
        """
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise DocumentError(f"population mean: wanted an object of format {_FORMAT!r}")
        if document.get("version") != _VERSION:
            raise DocumentError(f"population mean: version {document.get('version')!r} is not {_VERSION}")
        try:
            fields: dict[str, Any] = {name: float(document[name]) for name in _NUMBERS}
            types = (str, int, float, float, float, float)
            fields |= {name: tuple(map(t, document[name])) for name, t in zip(_COLUMNS, types, strict=True)}
            found = cls(**fields, weights=document["weights"], simulated=document["simulated"] is True)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise DocumentError(f"population mean: {error}") from None
        errors = found.standard_error, found.noise_error, found.variance_bound, found.scale_bound
        if not (abs(found.value) < math.inf and all(0 <= x < math.inf for x in errors)):
            raise DocumentError("population mean: wanted a finite value, and errors that are not negative")
        if min(found.counts) < 1 or not (found.degrees > 0 and 0 <= found.heterogeneity <= 1):
            raise DocumentError("population mean: wanted users in every group, degrees above 0, a p-value")
        return found


def population_mean(
    state: State, *, weights: Weights = "inverse-variance", shares: dict[str, float] | None = None
) -> PopulationMean:
    """Estimate the mean of the population that the users are a random sample of.

    Parameters
    ----------
    state : State
        Counted reports of a round that asks for one number: one-bit, piecewise, hybrid, laplace or gaussian.
    weights : {"inverse-variance", "stratified"}
        ``"inverse-variance"``: each report by its precision, the least error if values do not go with
        budgets; a test over the levels watches that, and `interval` refuses when it fails.
        ``"stratified"``: each level by its share of the users, right in either case.
    shares : dict, optional
        For ``"stratified"``, when known: the population's share of each group of levels, by the names that
        `PopulationMean.groups` shows.

    Returns
    -------
    PopulationMean

    Raises
    ------
    ArgumentError
        If the state has no mean of one number, fewer than two reports, or `shares` does not fit.

    Notes
    -----
    Neighbouring levels are joined until each group has 30 users, by public counts.

    Examples
    --------
    >>> import numpy as np
    >>> import privacy_stats as ps
    >>> minutes = np.random.default_rng(1).gamma(3.0, 11.0, 20_000)
    >>> budgets = ps.Budgets.pure([0.5] * 15_000 + [4.0] * 5_000)
    >>> round_ = ps.Round.of("commuting", ps.Hybrid(0, 120), budgets)
    >>> reports = ps.randomise(round_, minutes, budgets, rng=ps.simulation_rng(2))
    >>> state = ps.aggregate(round_, reports, allow_simulated=True)
    >>> precise, plain = (ps.population_mean(state, weights=w) for w in ("inverse-variance", "stratified"))
    >>> precise.standard_error < plain.standard_error / 2
    True
    """
    if weights not in ("inverse-variance", "stratified"):
        raise ArgumentError(f"weights: got {weights!r}, wanted 'inverse-variance' or 'stratified'")
    if shares is not None and weights != "stratified":
        raise ArgumentError("shares: only stratified weights take shares")
    groups = moments(state).coarsened(FEWEST)
    found = (
        stratified_mean(groups, _shares(groups, shares)) if weights == "stratified" else weighted_mean(groups)
    )
    each = found.shares / groups.count  # what one user of a group contributes
    noise_errors = np.sqrt(groups.noise / groups.count)
    return PopulationMean(
        found.value,
        found.standard_error,
        found.degrees,
        weights,
        groups.label,
        tuple(groups.count.tolist()),
        tuple(groups.mean.tolist()),
        tuple(np.sqrt(groups.variance / groups.count).tolist()),
        tuple(noise_errors.tolist()),
        tuple(found.shares.tolist()),
        float(np.linalg.norm(found.shares * noise_errors)),
        heterogeneity(groups).p_value,
        float((found.shares * each) @ groups.bound),
        float((each * groups.scale).max()),
        state.simulated,
    )


def _shares(groups: Moments, shares: dict[str, float] | None) -> list[float] | None:
    if shares is None:
        return None
    if set(shares) != set(groups.label):
        raise ArgumentError(f"shares: wanted one for each of {', '.join(groups.label)}")
    return [shares[label] for label in groups.label]
