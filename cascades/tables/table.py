"""The value that every model takes: who was activated when, and until when each cascade was watched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cascades.errors import ArgumentError, InputError
from cascades.files import document_of
from cascades.tables.checks import check
from cascades.tables.csv_files import from_csv as _from_csv
from cascades.tables.frames import from_frame as _from_frame
from cascades.tables.records import from_records as _from_records
from cascades.tables.text import from_text as _from_text
from cascades.tables.types import Floats, Integers, Label
from cascades.tables.wide import from_wide as _from_wide


@dataclass(frozen=True, slots=True, eq=False)
class Cascades:
    """Activation times of nodes in cascades, with a horizon for each cascade.

    Build one with `from_frame`, `from_wide`, `from_text` or `from_records`, which name each fault by row,
    cascade and node. The constructor takes the arrays themselves and checks that they fit together.

    Parameters
    ----------
    nodes : tuple of str or int
        Labels in the order of rows and columns of every matrix; silent nodes included.
    names : tuple of str or int
        One label per cascade.
    starts : (n_cascades + 1,) int array
        Cascade c owns the events ``starts[c]:starts[c + 1]``.
    members : (n_events,) int array
        Node index of each event.
    times : (n_events,) float array
        Activation times in `unit`, ascending within a cascade.
    horizons : (n_cascades,) float array
        Time until which the cascade was watched. A node absent from a cascade was not activated by then.
    unit : str
        Unit of time, for messages and axis labels.
    origin : str
        For tables read from dates: the date that stands at time 0.
    notes : tuple of str
        What the reader decided: duplicates dropped, codes for "never" removed, empty cascades.

    Raises
    ------
    InputError
        When the arrays do not fit together.

    Examples
    --------
    >>> import cascades as cs
    >>> data = cs.Cascades.from_records([{"a": 0.0, "b": 1.5}, {"b": 0.0, "c": 2.0, "a": 3.0}], window=5.0)
    >>> data
    Cascades(2 cascades, 3 nodes, 5 activations)
    >>> data.sizes.tolist()
    [2, 3]
    """

    nodes: tuple[Label, ...]
    names: tuple[Label, ...]
    starts: Integers
    members: Integers
    times: Floats
    horizons: Floats
    unit: str = ""
    origin: str = ""
    notes: tuple[str, ...] = field(default=())

    from_csv = staticmethod(_from_csv)
    from_frame = staticmethod(_from_frame)
    from_records = staticmethod(_from_records)
    from_text = staticmethod(_from_text)
    from_wide = staticmethod(_from_wide)

    def __post_init__(self) -> None:
        for name, kind in (
            ("starts", np.int64),
            ("members", np.int64),
            ("times", np.float64),
            ("horizons", np.float64),
        ):
            object.__setattr__(self, name, _own(getattr(self, name), kind))
        check(self)

    def __reduce__(self) -> tuple[type[Cascades], tuple[object, ...]]:
        """Unpickle through the constructor: arrays come back checked and read-only."""
        return Cascades, tuple(getattr(self, field.name) for field in fields(self))

    def __repr__(self) -> str:
        return f"Cascades({self.n_cascades} cascades, {self.n_nodes} nodes, {self.n_events} activations)"

    def __len__(self) -> int:
        return self.n_cascades

    @property
    def n_nodes(self) -> int:
        """Number of nodes, silent ones included."""
        return len(self.nodes)

    @property
    def n_cascades(self) -> int:
        """Number of cascades."""
        return len(self.names)

    @property
    def n_events(self) -> int:
        """Number of activations."""
        return len(self.times)

    @property
    def sizes(self) -> Integers:
        """Number of activations of each cascade."""
        return np.diff(self.starts)

    @property
    def cascade_of(self) -> Integers:
        """Cascade index of each event."""
        return np.repeat(np.arange(self.n_cascades), self.sizes)

    @property
    def first_times(self) -> Floats:
        """Time of the first activation of each cascade."""
        return self.times[self.starts[:-1]]

    @property
    def is_source(self) -> NDArray[np.bool_]:
        """Whether each event is at the time of its cascade's first: nobody could have caused it."""
        first = np.repeat(self.first_times, self.sizes)
        return np.equal(self.times, first)

    @property
    def since_source(self) -> Floats:
        """Time of each event since the first of its cascade."""
        lags = np.repeat(self.first_times, self.sizes)
        return np.subtract(self.times, lags, out=lags)

    def __iter__(self) -> Iterator[tuple[Label, dict[Label, float]]]:
        """Yield ``(name, {node: time})`` for each cascade."""
        for c, name in enumerate(self.names):
            part = slice(self.starts[c], self.starts[c + 1])
            pairs = zip(self.members[part], self.times[part], strict=True)
            yield name, {self.nodes[i]: float(t) for i, t in pairs}

    def select(self, rows: Sequence[int] | Integers) -> Cascades:
        """Return the cascades at `rows` (repetitions allowed, as a bootstrap sample needs), same nodes.

        Examples
        --------
        >>> import cascades as cs
        >>> data = cs.Cascades.from_records({"x": {"a": 0, "b": 1}, "y": {"b": 0}}, window=2.0)
        >>> data.select([1, 1]).names
        ('y', 'y')
        """
        chosen = np.asarray(rows, dtype=np.int64)
        if chosen.size and (chosen.min() < 0 or chosen.max() >= self.n_cascades):
            raise ArgumentError(f"rows: got an index outside 0..{self.n_cascades - 1}; give positions")
        sizes = self.sizes[chosen]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        events = np.repeat(self.starts[chosen] - starts[:-1], sizes)
        events += np.arange(starts[-1])
        return Cascades(
            self.nodes,
            tuple(self.names[c] for c in chosen),
            starts,
            sealed(self.members[events]),
            sealed(self.times[events]),
            self.horizons[chosen],
            self.unit,
            self.origin,
            self.notes,
        )

    def rescale(self, factor: float) -> Cascades:
        """Return the same cascades with all times multiplied by `factor` > 0 (a change of unit)."""
        if not (np.isfinite(factor) and factor > 0):
            raise ArgumentError(f"factor: got {factor}, wanted a finite number above 0")
        return self.with_times(self.times * factor, self.horizons * factor)

    def round(self, resolution: float) -> Cascades:
        """Return the cascades as a coarse clock would have recorded them: times floored to a grid.

        The horizon becomes the last bin that was watched, so that a watch until 3.0 ends with the bin [2, 3).

        Examples
        --------
        >>> import cascades as cs
        >>> data = cs.Cascades.from_records([{"a": 0.2, "b": 1.7, "c": 1.9}], window=4.0)
        >>> next(iter(data.round(1.0)))[1]
        {'a': 0.0, 'b': 1.0, 'c': 1.0}
        """
        if not (np.isfinite(resolution) and resolution > 0):
            raise ArgumentError(f"resolution: got {resolution}, wanted a finite number above 0")
        bins = np.floor(self.times / resolution)
        watched = np.ceil(self.horizons / resolution - 1e-9) - 1
        last = np.maximum(watched, np.maximum.reduceat(bins, self.starts[:-1]))
        return self.with_times(bins * resolution, last * resolution)

    def jitter(self, resolution: float, *, rng: np.random.Generator) -> Cascades:
        """Return the cascades with each time moved uniformly within its bin, horizons to the end of theirs.

        A common way to break ties; the grouped likelihood recovers more (see the how-to on ties).
        """
        if not (np.isfinite(resolution) and resolution > 0):
            raise ArgumentError(f"resolution: got {resolution}, wanted a finite number above 0")
        moved = self.times + resolution * rng.random(self.n_events)
        return self.with_times(moved, self.horizons + resolution)

    def with_times(self, times: Floats, horizons: Floats) -> Cascades:
        """Return the cascades with other times and horizons, event by event; order is restored."""
        return assemble(
            self.nodes, self.names, self.cascade_of, self.members, times, horizons, self.unit, "", self.notes
        )

    def split(self, fraction: float = 0.8, *, rng: np.random.Generator) -> tuple[Cascades, Cascades]:
        """Split the cascades at random into two tables, the first with `fraction` of them.

        Raises
        ------
        ArgumentError
            When either part would be empty.
        """
        n_first = round(fraction * self.n_cascades)
        if not 0 < n_first < self.n_cascades:
            raise ArgumentError(
                f"fraction: {fraction} of {self.n_cascades} cascades leaves one part empty; "
                "give a fraction between 0 and 1, and at least two cascades"
            )
        order = rng.permutation(self.n_cascades)
        return self.select(np.sort(order[:n_first])), self.select(np.sort(order[n_first:]))

    def summary(self) -> str:
        """Describe sizes, ties, time span and everything a reader of the results should know."""
        from cascades.tables.summary import summarise

        return summarise(self)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready dictionary; `from_dict` is its inverse."""
        arrays = ("starts", "members", "times", "horizons")
        plain = {"nodes": list(self.nodes), "names": list(self.names)}
        rest = {"unit": self.unit, "origin": self.origin, "notes": list(self.notes)}
        return {**plain, **{a: getattr(self, a).tolist() for a in arrays}, **rest}

    @staticmethod
    def from_dict(document: dict[str, Any]) -> Cascades:
        """Rebuild a table from `to_dict`.

        Raises
        ------
        InputError
            When a key is missing or the arrays do not fit together.
        """
        keys = ("nodes", "names", "starts", "members", "times", "horizons")
        missing = [k for k in keys if k not in document]
        if missing:
            raise InputError(f"no {', '.join(missing)} in the document; Cascades.to_dict did not write it")
        with document_of("a cascade table"):
            return Cascades(
                tuple(document["nodes"]),
                tuple(document["names"]),
                np.asarray(document["starts"]),
                np.asarray(document["members"]),
                np.asarray(document["times"]),
                np.asarray(document["horizons"]),
                unit=str(document.get("unit", "")),
                origin=str(document.get("origin", "")),
                notes=tuple(document.get("notes", ())),
            )


def assemble(
    nodes: Sequence[Label],
    names: Sequence[Label],
    cascade_of: NDArray[np.integer[Any]],
    members: NDArray[np.integer[Any]],
    times: Floats,
    horizons: Floats,
    unit: str = "",
    origin: str = "",
    notes: Sequence[str] = (),
) -> Cascades:
    """Sort events into cascades and order of time (ties by node order) and build the table."""
    order = np.lexsort((members, times, cascade_of))
    starts = np.concatenate([[0], np.cumsum(np.bincount(cascade_of, minlength=len(names)))])
    return Cascades(
        tuple(nodes),
        tuple(names),
        starts,
        sealed(members[order].astype(np.int64, copy=False)),
        sealed(times[order]),
        horizons,
        unit,
        origin,
        tuple(notes),
    )


def sealed(array: NDArray[Any]) -> NDArray[Any]:
    """Make an array read-only, so that a table may keep it without a copy."""
    array.setflags(write=False)
    return array


def _own(values: NDArray[Any], kind: type) -> NDArray[Any]:
    """Return a read-only array that nobody else can write to: itself if it is sealed, else a copy."""
    kept = type(values) is np.ndarray and values.flags.owndata and not values.flags.writeable
    return values if kept and values.dtype == kind else sealed(np.array(values, dtype=kind))
