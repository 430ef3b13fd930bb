"""Reads proof files: JSON with integers and names only, refused at the first thing that is not as documented.

Nothing here decides whether a proof holds. What it does keep out: unknown, missing and repeated keys, numbers
with a fraction or an exponent, NaN, booleans in place of integers, fractions that are not in lowest terms,
monomials out of order or repeated, files too large or too deep.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sosgames.certificates.errors import CertificateError, InputError, shown
from sosgames.certificates.jsonvalues import (
    load_json,
    read_boolean,
    read_each,
    read_fraction,
    read_integer,
    read_integer_rows,
    read_integers,
    read_list,
    read_literal,
    read_mapping,
    read_numbers,
    read_optional,
    read_record,
    read_row,
    read_text,
    read_texts,
)
from sosgames.certificates.parts import (
    Block,
    Chart,
    Clique,
    CoordinateChart,
    Denominator,
    DirectionDenominator,
    Equality,
    FromConstraint,
    Generator,
    IndexMonomial,
    IndexPolynomial,
    Multiple,
    OddRoot,
    Part,
    PointDenominator,
    Product,
    TangentChart,
    Term,
    Triangle,
)
from sosgames.certificates.proofs import (
    FORMAT,
    VERSION,
    EquilibriumProof,
    ModulusProof,
    NearestProof,
    Proof,
    RefutationProof,
    RegretProof,
    Witness,
)

MAX_PROOF_BYTES = 64 * 2**20
"""Size of a proof file."""


def read_proof(path: str | os.PathLike[str]) -> Proof:
    """Read a proof file.

    Raises
    ------
    InputError
        When the file cannot be read.
    CertificateError
        When it is no proof; the message names the place.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_PROOF_BYTES + 1)
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be read ({error.strerror}); check the path.") from None
    if len(data) > MAX_PROOF_BYTES:
        limit = MAX_PROOF_BYTES // 2**20
        raise CertificateError(f"{os.fspath(path)}: the proof file is larger than {limit} MiB.")
    try:
        return loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise CertificateError(f"{os.fspath(path)}: the proof is not UTF-8 text.") from None
    except CertificateError as error:
        is_game = Path(path).suffix.lower() in (".toml", ".efg")
        hint = " By its name it is a game; the proof is given first." if is_game else ""
        raise CertificateError(f"{os.fspath(path)}: {error}{hint}") from None


def loads(text: str) -> Proof:
    """The proof that a JSON text holds."""
    return from_dict(load_json(text))


def from_dict(value: Any) -> Proof:
    """The proof that JSON values hold; the inverse of ``to_dict``."""
    if type(value) is dict and "claim" not in value and not value.keys().isdisjoint(("players", "matrix")):
        raise CertificateError("this is a game; the proof is given first, and then the game it is about.")
    if type(value) is not dict or type(value.get("claim")) is not dict:
        raise CertificateError(f"the proof is {shown(value)}; it must be an object with a claim.")
    if value.get("format") != FORMAT or type(value["format"]) is not str:
        raise CertificateError(f"format: got {shown(value.get('format'))}; this reads {FORMAT!r}.")
    if type(value.get("version")) is not int or value["version"] != VERSION:
        raise CertificateError(f"version: got {shown(value.get('version'))}; this reads version {VERSION}.")
    kind = value["claim"].get("type")
    if type(kind) is not str or kind not in _READERS:
        raise CertificateError(f"claim.type: got {shown(kind)}; it is one of {', '.join(_READERS)}.")
    return _READERS[kind](value)


# -- the kinds of claims ----------------------------------------------------------------------------


def _document(value: Any, claim_keys: str, keys: str) -> tuple[dict[str, Any], dict[str, Any]]:
    body = read_record(value, "the proof", f"format version claim {keys}")
    return read_record(body["claim"], "claim", f"type {claim_keys}"), body


def _modulus(value: Any) -> ModulusProof:
    claim, body = _document(value, "property weights mu strict", "variables proofs")
    proof = ModulusProof(
        property=read_text(claim["property"], "claim.property"),
        variables=read_texts(body["variables"], "variables"),
        parts=read_each(body["proofs"], "proofs", _part),
        weights=read_optional(claim["weights"], "claim.weights", read_numbers),
    )
    mu = read_fraction(claim["mu"], "claim.mu")
    if mu != proof.mu:
        raise CertificateError(f"claim.mu: {mu} is claimed, but the smallest mu of the parts is {proof.mu}.")
    if read_boolean(claim["strict"], "claim.strict") != proof.strict:
        raise CertificateError(f"claim.strict: a proof with mu = {mu} has strict = {proof.strict}.")
    return proof


