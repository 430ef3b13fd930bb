"""The words of an expression: ASCII numbers, names and operators, each with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from sosgames.certificates.errors import InputError, shown

_WORD = re.compile(
    r"(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<relation><=|>=|==|!=|<|>|=)"
    r"|(?P<operator>\*\*|[-+*/()])"
    r"|(?P<unknown>[^ \t\r\n])"
)


class Token(NamedTuple):
    """One word; ``place`` counts characters from 1."""

    kind: Literal["number", "name", "relation", "operator"]
    text: str
    place: int


def tokens(text: str, where: str) -> Iterator[Token]:
    """Split a text into words; a character that starts none is refused with its place.

    >>> [token.text for token in tokens("2*x1 >= .5", "example")]
    ['2', '*', 'x1', '>=', '.5']
    """
    for match in _WORD.finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind == "unknown":
            hint = "; write ** for powers" if word == "^" else ""
            raise InputError(f"{where}, character {match.start() + 1}: cannot read {shown(word)}{hint}.")
        yield Token(kind, word, match.start() + 1)  # type: ignore[arg-type]
