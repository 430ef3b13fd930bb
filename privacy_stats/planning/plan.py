"""How wide will the interval be, and what would make it as narrow as wanted?"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import ndtri

from privacy_stats.budgets import BILLION, LARGEST, Budgets, Kind
from privacy_stats.errors import ArgumentError, DocumentError
from privacy_stats.mechanisms.on_grid import GridMechanism
from privacy_stats.plotting import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Estimand = Literal["finite-population mean", "population mean"]
ESTIMANDS: tuple[Estimand, ...] = ("finite-population mean", "population mean")
FEWEST = 30
"""Users below which a normal interval is a rough guide."""
_HIGHEST: dict[str, int] = {
    "pure": 20 * BILLION,
    "zcdp": LARGEST["zcdp"],
}  # more than epsilon 20 helps nobody
_FORMAT, _VERSION = "privacy_stats.plan", 1


@dataclass(frozen=True, slots=True)
class Plan:
    """What a survey of a mean will give, and what it would take to reach the wanted half-width.

    Parameters
    ----------
    estimand : {"finite-population mean", "population mean"}
        What is estimated.
    mechanism : str
        Name of the mechanism.
    kind : {"pure", "zcdp"}
        Notion of privacy.
    range_width : float
        Width of the public range.
    coverage : float
        Of the interval.
    wanted : float
        Half-width that is wanted.
    n_users : int
        Users at hand.
    half_width : float
        Half-width that they give at their budgets.
    users_needed : int
        Users of the same mix of budgets that give the wanted half-width.
    level_needed : float or None
        Budget that gives it if all users at hand had it; None if no budget does.
    """

    estimand: Estimand
    mechanism: str
    kind: Kind
    range_width: float
    coverage: float
    wanted: float
    n_users: int
    half_width: float
    users_needed: int
    level_needed: float | None

    @property
    def reached(self) -> bool:
        """Whether the users at hand give the wanted half-width."""
        return self.half_width <= self.wanted

    @property
    def warnings(self) -> tuple[str, ...]:
        """What should make one think again, in sentences."""
        found = []
        if 2 * self.half_width > self.range_width / 2:
            found.append(
                f"{self.n_users} users are too few at these budgets: the interval spans "
                f"{min(2 * self.half_width / self.range_width, 1):.0%} of the range"
            )
        if self.n_users < FEWEST:
            found.append(f"below {FEWEST} users the normal approximation is a rough guide")
        return tuple(found)

    def __repr__(self) -> str:
        return (
            f"Plan({self.mechanism}, {self.estimand}: +-{self.half_width:.4g} with {self.n_users} users, "
            f"+-{self.wanted:.4g} with {self.users_needed})"
        )

    def half_width_at(self, n_users: int) -> float:
        """Return the half-width that so many users of the same mix of budgets give."""
        return self.half_width * math.sqrt(self.n_users / n_users)

    def summary(self) -> str:
        """Say in words what the survey gives and what it would take."""
        symbol = "epsilon" if self.kind == "pure" else "rho"
        lines = [
            f"{self.estimand} by {self.mechanism}, {self.coverage:.4g} coverage",
            f"  {self.n_users} users at their budgets: +-{self.half_width:.4g}",
            f"  +-{self.wanted:.4g} takes {self.users_needed} users of the same mix of budgets",
        ]
        if self.level_needed is None:
            lines.append(f"  no {symbol} gives it with {self.n_users} users: sampling alone is more")
        else:
            lines.append(f"  or {symbol} = {self.level_needed:.4g} for each of {self.n_users} users")
        return "\n".join(lines + [f"  WARNING: {warning}" for warning in self.warnings])

    def plot(self, ax: Axes | None = None) -> Any:
        """Draw the half-width over the number of users, with the wanted one.

        Raises
        ------
        MissingPackageError
            If matplotlib is not installed.
        """
        axes = new_axes(ax)
        ends = sorted((self.n_users, self.users_needed))
        users = np.geomspace(max(2, ends[0] / 4), ends[1] * 4, 100)
        axes.plot(users, self.half_width * np.sqrt(self.n_users / users), label="same mix of budgets")
        axes.plot(self.n_users, self.half_width, "o", label=f"{self.n_users} users at hand")
        axes.axhline(self.wanted, color="black", lw=1, ls="--", label=f"wanted: {self.wanted:.4g}")
        axes.plot(self.users_needed, self.wanted, "s", label=f"{self.users_needed} users needed")
        axes.set(xscale="log", yscale="log", xlabel="users", ylabel="half-width of the interval")
        axes.tick_params(axis="x", which="minor", labelbottom=False)
        axes.legend(fontsize=8)
        return axes

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary that `from_dict` reads back."""
        return {"format": _FORMAT, "version": _VERSION, **asdict(self), "warnings": list(self.warnings)}

    @classmethod
    def from_dict(cls, document: Any) -> Plan:
        """Read what `to_dict` wrote.

        Raises
        ------
        DocumentError
            If the document is not of that form.
        """
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise DocumentError(f"plan: wanted an object of format {_FORMAT!r}")
        if document.get("version") != _VERSION:
            raise DocumentError(f"plan: version {document.get('version')!r} is not {_VERSION}")
        missing = [name for name in cls.__slots__ if name not in document]
        if missing:
            raise DocumentError(f"plan: no field {missing[0]!r}")
        for name in cls.__slots__:
            _check_field(name, document[name])
        return cls(**{name: document[name] for name in cls.__slots__})


