r"""Expected payoffs as polynomials in the probabilities of actions.

From the leaves to the root, the value of a node is

.. math:: v = \text{payoff} + v_m + \sum_{a < m} x_a (v_a - v_m)

with :math:`x_a` the probability of action :math:`a` and :math:`m` the last action, whose probability is
:math:`1 - \sum x_a`. Only products with single variables occur. A player who comes through an information
set twice on one path multiplies by the same variable twice: absent-mindedness gives powers, imperfect recall
gives products of a player's own variables.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sosgames.certificates.limits import Work, check_number, check_size
from sosgames.certificates.polynomials import ONE, Monomial, Polynomial, multiply_monomials

if TYPE_CHECKING:
    from sosgames.certificates.gambit.nodes import Node
    from sosgames.certificates.gambit.tree import GameTree

Terms = dict[Monomial, Fraction]


def expected_payoff(tree: GameTree, player: int, work: Work) -> Polynomial:
    """The payoff that a player (counted from 0) expects, as a polynomial in everybody's probabilities.

    Cost: one pass over the tree; each step is linear in the number of terms, and ``work`` pays for it.
    """
    where = f"expected payoff of {tree.players[player]}"
    values: dict[int, Terms] = {}
    for index in range(len(tree.nodes) - 1, -1, -1):
        node = tree.nodes[index]
        children = [values.pop(child) for child in node.children]
        work.spend(3 * sum(len(child) + len(children[-1]) for child in children) + 1, where)
        values[index] = _value(tree, node, children, where)
        if node.payoffs and node.payoffs[player]:
            _add(values[index], {ONE: node.payoffs[player]}, where)
        if len(children) > 1:
            check_size(Polynomial(values[index]), where)
    return Polynomial(values[0])


def _value(tree: GameTree, node: Node, children: list[Terms], where: str) -> Terms:
    """The expected value of what follows a node."""
    if node.information_set is None:
        return {}
    choice = tree.choices[node.information_set]
    total: Terms = {}
    if choice is None:
        chances = tree.information_sets[node.information_set].probabilities
        for probability, value in zip(chances, children, strict=True):
            _add(total, value, where, probability)
        return total
    _add(total, children[-1], where)
    for name, value in zip(choice.variables, children[:-1], strict=True):
        variable = ((name, 1),)
        _add(total, {multiply_monomials(m, variable): c for m, c in value.items()}, where)
        _add(total, {multiply_monomials(m, variable): -c for m, c in children[-1].items()}, where)
    return total


def _add(total: Terms, terms: Terms, where: str, factor: Fraction = Fraction(1)) -> None:
    """Add a multiple of some terms in place, and drop what cancels; numbers stay within the limits."""
    for monomial, coefficient in terms.items():
        added = total.get(monomial, Fraction(0)) + factor * coefficient
        total[monomial] = check_number(added, where)
        if not total[monomial]:
            del total[monomial]
