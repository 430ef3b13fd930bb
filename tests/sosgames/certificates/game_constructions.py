"""Games with proofs of every kind of claim, by exact construction."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from random import Random

from sosgames.certificates.gamefiles import dumps
from sosgames.certificates.games import ExactGame, ExactPlayer, MatrixProblem
from sosgames.certificates.parts import (
    Block,
    CoordinateChart,
    FromConstraint,
    Generator,
    OddRoot,
    Part,
    Product,
    TangentChart,
)
from sosgames.certificates.polynomials import Polynomial
from sosgames.certificates.proofs import (
    EquilibriumProof,
    ModulusProof,
    NearestProof,
    RefutationProof,
    RegretProof,
    Witness,
)
from sosgames.certificates.sets import (
    Ball,
    Box,
    ProbabilitySimplex,
    Simplex,
    Space,
    StrategySet,
)
from tests.sosgames.certificates.constructions import (
    CHART,
    DIRECTION,
    PLAIN,
    POINT,
    SCALAR,
    ZERO,
    Case,
    Domain,
    domain,
    expand,
    matrix_case,
    random_blocks,
    rational,
    shifted,
    var,
)

F = Fraction
x, y = var("x"), var("y")


# -- concave games: players with one free coordinate, whose second derivative is the polynomial proved --


def concave_case(seed: int) -> Case:
    """Three players on different sets; player Q's probabilities sum to one, so there a chart is needed."""
    rng = Random(f"concave {seed}")
    kinds = rng.sample(["box", "simplex", "ball", "odd", "space"], 2)
    first, last = domain(kinds[0], ("x",), rng), domain(kinds[1], ("z",), rng)
    middle = Domain(
        (ProbabilitySimplex(["p", "q"]),), (FromConstraint(0), Product(1, 1)), (var("p"), var("p") ** 2)
    )
    names = ("x", "p", "q", "z")
    counts = [sum(len(s.constraints) for s in d.strategies) for d in (first, middle)]
    middle = shifted(middle, counts[0], len(first.generators))
    last = shifted(last, sum(counts), len(first.generators) + len(middle.generators))
    last = replace(last, generators=tuple(_renamed(g) for g in last.generators))
    generators = first.generators + middle.generators + last.generators
    polynomials = first.polynomials + middle.polynomials + last.polynomials
    charts = {"P": None, "R": None, "Q": rng.choice([TangentChart(((1,), (-1,))), CoordinateChart(("q",))])}
    free = {"P": "x", "Q": "p", "R": "z"}
    parts, players = [], []
    for player, domain_ in zip("PQR", (first, middle, last), strict=True):
        blocks = random_blocks(rng, (0, 1, 3), 1, len(generators))
        scale, mu = rng.randint(1, 6), rational(rng)
        curvature = expand(blocks, polynomials, names, 1)[0][0] / scale
        curvature += mu * (2 if isinstance(charts[player], TangentChart) else 1)
        own = ("p", "q") if player == "Q" else (free[player],)
        noise = rational(rng) * var(free[player]) + rational(rng) * var("z" if player != "R" else "x") ** 3
        utility = noise - twice_integrated(curvature, free[player])
        parts.append(Part(player, mu, scale, tuple(blocks), generators, chart=charts[player]))
        players.append(ExactPlayer(player, own, utility, domain_.strategies))
    proof = ModulusProof("concave", names, tuple(parts))
    return Case(f"concave-{seed}", proof.to_dict(), ExactGame(tuple(players)))


def _renamed(generator: Generator) -> Generator:
    """The set was built in its own single variable, number 0; in the game it is number 3."""
    if isinstance(generator, OddRoot):
        return replace(generator, root=tuple((c, tuple((3, e) for _, e in m)) for c, m in generator.root))
    return generator


