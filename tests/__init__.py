"""The test suite; a package, so that no other distribution's `tests` comes first."""