def _refutation(value: Any) -> RefutationProof:
    claim, body = _document(value, "property player weights chart value", "variables witnesses")
    free = claim["weights"] == "free"
    chart = read_optional(claim["chart"], "claim.chart", _chart)
    if isinstance(chart, TangentChart):
        raise CertificateError(
            "claim.chart: a refutation needs no basis; give null or the eliminated coordinates."
        )
    return RefutationProof(
        property=read_text(claim["property"], "claim.property"),
        variables=read_texts(body["variables"], "variables"),
        value=read_fraction(claim["value"], "claim.value"),
        witnesses=read_each(body["witnesses"], "witnesses", _witness),
        player=read_optional(claim["player"], "claim.player", read_text),
        weights="free" if free else read_optional(claim["weights"], "claim.weights", read_numbers),
        chart=chart,
    )


def _equilibrium(value: Any) -> EquilibriumProof:
    claim, body = _document(value, "point gaps distance_squared regret", "certificate")
    return EquilibriumProof(
        point=read_numbers(claim["point"], "claim.point"),
        gaps=read_numbers(claim["gaps"], "claim.gaps"),
        distance_squared=read_optional(claim["distance_squared"], "claim.distance_squared", read_fraction),
        regret=read_boolean(claim["regret"], "claim.regret"),
        certificate=read_optional(body["certificate"], "certificate", _inner),
    )


def _regret(value: Any) -> RegretProof:
    claim, body = _document(value, "point regrets", "certificates")
    return RegretProof(
        point=read_numbers(claim["point"], "claim.point"),
        regrets=read_numbers(claim["regrets"], "claim.regrets"),
        certificates={
            player: _inner(certificate, f"certificates.{player}")
            for player, certificate in read_mapping(body["certificates"], "certificates").items()
        },
    )


def _nearest(value: Any) -> NearestProof:
    claim, body = _document(
        value, "property game norm zero_sum distance distance_lower", "certificate changeable functionals"
    )
    if type(claim["game"]) is not dict:
        raise CertificateError(f"claim.game: got {shown(claim['game'])}; it must be a game.")
    return NearestProof(
        property=read_text(claim["property"], "claim.property"),
        game=claim["game"],
        norm=read_text(claim["norm"], "claim.norm"),
        distance=read_fraction(claim["distance"], "claim.distance"),
        certificate=_inner(body["certificate"], "certificate"),
        changeable={
            player: read_each(monomials, f"changeable.{player}", _monomial)
            for player, monomials in read_mapping(body["changeable"], "changeable").items()
        },
        distance_lower=read_optional(claim["distance_lower"], "claim.distance_lower", read_fraction),
        functionals=read_each(body["functionals"], "functionals", _witness),
        zero_sum=read_boolean(claim["zero_sum"], "claim.zero_sum"),
    )


_READERS: dict[str, Callable[[Any], Proof]] = {
    "modulus": _modulus,
    "refutation": _refutation,
    "equilibrium": _equilibrium,
    "regret": _regret,
    "nearest": _nearest,
}


def _inner(value: Any, where: str) -> ModulusProof:
    try:
        proof = from_dict(value) if type(value) is dict and _kind(value) == "modulus" else None
    except CertificateError as error:
        raise CertificateError(f"{where}: {error}") from None
    if not isinstance(proof, ModulusProof):
        raise CertificateError(f"{where}: it must be a proof whose claim is of type modulus.")
    return proof


def _kind(value: dict[str, Any]) -> Any:
    return value["claim"].get("type") if type(value.get("claim")) is dict else None


# -- the pieces of a part ---------------------------------------------------------------------------

_PART = "player mu form chart generators denominator scale blocks equalities sphere cliques"


def _part(value: Any, where: str) -> Part:
    part = read_record(value, where, _PART)
    if part["form"] != "matrix" and part["form"] != "scalar":
        raise CertificateError(f"{where}.form: got {shown(part['form'])}; it is matrix or scalar.")
    cliques = part["cliques"]
    return Part(
        player=read_optional(part["player"], f"{where}.player", read_text),
        mu=read_fraction(part["mu"], f"{where}.mu"),
        scale=read_integer(part["scale"], f"{where}.scale", least=1),
        blocks=read_each(part["blocks"], f"{where}.blocks", _block),
        generators=read_each(part["generators"], f"{where}.generators", _generator),
        equalities=read_each(part["equalities"], f"{where}.equalities", _equality),
        chart=read_optional(part["chart"], f"{where}.chart", _chart),
        denominator=read_optional(part["denominator"], f"{where}.denominator", _denominator),
        form=part["form"],
        sphere=read_optional(part["sphere"], f"{where}.sphere", _polynomial),
        cliques=None if cliques is None else read_each(cliques, f"{where}.cliques", _clique),
    )


def _chart(value: Any, where: str) -> Chart:
    if type(value) is dict and "basis" in value:
        chart = read_record(value, where, "basis metric")
        read_literal(chart["metric"], "euclidean", f"{where}.metric")
        return TangentChart(read_integer_rows(chart["basis"], f"{where}.basis"))
    chart = read_record(value, where, "eliminated metric")
    read_literal(chart["metric"], "coordinates", f"{where}.metric")
    return CoordinateChart(read_texts(chart["eliminated"], f"{where}.eliminated"))


