"""The samplers of `literal`, compiled for arrays: one kernel per mechanism.

Every kernel has the form ``kernel(stream, cursor, ..., out)``. ``cursor`` holds the next byte to read, the
number of finished items, and the byte at which the unfinished item began. When the bytes run out, `byte`
gives zeros, every loop that zeros could keep alive stops, and the kernel returns before it writes the item;
the driver then replays that item on its old bytes followed by new ones, so a draw never depends on where a
chunk of bytes happened to end. (Raising instead would leak: compiled code that raises drops no references.)

Sizes: a scale is below 2**32 and so every product below 2**62 (see `ratio`: its `a` must stay below 2**55).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

P = ParamSpec("P")
R = TypeVar("R")
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Small = NDArray[np.int32]
Floats = NDArray[np.float64]

_HALF = 1 << 62
_LAST = (1 << 31) - 1


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile with an on-disk cache, without the interpreter lock."""
    return cast(Callable[P, R], numba.njit(cache=True, nogil=True)(function))


@compiled
def byte(stream: Bytes, cursor: Ints) -> int:
    at = cursor[0]
    cursor[0] = at + 1
    return np.int64(stream[at]) if at < stream.size else np.int64(0)  # type: ignore[return-value]


@compiled
def exhausted(stream: Bytes, cursor: Ints) -> bool:
    return bool(cursor[0] > stream.size)


@compiled
def finish(cursor: Ints, item: int) -> None:
    cursor[1] = item + 1
    cursor[2] = cursor[0]


@compiled
def word(stream: Bytes, cursor: Ints) -> int:
    value = byte(stream, cursor) >> 1
    for _ in range(7):
        value = (value << 8) | byte(stream, cursor)
    return value


@compiled
def threshold(stream: Bytes, cursor: Ints, t: int) -> bool:
    drawn, wanted = byte(stream, cursor) >> 1, t >> 56
    for shift in range(48, -1, -8):
        if drawn != wanted:
            return drawn < wanted
        drawn, wanted = byte(stream, cursor), (t >> shift) & 255
    return drawn < wanted


@compiled
def ratio(stream: Bytes, cursor: Ints, a: int, b: int) -> bool:
    while True:
        a *= 256
        digit = a // b
        a -= digit * b
        drawn = byte(stream, cursor)
        if drawn != digit:
            return drawn < digit
        if a == 0:
            return False