def _check_field(name: str, value: Any) -> None:
    """Refuse a field of a document that no plan has."""
    if name in ("mechanism", "estimand", "kind"):
        wanted = {"estimand": ESTIMANDS, "kind": tuple(_HIGHEST)}.get(name, (value,))
        sound = isinstance(value, str) and value in wanted
    elif name in ("n_users", "users_needed"):
        sound = type(value) is int and 0 < value < 1 << 62
    else:
        optional = name == "level_needed" and value is None
        sound = optional or (type(value) in (int, float) and 0 < value < 1e300)
    if not sound:
        raise DocumentError(f"plan: {name!r} is {value!r:.40}, which no plan has")


def plan(
    budgets: Budgets,
    *,
    mechanism: GridMechanism,
    half_width: float,
    coverage: float = 0.95,
    spread: float | None = None,
    estimand: Estimand = "finite-population mean",
) -> Plan:
    """Predict the interval of a mean, and find the users or the budget that a wanted half-width takes.

    Half-width ``z sqrt(V)``. For the users' own mean ``V = sum(v_u) / n**2`` with the noise variances v_u;
    for the mean of the population they are drawn from, weighted by precision, ``V = 1 / sum(1 / (v_u +
    spread**2))``. Everything follows from public facts; no data is looked at.

    Parameters
    ----------
    budgets : Budgets
        One per user.
    mechanism : GridMechanism
        One-bit, piecewise, hybrid, laplace or gaussian, with its range.
    half_width : float
        Wanted, in the values' unit.
    coverage : float
        In (0, 1).
    spread : float, optional
        Root mean square distance of the values from the middle of the range, as one expects it; by default
        the least favourable.
    estimand : {"finite-population mean", "population mean"}
        What is to be estimated.

    Returns
    -------
    Plan

    Raises
    ------
    ArgumentError
        If an argument is out of range, or the mechanism does not keep budgets of this kind.

    Notes
    -----
    Cost: one channel per distinct budget, and about forty for the budget that is needed.

    Examples
    --------
    >>> import privacy_stats as ps
    >>> found = ps.plan(ps.Budgets.pure([1.0] * 10_000), mechanism=ps.OneBit(0, 100), half_width=2)
    >>> f"{found.half_width:.3f} {found.level_needed:.3f}", found.users_needed
    ('2.121 1.072', 11243)
    """
    _check(mechanism, half_width, coverage, spread, estimand)
    counts = np.bincount(budgets.rung)
    per_user = np.array(
        [user_variance(mechanism, budgets.kind, level, spread, estimand) for level in budgets.levels]
    )
    n, z = len(budgets), float(ndtri(0.5 + coverage / 2))
    if estimand == "population mean":
        variance = 1 / float((counts / per_user).sum())
    else:
        variance = float(counts @ per_user) / n**2
    reached = z * math.sqrt(variance)
    needed = math.ceil(n * (reached / half_width) ** 2 * (1 - 1e-12))
    allowed = n * (half_width / z) ** 2  # largest variance of one user's estimate
    level = _least_level(mechanism, budgets.kind, allowed, spread, estimand)
    width = mechanism.upper - mechanism.lower
    return Plan(
        estimand, mechanism.name, budgets.kind, width, coverage, float(half_width), n, reached, needed, level
    )


def _check(mechanism: Any, half_width: float, coverage: float, spread: float | None, estimand: str) -> None:
    if not isinstance(mechanism, GridMechanism):
        raise ArgumentError(
            f"mechanism: got {type(mechanism).__name__}, wanted one for numbers of a range, such as Hybrid"
        )
    if not (half_width > 0 and math.isfinite(half_width)):
        raise ArgumentError(f"half_width: got {half_width}, wanted a positive finite number")
    if not 0 < coverage < 1:
        raise ArgumentError(f"coverage: got {coverage}, wanted a number in (0, 1), such as 0.95")
    half = (mechanism.upper - mechanism.lower) / 2
    if spread is not None and not 0 <= spread <= half:
        raise ArgumentError(f"spread: got {spread}, wanted 0 to half the range, {half:g}")
    if estimand not in ESTIMANDS:
        raise ArgumentError(f"estimand: got {estimand!r}, wanted one of {', '.join(ESTIMANDS)}")


def user_variance(
    mechanism: GridMechanism, kind: Kind, level: Fraction, spread: float | None, estimand: Estimand
) -> float:
    """Variance of one user's estimate: of the noise, and for a population mean also of the value."""
    channels = mechanism.channels(kind, level)
    half = (mechanism.upper - mechanism.lower) / 2
    base = bend = 0.0
    for channel, share in zip(channels, mechanism.arm_shares(channels), strict=True):
        _, at_middle, rise = channel.noise_profile
        base, bend = base + share * at_middle, bend + share * rise
    if estimand == "population mean":
        bend += 1  # the value's own squared distance from the middle
    distance = spread if spread is not None else half if bend > 0 else 0.0
    return base + bend * distance**2


def _least_level(
    mechanism: GridMechanism, kind: Kind, allowed: float, spread: float | None, estimand: Estimand
) -> float | None:
    """Return the least budget, within a millionth of itself, at which one user's variance is allowed."""

    def enough(billionths: int) -> bool:
        try:
            level = Fraction(billionths, BILLION)
            return user_variance(mechanism, kind, level, spread, estimand) <= allowed
        except ArgumentError:
            return False  # too small a budget for the grid

    low, high = 1, _HIGHEST[kind]
    if not enough(high):
        return None
    while high - low > max(1, high // 1_000_000):
        middle = math.isqrt(low * high) if high > 2 * low else (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high / BILLION
