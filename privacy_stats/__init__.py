"""Sums and means when every user sets an own local privacy level.

Values stay with their users: a client randomises each value under the user's own budget, the server
aggregates reports only, and every estimate carries its uncertainty.

    announce   Round           mechanism, range and public budget levels
    client     randomise       values + budgets -> Reports        (answer: one value -> one JSON line)
    server     aggregate       Reports -> State                   (merge: States -> State)
    estimate   unbiased_sum    State -> Estimate

Importing this package loads nothing else; each name is loaded when it is first used, so that a device that
answers one question never loads what a server needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from privacy_stats.lazy import lazily

if TYPE_CHECKING:
    from privacy_stats.aggregation import (
        Aggregator,
        State,
        aggregate,
        aggregate_files,
        aggregate_frame,
        merge,
    )
    from privacy_stats.audits import (
        AuditResult,
        audit,
        chi_square_power,
        goodness_of_fit,
        mechanism_sampler,
        plot_audits,
        repeats,
    )
    from privacy_stats.budgets import (
        Budgets,
        Ledger,
        approximate_epsilon,
        pure_within_zcdp,
        zcdp_of_pure,
    )
    from privacy_stats.clients import (
        answer,
        randomise,
        randomise_frame,
    )
    from privacy_stats.errors import (
        ArgumentError,
        BudgetExhaustedError,
        DocumentError,
        MissingPackageError,
        PrivacyStatsError,
        PrivacyViolationError,
        ReportRejectedError,
    )
    from privacy_stats.estimate import (
        estimate_mean,
        estimate_sum,
    )
    from privacy_stats.mechanisms import (
        Gaussian,
        Hybrid,
        Laplace,
        OneBit,
        Piecewise,
        RandomisedResponse,
        VectorGaussian,
    )
    from privacy_stats.planning import (
        Plan,
        plan,
        plot_rmse,
    )
    from privacy_stats.protocols import (
        DropConservative,
        DuchiMean,
        GuaranteedSum,
        HistogramRadius,
        HullDiameter,
        HybridMean,
        LaplaceMean,
        NaiveGaussian,
        OneHotRadius,
        OptimalUniformClip,
        Oracle,
        OracleScaleRadius,
        PiecewiseMean,
        Protocol,
        ProtocolRound,
        SunDiameter,
        SunRadius,
        protocol_from_dict,
    )
    from privacy_stats.randomness import (
        SystemRandomness,
        simulation_rng,
    )
    from privacy_stats.reports import (
        Header,
        Reports,
        from_arrow,
        read_lines,
        to_arrow,
        write_lines,
    )
    from privacy_stats.results import (
        Estimate,
        PopulationMean,
        SurveyEstimate,
        population_mean,
        unbiased_counts,
        unbiased_mean,
        unbiased_sum,
    )
    from privacy_stats.rounds import (
        Round,
    )

__all__ = [
    "Aggregator",
    "ArgumentError",
    "AuditResult",
    "BudgetExhaustedError",
    "Budgets",
    "DocumentError",
    "DropConservative",
    "DuchiMean",
    "Estimate",
    "Gaussian",
    "GuaranteedSum",
    "Header",
    "HistogramRadius",
    "HullDiameter",
    "Hybrid",
    "HybridMean",
    "Laplace",
    "LaplaceMean",
    "Ledger",
    "MissingPackageError",
    "NaiveGaussian",
    "OneBit",
    "OneHotRadius",
    "OptimalUniformClip",
    "Oracle",
    "OracleScaleRadius",
    "Piecewise",
    "PiecewiseMean",
    "Plan",
    "PopulationMean",
    "PrivacyStatsError",
    "PrivacyViolationError",
    "Protocol",
    "ProtocolRound",
    "RandomisedResponse",
    "ReportRejectedError",
    "Reports",
    "Round",
    "State",
    "SunDiameter",
    "SunRadius",
    "SurveyEstimate",
    "SystemRandomness",
    "VectorGaussian",
    "aggregate",
    "aggregate_files",
    "aggregate_frame",
    "answer",
    "approximate_epsilon",
    "audit",
    "chi_square_power",
    "choose_protocol",
    "estimate_mean",
    "estimate_sum",
    "from_arrow",
    "goodness_of_fit",
    "mechanism_sampler",
    "merge",
    "plan",
    "plot_audits",
    "plot_rmse",
    "population_mean",
    "protocol_from_dict",
    "pure_within_zcdp",
    "randomise",
    "randomise_frame",
    "read_lines",
    "repeat_estimates",
    "repeats",
    "simulation_rng",
    "to_arrow",
    "unbiased_counts",
    "unbiased_mean",
    "unbiased_sum",
    "write_lines",
    "zcdp_of_pure",
]

_HOMES = {
    "aggregation": (
        "Aggregator",
        "State",
        "aggregate",
        "aggregate_files",
        "aggregate_frame",
        "merge",
    ),
    "audits": (
        "AuditResult",
        "audit",
        "chi_square_power",
        "goodness_of_fit",
        "mechanism_sampler",
        "plot_audits",
        "repeats",
    ),
    "budgets": (
        "Budgets",
        "Ledger",
        "approximate_epsilon",
        "pure_within_zcdp",
        "zcdp_of_pure",
    ),
    "clients": (
        "answer",
        "randomise",
        "randomise_frame",
    ),
    "errors": (
        "ArgumentError",
        "BudgetExhaustedError",
        "DocumentError",
        "MissingPackageError",
        "PrivacyStatsError",
        "PrivacyViolationError",
        "ReportRejectedError",
    ),
    "estimate": (
        "choose_protocol",
        "estimate_mean",
        "estimate_sum",
    ),
    "mechanisms": (
        "Gaussian",
        "Hybrid",
        "Laplace",
        "OneBit",
        "Piecewise",
        "RandomisedResponse",
        "VectorGaussian",
    ),
    "planning": (
        "Plan",
        "plan",
        "plot_rmse",
    ),
    "protocols": (
        "DropConservative",
        "DuchiMean",
        "GuaranteedSum",
        "HistogramRadius",
        "HullDiameter",
        "HybridMean",
        "LaplaceMean",
        "NaiveGaussian",
        "OneHotRadius",
        "OptimalUniformClip",
        "Oracle",
        "OracleScaleRadius",
        "PiecewiseMean",
        "Protocol",
        "ProtocolRound",
        "SunDiameter",
        "SunRadius",
        "protocol_from_dict",
    ),
    "randomness": (
        "SystemRandomness",
        "simulation_rng",
    ),
    "reports": (
        "Header",
        "Reports",
        "from_arrow",
        "read_lines",
        "to_arrow",
        "write_lines",
    ),
    "results": (
        "Estimate",
        "PopulationMean",
        "SurveyEstimate",
        "population_mean",
        "unbiased_counts",
        "unbiased_mean",
        "unbiased_sum",
    ),
    "rounds": ("Round",),
    "studies": ("repeat_estimates",),
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
