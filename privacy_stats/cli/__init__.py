"""The shell command `privacy-stats`."""

import sys


def main() -> None:
    """Run the command; Ctrl-C while its libraries are still being loaded ends it in a word as well."""
    try:
        from privacy_stats.cli.app import main as command
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    command()
