"""Exact samplers as one reads them: plain integers and a stream of uniform bytes.

Used on a user's own device, where one report is drawn and nothing should have to be compiled, and as the
oracle of `privacy_stats.sampling.kernels`. Floating point is never used.
"""

from __future__ import annotations

from typing import final

from privacy_stats.randomness import Randomness

UNIT = 1 << 63  # probabilities of finite alphabets are counted in units of 2**-63


@final
class ByteStream:
    """Bytes of a source, one at a time; the unread rest is dropped with the object."""

    __slots__ = ("_at", "_chunk", "_randomness")

    def __init__(self, randomness: Randomness) -> None:
        self._randomness = randomness
        self._chunk = b""
        self._at = 0

    def byte(self) -> int:
        """Return the next byte, 0 to 255."""
        if self._at == len(self._chunk):
            self._chunk, self._at = self._randomness.bytes(32), 0
        self._at += 1
        return self._chunk[self._at - 1]


def word(stream: ByteStream) -> int:
    """Uniform integer in [0, 2**63)."""
    value = stream.byte() >> 1
    for _ in range(7):
        value = value << 8 | stream.byte()
    return value


def threshold(stream: ByteStream, t: int) -> bool:
    """True with probability ``t / 2**63``: compare a uniform number with t, leading digits first."""
    drawn, wanted = stream.byte() >> 1, t >> 56
    for shift in range(48, -1, -8):
        if drawn != wanted:
            return drawn < wanted
        drawn, wanted = stream.byte(), t >> shift & 255
    return drawn < wanted


def ratio(stream: ByteStream, a: int, b: int) -> bool:
    """True with probability ``a / b``, 0 <= a <= b: digits of a uniform number against the quotient's."""
    while True:
        digit, a = divmod(a * 256, b)
        drawn = stream.byte()
        if drawn != digit:
            return drawn < digit
        if a == 0:
            return False


def below(stream: ByteStream, n: int) -> int:
    """Uniform integer in [0, n), by rejection from the next power of two."""
    bits = (n - 1).bit_length()
    mask = (1 << bits) - 1
    while True:
        value = 0
        for _ in range(max(1, (bits + 7) // 8)):
            value = value << 8 | stream.byte()
        value &= mask
        if value < n:
            return value


def exp_minus(stream: ByteStream, a: int, b: int) -> bool:
    """True with probability ``exp(-a / b)``, 0 <= a <= b (Canonne, Kamath, Steinke 2020, Algorithm 1).

    The first k whose Bernoulli(a / (b k)) fails is odd with probability ``1 - x + x^2/2! - ...``, x = a / b.
    """
    k = 1
    while (a == b or ratio(stream, a, b)) and (k == 1 or ratio(stream, 1, k)):
        k += 1
    return k % 2 == 1


def discrete_laplace(stream: ByteStream, scale: int) -> int:
    """Draw z with probability proportional to ``exp(-|z| / scale)`` (ibid., Algorithm 2, integer scale)."""
    while True:
        u = below(stream, scale)
        if not exp_minus(stream, u, scale):
            continue
        v = 0
        while exp_minus(stream, 1, 1):
            v += 1
        magnitude = u + scale * v
        negative = stream.byte() & 1
        if not (negative and magnitude == 0):
            return -magnitude if negative else magnitude


def discrete_gaussian(stream: ByteStream, sigma: int) -> int:
    """Draw z with probability proportional to ``exp(-z^2 / (2 sigma^2))``, sigma a positive integer.

    The distribution of Canonne, Kamath and Steinke (2020), drawn by Karney's method (2016, Algorithm D): k
    from the discrete half-normal of scale 1, then ``z = k sigma + j`` with j uniform in [0, sigma), accepted
    with probability ``exp(-x (2k + x) / 2)``, x = j / sigma. All numbers stay small integers.
    """
    while True:
        k = 0
        while exp_minus(stream, 1, 2):
            k += 1
        if not all(exp_minus(stream, 1, 2) for _ in range(k * (k - 1))):
            continue
        negative = stream.byte() & 1
        j = below(stream, sigma)
        if negative and k == 0 and j == 0:
            continue
        if all(_exp_minus_excess(stream, k, j, sigma) for _ in range(k + 1)):
            magnitude = k * sigma + j
            return -magnitude if negative else magnitude


def _exp_minus_excess(stream: ByteStream, k: int, j: int, sigma: int) -> bool:
    """True with probability ``exp(-x (2k + x) / (2k + 2))``, x = j / sigma, as a product of two ratios."""
    n = 1
    while (
        (n == 1 or ratio(stream, 1, n))
        and ratio(stream, j, sigma)
        and ratio(stream, 2 * k * sigma + j, (2 * k + 2) * sigma)
    ):
        n += 1
    return n % 2 == 1


def round_randomly(stream: ByteStream, x: float) -> int:
    """Round ``x >= 0`` to a neighbouring integer with mean x (to 2**-53)."""
    whole = int(x)
    return whole + threshold(stream, int((x - whole) * 2.0**53) << 10)
