"""`python -m cascades` is the command `cascades`."""

from cascades.cli.app import main

main()
