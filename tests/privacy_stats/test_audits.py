"""Audits: silent on ours, loud on broken ones, and honest about what they cannot see.

CI audits with fewer draws than `make audit-privacy` does; every test here is seeded. The false-alarm rate is
1e-6 per audit.
"""

from __future__ import annotations

import dataclasses
import math
import multiprocessing
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from scipy import stats

import privacy_stats as ps
from privacy_stats.audits.bounds import clopper_pearson, epsilon_at_least, rho_at_least
from privacy_stats.audits.goodness import bins_of, compare, exact_pmf
from privacy_stats.mechanisms import Mechanism
from privacy_stats.mechanisms.grid import Grid
from privacy_stats.mechanisms.one_bit import draw_bits
from privacy_stats.mechanisms.piecewise import draw_cells
from privacy_stats.randomness import SimulationRandomness

PURE: list[Mechanism] = [
    ps.OneBit(0, 1),
    ps.Piecewise(0, 1, 256),
    ps.Hybrid(0, 1, 256),
    ps.Laplace(0, 1, 256),
    ps.RandomisedResponse(5),
]
GAUSSIAN: list[Mechanism] = [ps.Gaussian(0, 1, 256), ps.VectorGaussian(3, 1.0, radius=256)]
RNG = ps.simulation_rng


@pytest.mark.parametrize(("hits", "draws"), [(0, 10), (3, 10), (10, 10), (500, 1000)])
def test_binomial_limits_are_those_of_scipy(hits: int, draws: int) -> None:
    for error in (0.025, 1e-6):
        exact = stats.binomtest(hits, draws).proportion_ci(1 - 2 * error, method="exact")
        assert clopper_pearson(hits, draws, error) == pytest.approx(
            (exact.low, exact.high), rel=1e-6, abs=1e-12
        )


def test_binomial_limits_fail_as_rarely_as_they_say() -> None:
    # exact: sum the probabilities of all counts whose lower limit exceeds the truth
    n, p = 50, 0.3
    for error in (0.05, 1e-3):
        wrong = [k for k in range(n + 1) if clopper_pearson(k, n, error)[0] > p]
        assert stats.binom.pmf(wrong, n, p).sum() <= error


def test_bounds_approach_the_truth_and_never_pass_it_on_exact_counts() -> None:
    for eps in (0.1, 1.0, 3.0):
        p = 1 / (1 + math.exp(-eps))
        n = 10**9
        hits = round(n * p), round(n * (1 - p))
        assert eps * 0.99 < epsilon_at_least(*hits, n, 1e-6) < eps
        assert 0.97 * eps * math.tanh(eps / 2) < rho_at_least(*hits, n, 1e-6) < eps * math.tanh(eps / 2)
    assert epsilon_at_least(5, 10, 100, 1e-6) == rho_at_least(5, 10, 100, 1e-6) == 0.0
    assert rho_at_least(100, 0, 100, 1e-6) > 0


@pytest.mark.parametrize("level", ["0.01", "0.5", "2", "10"])
@pytest.mark.parametrize("mechanism", PURE, ids=lambda m: m.name)
def test_our_pure_mechanisms_pass(mechanism: Mechanism, level: str) -> None:
    sampler = ps.mechanism_sampler(mechanism, "pure", level, rng=RNG(1))
    assert ps.audit(sampler, epsilon=float(level), n_draws=200_000).passed
    assert ps.goodness_of_fit(mechanism, "pure", level, n_draws=200_000, rng=RNG(2)).p_value > 1e-6


@pytest.mark.parametrize("level", ["0.01", "0.5", "2", "10"])
@pytest.mark.parametrize("mechanism", [*GAUSSIAN, PURE[0]], ids=lambda m: m.name)
def test_our_mechanisms_pass_for_zcdp(mechanism: Mechanism, level: str) -> None:
    sampler = ps.mechanism_sampler(mechanism, "zcdp", level, rng=RNG(3))
    assert ps.audit(sampler, rho=float(level), n_draws=200_000).passed
    assert ps.goodness_of_fit(mechanism, "zcdp", level, n_draws=200_000, rng=RNG(4)).p_value > 1e-6


def test_the_audit_comes_close_to_the_claim_where_it_can() -> None:
    for mechanism in PURE:
        sampler = ps.mechanism_sampler(mechanism, "pure", 1, rng=RNG(5))
        assert ps.audit(sampler, epsilon=1, n_draws=400_000).lower_bound > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", PURE, ids=lambda m: m.name)
