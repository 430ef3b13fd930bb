"""JSON values as proofs use them, and nothing else: integers, texts, lists and objects with known keys.

Closed here, one by one: a key given twice (Python keeps the last), NaN and numbers with a fraction or an
exponent, True where 1 is meant, integers too long to print, nesting that exhausts the stack.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import chain
from math import gcd
from typing import Any, TypeVar, cast

from sosgames.certificates.errors import CertificateError, shown

MAX_DIGITS = 4_000
"""Digits of an integer; Python itself converts at most 4,300."""
MAX_BITS = 13_287
"""Bits of an integer; so many fit in ``MAX_DIGITS`` digits."""

_DIGITS = "0123456789"

T = TypeVar("T")


def load_json(text: str) -> Any:
    """The value of a JSON text; `CertificateError` for what is not JSON, or not of this kind."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_repetition,
            parse_int=int if _is_plain(text) else _plain_integer,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except json.JSONDecodeError as error:
        raise CertificateError(f"the proof is not JSON: {error}.") from None
    except RecursionError:
        raise CertificateError("the proof is nested too deeply; no valid proof is.") from None


def read_record(value: Any, where: str, keys: str) -> dict[str, Any]:
    """An object with exactly these keys (separated by blanks)."""
    wanted = keys.split()
    record = read_mapping(value, where)
    if record.keys() == set(wanted):
        return record
    for key in [*record, *wanted]:
        if key not in record or key not in wanted:
            fault = "unknown" if key in record else "missing"
            raise CertificateError(
                f"{where}: the key {shown(key)} is {fault}; the keys are {', '.join(wanted)}."
            )
    return record


def read_mapping(value: Any, where: str) -> dict[str, Any]:
    """An object with whatever keys."""
    if type(value) is not dict or any(type(key) is not str for key in value):
        raise CertificateError(f"{where}: got {shown(value)}; it must be an object.")
    return cast("dict[str, Any]", value)


def read_list(value: Any, where: str) -> list[Any]:
    """A list."""
    if type(value) is not list:
        raise CertificateError(f"{where}: got {shown(value)}; it must be a list.")
    return value


def read_row(value: Any, where: str, length: int) -> list[Any]:
    """A list of a given length."""
    if type(value) is not list or len(value) != length:
        raise CertificateError(f"{where}: got {shown(value)}; it must be a list of {length}.")
    return value


def read_each(value: Any, where: str, read: Callable[[Any, str], T]) -> tuple[T, ...]:
    """A list, item by item; the place of an item is put before what is wrong with it."""
    items = read_list(value, where)
    left = iter(items)
    try:
        return tuple([read(item, "") for item in left])
    except CertificateError as error:
        raise CertificateError(f"{where}[{len(items) - len(list(left)) - 1}]{error}") from None


def read_optional(value: Any, where: str, read: Callable[[Any, str], T]) -> T | None:
    """A value or null."""
    return None if value is None else read(value, where)


def read_text(value: Any, where: str) -> str:
    """A text."""
    if type(value) is not str:
        raise CertificateError(f"{where}: got {shown(value)}; it must be a text.")
    return value


def read_texts(value: Any, where: str) -> tuple[str, ...]:
    """A list of texts."""
    return read_each(value, where, read_text)


def read_boolean(value: Any, where: str) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise CertificateError(f"{where}: got {shown(value)}; it must be true or false.")
    return value


def read_literal(value: Any, wanted: str, where: str) -> None:
    """One text and no other."""
    if type(value) is not str or value != wanted:
        raise CertificateError(f"{where}: got {shown(value)}; it must be {wanted!r}.")


def read_fraction(value: Any, where: str) -> Fraction:
    """A fraction ``[p, q]`` in lowest terms with q > 0."""
    numerator, denominator = read_row(value, where, 2)
    if gcd(read_integer(numerator, where, least=None), read_integer(denominator, where, least=1)) != 1:
        raise CertificateError(f"{where}: {shown(value)} is not in lowest terms.")
    return Fraction(numerator, denominator)


def read_numbers(value: Any, where: str) -> dict[str, Fraction]:
    """Fractions by name."""
    return {name: read_fraction(pair, f"{where}.{name}") for name, pair in read_mapping(value, where).items()}


def read_integer(value: Any, where: str, least: int | None = 0) -> int:
    """An integer, not below ``least`` unless that is None."""
    if type(value) is not int:  # True is an int, and 1.0 == 1
        raise CertificateError(f"{where}: got {shown(value)}; it must be an integer.")
    if value.bit_length() > MAX_BITS:
        raise CertificateError(f"{where}: an integer with more than {MAX_DIGITS:,} digits.")
    if least is not None and value < least:
        raise CertificateError(f"{where}: got {shown(value)}; it must be at least {least}.")
    return value


def read_integers(value: Any, where: str) -> tuple[int, ...]:
    """A list of integers of any sign."""
    row = read_list(value, where)
    if not _are_integers(row):
        for entry in row:
            read_integer(entry, where, least=None)
    return tuple(row)


def read_integer_rows(value: Any, where: str) -> tuple[tuple[int, ...], ...]:
    """A list of lists of integers of any sign."""
    rows = read_list(value, where)
    if set(map(type, rows)) <= {list} and _are_integers(list(chain.from_iterable(rows))):
        return tuple(map(tuple, rows))
    return read_each(rows, where, read_integers)  # which says where the fault is


def _are_integers(values: list[Any]) -> bool:
    return set(map(type, values)) <= {int} and max(map(int.bit_length, values), default=0) <= MAX_BITS


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise CertificateError("the proof repeats a key in one object; each key may occur once.")
    return record


def _is_plain(text: str) -> bool:
    """Whether every number in the text has ASCII digits, and few enough of them."""
    return text.isascii() and not _has_many_digits(text) and sys.get_int_max_str_digits() >= MAX_DIGITS


def _has_many_digits(text: str) -> bool:
    """Whether ``MAX_DIGITS`` digits follow each other: such a run goes on across a multiple of that place."""
    for middle in range(0, len(text), MAX_DIGITS):
        before, after = text[max(0, middle - MAX_DIGITS) : middle], text[middle : middle + MAX_DIGITS]
        n_before = len(before) - len(before.rstrip(_DIGITS))
        if n_before + len(after) - len(after.lstrip(_DIGITS)) >= MAX_DIGITS:
            return True
    return False


def _plain_integer(text: str) -> int:
    if len(text) > MAX_DIGITS or not text.isascii():
        raise CertificateError(f"the proof has a number with more than {MAX_DIGITS:,} digits.")
    try:
        return int(text)
    except ValueError:  # this Python was told to convert fewer digits
        raise CertificateError(f"the proof has a number with {len(text):,} digits.") from None


def _no_number(text: str) -> Any:
    raise CertificateError(f"the proof has the number {shown(text)}; only integers may occur.")