def twice_integrated(polynomial: Polynomial, name: str) -> Polynomial:
    terms = {}
    for monomial, c in polynomial.terms.items():
        exponents = dict(monomial)
        e = exponents.get(name, 0)
        exponents[name] = e + 2
        terms[tuple(sorted(exponents.items()))] = c / ((e + 1) * (e + 2))
    return Polynomial(terms)


# -- monotone games: one potential for all, divided by the weights, and couplings that cancel ------------


def monotone_case(seed: int, variant: str = PLAIN) -> Case:
    """Minus a potential f: sums of (l.x)^4, of K x^2/2 - x^4/12 on [-1, 1], and of mu r x^2/2."""
    rng = Random(f"monotone {seed} {variant}")
    owned = {"P": ("a", "b"), "Q": ("c",), "R": ("d", "e")}
    names = ("a", "b", "c", "d", "e")
    weights = (
        {p: Fraction(rng.randint(1, 6), rng.randint(1, 3)) for p in owned} if rng.random() < 0.7 else None
    )
    weight = {name: (weights or {}).get(p, Fraction(1)) for p, own in owned.items() for name in own}
    sets: dict[str, tuple[StrategySet, ...]] = {
        p: (Box(dict.fromkeys(own, (-1, 1))),) for p, own in owned.items()
    }
    chart: TangentChart | CoordinateChart | None = None
    basis = [[int(i == j) for j in range(5)] for i in range(5)]
    kept = range(5)
    f = ZERO
    if (
        variant == CHART
    ):  # P's and R's variables are probabilities; what leaves their planes is not asked about
        sets |= {"P": (ProbabilitySimplex(["a", "b"]),), "R": (ProbabilitySimplex(["d", "e"]),)}
        basis = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1]]
        chart = TangentChart(tuple(tuple(row) for row in basis))
        if rng.random() < 0.5:
            chart, kept = CoordinateChart(("b", "e")), [0, 2, 3]
        f -= (var("a") + var("b")) * (3 * var("c") + var("d")) + 2 * (var("d") + var("e")) ** 2
    faces = {"a": 0, "b": 2, "c": 4, "d": 6, "e": 8} if chart is None else {"c": 3}
    generators: list[Generator] = []
    blocks: list[Block] = []
    for _ in range(rng.randint(1, 3)):
        form, c = [rng.randint(-2, 2) for _ in names], rng.randint(1, 3)
        f += Fraction(c, 12) * sum((v * var(n) for v, n in zip(form, names, strict=True)), ZERO) ** 4
        along = [sum(form[i] * basis[i][j] for i in range(5)) for j in range(len(basis[0]))]
        vector = [(u * v, j, ((i, 1),)) for j, u in enumerate(along) for i, v in enumerate(form) if u * v]
        if vector:
            blocks.append(Block(0, (tuple(vector),), ((c,),)))
    for name, k in faces.items():
        c, extra = rng.randint(1, 4), rng.randint(0, 2)
        f += c * (Fraction(1 + extra, 2) * var(name) ** 2 - var(name) ** 4 / 12)
        generators += [FromConstraint(k), FromConstraint(k + 1)]
        generators.append(Product(len(generators) - 1, len(generators)))
        row = names.index(name) if chart is None else 1
        blocks.append(Block(len(generators), (((1, row, ()),),), ((c,),)))
        if extra:
            blocks.append(Block(0, (((1, row, ()),),), ((c * extra,),), ((1,),)))
    scale, mu = rng.randint(1, 5), rational(rng)
    f = f / scale + sum((mu * weight[names[i]] / 2 * var(names[i]) ** 2 for i in kept), ZERO)
    coupling = rational(rng) * var("a") * var("c")
    players = []
    for player, own in owned.items():
        r = weight[own[0]]
        utility = -f / r + {"P": var("d") ** 3 * var("c"), "Q": var("a") ** 4, "R": var("b")}[player]
        if player in "PQ":  # the couplings of P and Q cancel in the symmetric part
            utility += (coupling if player == "P" else -coupling) / r
        players.append(ExactPlayer(player, own, utility, sets[player]))
    part = Part(None, mu, scale, tuple(blocks), tuple(generators), chart=chart)
    proof = ModulusProof("monotone", names, (part,), weights)
    return Case(f"monotone-{variant}-{seed}", proof.to_dict(), ExactGame(tuple(players)))


