"""The protocol that options name: its fields from the command line, its defaults from itself."""

from __future__ import annotations

import dataclasses
from typing import Any

from privacy_stats.errors import ArgumentError
from privacy_stats.protocols import Protocol
from privacy_stats.protocols.radius import RadiusProtocol
from privacy_stats.protocols.registry import protocol_types


def build_protocol(name: str, options: dict[str, Any], option_of_name: str = "--protocol") -> Protocol:
    """Return the protocol `name` with the options that were given; foreign and missing ones are refused.

    Parameters
    ----------
    name : str
        Such as ``"histogram-radius"``.
    options : dict
        By field name; None where the option was not given. ``inner`` is the name of a protocol.
    option_of_name : str
        The option that gave the name.
    """
    known = protocol_types()
    if option_of_name == "--inner":
        known = {key: kind for key, kind in known.items() if issubclass(kind, RadiusProtocol)}
    if name not in known:
        others = ", auto" if option_of_name == "--protocol" else ""
        raise ArgumentError(
            f"{option_of_name}: got {name!r}, wanted one of {', '.join(sorted(known))}{others}"
        )
    fields = {field.name: field for field in dataclasses.fields(known[name])}  # type: ignore[arg-type]
    given = {option: value for option, value in options.items() if value is not None}
    if "inner" in fields:
        given = {"inner": build_protocol(given.pop("inner", "histogram-radius"), given, "--inner")}
    for option in given:
        if option not in fields:
            raise ArgumentError(f"--{option.replace('_', '-')}: {name} does not take it")
    for option, field in fields.items():
        if field.default is dataclasses.MISSING and option not in given:
            raise ArgumentError(f"--{option.replace('_', '-')}: {name} needs it")
    return known[name](**given)
