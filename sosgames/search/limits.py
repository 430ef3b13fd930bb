"""How far a search may go, and by which means."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal, get_args

from sosgames.certificates.errors import shown
from sosgames.conic import GramCone
from sosgames.errors import InputError
from sosgames.search.forms import FORMS
from sosgames.solvers.registry import AUTO
from sosgames.sos.sizes import MEMORY_LIMIT

Structure = Literal["auto", "cliques", "whole"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a search for a verdict stops, and what it may use.

    Attributes
    ----------
    level
        Use this level of the hierarchy and no other. None climbs from the lowest one.
    max_level
        Do not climb above it; the lowest level possible is always tried. None allows two levels (degree
        4) above the lowest.
    gap
        A bracket counts as closed when upper - lower <= gap * max(1, abs(upper)); a decided verdict is
        improved until then, as far as the levels and Gram matrices of side 60 allow.
    time_limit
        Seconds for the whole search; None for none. It is checked between steps and handed to the solvers.
    solver
        "auto", or a name from ``sosgames solvers``.
    structure
        "cliques" proves a sum of matrices over the cliques of the interaction graph, "whole" takes the matrix
        as one, "auto" chooses by size and sparsity.
    memory_limit
        Bytes that a program may take, by an estimate made before; None for no limit.
    form
        The form of the identity: "matrix", "schmuedgen" or "scalar"; "auto" is the first, and where that
        leaves the verdict open the others at their lowest level.
    cone
        Where Gram matrices are sought: "sos", "sdsos" or "dsos".

    Raises
    ------
    InputError
        When a limit is not a number of the kind that is asked for, or a name is not known.
    """

    level: int | None = None
    max_level: int | None = None
    gap: float = 1e-3
    time_limit: float | None = None
    solver: str = "auto"
    structure: Structure = "auto"
    memory_limit: int | None = MEMORY_LIMIT
    form: str = AUTO
    cone: str = GramCone.SOS

    def __post_init__(self) -> None:
        for name in ("level", "max_level"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 0 or value % 2):
                raise InputError(
                    f"{name} is {shown(value)}; it is a degree: an even whole number such as 2, 4, 6."
                )
        if not (isinstance(self.gap, (int, float)) and math.isfinite(self.gap) and self.gap >= 0):
            raise InputError(f"gap is {shown(self.gap)}; it must be a finite number that is at least 0.")
        if self.structure not in get_args(Structure):
            raise InputError(
                f"structure is {shown(self.structure)}; it is one of {', '.join(get_args(Structure))}."
            )
        for name, unit in (("memory_limit", "bytes"), ("time_limit", "seconds")):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, Real) and float(value) > 0):
                raise InputError(f"{name} is {shown(value)}; give a positive number of {unit}, or None.")
        if not isinstance(self.solver, str):
            raise InputError(
                f"solver is {shown(self.solver)}; give 'auto' or a name that `sosgames solvers` lists."
            )
        _check_name("form", self.form, (AUTO, *FORMS))
        _check_name("cone", self.cone, tuple(GramCone))

    def deadline(self) -> Deadline:
        """The clock that starts now."""
        return Deadline(math.inf if self.time_limit is None else time.perf_counter() + self.time_limit)

    def within(self, deadline: Deadline, share: float = 1.0) -> Limits:
        """The same limits for a search that may take a share of the time that is left."""
        left = deadline.remaining
        return self if left is None else replace(self, time_limit=share * left)


def _check_name(option: str, got: object, known: Sequence[str]) -> None:
    if got not in known:
        raise InputError(f"{option} is {shown(got)}; choose one of {', '.join(known)}.")


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment after which no further step is begun."""

    moment: float

    @property
    def remaining(self) -> float | None:
        """Seconds left, at least a little; None when there is no limit."""
        return None if math.isinf(self.moment) else max(self.moment - time.perf_counter(), 0.01)

    @property
    def passed(self) -> bool:
        return time.perf_counter() >= self.moment
