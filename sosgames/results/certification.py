"""The answer of `certify`."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from sosgames import plotting
from sosgames.certificates.errors import listed
from sosgames.certificates.games import ExactGame, MatrixProblem
from sosgames.certificates.matrices import modulus_matrix
from sosgames.certificates.prooffiles import from_dict
from sosgames.certificates.proofs import ModulusProof, RefutationProof, Witness
from sosgames.certificates.tangents import tangent_basis
from sosgames.errors import InputError, reading
from sosgames.results.bracket import Bracket, Stop, pair
from sosgames.results.verdict import Verdict, is_strict, verdict_of
from sosgames.results.words import bracket_line, consequences, headline, number, variables_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sosgames.certificates.claims import VerifiedClaim

MOST_SHOWN = 12
"""Entries of a point or a direction in a summary; the proof holds them all."""

P = TypeVar("P", ModulusProof, RefutationProof)


@dataclass(frozen=True, slots=True, repr=False)
class Certification:
    r"""Whether a game is concave or monotone, with a proof of what is said.

    The modulus :math:`\mu^*` is the largest number with :math:`M(x) - \mu R \succeq 0` for every x in X,
    where M is minus the Hessian of each player (concave), minus the symmetric part of the Jacobian of the
    players' gradients (monotone), or the matrix that was given. Every statement follows from
    ``lower <= mu* <= upper``; both ends have a proof that the verifier has accepted.

    Attributes
    ----------
    problem
        The game, or the matrix and its set.
    property
        "concave", "monotone" or "matrix".
    weights
        Rosen's weights by player, when they are not all 1.
    brackets
        One for each player with variables (concave), or a single one.
    lower_proof, upper_proof
        The proof of ``lower`` and of ``upper``, None where nothing is proved.
    seconds
        Wall time of the whole search.
    bounded_weights
        Players whose free weight ended at the least one that is sought: a smaller one may do better.
    verification_seconds
        The part of ``seconds`` that the verifier took for both proofs.
    """

    problem: ExactGame | MatrixProblem
    property: str
    weights: dict[str, Fraction] | None
    brackets: tuple[Bracket, ...]
    lower_proof: ModulusProof | None
    upper_proof: RefutationProof | None
    seconds: float
    bounded_weights: tuple[str, ...] = ()
    verification_seconds: float = 0.0

    @builtins.property
    def lower(self) -> Fraction | None:
        """Largest proved lower bound of the modulus, an exact rational; None when nothing is proved."""
        return None if self.lower_proof is None else self.lower_proof.mu

    @builtins.property
    def upper(self) -> Fraction | None:
        """Smallest proved upper bound of the modulus; None when no rational point of X was found."""
        return None if self.upper_proof is None else self.upper_proof.value

    @builtins.property
    def verdict(self) -> Verdict:
        """What the bracket implies."""
        return verdict_of(self.lower, self.upper)

    @builtins.property
    def strict(self) -> bool | None:
        """Whether the modulus is positive; None when the bracket leaves it open."""
        return is_strict(self.lower, self.upper)

    @builtins.property
    def witness(self) -> Witness | None:
        """The rational point and direction behind ``upper``; a counterexample when that is negative."""
        return None if self.upper_proof is None else self.upper_proof.witnesses[0]

    @builtins.property
    def certificate(self) -> ModulusProof | RefutationProof | None:
        """The proof of the verdict: of ``upper`` when refuted, of ``lower`` otherwise."""
        return self.upper_proof if self.verdict is Verdict.REFUTED else self.lower_proof

    @builtins.property
    def level(self) -> int | None:
        """The highest level that the lower bound needed; None when nothing is proved."""
        return max((b.level for b in self.brackets if b.level is not None), default=None)

    @builtins.property
    def stopped_by_limit(self) -> bool:
        """Whether a limit on time or size ended the search for one of the brackets."""
        return any(b.stop in (Stop.TIME_LIMIT, Stop.SIZE_LIMIT, Stop.SIZE_LIMIT_TIED) for b in self.brackets)

    def verify(self) -> tuple[VerifiedClaim, ...]:
        """Check both proofs again, from the problem alone; raises `CertificateError` when one fails."""
        from sosgames.certificates.verifier import verify

        return tuple(verify(proof, self.problem) for proof in (self.lower_proof, self.upper_proof) if proof)

    def summary(self) -> str:
        """In words: what holds, what does not, and why the search ended."""
        name = getattr(self.problem, "name", "")
        lines = [
            headline(
                f"{name or 'problem'} ({variables_of(self.problem)}), {self.property}",
                self.verdict,
                self.strict,
            )
        ]
        lines += [f"  {self._name(b)}: {bracket_line(b)}" for b in self.brackets]
        if self.weights:
            lines += self._weights_line(self.weights)
        lines += self._evidence()
        return "\n".join(lines)

    def _weights_line(self, weights: dict[str, Fraction]) -> list[str]:
        listed = ", ".join(f"{p} {number(w)}" for p, w in weights.items())
        if self.upper_proof is None or self.upper_proof.weights != "free":
            return [f"  weights: {listed}"]
        lines = [f"  weights of the lower bound: {listed}; the upper bound holds for all positive weights"]
        bounded = ", ".join(self.bounded_weights)
        return lines + ([f"  weight at its bound: {bounded}; a smaller one may do better"] if bounded else [])

    def _name(self, bracket: Bracket) -> str:
        return f"player {bracket.player}" if bracket.player is not None else "modulus"

    def _evidence(self) -> list[str]:
        lines = []
        if self.verdict is Verdict.REFUTED and (witness := self.witness):
            point = listed([f"{v} = {number(x)}" for v, x in witness.x.items()], MOST_SHOWN)
            along = listed([f"{v}: {number(y)}" for v, y in witness.y.items() if y], MOST_SHOWN)
            more = len(self.upper_proof.witnesses) - 1 if self.upper_proof else 0
            together = f", with {more} more point{'s' * (more > 1)} for all weights," if more else ""
            lines.append(f"  at {point} along ({along}){together} the form is {number(self.upper)} < 0")
        if self.verdict is Verdict.CERTIFIED and any(b.stop is Stop.EMPTY for b in self.brackets):
            lines.append(f"  {Stop.EMPTY.value}")
        elif self.verdict is Verdict.CERTIFIED and self.upper is None:
            refused = any(b.stop is Stop.REFUSED for b in self.brackets)
            why = Stop.REFUSED.value if refused else "no point of X was found, X may be empty"
            lines.append(f"  {why}; the claim holds for every x in X")
        if (
            self.verdict is Verdict.CERTIFIED
            and self.upper is not None
            and isinstance(self.problem, ExactGame)
        ):
            lines += [
                f"  {line}"
                for line in consequences(self.problem, self.property, self.lower, bool(self.weights))
            ]
        if self.verdict is Verdict.UNDECIDED:
            reasons = {b.stop.value for b in self.brackets if b.verdict is Verdict.UNDECIDED}
            lines += [f"  undecided: {reason}" for reason in sorted(reasons)]
        return lines

    def __repr__(self) -> str:
        lower, upper = number(self.lower, "None"), number(self.upper, "None")
        bracket = f"{lower} <= mu* <= {upper}, level {self.level}"
        return f"<{self.property}: {self.verdict.name}, {bracket}, {self.seconds:.2f} s>"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the proved lower bounds over the level, and the upper bounds."""
        levels = [[(s.level, float(s.lower)) for s in b.steps if s.lower is not None] for b in self.brackets]
        uppers = [None if b.upper is None else float(b.upper) for b in self.brackets]
        return plotting.plot_brackets([self._name(b) for b in self.brackets], levels, uppers, ax)

    def plot_map(
        self,
        first: object,
        second: object,
        *,
        across: tuple[float, float] = (-1.0, 1.0),
        up: tuple[float, float] = (-1.0, 1.0),
        player: str | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the smallest eigenvalue of M over two variables: red where the property fails.

        Parameters
        ----------
        first, second
            The variables of the two axes, by name or symbol; the others stay at the witness, which is marked.
        across, up
            The intervals to draw; points outside X stay blank.
        player
            Whose Hessian, for "concave"; the player of the smallest upper bound when left out.

        Raises
        ------
        InputError
            When a variable or player is unknown, or no point of X is known.
        """
        if self.upper_proof is None:
            raise InputError("plot_map: no point of X is known, so the other variables have no values.")
        names = [str(first), str(second)]
        if len(set(names)) < 2 or not set(names) <= set(self.problem.variables):
            raise InputError(f"plot_map: pass two of the variables {', '.join(self.problem.variables)}.")
        owner = self.upper_proof.player if player is None else player
        matrix = modulus_matrix(self.problem, self.property, player=owner, weights=self.weights)
        inside = [c.polynomial for c in self.problem.constraints if c.kind == ">="]
        ranges = dict(zip(names, (across, up), strict=True))
        point = self.upper_proof.witnesses[0].x
        tangent = tangent_basis(self.problem, matrix.rows)
        return plotting.plot_eigenvalues(matrix, tangent, inside, ranges, point, ax)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values; exact numbers are pairs of integers."""
        return {
            "property": self.property,
            "verdict": self.verdict.value,
            "strict": self.strict,
            "lower": pair(self.lower),
            "upper": pair(self.upper),
            "level": self.level,
            "weights": {p: pair(w) for p, w in self.weights.items()} if self.weights else None,
            "brackets": [b.to_dict() for b in self.brackets],
            "lower_proof": None if self.lower_proof is None else self.lower_proof.to_dict(),
            "upper_proof": None if self.upper_proof is None else self.upper_proof.to_dict(),
            "bounded_weights": list(self.bounded_weights),
            "seconds": self.seconds,
            "verification_seconds": self.verification_seconds,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any], problem: ExactGame | MatrixProblem) -> Certification:
        """The result that `to_dict` wrote about this problem; call `verify` to check its proofs again.

        Raises
        ------
        InputError
            When the values are no such result, or its proofs are about something else than it says;
            `CertificateError` when a proof is malformed.
        """
        with reading("a result of certify"):
            result = cls(
                problem=problem,
                property=str(data["property"]),
                weights={p: Fraction(*w) for p, w in data["weights"].items()} if data["weights"] else None,
                brackets=tuple(Bracket.from_dict(b) for b in data["brackets"]),
                lower_proof=_proof(data["lower_proof"], ModulusProof),
                upper_proof=_proof(data["upper_proof"], RefutationProof),
                seconds=float(data["seconds"]),
                bounded_weights=tuple(data["bounded_weights"]),
                verification_seconds=float(data.get("verification_seconds", 0.0)),
            )
            _refuse_discord(result)
        return result


def _refuse_discord(result: Certification) -> None:
    """What a result says must be what its proofs are about; whether they hold is for `verify` to say."""
    weights = result.weights or None
    for proof in (result.lower_proof, result.upper_proof):
        if proof is None:
            continue
        if proof.property != result.property or proof.variables != result.problem.variables:
            raise InputError("a result: its proof is about another property or another problem.")
        if proof.weights != "free" and (proof.weights or None) != weights:
            raise InputError("a result: its proof is about other weights.")
    if result.lower_proof is not None:
        proved = {part.player: part.mu for part in result.lower_proof.parts}
        if any(b.lower is not None and proved.get(b.player) != b.lower for b in result.brackets):
            raise InputError("a result: a lower bound is not the one that its proof is about.")
    if min((b.upper for b in result.brackets if b.upper is not None), default=None) != result.upper:
        raise InputError("a result: the upper bound is not the one that its proof is about.")


def _proof(data: dict[str, Any] | None, kind: builtins.type[P]) -> P | None:
    if data is None:
        return None
    proof = from_dict(data)
    if not isinstance(proof, kind):
        raise InputError(f"a result: got a {type(proof).__name__} where a {kind.__name__} was wanted.")
    return proof
