"""TOML and JSON as plain data, with every number still as text and nothing that could exhaust the parser.

The standard library's parsers call themselves once a bracket and take quadratic time on long dotted keys, so
a text is looked over first: brackets, dotted keys and words outside strings are limited. Numbers stay text
(`NumberText`), so that 0.1 is one tenth and no digit limit or rounding of a parser applies.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any, NoReturn

from sosgames.certificates.errors import InputError, shown
from sosgames.certificates.limits import MAX_BRACKETS, MAX_LITERAL, MAX_TABLES

_STRING_OR_COMMENT = re.compile(
    r'"""(?:[^"\\]++|\\.|"{1,2}(?!"))*+"{3,5}'
    r"|'''(?:[^']++|'{1,2}(?!'))*+'{3,5}"
    r'|(?!""")"(?:[^"\\\n]++|\\.)*+"'
    r"|(?!''')'[^'\n]*+'"
    r"|\#[^\n]*+"
    r"|(?P<open>[\"'])",
    re.DOTALL,
)
_LONG_WORD = re.compile(rf"(?<![0-9A-Za-z_.+\-])[0-9A-Za-z_.+\-]{{{MAX_LITERAL + 1},}}+")
_LONG_KEY = re.compile(rf"(?<![0-9A-Za-z_\-])(?:[0-9A-Za-z_\-]++[ \t]*+\.[ \t]*+){{{MAX_BRACKETS},}}+")
_TABLE = re.compile(r"^[ \t]*+\[", re.MULTILINE)
_BRACKET = re.compile(r"[\[\]{}]")


class NumberText(str):
    """A number as it was written, told apart from a quoted text."""

    __slots__ = ()


def read_toml(text: str) -> dict[str, Any]:
    """The content of a TOML text; floats stay text, ``1_000`` is TOML's own way to write 1000."""
    _look_over(text)
    try:
        return tomllib.loads(text, parse_float=lambda number: NumberText(number.replace("_", "")))
    except ValueError as error:
        raise InputError(f"this is not valid TOML; {str(error)[:200]}.") from None


def read_json(text: str) -> Any:
    """The content of a JSON text; a key that is given twice, NaN and infinities are refused."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        content: dict[str, Any] = {}
        for key, value in items:
            if key in content:
                raise InputError(f"the key {shown(key)} is given twice; keep one.")
            content[key] = value
        return content

    def constant(name: str) -> NoReturn:
        raise InputError(f"{name} is not a number that can be used; write a finite one.")

    _look_over(text)
    try:
        return json.loads(
            text,
            parse_float=NumberText,
            parse_int=NumberText,
            parse_constant=constant,
            object_pairs_hook=pairs,
        )
    except json.JSONDecodeError as error:
        raise InputError(f"this is not valid JSON; {str(error)[:200]}.") from None


def _blank(match: re.Match[str]) -> str:
    if match["open"]:
        line = match.string.count("\n", 0, match.start()) + 1
        raise InputError(f"line {line}: the text that starts with {match['open']} is never closed.")
    return "_"


def _look_over(text: str) -> None:
    bare = _STRING_OR_COMMENT.sub(_blank, text)
    if word := _LONG_WORD.search(bare):
        raise InputError(
            f"{shown(word[0])} has {len(word[0]):,} characters; at most {MAX_LITERAL:,} are read."
        )
    if _LONG_KEY.search(bare):
        raise InputError(f"a dotted key has more than {MAX_BRACKETS} parts; game files need two.")
    tables = sum(1 for _ in _TABLE.finditer(bare))
    if tables > MAX_TABLES:
        raise InputError(f"{tables:,} lines begin with a bracket; at most {MAX_TABLES:,} are read.")
    depth = 0
    for bracket in _BRACKET.finditer(bare):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > MAX_BRACKETS:
            raise InputError(f"brackets nest deeper than {MAX_BRACKETS}; game files need six.")


def toml_value(value: Any) -> str:
    """A text, list or mapping of texts on one line, as TOML.

    >>> print(toml_value({"x": ["0", "1/3"]}))
    {x = ["0", "1/3"]}
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)  # the escapes of JSON are escapes of TOML
