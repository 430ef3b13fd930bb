"""Games from the literature by name, and random games of the sizes that the literature measures."""

from sosgames.literature.catalogue import Catalogue, Entry, catalog
from sosgames.literature.networks import network_game
from sosgames.literature.sampling import random_game

__all__ = ["Catalogue", "Entry", "catalog", "network_game", "random_game"]
