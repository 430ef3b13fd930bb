"""The one convex problem that every model here solves per receiver, its solver and its certificates."""