# -- small games whose other claims can be checked by hand ----------------------------------------------


def one_player(utility: Polynomial, *sets: StrategySet, variables: tuple[str, ...] = ("x",)) -> ExactGame:
    return ExactGame((ExactPlayer("P", variables, utility, sets),))


def two_players(u: Polynomial, v: Polynomial, low: int = -1, high: int = 1) -> ExactGame:
    box_x, box_y = Box({"x": (low, high)}), Box({"y": (low, high)})
    return ExactGame((ExactPlayer("P", ("x",), u, (box_x,)), ExactPlayer("Q", ("y",), v, (box_y,))))


def constant_part(
    gram: list[list[int]], scale: int = 1, mu: int | Fraction = 0, player: str | None = None
) -> Part:
    """D (M - mu R) is the constant integer matrix given by its lower triangle."""
    basis = tuple(((1, row, ()),) for row in range(len(gram)))
    return Part(player, F(mu), scale, (Block(0, basis, tuple(tuple(row) for row in gram)),))


TAXI = one_player(4 * x - 3 * x**2, Box({"x": (0, 1)}))
TAXI_PROOF = ModulusProof("monotone", ("x",), (Part(None, F(6), 1, ()),))
ROSEN = two_players(4 * x * y - x**2 / 2, x * y / 10 - y**2 / 2)
ROSEN_PROOF = ModulusProof(
    "monotone", ("x", "y"), (constant_part([[2], [-12, 80]], 3, F(1, 3)),), {"P": F(1), "Q": F(40)}
)
MIXED = one_player(
    x * y + 3 * x**2, ProbabilitySimplex(["x", "y"]), variables=("x", "y")
)  # along (1, -1): -(6 - 2) = -4


def refutation_cases() -> list[Case]:
    origin = {"x": F(0), "y": F(0)}
    raw = one_player(x**2 + 4 * x * y, Simplex(["x", "y"]), variables=("x", "y"))
    square = MatrixProblem((((x**2 - 1) ** 2 - F(1, 10**8),),), ("x",), (Space(["x"]),))
    cubic = two_players(x**3, y**3 * F(1, 2))
    pair = ("x", "y")
    half = {"x": F(1, 2), "y": F(1, 2)}
    proofs = [
        (
            "raw",
            raw,
            RefutationProof("concave", pair, F(-5), (Witness(origin, {"x": F(1), "y": F(1)}),), "P"),
        ),
        (
            "square",
            square,
            RefutationProof("matrix", ("x",), F(-1, 10**8), (Witness({"x": F(1)}, {"1": F(1, 3)}),)),
        ),
        (
            "rosen",
            ROSEN,
            RefutationProof("monotone", pair, F(-21, 20), (Witness(origin, {"x": F(2), "y": F(2)}),)),
        ),
        (
            "rosen-weighted",
            ROSEN,
            RefutationProof(
                "monotone",
                pair,
                F(7, 19),
                (Witness(origin, {"x": F(6), "y": F(1)}),),
                weights={"P": F(1), "Q": F(40)},
            ),
        ),
        (
            "free",
            cubic,
            RefutationProof(
                "monotone",
                pair,
                F(-3),
                (
                    Witness({"x": F(1), "y": F(0)}, {"x": F(1)}, F(1, 2)),
                    Witness({"x": F(0), "y": F(1)}, {"y": F(-2)}, F(3)),
                ),
                weights="free",
            ),
        ),
        (
            "tangent",
            MIXED,
            RefutationProof("concave", pair, F(-2), (Witness(half, {"x": F(3), "y": F(-3)}),), "P"),
        ),
        (
            "coordinates",
            MIXED,
            RefutationProof(
                "monotone",
                pair,
                F(-4),
                (Witness(half, {"x": F(1), "y": F(-1)}),),
                chart=CoordinateChart(("y",)),
            ),
        ),
    ]
    return [Case(f"refutation-{name}", proof.to_dict(), problem) for name, problem, proof in proofs]


