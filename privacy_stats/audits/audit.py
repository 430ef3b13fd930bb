"""Split-sample audits: choose the most telling event on some draws, bound the privacy loss on others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from privacy_stats.audits.bounds import epsilon_at_least, rho_at_least
from privacy_stats.audits.events import Draws, Event, candidates
from privacy_stats.audits.samplers import Sampler
from privacy_stats.errors import ArgumentError

_CHOOSING = 1 << 19
_CHUNK = 1 << 20
_CAUTION = 1e-3  # events are ranked by their bound at this error: rare lucky ones rank low


@dataclass(frozen=True, slots=True)
class AuditResult:
    """A lower bound of the privacy parameter, beside the claim that it was held against.

    Parameters
    ----------
    kind : {"pure", "zcdp"}
        Notion of privacy.
    claim : float
        Claimed epsilon or rho.
    lower_bound : float
        The true parameter is at least this, except with probability `false_alarm`.
    event : str
        The event that gave the bound.
    hits : tuple of int
        How often it happened under the likelier and the other input.
    draws : int
        Draws per input that the bound rests on.
    false_alarm : float
        Probability that the bound exceeds the true parameter.
    """

    kind: str
    claim: float
    lower_bound: float
    event: str
    hits: tuple[int, int]
    draws: int
    false_alarm: float

    @property
    def passed(self) -> bool:
        """Whether the bound is consistent with the claim."""
        return self.lower_bound <= self.claim

    def __repr__(self) -> str:
        symbol = "epsilon" if self.kind == "pure" else "rho"
        verdict = "consistent with" if self.passed else "REFUTES"
        found = f"{symbol} >= {self.lower_bound:.4g} {verdict} the claim {self.claim:g}"
        return f"AuditResult({found}; {self.event})"

    def summary(self) -> str:
        """Say in words what the audit found and what it cannot find."""
        symbol = "epsilon" if self.kind == "pure" else "rho"
        verdict = "The claim stands." if self.passed else "The claim is refuted."
        return (
            f"{verdict} {symbol} is at least {self.lower_bound:.4g} (claimed {self.claim:g}), except "
            f"with probability {self.false_alarm:g}: '{self.event}' happened {self.hits[0]} against "
            f"{self.hits[1]} times in {self.draws} draws each. "
            "An audit refutes or stays silent; it proves no privacy."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary."""
        return {
            "format": "privacy_stats.audit",
            "version": 1,
            "kind": self.kind,
            "claim": self.claim,
            "lower_bound": self.lower_bound,
            "event": self.event,
            "hits": list(self.hits),
            "draws": self.draws,
            "false_alarm": self.false_alarm,
            "passed": self.passed,
        }


def audit(
    sampler: Sampler,
    *,
    epsilon: float | None = None,
    rho: float | None = None,
    n_draws: int = 400_000,
    false_alarm: float = 1e-6,
) -> AuditResult:
    """Attack a randomiser and return a lower bound of its privacy parameter.

    Some draws suggest events, others choose one and a direction, and fresh draws then give exact binomial
    limits of its probability under both inputs. So the bound holds however many events were tried.

    Parameters
    ----------
    sampler : callable
        ``sampler(which, n)`` draws n independent reports for input 0 or 1; see `mechanism_sampler`. Any
        randomiser will do, of this package or not.
    epsilon, rho : float
        The claim; exactly one of them.
    n_draws : int
        Draws in all, at least 4,000; half for each input, of which at most 524,288 choose the event.
    false_alarm : float
        Probability of refuting a true claim, in (0, 1).

    Returns
    -------
    AuditResult

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> leaky = lambda which, n: which + rng.laplace(0, 1.0, n)  # claims epsilon = 1
    >>> result = audit(leaky, epsilon=1.0, n_draws=20_000)
    >>> result.passed, "multiple of 2^-" in result.event, result.lower_bound > 4
    (False, True, True)
    """
    if (epsilon is None) == (rho is None):
        raise ArgumentError("epsilon, rho: give exactly one claim")
    kind, claim = ("pure", epsilon) if epsilon is not None else ("zcdp", rho)
    if claim is None or not (claim > 0 and math.isfinite(claim)):
        raise ArgumentError(f"claim: got {claim}, wanted a positive finite number")
    if n_draws < 4000:
        raise ArgumentError(f"n_draws: got {n_draws}, wanted at least 4000")
    if not 0 < false_alarm < 1:
        raise ArgumentError(f"false_alarm: got {false_alarm}, wanted a number in (0, 1)")
    choosing = min(n_draws // 8, _CHOOSING)
    draws = n_draws // 2 - choosing
    likelier, event = _choose(sampler, choosing)
    hits = _count(sampler, likelier, event, draws), _count(sampler, 1 - likelier, event, draws)
    bound = (epsilon_at_least if kind == "pure" else rho_at_least)(*hits, draws, false_alarm)
    return AuditResult(kind, float(claim), bound, event.name, hits, draws, false_alarm)


def _choose(sampler: Sampler, choosing: int) -> tuple[int, Event]:
    """Return the input under which the most promising event is likelier, and the event."""
    half = choosing // 2
    events = list(candidates(sampler(0, half), sampler(1, half)))
    first, second = sampler(0, half), sampler(1, half)
    best = (-1.0, 0, events[0])
    for event in events:
        p, q = int(event.contains(first).sum()), int(event.contains(second).sum())
        score = epsilon_at_least(max(p, q), min(p, q), half, _CAUTION)
        if score > best[0]:
            best = (score, int(p < q), event)
    return best[1], best[2]


def _count(sampler: Sampler, which: int, event: Event, draws: int) -> int:
    """Count an event in fresh draws, chunk by chunk."""
    hits = 0
    for at in range(0, draws, _CHUNK):
        piece: Draws = sampler(which, min(_CHUNK, draws - at))
        hits += int(event.contains(piece).sum())
    return hits
