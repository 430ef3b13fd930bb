"""The groups of blocks that a proof states, for people and other programs; no identity rests on them."""

from __future__ import annotations

from sosgames.certificates.errors import CertificateError
from sosgames.certificates.parts import Part


def check_cliques(part: Part) -> None:
    """Raise `CertificateError` unless each block is in one clique and uses what that clique lists."""
    if part.cliques is None:
        return
    if sorted(i for clique in part.cliques for i in clique.blocks) != list(range(len(part.blocks))):
        raise CertificateError("cliques: they must hold every block once.")
    for number, clique in enumerate(part.cliques):
        terms = [term for i in clique.blocks for vector in part.blocks[i].basis for term in vector]
        rows = {row for _, row, _ in terms}
        variables = {index for _, _, monomial in terms for index, _ in monomial}
        if not (rows <= set(clique.rows) and variables <= set(clique.variables)):
            raise CertificateError(f"cliques[{number}]: its blocks use rows or variables it does not list.")
