"""`python -m privacy_stats` is the command `privacy-stats`."""

from privacy_stats.cli import main

if __name__ == "__main__":
    main()