def _generator(value: Any, where: str) -> Generator:
    if type(value) is not dict:
        raise CertificateError(f"{where}: got {shown(value)}; it must be an object.")
    if "constraint" in value:
        record = read_record(value, where, "constraint")
        return FromConstraint(read_integer(record["constraint"], f"{where}.constraint"))
    if "product" in value:
        factors = read_integers(read_record(value, where, "product")["product"], f"{where}.product")
        if len(factors) != 2:
            raise CertificateError(f"{where}.product: {len(factors)} factors; it must have two.")
        return Product(*factors)
    if "odd_root" in value:
        record = read_record(value, where, "odd_root root k")
        return OddRoot(
            of=read_integer(record["odd_root"], f"{where}.odd_root"),
            root=_polynomial(record["root"], f"{where}.root"),
            k=read_integer(record["k"], f"{where}.k", least=1),
        )
    record = read_record(value, where, "multiple by")
    by = read_fraction(record["by"], f"{where}.by")
    return Multiple(read_integer(record["multiple"], f"{where}.multiple"), by)


def _denominator(value: Any, where: str) -> Denominator:
    if type(value) is dict and "y_power" in value:
        record = read_record(value, where, "y_power")
        return DirectionDenominator(read_integer(record["y_power"], f"{where}.y_power", least=1))
    record = read_record(value, where, "x0 k")
    return PointDenominator(
        read_numbers(record["x0"], f"{where}.x0"), read_integer(record["k"], f"{where}.k", least=1)
    )


def _block(value: Any, where: str) -> Block:
    record = read_record(value, where, "generator basis gram proof")
    basis = read_each(record["basis"], f"{where}.basis", _vector)
    gram = _triangle(record["gram"], f"{where}.gram", len(basis))
    congruence = None
    if record["proof"] != "ldl":
        proof = read_record(record["proof"], f"{where}.proof", "congruence")
        congruence = _triangle(proof["congruence"], f"{where}.proof.congruence", len(basis))
    return Block(read_integer(record["generator"], f"{where}.generator"), basis, gram, congruence)


def _vector(value: Any, where: str) -> tuple[Term, ...]:
    vector = read_each(value, where, _term)
    repeats = len(vector) > 1 and len({(row, monomial) for _, row, monomial in vector}) < len(vector)
    if not vector or repeats:
        raise CertificateError(f"{where}: it is empty, or repeats a row with the same monomial.")
    return vector


def _term(value: Any, where: str) -> Term:
    coefficient, row, monomial = read_row(value, where, 3)
    if read_integer(coefficient, where, least=None) == 0:
        raise CertificateError(f"{where}: the coefficient is 0; leave the term out.")
    return coefficient, read_integer(row, where), _monomial(monomial, where)


def _triangle(value: Any, where: str, side: int) -> Triangle:
    rows = read_integer_rows(value, where)
    if list(map(len, rows)) != list(range(1, side + 1)):
        raise CertificateError(f"{where}: it must be a lower triangle of {side} rows.")
    return rows


def _equality(value: Any, where: str) -> Equality:
    record = read_record(value, where, "constraint matrix")
    matrix = read_each(record["matrix"], f"{where}.matrix", _entry)
    if len({(a, b) for a, b, _ in matrix}) < len(matrix):
        raise CertificateError(f"{where}.matrix: an entry is given twice.")
    return Equality(read_integer(record["constraint"], f"{where}.constraint"), matrix)


def _entry(value: Any, where: str) -> tuple[int, int, IndexPolynomial]:
    a, b, polynomial = read_row(value, where, 3)
    if read_integer(a, where) > read_integer(b, where):
        raise CertificateError(f"{where}: entry ({a}, {b}) lies below the diagonal; give the one above it.")
    return a, b, _polynomial(polynomial, where)


def _clique(value: Any, where: str) -> Clique:
    record = read_record(value, where, "rows variables blocks")
    return Clique(*(read_integers(record[key], f"{where}.{key}") for key in ("rows", "variables", "blocks")))


def _witness(value: Any, where: str) -> Witness:
    record = read_record(value, where, "x y c")
    x, y = read_numbers(record["x"], f"{where}.x"), read_numbers(record["y"], f"{where}.y")
    return Witness(x, y, read_fraction(record["c"], f"{where}.c"))


# -- polynomials -------------------------------------------------------------------------------------


def _polynomial(value: Any, where: str) -> IndexPolynomial:
    terms = []
    for term in read_list(value, where):
        numerator, denominator, monomial = read_row(term, where, 3)
        terms.append((read_fraction([numerator, denominator], where), _monomial(monomial, where)))
    if len({monomial for _, monomial in terms}) < len(terms) or not all(c for c, _ in terms):
        raise CertificateError(f"{where}: a monomial is repeated or has the coefficient 0.")
    return tuple(terms)


def _monomial(value: Any, where: str) -> IndexMonomial:
    monomial = []
    last = -1
    for pair in read_list(value, where):
        index, exponent = read_row(pair, where, 2)
        if read_integer(index, where) <= last:
            raise CertificateError(f"{where}: a monomial lists its variables once, in order.")
        monomial.append((index, read_integer(exponent, where, least=1)))
        last = index
    return tuple(monomial)
