"""Attacks on randomisers, ours and others: lower bounds of what they really cost, with a stated error."""

from privacy_stats.audits.audit import AuditResult, audit
from privacy_stats.audits.bounds import clopper_pearson, epsilon_at_least, rho_at_least
from privacy_stats.audits.events import Event
from privacy_stats.audits.goodness import FitResult, chi_square_power, goodness_of_fit
from privacy_stats.audits.independence import repeats
from privacy_stats.audits.plotting import plot_audits
from privacy_stats.audits.samplers import Sampler, mechanism_sampler

__all__ = [
    "AuditResult",
    "Event",
    "FitResult",
    "Sampler",
    "audit",
    "chi_square_power",
    "clopper_pearson",
    "epsilon_at_least",
    "goodness_of_fit",
    "mechanism_sampler",
    "plot_audits",
    "repeats",
    "rho_at_least",
]