@pytest.mark.parametrize("claim", [1.0, 4.0])
def test_a_mechanism_with_five_percent_too_little_noise_is_refuted(
    mechanism: Mechanism, claim: float
) -> None:
    sampler = ps.mechanism_sampler(mechanism, "pure", claim * 1.05, rng=RNG(6))
    assert not ps.audit(sampler, epsilon=claim, n_draws=1_600_000).passed


def float_laplace(which: int, n: int, rng: Any = None) -> Any:
    return which + (rng or np.random.default_rng(which)).laplace(0.0, 1.0, n)


def test_the_bits_of_floating_point_laplace_noise_give_values_away() -> None:
    # positive control: numpy's Laplace at a claimed epsilon of 1
    result = ps.audit(float_laplace, epsilon=1.0, n_draws=80_000)
    assert not result.passed
    assert result.lower_bound > 5
    assert "multiple of 2^-" in result.event


def test_the_bits_of_diffprivlib_give_values_away() -> None:
    # positive control: another library's Laplace at a claimed epsilon of 1
    from diffprivlib.mechanisms import Laplace  # takes seconds to load

    laplace = Laplace(epsilon=1.0, sensitivity=1.0, random_state=0)
    result = ps.audit(
        lambda which, n: np.array([laplace.randomise(which) for _ in range(n)]), epsilon=1.0, n_draws=40_000
    )
    assert not result.passed
    assert "multiple of 2^-" in result.event


@pytest.mark.parametrize("mechanism", [*PURE, *GAUSSIAN], ids=lambda m: m.name)
def test_the_same_attack_on_unbiased_floats_of_ours_finds_nothing(mechanism: Mechanism) -> None:
    # the server's floats, not only the integers: one affine map for both inputs adds no information
    kind = mechanism.kinds[0]
    (offset, scale) = mechanism.channels(kind, Fraction(1))[0].unbias
    inner = ps.mechanism_sampler(mechanism, kind, 1, rng=RNG(7))
    result = ps.audit(
        lambda which, n: offset + scale * inner(which, n),
        epsilon=1.0 if kind == "pure" else None,
        rho=None if kind == "pure" else 1.0,
        n_draws=80_000,
    )
    assert result.passed


# Mutants: each is one plausible mistake.


def swapped_branch(n: int) -> tuple[Any, Any]:
    channel = ps.RandomisedResponse(5).channels("pure", Fraction(1))[0]
    wrong = dataclasses.replace(channel, other=(2**63 - channel.other) // 4)
    level = np.zeros(n, dtype=np.int32)
    _, drawn = ps.RandomisedResponse(5).randomise(level, level, [(wrong,)], RNG(9))
    return drawn, channel


def rounded_end_bins(n: int) -> tuple[Any, Any]:
    channel = ps.Piecewise(0, 1, 64).channels("pure", Fraction(1))[0]
    level = np.zeros(n, dtype=np.int32)
    cells = draw_cells(level, level, [channel], RNG(10))
    return np.clip(cells, 1, channel.cells - 2), channel


def shifted_window(n: int) -> tuple[Any, Any]:
    channel = ps.Piecewise(0, 1, 64).channels("pure", Fraction(1))[0]
    level = np.zeros(n, dtype=np.int32)
    return draw_cells(level + 1, level, [channel], RNG(11)), channel


def doubled_zero(n: int) -> tuple[Any, Any]:
    channel = ps.Laplace(0, 1, 64).channels("pure", Fraction(1))[0]
    magnitude = np.random.default_rng(12).geometric(1 - math.exp(-1 / channel.scale), n) - 1
    sign = np.random.default_rng(13).choice([-1, 1], n)
    return sign * magnitude, channel


@pytest.mark.parametrize("mutant", [swapped_branch, rounded_end_bins, shifted_window, doubled_zero])
def test_a_wrong_distribution_fails_the_chi_square_test(mutant: Callable[[int], tuple[Any, Any]]) -> None:
    drawn, channel = mutant(400_000)
    statistic, degrees = compare(drawn, *exact_pmf(channel, 0))
    assert stats.chi2.sf(statistic, degrees) < 1e-6


def test_a_missing_clamp_is_refuted() -> None:
    mechanism = ps.OneBit(0, 1, 64)
    channel = mechanism.channels("pure", Fraction(1, 2))[0]

    def sampler(which: int, n: int) -> Any:
        wide = Grid(-0.5, 1.5, 128)  # half a range more on either side
        steep = dataclasses.replace(channel, grid=wide)
        return draw_bits(
            wide, np.full(n, 9 * which - 4), np.zeros(n, dtype=np.int32), [steep], RNG(14 + which)
        )

    assert not ps.audit(sampler, epsilon=0.5, n_draws=100_000).passed
    assert ps.audit(
        ps.mechanism_sampler(mechanism, "pure", "0.5", rng=RNG(14)), epsilon=0.5, n_draws=100_000
    ).passed


def reports_of(seed: int | None) -> Any:
    """Reports to the same 2,000 values, from a seeded source or from the system's."""
    mechanism = ps.Laplace(0, 1)
    channels = [mechanism.channels("pure", Fraction(1))]
    source = ps.SystemRandomness() if seed is None else RNG(seed)
    values = np.full(2000, 0.5)
    return mechanism.randomise(values, np.zeros(2000, dtype=np.int32), channels, source)[1]


def test_a_shared_seed_is_noticed() -> None:
    assert ps.repeats(reports_of(1), reports_of(1)) < 1e-6
    assert ps.repeats(reports_of(1), reports_of(2)) > 1e-6


def in_a_fork(draw: Callable[[], Any]) -> Any:
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=lambda: queue.put(draw()))
    child.start()
    got = queue.get()
    child.join()
    return got


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_generator_cloned_by_a_fork_is_noticed_and_ours_is_not_cloned() -> None:
    cloned = SimulationRandomness(np.random.default_rng(15))
    assert ps.repeats(*both_sides(lambda: np.frombuffer(cloned.bytes(2000), dtype=np.uint8))) < 1e-6
    assert ps.repeats(*both_sides(lambda: reports_of(None))) > 1e-6


