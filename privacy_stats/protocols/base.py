"""What every protocol obeys: rounds with public shares of the budget, then one estimate.

A protocol is a value that is public and holds no data. It announces rounds, computes each next announcement
from the integers of the rounds before, and turns all of them into an estimate. Clients see announcements
only.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, final

from privacy_stats.aggregation import Aggregator, State
from privacy_stats.budgets import Kind, Ledger
from privacy_stats.clients import answer
from privacy_stats.errors import ArgumentError, DocumentError
from privacy_stats.mechanisms import Mechanism
from privacy_stats.randomness import Randomness
from privacy_stats.reports import Reports, read_lines
from privacy_stats.results import SurveyEstimate
from privacy_stats.rounds import Round

_FORMAT, _VERSION = "privacy_stats.protocol-round", 1


class Protocol(ABC):
    """Base of all protocols; every subclass is a frozen dataclass of public numbers.

    The order of calls is ``first_round``, then ``next_round`` until ``n_rounds`` rounds are counted, then
    ``estimate``. The shares of the rounds are positive fractions that sum to at most 1.
    """

    __slots__ = ()

    name: ClassVar[str]
    mechanisms: ClassVar[tuple[type[Mechanism], ...]]
    """The mechanism of each round."""

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self.shares)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """Part of every user's budget that each round spends."""
        return (Fraction(1),)

    def mechanism_of(self, number: int) -> type[Mechanism]:
        """Return the type of mechanism of a round, counted from 1."""
        return self.mechanisms[number - 1]

    @abstractmethod
    def first_round(
        self,
        n_users: int,
        levels: Sequence[Fraction],
        *,
        kind: Kind = "zcdp",
        counts: Sequence[int] | None = None,
        survey: str = "survey",
    ) -> ProtocolRound:
        """Announce the first round.

        Parameters
        ----------
        n_users : int
            Number of enrolled users.
        levels : sequence of Fraction
            Public budget levels, ascending: ``budgets.levels``.
        kind : {"zcdp", "pure"}
            Notion of privacy of the levels.
        counts : sequence of int, optional
            Users per level, a public fact: ``budgets.counts``. Only `HullDiameter` needs it.
        survey : str
            Name of the survey.

        Raises
        ------
        ArgumentError
            If the protocol cannot keep budgets of this kind, or an argument is out of range.
        """

    def next_round(self, states: State | Sequence[State]) -> ProtocolRound:
        """Announce the next round, from the state of the last one (or of all rounds so far).

        Raises
        ------
        ArgumentError
            If all rounds are done: a budget is spent once.
        """
        state = as_states(states)[-1]
        self.check_state(state, state.round_.number)
        if state.round_.number >= self.n_rounds:
            raise ArgumentError(
                f"states: {self.name} has {self.n_rounds} round{'s' if self.n_rounds > 1 else ''}, "
                "and all are done; call estimate"
            )
        return self._next(state)

    def _next(self, state: State) -> ProtocolRound:
        raise ArgumentError(f"states: {self.name} has no round after round {state.round_.number}")

    def estimate(self, states: State | Sequence[State]) -> SurveyEstimate:
        """Estimate the sum over all users who reported, from the states of all rounds in order.

        Raises
        ------
        ArgumentError
            If states are missing, empty, or not of this protocol.
        """
        all_states = as_states(states)
        if len(all_states) != self.n_rounds:
            raise ArgumentError(
                f"states: got {len(all_states)}, wanted one for each of {self.n_rounds} rounds"
            )
        for number, state in enumerate(all_states, start=1):
            self.check_state(state, number)
            if _population(state) != _population(all_states[0]):
                raise ArgumentError(f"states: {state!r} is of another survey than {all_states[0]!r}")
        return self._estimate(all_states)

    @abstractmethod
    def _estimate(self, states: tuple[State, ...]) -> SurveyEstimate:
        """Estimate from checked states."""

    def check_state(self, state: State, number: int) -> None:
        """Raise `ArgumentError` unless a state is that of round `number` of this protocol, with reports."""
        fault = self.fault(state.round_, number)
        if fault is not None:
            raise ArgumentError(
                f"states: {state!r} does not belong to round {number} of {self.name}: {fault}"
            )
        if state.n_reports == 0:
            raise ArgumentError(f"states: no reports of round {number} have been counted")

    def fault(self, round_: Round, number: int) -> str | None:
        """Say why a round is not round `number` of this protocol; None if it is."""
        if number > self.n_rounds:
            return f"the protocol has {self.n_rounds} rounds"
        if round_.number != number:
            return f"it is round {round_.number}"
        if round_.share != self.shares[number - 1]:
            return f"its share is {round_.share}, wanted {self.shares[number - 1]}"
        wanted = self.mechanism_of(number)
        if not isinstance(round_.mechanism, wanted):
            return f"its mechanism is {round_.mechanism.name}, wanted {wanted.name}"
        return self.mismatch(round_.mechanism, number)

    def mismatch(self, mechanism: Mechanism, number: int) -> str | None:  # noqa: ARG002
        """Say how a mechanism of the right type is not that of round `number`; None if it is."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form that `protocol_from_dict` reads."""
        return {"name": self.name} | {
            f.name: _plain(getattr(self, f.name))
            for f in fields(self)  # type: ignore[arg-type]
        }


