"""Read a mechanism from its JSON form, which may come from anybody."""

from __future__ import annotations

import dataclasses
from typing import Any

from privacy_stats.errors import ArgumentError, DocumentError
from privacy_stats.mechanisms.base import Mechanism
from privacy_stats.mechanisms.clipped_gaussian import ClippedGaussian
from privacy_stats.mechanisms.dyadic_tree import DyadicTree
from privacy_stats.mechanisms.gaussian import Gaussian
from privacy_stats.mechanisms.hybrid import Hybrid
from privacy_stats.mechanisms.ladder import LadderGaussian
from privacy_stats.mechanisms.laplace import Laplace
from privacy_stats.mechanisms.norm_histogram import NormHistogram
from privacy_stats.mechanisms.one_bit import OneBit
from privacy_stats.mechanisms.piecewise import Piecewise
from privacy_stats.mechanisms.randomised_response import RandomisedResponse
from privacy_stats.mechanisms.vector_gaussian import VectorGaussian

_MECHANISMS: tuple[type[Mechanism], ...] = (
    OneBit,
    Piecewise,
    Hybrid,
    Laplace,
    Gaussian,
    VectorGaussian,
    RandomisedResponse,
    LadderGaussian,
    NormHistogram,
    ClippedGaussian,
    DyadicTree,
)


def mechanism_from_dict(document: Any) -> Mechanism:
    """Return the mechanism that `Mechanism.to_dict` described.

    Parameters
    ----------
    document : dict
        With the key ``"name"`` and exactly the fields of that mechanism.

    Raises
    ------
    DocumentError
        If the document names no known mechanism or has other fields or values than it takes.

    Examples
    --------
    >>> mechanism_from_dict({"name": "one-bit", "lower": 0, "upper": 1, "steps": 16})
    OneBit(lower=0, upper=1, steps=16)
    """
    if not isinstance(document, dict):
        raise DocumentError("mechanism: wanted an object with a 'name'")
    fields = dict(document)
    name = fields.pop("name", None)
    known = {m.name: m for m in _MECHANISMS}
    if not isinstance(name, str) or name not in known:
        raise DocumentError(
            f"mechanism: got name {str(name)[:40]!r}, wanted one of {', '.join(sorted(known))}"
        )
    wanted = {field.name for field in dataclasses.fields(known[name])}  # type: ignore[arg-type]
    if set(fields) != wanted:
        raise DocumentError(f"mechanism {name}: wanted exactly the fields {', '.join(sorted(wanted))}")
    try:
        return known[name](**fields)
    except ArgumentError as error:
        raise DocumentError(f"mechanism {name}: {error}") from None
