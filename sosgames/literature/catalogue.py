"""Games from the literature, each with its source and what is known to be true of it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Any, overload

from sosgames.certificates.errors import shown
from sosgames.certificates.gamefiles import loads
from sosgames.certificates.games import ExactGame
from sosgames.errors import InputError
from sosgames.games import Game

FOLDER = files("sosgames.literature").joinpath("games")


@dataclass(frozen=True, slots=True)
class Entry:
    """One game of the catalogue.

    Attributes
    ----------
    slug
        The name to ask for it.
    title, source
        What it is and where it comes from.
    truth
        What is known: ``concave`` and ``monotone`` are "strict", "merely" or "no"; where known,
        ``modulus`` of monotonicity, ``equilibrium`` by variable, and distances to the nearest game, all exact
        fractions as text.
    """

    slug: str
    title: str
    source: str
    truth: Mapping[str, Any]

    def game(self) -> Game:
        """The game itself."""
        problem = loads(_text(self.slug), "toml")
        if not isinstance(problem, ExactGame):
            raise InputError(f"catalog: {self.slug} holds a matrix, not a game.")
        return Game.from_exact(problem)


class Catalogue(tuple[Entry, ...]):
    """All entries, ordered by slug; prints as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        width = max(len(entry.slug) for entry in self)
        return "\n".join(f"{e.slug:{width}}  {e.title}; monotone: {e.truth['monotone']}" for e in self)


@overload
def catalog(slug: str) -> Game: ...
@overload
def catalog(slug: None = None) -> Catalogue: ...
def catalog(slug: str | None = None) -> Game | Catalogue:
    """A game from the literature, or the list of them.

    Parameters
    ----------
    slug
        The game's name in the list; without one the list is returned.

    Raises
    ------
    InputError
        When there is no such game; the message lists the names.

    Examples
    --------
    >>> import sosgames as sg
    >>> sg.catalog("krawczyk2000").utility("firm A")
    -x**2 - x*y + 16*x
    >>> [entry.slug for entry in sg.catalog() if entry.truth["monotone"] == "strict"]
    ['gnep1', 'haurie1997', 'krawczyk2000', 'piccione1997']
    """
    if slug is None:
        return Catalogue(_entry(name) for name in _slugs())
    if slug not in _slugs():
        raise InputError(f"catalog: there is no game {shown(slug)}; the games are {', '.join(_slugs())}.")
    return _entry(slug).game()


def _slugs() -> list[str]:
    return sorted(file.name.removesuffix(".toml") for file in FOLDER.iterdir())


def _text(slug: str) -> str:
    return FOLDER.joinpath(f"{slug}.toml").read_text(encoding="utf-8")


def _entry(slug: str) -> Entry:
    values = tomllib.loads(_text(slug))
    return Entry(slug, values["name"], values["source"], MappingProxyType(values["truth"]))
