"""The errors of the package: one root, and the two that reading and checking can raise."""

from __future__ import annotations

import re
from collections.abc import Sequence

_FRACTION = re.compile(r"Fraction\((-?[0-9]+), ([0-9]+)\)")


class SosgamesError(Exception):
    """Root of every error that sosgames raises on purpose; its text is one sentence with the remedy."""


class InputError(SosgamesError, ValueError):
    """A game, set, expression or argument that is not what was asked for; the text names the place."""


class CertificateError(SosgamesError):
    """A proof that does not prove its claim about the game at hand; the text says which line fails."""


def shown(value: object, length: int = 60) -> str:
    """A value as it may stand in a message: quoted, on one line, cut to ``length`` characters.

    >>> shown("x\\ny")
    "'x\\\\ny'"
    >>> from fractions import Fraction
    >>> shown((Fraction(3, 2), Fraction(2)))
    '(3/2, 2)'
    >>> shown("9" * 100, length=12)
    "'99999999..."
    """
    try:
        text = repr(value[: length + 2]) if isinstance(value, str) else _FRACTION.sub(_ratio, repr(value))
    except ValueError:  # an integer with more digits than Python converts
        return "a number too long to show"
    return text if len(text) <= length else text[: length - 3] + "..."


def _ratio(match: re.Match[str]) -> str:
    return match[1] if match[2] == "1" else f"{match[1]}/{match[2]}"


def counted(number: int, noun: str) -> str:
    """A number of things in words.

    >>> counted(1, "node"), counted(1200, "node")
    ('1 node', '1,200 nodes')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names with commas between them, the rest of a long list as a count.

    >>> listed(["x", "y", "z"], most=2)
    'x, y and 1 more'
    """
    more = len(names) - most
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:most])} and {more:,} more"
