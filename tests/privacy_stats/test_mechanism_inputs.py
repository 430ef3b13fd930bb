"""Odd inputs have one rule each, JSON round-trips, and nonsense is refused in a sentence."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privacy_stats.budgets import BILLION
from privacy_stats.errors import ArgumentError, DocumentError
from privacy_stats.mechanisms import (
    Gaussian,
    Laplace,
    Mechanism,
    OneBit,
    Piecewise,
    RandomisedResponse,
    VectorGaussian,
    mechanism_from_dict,
)
from privacy_stats.mechanisms.vector_gaussian import shorten, shorten_one
from privacy_stats.sampling.literal import ByteStream
from tests.privacy_stats.tapes import MECHANISMS, Tape, long_tape


@pytest.mark.parametrize(
    ("odd", "position"),
    [
        (math.nan, 4),
        (math.inf, 8),
        (-math.inf, 0),
        (1e300, 8),
        (-1e300, 0),
        (-0.0, 0),
        (5e-324, 0),
        (2.0, 8),
        (True, 8),
        (10**300, 8),
    ],
)
def test_every_odd_number_has_one_rule(odd: float, position: int) -> None:
    grid = OneBit(0, 1, 8).grid
    assert grid.place(odd, ByteStream(Tape(b"\x80" * 9))) == position
    assert grid.place_all(np.array([float(odd)]), Tape(b"\x80" * 9)).tolist() == [position]


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ([3.0, 4.0], [0.6, 0.8]),
        ([math.nan, 0.5], [0.0, 0.5]),
        ([math.inf, 7.0], [1.0, 0.0]),
        ([-math.inf, math.inf], [-math.sqrt(0.5), math.sqrt(0.5)]),
        ([1e308, 1e308], [math.sqrt(0.5), math.sqrt(0.5)]),
        ([5e-324, 0.0], [5e-324, 0.0]),
        ([0.0, -0.0], [0.0, 0.0]),
    ],
)
def test_every_odd_vector_has_one_rule(row: list[float], rule: list[float]) -> None:
    assert shorten_one(row, 1.0, False) == pytest.approx(rule, abs=1e-15)
    assert shorten(np.array([row]), 1.0, False)[0].tolist() == pytest.approx(rule, abs=1e-15)
    assert shorten_one(row, 1.0, True) == pytest.approx(
        shorten(np.array([row]), 1.0, True)[0].tolist(), abs=1e-15
    )


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
def test_a_mechanism_round_trips_through_json(mechanism: Mechanism) -> None:
    document = mechanism.to_dict()
    assert mechanism_from_dict(json.loads(json.dumps(document))) == mechanism
    for bad in (
        document | {"extra": 1},
        document | {"name": "magic"},
        {"name": document["name"]},
        document | {key: None for key in document if key != "name"},
        [],
    ):
        with pytest.raises(DocumentError, match="mechanism"):
            mechanism_from_dict(bad)


@pytest.mark.parametrize(
    "make",
    [
        lambda: OneBit(1, 1),
        lambda: OneBit(1, 0),
        lambda: OneBit(math.nan, 1),
        lambda: OneBit(0, math.inf),
        lambda: OneBit(-1.7e308, 1.7e308),
        lambda: OneBit(0, 5e-324),
        lambda: Piecewise(0, 1, 3),
        lambda: Piecewise(0, 1, 2**21),
        lambda: Laplace(0, 1, True),
        lambda: RandomisedResponse(1),
        lambda: VectorGaussian(0, 1.0),
        lambda: VectorGaussian(4, math.nan),
        lambda: VectorGaussian(100, 1.0, radius=39),
        lambda: VectorGaussian(4, 1.0, non_negative=1),  # type: ignore[arg-type]
        lambda: OneBit(0, 1, 2**20).channels("pure", Fraction(1, 10**15)),
        lambda: Piecewise(0, 1, 2**20).channels("pure", Fraction(1, 10**15)),
        lambda: RandomisedResponse(65536).channels("pure", Fraction(1, 10**15)),
        lambda: Laplace(0, 1).channels("pure", Fraction(1, 10**5)),
        lambda: Gaussian(0, 1).channels("zcdp", Fraction(1, BILLION)),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any) -> None:
    with pytest.raises(ArgumentError):
        make()


@pytest.mark.parametrize("value", [-1, 5, 1.5, math.nan, math.inf])
def test_a_number_that_is_no_category_is_refused_on_the_client(value: float) -> None:
    mechanism = RandomisedResponse(5)
    channels = mechanism.channels("pure", Fraction(1))
    with pytest.raises(ArgumentError, match="wanted a category"):
        mechanism.answer(value, channels, ByteStream(long_tape()))
    with pytest.raises(ArgumentError, match="in row 1"):
        mechanism.randomise(np.array([0, value]), np.zeros(2, dtype=np.int32), [channels], long_tape())
