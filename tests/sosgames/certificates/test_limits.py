"""The limits that the reference states are those that the readers keep."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sosgames.certificates import limits
from sosgames.certificates.errors import InputError
from sosgames.certificates.games import ExactGame, ExactPlayer
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.sets import Space

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "game-files.md"


def test_the_reference_states_every_limit_as_it_is() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Limits")[2].partition("## Functions")[0]
    rows = re.findall(r"^\| (.+) \| ([^|]+) \|$", table, flags=re.MULTILINE)[1:]
    assert dict(rows) == {
        "size of a file": f"{limits.MAX_FILE_BYTES // 2**20} MiB",
        "variables, players": f"{limits.MAX_VARIABLES:,} each",
        "nodes of a tree, actions of an information set": f"{limits.MAX_NODES:,} each",
        "lines that begin with a bracket in TOML": f"{limits.MAX_TABLES:,}",
        "total degree of a polynomial": f"{limits.MAX_DEGREE}",
        "terms of a polynomial": f"{limits.MAX_TERMS:,}",
        "bits of a numerator, and of the common denominator, of the coefficients, "
        "and of the probabilities of a chance move": f"{limits.MAX_COEFFICIENT_BITS:,}",
        "characters of a number as written, and its decimal exponent": f"{limits.MAX_LITERAL:,}",
        "parentheses inside each other": f"{limits.MAX_NESTING}",
        "brackets inside each other in TOML and JSON, parts of a dotted key": f"{limits.MAX_BRACKETS}",
        "words, and products of two terms, in all expressions of a file": f"{limits.MAX_WORK:,}",
        "factors of all monomials in all second derivatives": f"{limits.MAX_DERIVATIVE_STEPS:,}",
    }
    assert limits.MAX_VARIABLES == limits.MAX_PLAYERS
    assert limits.MAX_NAME == 100


def test_long_monomials_whose_second_derivatives_fill_the_memory_are_refused_before() -> None:
    names = [f"x{i}" for i in range(200)]
    everything = tuple((name, 1) for name in sorted(names))
    utility = Polynomial({everything[:i] + everything[i + 1 :]: 1 for i in range(8)})
    game = ExactGame((ExactPlayer("P", tuple(names), utility, (Space(tuple(names)),)),))
    with pytest.raises(InputError, match=r"second derivatives have about 63,044,792 factors"):
        modulus_matrix(game, "monotone")
    with pytest.raises(InputError, match="fewer variables in a term"):
        modulus_matrix(game, "concave", player="P")
