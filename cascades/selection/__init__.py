"""Which edges to believe, and which model: tests, false-discovery control, bootstrap, held-out likelihood."""

from cascades.selection.bootstrap import Bootstrap, bootstrap
from cascades.selection.edge_tests import EdgeTests, edge_tests
from cascades.selection.held_out import HeldOut, held_out
from cascades.selection.null_simulation import bootstrap_p_value

__all__ = [
    "Bootstrap",
    "EdgeTests",
    "HeldOut",
    "bootstrap",
    "bootstrap_p_value",
    "edge_tests",
    "held_out",
]
