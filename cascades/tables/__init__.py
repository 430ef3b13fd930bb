"""Cascade tables: who was activated when, from any source, with every fault named."""

from cascades.tables.storage import load, save
from cascades.tables.table import Cascades
from cascades.tables.types import Label

__all__ = ["Cascades", "Label", "load", "save"]
