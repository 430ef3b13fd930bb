"""Games from the literature by name, and random games of the sizes that the literature measures."""

from sosgames.literature.catalogue import Catalogue, Entry, catalog
from sosgames.literature.sampling import random_game

__all__ = ["Catalogue", "Entry", "catalog", "random_game"]
