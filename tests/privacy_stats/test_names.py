"""What the package exports, spelt out."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import privacy_stats as ps

NAMES = """
Aggregator ArgumentError AuditResult BudgetExhaustedError Budgets DocumentError DropConservative
DuchiMean Estimate Gaussian GuaranteedSum Header HistogramRadius HullDiameter Hybrid HybridMean
Laplace LaplaceMean Ledger MissingPackageError NaiveGaussian OneBit OneHotRadius OptimalUniformClip
Oracle OracleScaleRadius Piecewise PiecewiseMean Plan PopulationMean PrivacyStatsError
PrivacyViolationError Protocol ProtocolRound RandomisedResponse ReportRejectedError Reports Round
State SunDiameter SunRadius SurveyEstimate SystemRandomness VectorGaussian aggregate aggregate_files
aggregate_frame answer approximate_epsilon audit chi_square_power choose_protocol estimate_mean
estimate_sum from_arrow goodness_of_fit mechanism_sampler merge plan plot_audits plot_rmse
population_mean protocol_from_dict pure_within_zcdp randomise randomise_frame read_lines
repeat_estimates repeats simulation_rng to_arrow unbiased_counts unbiased_mean unbiased_sum
write_lines zcdp_of_pure
"""


def test_the_public_names_are_these() -> None:
    assert ps.__all__ == NAMES.split()
    assert all(getattr(ps, name).__doc__ for name in ps.__all__)
    assert dir(ps) == sorted(ps.__all__)
    assert not hasattr(ps, "no_such_name")


def test_no_submodule_shadows_a_public_name() -> None:
    for path in sorted(Path(ps.__file__).parent.rglob("*.py")):
        if path.name != "__init__.py" and "cli" not in path.parts:
            relative = path.relative_to(Path(ps.__file__).parent.parent).with_suffix("")
            importlib.import_module(".".join(relative.parts))
    assert not [name for name in ps.__all__ if isinstance(getattr(ps, name), ModuleType)]


def test_no_guard_of_the_package_vanishes_under_python_o() -> None:
    sources = sorted(Path(ps.__file__).parent.rglob("*.py"))
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sources]
    assert len(trees) > 40
    assert not [node.lineno for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Assert)]


def test_every_public_error_has_one_root() -> None:
    errors = [getattr(ps, name) for name in ps.__all__ if name.endswith("Error")]
    assert all(issubclass(error, ps.PrivacyStatsError) for error in errors)


def test_a_device_loads_none_of_the_large_libraries() -> None:
    code = (
        "import sys; from privacy_stats import Round, answer; "
        "print(sorted({'numpy', 'numba', 'scipy', 'narwhals', 'pandas', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
