"""`python -m privacy_stats` is the command `privacy-stats`."""

from privacy_stats.cli.app import main

main()
