"""The double mixture of two networks: one pass over the cascades, steps between passes, the search."""
