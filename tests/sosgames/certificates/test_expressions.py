"""The grammar: what texts mean, what is refused, and that reading undoes writing."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from sosgames.certificates.errors import InputError
from sosgames.certificates.expressions import parse_constraint, parse_expression
from sosgames.certificates.limits import Work
from sosgames.certificates.polynomials import Polynomial

NAMES = ("x", "y2", "_z", "e", "lambda")
monomials = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 9)).map(lambda d: tuple(sorted(d.items())))
polynomials = st.dictionaries(monomials, st.fractions(), max_size=6).map(Polynomial)

x, y = Polynomial.variable("x"), Polynomial.variable("y")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-x**2", -(x**2)),
        ("2**3**2", Polynomial.constant(512)),
        ("x**2**3", x**8),
        ("2*-x", -2 * x),
        ("x - -y", x + y),
        ("--x + - -+y", x + y),
        ("x/2/3", x / 6),
        ("x/(1/3)", 3 * x),
        ("6/4*x", Fraction(3, 2) * x),
        ("2**-0", Polynomial.constant(1)),
        ("(x + y)**(1 + 1)", x * x + 2 * (x * y) + y * y),
        ("(-1)**1000000001", Polynomial.constant(-1)),
        ("0**0", Polynomial.constant(1)),
        ("x**2.0", x * x),
        ("0.1*x + .5e1", x / 10 + 5),
        ("\t(x)\r\n+ 1 ", x + 1),
        ("x - x", Polynomial()),
        ("-(x - y)*(x + y)", y * y - x * x),
        ("1 - x*y/2 - 3*(x - 1)**3/4", 1 - x * y / 2 - 3 * (x - 1) ** 3 / 4),
    ],
)
def test_operators_bind_as_in_python(text: str, value: Polynomial) -> None:
    assert parse_expression(text, ["x", "y"]) == value


@given(polynomials)
def test_writing_and_reading_a_polynomial_is_the_identity(p: Polynomial) -> None:
    assert parse_expression(str(p), NAMES) == p
    assert str(parse_expression(str(p))) == str(p)


def texts() -> st.SearchStrategy[str]:
    """Random expressions in the common subset of our grammar, Python's and SymPy's."""
    atoms = st.sampled_from(["x", "y", "0", "1", "2", "7"])
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["+", "-", "*", " + ", " - "]), inner).map("".join),
            inner.map(lambda text: f"({text})"),
            inner.map(lambda text: f"-({text})"),
            inner.map(lambda text: f"({text})**2"),
            inner.map(lambda text: f"{text}/3"),
        ),
        max_leaves=8,
    )


@given(texts())
def test_a_text_means_what_sympy_makes_of_it(text: str) -> None:
    ours = parse_expression(text, ["x", "y"])
    theirs = sympy.Poly(sympy.sympify(text, rational=True), *sympy.symbols("x y"), domain="QQ")
    assert {(dict(m).get("x", 0), dict(m).get("y", 0)): c for m, c in ours.terms.items()} == {
        exponents: Fraction(int(c.p), int(c.q)) for exponents, c in theirs.terms() if c
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a number, a variable or '(' is missing at the end"),
        ("x +", "missing after '+' at the end"),
        ("2x", "character 2: an operator is missing before 'x'; write * for products"),
        ("x y", "an operator is missing before 'y'"),
        ("x(2)", "an operator is missing before '('; write * for products"),
        ("1_000", "an operator is missing before '_000'"),
        ("x^2", "character 2: cannot read '^'; write ** for powers"),
        ("((x)", "character 1: this '(' is never closed"),
        ("x)", "character 2: this ')' closes nothing"),
        ("*x", "got '*' in place of a number"),
        ("()", "got ')' in place of a number"),
        ("x//2", "got '/' in place of a number"),
        ("x**-1", "an exponent must be a constant whole number, at least 0"),
        ("x**y", "an exponent must be"),
        ("x**0.5", "an exponent must be"),
        ("x/y", "division by 'y'; only constants"),
        ("x/0", "division by zero"),
        ("1/(y - y)", "division by zero"),
        ("x >= 0", "an operator is missing before '>='"),
        ("xx", "the variable 'xx' is unknown; did you mean x?"),
        (
            "x + exp(x)",
            "character 5: 'exp(' begins a function, and only polynomials are read; write a polynomial",
        ),
        (
            "Fraction(3, 2)*x",
            "character 1: 'Fraction(' begins a function, and only polynomials are read; write",
        ),
        ("xx + exp(x)", "the variable 'xx' is unknown; did you mean x?"),
        ("quantity", "the variable 'quantity' is unknown; known are x, y."),
        ("1e99999", "decimal exponent above"),
        ("x; y", "cannot read ';'"),
        ("x,y", "cannot read ','"),
        ("x.real", "cannot read '.'"),
        ("'x'", 'cannot read "\'"'),
        ("x\0", r"cannot read '\x00'"),
        ("x\u00a0+ 1", r"cannot read '\xa0'"),
        ("x**201", "the power is too large"),
        ("x**150 * y**51", "degree 201; at most 200"),
        ("(x + y)**101*(x - y)**100", "degree 201; at most 200"),
    ],
)
def test_a_malformed_expression_is_refused_with_place_and_remedy(text: str, says: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse_expression(text, ["x", "y"], "utility")
    assert says in str(refusal.value)
    assert str(refusal.value).startswith("utility")


def test_a_function_is_named_where_the_variables_are_not_known_yet() -> None:
    for text, says in (
        ("2*exp(x)", "'exp(' begins a function"),
        ("x*(2)(3)", "an operator is missing before '('"),
        ("(x)(y)", "an operator is missing before '('"),
    ):
        with pytest.raises(InputError, match=re.escape(says)):
            parse_expression(text)
    with pytest.raises(InputError, match="write a fraction as 3/2"):
        parse_expression("Fraction(3, 2)*x")


LONG_SUM = "+".join(f"x**{k}*y**{j}" for k in range(90) for j in range(10))
BOMBS = {
    "tower of powers": "9**9**9",
    "giant exponent": "x**99999999",
    "exponent of a thousand digits": "x**" + "9" * 1000,
    "repeated squaring of a number": "(((((((9**99)**9)**9)**9)**9)**9)**9)",
    "growing product": "1.5" + "*1.5" * 60_000,
    "number of 10,000 digits": "9" * 10_000,
    "deep parentheses": "(" * 500_000 + "x" + ")" * 500_000,
    "open parentheses": "(" * 500_000,
    "multinomial": "(x + y + z + u + v + w + 1)**60",
    "product of sums": "*".join(["(x + y + z + u + v + w + 1)**9"] * 9),
    "coprime denominators, one term": "+".join(f"x/{10**900 + 2 * k + 1}" for k in range(3000)),
    "coprime denominators, many terms": "+".join(f"x**{k}/{10**900 + 2 * k + 1}" for k in range(200)),
    "square of a long sum": f"({LONG_SUM})**2",
    "million words": "x+" * 1_000_000 + "x",
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS.keys())
def test_a_text_made_to_exhaust_the_reader_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^utility"):
        parse_expression(text, None, "utility")


def test_the_texts_of_one_file_share_one_budget() -> None:
    work = Work(1000)
    parse_expression("(x + y)**9", None, "first", work)
    left = work.left
    assert 0 < left < 1000
    product = " + ".join(["(x + y)**9"] * 20)
    parse_expression(product, None, "first alone")
    with pytest.raises(InputError, match=r"^second"):
        parse_expression(product, None, "second", work)


def test_nesting_up_to_the_limit_is_read() -> None:
    assert parse_expression("(" * 64 + "x" + ")" * 64) == x


@pytest.mark.parametrize("text", ["-" * 50_000 + "x", "x" + "**1" * 20_000, "x" + "*1/1" * 20_000])
def test_operators_without_end_do_not_use_the_stack(text: str) -> None:
    assert parse_expression(text) == x


@pytest.mark.parametrize(
    ("text", "constraints"),
    [
        ("x >= y", ["x - y >= 0"]),
        ("x <= y", ["-x + y >= 0"]),
        ("x + y == 1", ["x + y - 1 == 0"]),
        ("0 <= x <= 1", ["x >= 0", "-x + 1 >= 0"]),
        ("1>=x>=y==0", ["-x + 1 >= 0", "x - y >= 0", "y == 0"]),
        ("(1 - x**2)**3 >= 0", ["-x**6 + 3*x**4 - 3*x**2 + 1 >= 0"]),
    ],
)
def test_each_relation_of_a_chain_is_one_constraint(text: str, constraints: list[str]) -> None:
    read = parse_constraint(text, ["x", "y"])
    assert [str(c) for c in read] == constraints
    assert [parse_constraint(str(c))[0] for c in read] == read


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x", "has no relation; write <=, >= or =="),
        ("x < 1", "strategy sets are closed, so write <="),
        ("x > 1", "strategy sets are closed, so write >="),
        ("x = 1", "character 3: '=' is refused; write =="),
        ("x != 1", "'!=' is refused"),
        ("x >=", "missing at the end"),
        ("<= x", "missing at the end"),
        ("(x >= 0)", "never closed"),
        ("0 <= 1", "restricts nothing"),
        ("x*y >= y*x", "restricts nothing"),
        ("z >= 0", "the variable 'z' is unknown"),
        ("x >= 0 and y >= 0", "an operator is missing before 'and'"),
    ],
)
def test_a_malformed_constraint_is_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse_constraint(text, ["x", "y"], "constraints")
    assert says in str(refusal.value)
    assert str(refusal.value).startswith("constraints")
