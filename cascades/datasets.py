"""Readers for public tables of real cascades, from a path that the user gives; none is shipped here.

US state policies: State Policy Innovation and Diffusion Database, Boehmke et al., doi:10.7910/DVN/CVYSR7,
as in the R package NetworkInference. Adoption studies: doctors' prescriptions (Coleman, Katz, Menzel 1966),
Korean families and Brazilian farmers, as in the R package netdiffuseR, one row a person.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from cascades.errors import InputError
from cascades.files import listed, read_rows
from cascades.networks import Network
from cascades.tables import Cascades
from cascades.tables.types import Label

NEVER = {
    ("city", "id", "toa_month"): 18.0,
    ("village", "id", "toa_year"): 11.0,
    ("village", "id", "toa"): 20.0,
}
"""Column names of the adoption studies, and the period that stands for "never" in each."""


def state_policies(path: str | os.PathLike[str], *, horizon: float = 2017) -> Cascades:
    """Read the policies that US states adopted: one cascade a policy, times in years.

    Parameters
    ----------
    path : path
        CSV with the columns policy, statenam and adopt_year.
    horizon : float
        Last year that was watched.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cascades import datasets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "policies.csv")
    ...     _ = path.write_text("policy,statenam,adopt_year\\nlottery,Ohio,1973\\nlottery,Iowa,1985\\n")
    ...     datasets.state_policies(path)
    Cascades(1 cascades, 2 nodes, 2 activations)
    """
    return Cascades.from_csv(
        path, cascade="policy", node="statenam", time="adopt_year", horizon=horizon, unit="year"
    )


def policy_topics(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read the major topic of each policy from a CSV with the columns policy and majortopic."""
    return {row["policy"]: row["majortopic"] for row in _rows(path, ("policy", "majortopic"))}


def borders(path: str | os.PathLike[str], *, nodes: Sequence[Label]) -> Network:
    """Read which places border on each other, as the support of one network of a double mixture.

    Parameters
    ----------
    path : path
        CSV with the columns source and target, both directions listed.
    nodes : sequence
        The nodes of the cascades, ``data.nodes``; pairs with a place that is not among them are left out,
        and a node without land borders has no edges.
    """
    rows = _rows(path, ("source", "target"))
    known = set(nodes)
    pairs: dict[tuple[Label, Label], float] = {
        (r["source"], r["target"]): 1.0 for r in rows if {r["source"], r["target"]} <= known
    }
    return Network.from_edges(pairs, nodes=nodes)


def adoptions(path: str | os.PathLike[str]) -> Cascades:
    """Read an adoption study: one cascade a city or village, one node a person ("place:id").

    "Never adopted" is coded there as the last period plus one (18 months, 11 or 20 years); these people are
    nodes that were watched and not activated. Raises `InputError` for a table with other columns.
    """
    with_header = _rows(path, ())
    known = next((names for names in NEVER if with_header and set(names) <= set(with_header[0])), None)
    if known is None:
        wanted = "; ".join(", ".join(names) for names in NEVER)
        raise InputError(f"{path}: no adoption study known here; wanted one of the columns {wanted}")
    place, person, time = known
    records: dict[Label, dict[Label, float]] = {}
    for number, row in enumerate(with_header, start=2):
        try:
            records.setdefault(row[place], {})[f"{row[place]}:{row[person]}"] = float(row[time])
        except ValueError:
            raise InputError(f"{path}, line {number}: {time} is {row[time]!r}, wanted a period") from None
    never = NEVER[known]
    return Cascades.from_records(records, horizon=never - 1, never=never)


def _rows(path: str | os.PathLike[str], wanted: tuple[str, ...]) -> list[dict[str, str]]:
    """Rows of a CSV file by column name; `InputError` where a wanted column is missing."""
    header, rows = read_rows(path)
    missing = [name for name in wanted if name not in header]
    if missing:
        raise InputError(f"{path}: no column {', '.join(missing)}; found {listed(header)}")
    return [dict(zip(header, row, strict=True)) for row in rows]
