"""Proof files: what is written is read back, and nothing that deviates is read at all."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sosgames.certificates.errors import CertificateError, InputError
from sosgames.certificates.jsonvalues import _has_many_digits, load_json
from sosgames.certificates.parts import (
    Block,
    Clique,
    CoordinateChart,
    DirectionDenominator,
    Equality,
    FromConstraint,
    Multiple,
    OddRoot,
    Part,
    PointDenominator,
    Product,
    TangentChart,
)
from sosgames.certificates.prooffiles import from_dict, loads, read_proof
from sosgames.certificates.proofs import (
    EquilibriumProof,
    ModulusProof,
    NearestProof,
    Proof,
    RefutationProof,
    Witness,
)

HALF = Fraction(1, 2)
X, XY = ((0, 1),), ((0, 1), (1, 2))
BLOCK = Block(0, (((1, 0, ()), (-2, 1, X)), ((1, 1, XY),)), ((2,), (-1, 3)))
PART = Part(
    player=None,
    mu=HALF,
    scale=6,
    blocks=(BLOCK, Block(2, (((3, 0, X),),), ((7,),), ((1,),))),
    generators=(
        FromConstraint(0),
        Product(1, 1),
        OddRoot(1, ((HALF, X), (Fraction(-3), ())), 2),
        Multiple(2, HALF),
    ),
    equalities=(Equality(1, ((0, 0, ((HALF, X),)), (0, 1, ((HALF, ()),)))),),
    chart=TangentChart(((1, 0), (0, 1))),
    denominator=PointDenominator({"x": Fraction(0), "y": -HALF}, 1),
    cliques=(Clique((0, 1), (0, 1), (0, 1)),),
)
MODULUS = ModulusProof("monotone", ("x", "y"), (PART,), {"P": Fraction(1), "Q": Fraction(40)})
SCALAR = ModulusProof(
    "concave",
    ("x",),
    (
        Part(
            "P", Fraction(-1), 1, (), form="scalar", sphere=((Fraction(1), X),), chart=CoordinateChart(("x",))
        ),
        Part("Q", Fraction(2), 1, (), form="scalar", denominator=DirectionDenominator(3)),
    ),
)
WITNESS = Witness({"x": HALF, "y": Fraction(0)}, {"x": Fraction(1)}, Fraction(2))
PROOFS: list[Proof] = [
    MODULUS,
    SCALAR,
    RefutationProof("monotone", ("x", "y"), Fraction(-3), (WITNESS,), weights="free"),
    RefutationProof("concave", ("x",), HALF, (WITNESS,), player="P", chart=CoordinateChart(("x",))),
    EquilibriumProof({"x": HALF}, {"P": Fraction(0)}, Fraction(1, 9), True, MODULUS),
    EquilibriumProof({"x": HALF}, {"P": Fraction(0)}),
    NearestProof("concave", {"players": []}, "l2", HALF, MODULUS, {"P": ((), X)}, Fraction(1, 4), (WITNESS,)),
]


@pytest.mark.parametrize("proof", PROOFS, ids=lambda p: type(p).__name__)
def test_a_proof_that_is_saved_is_read_back(proof: Proof, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    proof.save(path)
    assert read_proof(path) == proof
    assert from_dict(proof.to_dict()) == proof
    assert [entry.name for entry in tmp_path.iterdir()] == ["proof.json"]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to every value inside JSON values."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(inner for key, item in items for inner in places(item, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    copy = deepcopy(value)
    target = copy
    for key in path[:-1]:
        target = target[key]
    if path:
        target[path[-1]] = new
        return copy
    return new


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


@pytest.mark.parametrize("proof", PROOFS[:5], ids=lambda p: type(p).__name__)
def test_a_value_of_another_type_is_refused_at_every_place(proof: Proof) -> None:
    original = proof.to_dict()
    for path in places(original):
        value = at(original, path)
        optional = value is None or path[-1:] == ("weights",)
        for other in (True, 1.0, float("nan"), np.int64(1), Fraction(1), (1, 1), "1", [], {}):
            if type(other) is type(value) or (optional and type(other) in (str, list, dict)):
                continue
            with pytest.raises(CertificateError):
                from_dict(changed(original, path, other))


@pytest.mark.parametrize("proof", PROOFS[:5], ids=lambda p: type(p).__name__)
def test_an_unknown_or_missing_key_is_refused_at_every_place(proof: Proof) -> None:
    original = proof.to_dict()
    free_names = ("x", "y", "x0", "weights", "point", "gaps")
    for path in places(original):
        value = at(original, path)
        if not isinstance(value, dict) or (path and path[-1] in free_names):
            continue
        with pytest.raises(CertificateError):
            from_dict(changed(original, path, {**value, "note": 1}))
        for key in value:
            with pytest.raises(CertificateError):
                from_dict(changed(original, path, {k: v for k, v in value.items() if k != key}))


def edited(path: str, value: Any) -> dict[str, Any]:
    keys = [int(key) if key.isdigit() else key for key in path.split(".")]
    result: dict[str, Any] = changed(MODULUS.to_dict(), tuple(keys), value)
    return result


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("version", 2, "version"),
        ("format", "another", "format"),
        ("claim.type", "theorem", "claim.type"),
        ("claim.mu", [1, 3], "smallest mu of the parts"),
        ("claim.mu", [2, 4], "lowest terms"),
        ("claim.mu", [-1, -2], "at least 1"),
        ("claim.mu", [1, 0], "at least 1"),
        ("claim.strict", False, "strict"),
        ("proofs", [], "empty"),
        ("proofs.0.form", "tensor", "matrix or scalar"),
        ("proofs.0.scale", 0, "at least 1"),
        ("proofs.0.scale", -6, "at least 1"),
        ("proofs.0.chart.metric", "coordinates", "euclidean"),
        ("proofs.0.generators.1.product", [1], "two"),
        ("proofs.0.generators.1.product", [1, 1, 1], "two"),
        ("proofs.0.generators.2.k", 0, "at least 1"),
        ("proofs.0.generators.0", {"constraint": 0, "product": [0, 0]}, "unknown"),
        ("proofs.0.generators.2.root", [[1, 2, [[0, 1]]], [1, 3, [[0, 1]]]], "repeated"),
        ("proofs.0.generators.2.root", [[0, 1, []]], "coefficient 0"),
        ("proofs.0.denominator.k", 0, "at least 1"),
        ("proofs.0.blocks.0.basis.0", [], "empty"),
        ("proofs.0.blocks.0.basis.0.0", [0, 0, []], "coefficient is 0"),
        ("proofs.0.blocks.0.basis.0", [[1, 0, []], [2, 0, []]], "repeats"),
        ("proofs.0.blocks.0.basis.1.0.2", [[1, 2], [0, 1]], "in order"),
        ("proofs.0.blocks.0.basis.1.0.2", [[0, 1], [0, 1]], "in order"),
        ("proofs.0.blocks.0.basis.1.0.2", [[0, 0]], "at least 1"),
        ("proofs.0.blocks.0.basis.1.0.2", [[0, -2]], "at least 1"),
        ("proofs.0.blocks.0.basis.1.0.2", [[-1, 2]], "at least 0"),
        ("proofs.0.blocks.0.basis.1.0.1", -1, "at least 0"),
        ("proofs.0.blocks.0.gram", [[2], [-1]], "lower triangle"),
        ("proofs.0.blocks.0.gram", [[2], [-1, 3], [0, 0, 0]], "lower triangle"),
        ("proofs.0.blocks.0.gram", [[2, -1], [-1, 3]], "lower triangle"),
        ("proofs.0.blocks.1.proof", "trust me", "object"),
        ("proofs.0.blocks.1.proof.congruence", [[1], [0, 1]], "lower triangle"),
        ("proofs.0.equalities.0.matrix.1", [1, 0, []], "below the diagonal"),
        ("proofs.0.equalities.0.matrix.1", [0, 0, []], "given twice"),
    ],
)
def test_what_the_format_excludes_is_refused_with_the_place(path: str, value: Any, message: str) -> None:
    from_dict(MODULUS.to_dict())
    with pytest.raises(CertificateError, match=message):
        from_dict(edited(path, value))


TEXT = MODULUS.dumps()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"scale":6', '"scale":6,"scale":6', "repeats a key"),
        ('"scale":6', '"scale":6.0', "only integers"),
        ('"scale":6', '"scale":6e0', "only integers"),
        ('"scale":6', '"scale":NaN', "only integers"),
        ('"scale":6', '"scale":Infinity', "only integers"),
        ('"scale":6', '"scale":true', "must be an integer"),
        ('"scale":6', '"scale":"6"', "must be an integer"),
        ('"scale":6', '"scale":+6', "not JSON"),
        ('"scale":6', '"scale":06', "not JSON"),
        ('"scale":6', '"scale":6_0', "not JSON"),
        ('"scale":6', '"scale":٦', "not JSON"),
        ('"scale":6', '"scale":' + "9" * 4_001, "4,000 digits"),
        ('"scale":6', '"scale":' + "9" * 100_000, "4,000 digits"),
        ('"scale":6', '"scale":' + "[" * 100_000 + "]" * 100_000, "nested"),
        ('"scale":6', '"scale":' + '{"a":' * 100_000 + "1" + "}" * 100_000, "nested"),
        ('"scale":6', '"scale":' + "[" * 50 + "]" * 50, "must be an integer"),
        ("{", "", "not JSON"),
        ("{", "[{", "not JSON"),
        ('"format"', '// a comment\n"format"', "not JSON"),
        ("{", "\ufeff{", "not JSON"),
    ],
)
def test_a_text_with_a_python_or_json_trap_is_refused(old: str, new: str, message: str) -> None:
    assert loads(TEXT) == MODULUS
    with pytest.raises(CertificateError, match=message):
        loads(TEXT.replace(old, new, 1))


@pytest.mark.parametrize("text", ["", "null", "[]", "0", '"proof"', "{}", '{"claim": 1}', '{"claim": {}}'])
def test_a_text_that_is_no_proof_is_refused(text: str) -> None:
    with pytest.raises(CertificateError):
        loads(text)


def test_large_integers_in_values_are_refused_like_large_integers_in_text() -> None:
    with pytest.raises(CertificateError, match="4,000 digits"):
        from_dict(edited("proofs.0.scale", 10**5_000))
    with pytest.raises(CertificateError, match="4,000 digits"):
        from_dict(edited("proofs.0.blocks.0.gram.1.0", -(10**5_000)))


def test_a_proof_of_inexact_numbers_cannot_be_written() -> None:
    with pytest.raises(CertificateError, match="exact numbers only"):
        RefutationProof("matrix", ("x",), -0.5, ()).dumps()  # type: ignore[arg-type]
    with pytest.raises(CertificateError, match="cannot be written"):
        RefutationProof("matrix", ("x",), Fraction(10**5_000), ()).dumps()


def test_a_file_that_is_missing_or_binary_ends_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_proof(tmp_path / "absent.json")
    with pytest.raises(InputError, match="cannot be read"):
        read_proof(tmp_path)
    (tmp_path / "latin.json").write_bytes(json.dumps({"claim": "é"}, ensure_ascii=False).encode("latin-1"))
    with pytest.raises(CertificateError, match="UTF-8"):
        read_proof(tmp_path / "latin.json")


def test_reading_does_not_change_how_many_digits_python_converts() -> None:
    import sys

    before = sys.get_int_max_str_digits()
    with pytest.raises(CertificateError):
        loads(TEXT.replace('"scale":6', '"scale":' + "9" * 10_000))
    assert sys.get_int_max_str_digits() == before


@given(st.integers(0, 9_000), st.integers(3_990, 4_010), st.integers(0, 4_100))
def test_a_long_run_of_digits_is_noticed_wherever_it_starts(before: int, length: int, after: int) -> None:
    text = "x" * before + "7" * length + "x" * after + "1" * 99
    assert _has_many_digits(text) == (re.search("[0-9]{4000}", text) is not None)


def test_a_number_of_4_000_digits_is_read_and_one_of_4_001_is_not_wherever_it_stands() -> None:
    for shift in (0, 1, 1_999, 3_999, 4_000, 4_001):
        blanks = " " * shift
        assert load_json(f"[{blanks}{'9' * 4_000}]") == [10**4_000 - 1]
        with pytest.raises(CertificateError, match="4,000 digits"):
            load_json(f"[{blanks}{'9' * 4_001}]")


def test_the_place_of_a_fault_is_given_down_to_the_item() -> None:
    values = MODULUS.to_dict()
    values["proofs"][0]["blocks"][0]["basis"][0][1][2] = [[1, 1], [0, 1]]
    with pytest.raises(CertificateError, match=r"^proofs\[0\]\.blocks\[0\]\.basis\[0\]\[1\]: a monomial"):
        from_dict(values)
    values = MODULUS.to_dict()
    values["proofs"][0]["blocks"][1]["gram"][0][0] = True
    with pytest.raises(CertificateError, match=r"^proofs\[0\]\.blocks\[1\]\.gram\[0\]: got True"):
        from_dict(values)
