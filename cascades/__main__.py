"""`python -m cascades` is the command `cascades`."""

from cascades.cli import main

main()