def _plain(value: Any) -> Any:
    if isinstance(value, Protocol):
        return value.to_dict()
    return f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else value


def differs(mechanism: Mechanism, **wanted: Any) -> str | None:
    """Say in which field a mechanism is not what was wanted; None if in none."""
    for name, value in wanted.items():
        if getattr(mechanism, name) != value:
            return f"its {name} is {getattr(mechanism, name)!r:.60}, wanted {value!r:.60}"
    return None


def _population(state: State) -> tuple[Any, ...]:
    round_ = state.round_
    return round_.survey, round_.kind, round_.levels, round_.n_users


def as_states(states: State | Sequence[State]) -> tuple[State, ...]:
    """Return one state or several as a tuple."""
    found = (states,) if isinstance(states, State) else tuple(states)
    if not found or not all(isinstance(state, State) for state in found):
        raise ArgumentError("states: wanted a State, or one for each round")
    return found


@final
@dataclass(frozen=True, slots=True)
class ProtocolRound:
    """A round of a protocol, ready to be announced: everything in it is public.

    Parameters
    ----------
    protocol : Protocol
        What the round belongs to.
    round_ : Round
        Mechanism, levels and share; a device that knows nothing of protocols may answer this alone.

    Raises
    ------
    ArgumentError
        If the round is not one of the protocol: past its last round, another share, another mechanism.
    """

    protocol: Protocol
    round_: Round

    def __post_init__(self) -> None:
        fault = self.protocol.fault(self.round_, self.round_.number)
        if fault is not None:
            raise ArgumentError(
                f"round: {self.round_!r} is not a round of {self.protocol.name}: {fault}; do not answer it"
            )
        if sum(self.protocol.shares) > 1:
            raise ArgumentError(f"protocol: the shares of {self.protocol.name} exceed the budget")

    def __repr__(self) -> str:
        return f"ProtocolRound({self.protocol.name}, {self.round_.number} of {self.protocol.n_rounds})"

    @property
    def is_last(self) -> bool:
        """Whether the estimate follows."""
        return self.round_.number == self.protocol.n_rounds

    def randomise(
        self,
        value: Any,
        budget: Any,
        *,
        user: int,
        ledger: Ledger | None = None,
        rng: Randomness | None = None,
    ) -> str:
        """Answer on the user's own device: one line of JSON; see `answer`."""
        return answer(self.round_, value, budget, user=user, ledger=ledger, rng=rng)

    def aggregate(self, reports: Reports | Iterable[str | bytes], *, allow_simulated: bool = False) -> State:
        """Count reports, given as a value or as lines of JSON.

        Raises
        ------
        ReportRejectedError, DocumentError
            As `aggregate` and `read_lines` say.
        """
        aggregator = Aggregator(self.round_, allow_simulated=allow_simulated)
        for batch in (reports,) if isinstance(reports, Reports) else read_lines(reports):
            aggregator.add(batch)
        return aggregator.state()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "protocol": self.protocol.to_dict(),
            "round": self.round_.to_dict(),
        }

    def to_json(self) -> str:
        """Return the announcement as one line of JSON."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_dict(cls, document: Any) -> ProtocolRound:
        """Read what `to_dict` wrote, trusting nothing.

        Raises
        ------
        DocumentError
            If the document is not a round of a protocol that this version knows.
        """
        from privacy_stats.protocols.registry import protocol_from_dict

        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise DocumentError(f"protocol round: wanted an object of format {_FORMAT!r}")
        if document.get("version") != _VERSION or len(document) != 4:
            raise DocumentError(f"protocol round: wanted version {_VERSION} with 'protocol' and 'round'")
        protocol = protocol_from_dict(document.get("protocol"))
        try:
            return cls(protocol, Round.from_dict(document.get("round")))
        except ArgumentError as error:
            raise DocumentError(f"protocol round: {error}") from None

    @classmethod
    def from_json(cls, text: str | bytes) -> ProtocolRound:
        """Read what `to_json` wrote; at most 4 MB.

        Raises
        ------
        DocumentError
            If the text is not a round of a protocol that this version knows.
        """
        if len(text) > 1 << 22:
            raise DocumentError(f"protocol round: {len(text)} bytes are more than 4 MB")
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DocumentError(f"protocol round: not JSON ({type(error).__name__})") from None
        return cls.from_dict(document)
