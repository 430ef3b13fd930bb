"""One answer on the user's own device, in plain Python."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privacy_stats.budgets import BILLION, parse_amount
from privacy_stats.errors import ArgumentError
from privacy_stats.randomness import Randomness, SystemRandomness
from privacy_stats.reports import Header
from privacy_stats.rounds import Round
from privacy_stats.sampling.literal import ByteStream

if TYPE_CHECKING:
    from privacy_stats.budgets import Ledger


def answer(
    round_: Round,
    value: Any,
    budget: float | str | Fraction,
    *,
    user: int,
    ledger: Ledger | None = None,
    rng: Randomness | None = None,
) -> str:
    """Randomise one value into one JSON line, ready to be sent.

    Parameters
    ----------
    round_ : Round
        The announcement.
    value : float, int or sequence of float
        The user's value; see `Grid` for what becomes of odd numbers.
    budget : float, str or Fraction
        The user's own total budget, of the round's kind.
    user : int
        Enrolment number.
    ledger : Ledger, optional
        The device's ledger, of one user (row 0). It is charged before anything is drawn; save it before
        sending.
    rng : Randomness, optional
        By default the operating system's generator.

    Returns
    -------
    str
        One line of JSON without a line break.

    Raises
    ------
    ArgumentError
        If value, budget or user is not what the round takes.
    BudgetExhaustedError
        If the ledger does not allow the answer.

    Examples
    --------
    >>> from privacy_stats.budgets import Budgets
    >>> from privacy_stats.mechanisms import OneBit
    >>> round_ = Round.of("commuting", OneBit(0, 120), Budgets.pure([0.5, 1]), n_users=1000)
    >>> line = answer(round_, 45.0, "0.8", user=17)
    >>> json.loads(line)["stratum"], json.loads(line)["report"] in ([0], [1])
    (0, True)
    """
    if type(user) is not int or not 0 <= user < round_.n_users:
        raise ArgumentError(f"user: got {user!r}, wanted an enrolment number 0..{round_.n_users - 1}")
    source = SystemRandomness() if rng is None else rng
    clean = _value(round_, value)
    level = round_.level_of(parse_amount(budget, round_.kind))
    channels = round_.channels(level)
    if ledger is not None:
        from privacy_stats.budgets import Budgets

        spent = Budgets.from_dict({"kind": round_.kind, "billionths": [int(round_.spent(level) * BILLION)]})
        ledger.charge(round_.fingerprint, spent, users=[0])
    arm, report = round_.mechanism.answer(clean, channels, ByteStream(source))
    header = Header.of(round_, simulated=source.simulated).to_dict()
    stratum = round_.first_strata()[level] + arm
    return json.dumps(header | {"user": user, "stratum": stratum, "report": list(report)})


def _value(round_: Round, value: Any) -> Any:
    """Check the shape of one value; numbers of any size are welcome."""
    width = round_.mechanism.value_width
    if width == 1 and not _is_sequence(value):
        return _number(value)
    if not _is_sequence(value) or len(value) != width:
        raise ArgumentError(f"value: wanted {width} number{'s' if width > 1 else ''}")
    return [_number(v) for v in value]


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def _number(value: Any) -> float:
    if isinstance(value, (str, bytes, complex)) or value is None:
        raise ArgumentError(f"value: got {type(value).__name__}, wanted a number")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        raise ArgumentError(f"value: got {type(value).__name__}, wanted a number") from None
