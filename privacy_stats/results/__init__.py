"""Estimates with their standard error, from server states."""

from privacy_stats.results.estimate import Estimate
from privacy_stats.results.population import PopulationMean, population_mean
from privacy_stats.results.survey import SurveyEstimate
from privacy_stats.results.unbiased import unbiased_counts, unbiased_mean, unbiased_sum

__all__ = [
    "Estimate",
    "PopulationMean",
    "SurveyEstimate",
    "population_mean",
    "unbiased_counts",
    "unbiased_mean",
    "unbiased_sum",
]
