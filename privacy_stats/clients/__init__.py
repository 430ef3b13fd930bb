"""The users' side of the privacy boundary: the only place where values are seen. Servers never import it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privacy_stats.lazy import lazily

if TYPE_CHECKING:
    from privacy_stats.clients.arrays import randomise
    from privacy_stats.clients.device import answer
    from privacy_stats.clients.frames import randomise_frame

__all__ = ["answer", "randomise", "randomise_frame"]

# A device answers without loading what arrays and frames need.
__getattr__, __dir__ = lazily(
    __name__, {"device": ("answer",), "frames": ("randomise_frame",), "arrays": ("randomise",)}
)