def both_sides(draw: Callable[[], Any]) -> tuple[Any, Any]:
    child = in_a_fork(draw)
    return child, draw()


def test_power_is_what_repeated_tests_show() -> None:
    mechanism = ps.Laplace(0, 1, 64)
    right, wrong = (mechanism.channels("pure", Fraction(level))[0] for level in ("1", "1.02"))
    predicted = ps.chi_square_power(right, wrong, 0, 200_000, 0.01)
    level = np.zeros(200_000, dtype=np.int32)
    found = 0
    for seed in range(20):
        _, drawn = mechanism.randomise(np.zeros(level.size), level, [(wrong,)], RNG(seed))
        statistic, degrees = compare(drawn, *exact_pmf(right, 0))
        found += stats.chi2.sf(statistic, degrees) < 0.01
    assert abs(found / 20 - predicted) < 5.3 * 0.5 / 20**0.5
    assert 0.2 < predicted < 0.999


def test_draws_outside_the_alphabet_are_impossible() -> None:
    channel = ps.OneBit(0, 1).channels("pure", Fraction(1))[0]
    assert compare(np.full(100, 2), *exact_pmf(channel, 0)) == (math.inf, 1)


def test_an_audit_says_what_it_found(tmp_path: Any) -> None:
    result = ps.audit(float_laplace, epsilon=1.0, n_draws=20_000)
    assert "REFUTES" in repr(result)
    assert "refuted" in result.summary()
    assert result.to_dict()["passed"] is False
    mpl.use("agg")
    axes = ps.plot_audits([result, result], labels=["a", "b"])
    axes.figure.savefig(tmp_path / "audit.svg")
    mpl.pyplot.close(axes.figure)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"epsilon": 1.0, "rho": 1.0},
        {"epsilon": 0.0},
        {"epsilon": math.nan},
        {"epsilon": 1.0, "n_draws": 10},
        {"epsilon": 1.0, "false_alarm": 1.0},
    ],
)
def test_an_audit_refuses_what_makes_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(ps.ArgumentError):
        ps.audit(float_laplace, **options)


def test_helpers_refuse_what_makes_no_sense() -> None:
    for bad in (lambda: clopper_pearson(3, 2, 0.1), lambda: clopper_pearson(1, 2, 0.7)):
        with pytest.raises(ps.ArgumentError):
            bad()
    with pytest.raises(ps.ArgumentError):
        ps.repeats(np.zeros(5), np.zeros(5))
    with pytest.raises(ps.ArgumentError):
        ps.goodness_of_fit(ps.OneBit(0, 1), "pure", 1, n_draws=10)


def test_a_rare_report_of_a_small_alphabet_keeps_a_bin_of_its_own() -> None:
    assert bins_of(np.array([1e-4, 1 - 1e-4]), 1_000_000).tolist() == [0, 1]
    assert bins_of(np.array([1e-6, 1 - 1e-6]), 1_000_000).tolist() == [0, 0]
    fine = bins_of(np.full(4096, 1 / 4096), 1_000_000)
    assert fine.max() == 255
    assert (np.diff(fine) >= 0).all()