def equilibrium_cases() -> list[Case]:
    disc = one_player(4 * x + 3 * y - x**2 - y**2, Ball(["x", "y"]), variables=("x", "y"))
    disc_proof = ModulusProof("concave", ("x", "y"), (constant_part([[1], [0, 1]], mu=F(1), player="P"),))
    mixed = one_player(x - y - x**2, ProbabilitySimplex(["x", "y"]), variables=("x", "y"))
    corner = one_player(x + y, Simplex(["x", "y"]), variables=("x", "y"))
    proofs = [
        ("taxi", TAXI, EquilibriumProof({"x": F(2, 3)}, {"P": F(0)}, F(0), True, TAXI_PROOF)),
        ("taxi-near", TAXI, EquilibriumProof({"x": F(1, 2)}, {"P": F(1, 2)}, F(1, 12), False, TAXI_PROOF)),
        (
            "rosen",
            ROSEN,
            EquilibriumProof(
                {"x": F(1, 10), "y": F(0)},
                {"P": F(11, 100), "Q": F(1, 100)},
                F(3 * 51, 100),
                True,
                ROSEN_PROOF,
            ),
        ),
        ("disc", disc, EquilibriumProof({"x": F(4, 5), "y": F(3, 5)}, {"P": F(0)}, None, True, disc_proof)),
        ("disc-near", disc, EquilibriumProof({"x": F(0), "y": F(0)}, {"P": F(5)}, None, True, disc_proof)),
        ("disc-root", disc, EquilibriumProof({"x": F(1, 2), "y": F(1, 2)}, {"P": F(12, 10)})),
        ("mixed", mixed, EquilibriumProof({"x": F(1), "y": F(0)}, {"P": F(0)})),
        ("corner", corner, EquilibriumProof({"x": F(0), "y": F(1, 2)}, {"P": F(1, 2)})),
    ]
    return [Case(f"equilibrium-{name}", proof.to_dict(), problem) for name, problem, proof in proofs]


def loss_proof(
    scale: int, *blocks: Block, mu: int | Fraction = 0, variables: tuple[str, ...] = ("x",)
) -> ModulusProof:
    """A proof about the loss of deviating; generators 1 and 2 are the bounds of a box, 3 their product."""
    generators = (FromConstraint(0), FromConstraint(1), Product(1, 2))
    return ModulusProof("matrix", variables, (Part(None, F(mu), scale, blocks, generators),))


def regret_cases() -> list[Case]:
    """Best replies in closed form: at and near an optimum, at a corner of a convex utility, of two."""
    square = Block(0, (((3, 0, ((0, 1),)), (-2, 0, ())),), ((1,),))  # (3 x - 2)**2 = 3 (4/3 - 4 x + 3 x**2)
    one = (((1, 0, ()),),)
    convex = one_player(x**2, Box({"x": (-1, 1)}))
    corner = loss_proof(1, Block(3, one, ((1,),)))  # 1 - x**2 = (x + 1)(1 - x)
    duel = two_players(x * y, -x * y)
    upwards = loss_proof(2, Block(2, one, ((1,),)), mu=F(-1, 2))  # 2 (0 - x/2 + 1/2) = 1 - x
    nothing = loss_proof(1, variables=("y",))
    proofs = [
        ("taxi", TAXI, RegretProof({"x": F(2, 3)}, {"P": F(0)}, {"P": loss_proof(3, square)})),
        (
            "taxi-near",
            TAXI,
            RegretProof({"x": F(1, 2)}, {"P": F(1, 12)}, {"P": loss_proof(3, square, mu=F(-1, 12))}),
        ),
        ("taxi-more", TAXI, RegretProof({"x": F(2, 3)}, {"P": F(1)}, {"P": loss_proof(3, square)})),
        ("convex", convex, RegretProof({"x": F(-1)}, {"P": F(0)}, {"P": corner})),
        (
            "duel",
            duel,
            RegretProof({"x": F(0), "y": F(1, 2)}, {"P": F(1, 2), "Q": F(0)}, {"P": upwards, "Q": nothing}),
        ),
    ]
    return [Case(f"regret-{name}", proof.to_dict(), problem) for name, problem, proof in proofs]


