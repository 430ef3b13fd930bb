"""One budget as a whole number of billionths: exact sums, exact shares, one int64 per user.

A float is read as the shortest decimal that names it (0.1 is one tenth, not 0.1000000000000000055...), and
whatever is finer than a billionth is rounded down. So ten times 0.1 is 1, and no reading ever exceeds the
number that the user wrote.
"""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from privacy_stats.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["pure", "zcdp"]

BILLION = 10**9
LARGEST: dict[str, int] = {"pure": 50 * BILLION, "zcdp": 10**6 * BILLION}
_SYMBOL = {"pure": "epsilon", "zcdp": "rho"}


def parse_amount(amount: float | int | str | Fraction | Decimal, kind: Kind, where: str = "") -> int:
    """Return one budget in billionths, rounded down.

    Rules: zero, negative, NaN and infinite budgets are refused; a budget below one billionth is refused; a
    budget above the largest that is used (epsilon 50, rho 10^6) is lowered to it, the safe direction.

    Parameters
    ----------
    amount : float, int, str, Fraction or Decimal
        epsilon for ``kind="pure"``, rho for ``kind="zcdp"``.
    kind : {"pure", "zcdp"}
        Which notion of privacy the number belongs to.
    where : str
        Appended to the argument's name in messages, for example ``" in row 3"``.

    Returns
    -------
    int
        Billionths, between 1 and ``LARGEST[kind]``.

    Raises
    ------
    ArgumentError
        If the budget is not a positive finite number of at least one billionth.

    Examples
    --------
    >>> parse_amount(0.1, "pure"), parse_amount("2/3", "zcdp"), parse_amount(1e9, "pure")
    (100000000, 666666666, 50000000000)
    """
    exact = _exact(amount, f"{_SYMBOL[kind]}{where}")
    if exact <= 0:
        raise ArgumentError(
            f"{_SYMBOL[kind]}{where}: got {amount}, wanted a positive number; "
            "leave out users who grant nothing"
        )
    billionths = math.floor(exact * BILLION)
    if billionths < 1:
        raise ArgumentError(f"{_SYMBOL[kind]}{where}: got {amount}, the smallest budget is 1e-9")
    return min(billionths, LARGEST[kind])


def parse_amounts(amounts: Any, kind: Kind) -> NDArray[np.int64]:
    """Return many budgets in billionths; the vector form of `parse_amount`, with the same rules.

    Parameters
    ----------
    amounts : array_like
        Numbers (fast path), or a sequence of str, Fraction or Decimal (read one by one), of one dimension.
    kind : {"pure", "zcdp"}
        Which notion of privacy the numbers belong to.

    Returns
    -------
    ndarray of int64
        One entry per user.

    Raises
    ------
    ArgumentError
        Naming the first row that is refused.

    Examples
    --------
    >>> parse_amounts([0.1, 0.3, 2], "pure").tolist()
    [100000000, 300000000, 2000000000]
    """
    import numpy as np

    array = np.asarray(amounts)
    if array.ndim != 1:
        raise ArgumentError(f"{_SYMBOL[kind]}: got {array.ndim} dimensions, wanted one number per user")
    if array.dtype.kind not in "fiu":
        exact = [parse_amount(a, kind, f" in row {row}") for row, a in enumerate(array.tolist())]
        return np.array(exact, dtype=np.int64)
    numbers = array.astype(np.float64)
    refused = ~(np.isfinite(numbers) & (numbers >= 1e-9))
    if refused.any():
        row = int(np.argmax(refused))
        parse_amount(array[row].item(), kind, f" in row {row}")  # raises with the reason
    capped = np.minimum(numbers, LARGEST[kind] / BILLION)
    return _floor_billionths(capped)


def _floor_billionths(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Largest k with float(k / 10^9) <= number: the decimal that names the number, or one below it.

    Division is correctly rounded and monotone, so ``k / 1e9 < number`` as floats implies it as reals, and
    equality as floats means that k * 10^-9 is a decimal whose float is `number`. k stays below 2**53.
    """
    import numpy as np

    k = np.rint(numbers * 1e9)
    k -= k / 1e9 > numbers
    return k.astype(np.int64)


def _exact(amount: Any, name: str) -> Fraction:
    """Read one number exactly; floats by their shortest decimal."""
    if isinstance(amount, bool) or amount is None:
        raise ArgumentError(f"{name}: got {amount!r}, wanted a number")
    if isinstance(amount, (int, Fraction)):
        return Fraction(amount)
    text = str(amount).strip()
    if len(text) > 64:
        raise ArgumentError(f"{name}: got {len(text)} characters, wanted a number of at most 64")
    try:
        if "/" in text:
            above, below = text.split("/")
            return Fraction(int(above), int(below))
        number = Decimal(text)
    except (ValueError, InvalidOperation, ZeroDivisionError):
        raise ArgumentError(f"{name}: got {amount!r}, wanted a number such as 0.5") from None
    if not number.is_finite() or number.adjusted() > 30:
        raise ArgumentError(f"{name}: got {amount}, wanted a finite number")
    if number.adjusted() < -30:  # below every budget; keep the denominator small
        return Fraction(1 if number > 0 else -1, 10**30)
    return Fraction(number)