@compiled
def below(stream: Bytes, cursor: Ints, n: int) -> int:
    bits = 0
    while (n - 1) >> bits:
        bits += 1
    mask = (1 << bits) - 1
    while True:
        value = 0
        for _ in range(max(1, (bits + 7) // 8)):
            value = (value << 8) | byte(stream, cursor)
        value &= mask
        if value < n:
            return value


@compiled
def exp_minus(stream: Bytes, cursor: Ints, a: int, b: int) -> bool:
    k = 1
    while (a == b or ratio(stream, cursor, a, b)) and (k == 1 or ratio(stream, cursor, 1, k)):
        if exhausted(stream, cursor):
            break
        k += 1
    return k % 2 == 1


@compiled
def discrete_laplace(stream: Bytes, cursor: Ints, scale: int) -> int:
    while True:
        u = below(stream, cursor, scale)
        if not exp_minus(stream, cursor, u, scale):
            continue
        v = 0
        while exp_minus(stream, cursor, 1, 1) and not exhausted(stream, cursor):
            v += 1
        magnitude = u + scale * v
        negative = byte(stream, cursor) & 1
        if not (negative and magnitude == 0):
            return -magnitude if negative else magnitude


@compiled
def _half_normal(stream: Bytes, cursor: Ints) -> int:
    while True:
        k = 0
        while exp_minus(stream, cursor, 1, 2) and not exhausted(stream, cursor):
            k += 1
        trials = k * (k - 1)
        while trials > 0 and exp_minus(stream, cursor, 1, 2):
            trials -= 1
        if trials == 0:
            return k


@compiled
def _accept_excess(stream: Bytes, cursor: Ints, k: int, j: int, sigma: int) -> bool:
    for _ in range(k + 1):
        n = 1
        while (
            (n == 1 or ratio(stream, cursor, 1, n))
            and ratio(stream, cursor, j, sigma)
            and ratio(stream, cursor, 2 * k * sigma + j, (2 * k + 2) * sigma)
            and not exhausted(stream, cursor)
        ):
            n += 1
        if n % 2 == 0:
            return False
    return True


@compiled
def discrete_gaussian(stream: Bytes, cursor: Ints, sigma: int) -> int:
    while True:
        k = _half_normal(stream, cursor)
        negative = byte(stream, cursor) & 1
        j = below(stream, cursor, sigma)
        if negative and k == 0 and j == 0:
            continue
        if _accept_excess(stream, cursor, k, j, sigma):
            magnitude = k * sigma + j
            return -magnitude if negative else magnitude


@compiled
def round_randomly(stream: Bytes, cursor: Ints, x: float) -> int:
    whole = int(x)
    return whole + threshold(stream, cursor, int((x - whole) * 2.0**53) << 10)


@compiled
def scaled(x: float, lower: float, factor: float, steps: int) -> float:
    y = (x - lower) * factor
    if y >= steps:
        return float(steps)
    if y >= 0.0:
        return y
    return 0.0 if y < 0.0 else 0.5 * steps


@compiled
def encode(
    stream: Bytes, cursor: Ints, x: Floats, lower: float, factor: float, steps: int, out: Small
) -> None:
    """Positions on the grid: clamp, NaN to the middle, round at random."""
    for i in range(cursor[1], out.size):
        rounded = round_randomly(stream, cursor, scaled(x[i], lower, factor, steps))
        if exhausted(stream, cursor):
            return
        out[i] = rounded
        finish(cursor, i)


@compiled
def round_all(stream: Bytes, cursor: Ints, x: Floats, out: Small) -> None:
    """Round every coordinate, of either sign, to a neighbouring integer with mean x."""
    for i in range(cursor[1], out.size):
        y = round_randomly(stream, cursor, abs(x[i]))
        if exhausted(stream, cursor):
            return
        out[i] = -y if x[i] < 0 else y
        finish(cursor, i)


@compiled
def coins(stream: Bytes, cursor: Ints, level: Small, heads: Ints, out: Small) -> None:
    """1 with probability ``heads[level] / 2**63``."""
    for i in range(cursor[1], out.size):
        head = threshold(stream, cursor, heads[level[i]])
        if exhausted(stream, cursor):
            return
        out[i] = head
        finish(cursor, i)


@compiled
def one_bit(
    stream: Bytes,
    cursor: Ints,
    x: Floats,
    lower: float,
    factor: float,
    steps: int,
    level: Small,
    slope: Ints,
    out: Small,
) -> None:
    """1 with probability ``1/2 + slope (y - steps / 2) / 2**63``, y the place of x, not rounded."""
    for i in range(cursor[1], out.size):
        y = scaled(x[i], lower, factor, steps)
        whole, mine = int(y), slope[level[i]]
        bit = threshold(stream, cursor, _HALF + mine * (whole - steps // 2) + int(mine * (y - whole)))
        if exhausted(stream, cursor):
            return
        out[i] = bit
        finish(cursor, i)


@compiled
def k_ary(
    stream: Bytes, cursor: Ints, category: Small, level: Small, other: Ints, k: int, out: Small
) -> None:
    """Any category with weight `other`, the true one with all that is left of 2**63."""
    for i in range(cursor[1], out.size):
        weight = other[level[i]]
        u = word(stream, cursor)
        if exhausted(stream, cursor):
            return
        out[i] = u // weight if u < k * weight else category[i]
        finish(cursor, i)


@compiled
def piecewise(
    stream: Bytes,
    cursor: Ints,
    position: Small,
    level: Small,
    shape: NDArray[np.int64],
    steps: int,
    out: Small,
) -> None:
    """``shape[level] = (window, low, extra)``: any cell by `low`, cells of the window by `extra` more."""
    for i in range(cursor[1], out.size):
        window, low, extra = shape[level[i]]
        cells = steps + window
        u = word(stream, cursor)
        if exhausted(stream, cursor):
            return
        if u < cells * low:
            out[i] = u // low
        elif u - cells * low < window * extra:
            out[i] = position[i] + (u - cells * low) // extra
        else:
            out[i] = cells // 2
        finish(cursor, i)


@compiled
def add_laplace(
    stream: Bytes, cursor: Ints, position: Small, level: Small, scale: Ints, width: int, out: Small
) -> None:
    """Position plus discrete Laplace noise of the user's scale, clamped to 32 bits."""
    for i in range(cursor[1], out.size):
        noisy = position[i] + discrete_laplace(stream, cursor, scale[level[i // width]])
        if exhausted(stream, cursor):
            return
        out[i] = min(max(noisy, -_LAST), _LAST)
        finish(cursor, i)


@compiled
def add_gaussian(
    stream: Bytes, cursor: Ints, position: Small, level: Small, sigma: Ints, width: int, out: Small
) -> None:
    """Position plus discrete Gaussian noise of the user's sigma, clamped to 32 bits."""
    for i in range(cursor[1], out.size):
        noisy = position[i] + discrete_gaussian(stream, cursor, sigma[level[i // width]])
        if exhausted(stream, cursor):
            return
        out[i] = min(max(noisy, -_LAST), _LAST)
        finish(cursor, i)