def nearest_cases() -> list[Case]:
    """M = [[2, -3], [-3, 2]] on the square; the coefficients of xy may change, and must fall by 2 in all."""
    game = two_players(6 * x * y - x**2, -(y**2))
    singular = ModulusProof("monotone", ("x", "y"), (constant_part([[2], [-2, 2]]),))
    xy = ((0, 1), (1, 1))
    free = {"P": (xy,), "Q": (xy,)}
    worst = (Witness({"x": F(0), "y": F(1, 2)}, {"x": F(1), "y": F(1)}, F(2)),)
    flat = one_player(x**2, Box({"x": (-1, 1)}))
    flat_proof = ModulusProof("concave", ("x",), (Part("P", F(0), 1, ()),))
    cases = []
    for norm, change, distance in [("linf", (1, 1), 1), ("l2", (1, 1), 2), ("l1", (2, 0), 2)]:
        near = two_players((6 - change[0]) * x * y - x**2, -change[1] * x * y - y**2)
        proof = NearestProof("monotone", plain(near), norm, F(distance), singular, free, F(distance), worst)
        cases.append(Case(f"nearest-{norm}", proof.to_dict(), game))
    proof = NearestProof(
        "concave",
        plain(one_player(ZERO, Box({"x": (-1, 1)}))),
        "linf",
        F(1),
        flat_proof,
        {"P": (((0, 2),),)},
        F(1),
        (Witness({"x": F(0)}, {"x": F(3)}),),
    )
    bowl = two_players(x**2, -(x**2))  # half the sum of the changes is the second player's
    level = plain(two_players(ZERO, ZERO))
    both = {"P": (((0, 2),),), "Q": (((0, 2),),)}
    steepest = (Witness({"x": F(0), "y": F(0)}, {"x": F(1)}),)
    flats = ModulusProof("concave", ("x", "y"), (Part("P", F(0), 1, ()), Part("Q", F(0), 1, ())))
    for norm, distance in (("linf", 1), ("l1", 2), ("l2", 2)):
        zero = NearestProof("concave", level, norm, F(distance), flats, both, F(distance), steepest, True)
        cases.append(Case(f"nearest-zero-sum-{norm}", zero.to_dict(), bowl))
    return [*cases, Case("nearest-flat", proof.to_dict(), flat)]


def plain(game: ExactGame) -> dict[str, object]:
    """The game as in a JSON game file."""
    values: dict[str, object] = json.loads(dumps(game, "json"))
    return values


def all_cases() -> list[Case]:
    """At least fifty valid proofs of every kind."""
    kinds = ("box", "simplex", "ball", "odd", "curve", "space")
    cases = [matrix_case(1, kind, PLAIN, side) for kind in kinds for side in (1, 2)]
    cases += [matrix_case(2, kind, SCALAR) for kind in kinds]
    cases += [matrix_case(3, kind, POINT) for kind in ("box", "simplex", "odd", "space")]
    cases += [matrix_case(4, kind, DIRECTION) for kind in ("box", "curve", "space")]
    cases += [matrix_case(5, kind, CHART, 3) for kind in ("ball", "odd")]
    cases += [concave_case(seed) for seed in range(6)]
    cases += [monotone_case(seed, variant) for seed in range(3) for variant in (PLAIN, CHART)]
    return [*cases, *refutation_cases(), *equilibrium_cases(), *regret_cases(), *nearest_cases()]
