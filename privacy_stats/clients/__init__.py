"""The users' side of the privacy boundary: the only place where values are seen. Servers never import it."""

from privacy_stats.clients.device import answer
from privacy_stats.clients.frames import randomise_frame
from privacy_stats.clients.randomise import randomise

__all__ = ["answer", "randomise", "randomise_frame"]
