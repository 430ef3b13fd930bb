"""Read a protocol from its JSON form, which may come from anybody."""

from __future__ import annotations

import re
from dataclasses import fields
from fractions import Fraction
from typing import Any

from privacy_stats.errors import ArgumentError, DocumentError
from privacy_stats.protocols.base import Protocol
from privacy_stats.protocols.duchi_mean import DuchiMean
from privacy_stats.protocols.guaranteed_sum import GuaranteedSum
from privacy_stats.protocols.histogram_radius import HistogramRadius
from privacy_stats.protocols.hull_diameter import HullDiameter
from privacy_stats.protocols.hybrid_mean import HybridMean
from privacy_stats.protocols.laplace_mean import LaplaceMean
from privacy_stats.protocols.naive_gaussian import NaiveGaussian
from privacy_stats.protocols.one_hot_radius import OneHotRadius
from privacy_stats.protocols.piecewise_mean import PiecewiseMean
from privacy_stats.protocols.sun_diameter import SunDiameter
from privacy_stats.protocols.sun_radius import SunRadius

_PROTOCOLS: tuple[type[Protocol], ...] = (
    NaiveGaussian,
    LaplaceMean,
    DuchiMean,
    PiecewiseMean,
    HybridMean,
    SunRadius,
    SunDiameter,
    OneHotRadius,
    HistogramRadius,
    HullDiameter,
    GuaranteedSum,
)


def protocol_types() -> dict[str, type[Protocol]]:
    """Return every protocol's type by its name."""
    return {protocol.name: protocol for protocol in _PROTOCOLS}


def protocol_from_dict(document: Any) -> Protocol:
    """Return the protocol that `Protocol.to_dict` described.

    Parameters
    ----------
    document : dict
        With the key ``"name"`` and exactly the fields of that protocol.

    Raises
    ------
    DocumentError
        If the document names no known protocol or has other fields or values than it takes.

    Examples
    --------
    >>> protocol_from_dict({"name": "duchi-mean", "lower": 0, "upper": 1, "steps": 16})
    DuchiMean(lower=0, upper=1, steps=16)
    """
    return _read(document, nested=False)


def _read(document: Any, *, nested: bool) -> Protocol:
    if not isinstance(document, dict):
        raise DocumentError("protocol: wanted an object with a 'name'")
    given = dict(document)
    name = given.pop("name", None)
    known = protocol_types()
    if not isinstance(name, str) or name not in known:
        raise DocumentError(
            f"protocol: got name {str(name)[:40]!r}, wanted one of {', '.join(sorted(known))}"
        )
    wanted = {f.name for f in fields(known[name])}  # type: ignore[arg-type]
    if set(given) != wanted:
        raise DocumentError(f"protocol {name}: wanted exactly the fields {', '.join(sorted(wanted))}")
    if nested and "inner" in given:
        raise DocumentError(f"protocol {name}: an inner protocol must not have one itself")
    try:
        return known[name](**{key: _value(value) for key, value in given.items()})
    except ArgumentError as error:
        raise DocumentError(f"protocol {name}: {error}") from None


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return _read(value, nested=True)
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,18}/[1-9][0-9]{0,17}", value):
        return Fraction(value)
    return value
