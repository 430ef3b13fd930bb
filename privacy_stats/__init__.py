"""Sums and means when every user sets an own local privacy level.

Values stay with their users: a client randomises each value under the user's own budget, the server
aggregates reports only, and every estimate carries its uncertainty. This package is at its beginning and
exports nothing yet; see docs/changelog.md for what has landed.
"""

__all__: list[str] = []
