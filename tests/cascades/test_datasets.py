"""Public tables, read from where the user keeps them: small ones made here, the real ones where present."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import cascades as cs

DATA = os.environ.get("CERTIKIT_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="CERTIKIT_DATA names no folder with the real cascades")


def test_borders_outside_the_cascades_are_left_out(tmp_path: Path) -> None:
    table = tmp_path / "borders.csv"
    table.write_text("source,target\nOhio,Indiana\nIndiana,Ohio\nIndiana,Illinois\n")
    network = cs.datasets.borders(table, nodes=["Alaska", "Indiana", "Ohio"])
    assert network.matrix.toarray().tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_people_who_never_adopted_are_nodes_without_an_activation(tmp_path: Path) -> None:
    table = tmp_path / "adoption.csv"
    table.write_text("city,id,toa_month\n1,1,3\n1,2,18\n2,1,1\n")
    data = cs.datasets.adoptions(table)
    assert set(data.nodes) == {"1:1", "1:2", "2:1"}
    assert (data.n_cascades, data.n_events) == (2, 2)
    assert set(data.horizons) == {17.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "no adoption study known here"),
        ("", "is empty; wanted a header line"),
        ("city,id,toa_month\n1,1,soon\n", "line 2: toa_month is 'soon'"),
    ],
)
def test_a_table_that_is_no_adoption_study_is_refused(tmp_path: Path, text: str, message: str) -> None:
    table = tmp_path / "table.csv"
    table.write_text(text)
    with pytest.raises(cs.InputError, match=message):
        cs.datasets.adoptions(table)


def test_a_missing_column_or_file_is_named(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("source,to\n")
    with pytest.raises(cs.InputError, match="no column target; found source, to"):
        cs.datasets.borders(table, nodes=["a"])
    with pytest.raises(cs.InputError, match="cannot read"):
        cs.datasets.policy_topics(tmp_path / "none.csv")


@needs_data
def test_the_us_policies_have_topics_and_borders() -> None:
    folder = Path(str(DATA))
    data = cs.datasets.state_policies(folder / "spid_policies_long.csv")
    assert (data.n_cascades, data.n_nodes, data.n_events) == (728, 50, 17835)
    topics = cs.datasets.policy_topics(folder / "spid_policies_metadata.csv")
    assert set(data.names) <= set(topics)
    network = cs.datasets.borders(folder / "us_state_neighbours.csv", nodes=data.nodes)
    matrix = network.matrix.toarray()
    assert (matrix == matrix.T).all()
    assert {data.nodes[k] for k in range(50) if not matrix[k].any()} == {"Alaska", "Hawaii"}


@needs_data
@pytest.mark.parametrize(
    ("file", "people", "never"),
    [("medInnovations_toa.csv", 125, 16), ("kfamily_toa.csv", 1047, 374), ("brfarmers_toa.csv", 692, 152)],
)
def test_the_adoption_studies_are_read_whole(file: str, people: int, never: int) -> None:
    data = cs.datasets.adoptions(Path(str(DATA), file))
    assert (data.n_nodes, data.n_nodes - data.n_events) == (people, never)
