"""The shell command `sosgames`."""

import sys


def main() -> None:
    """Run the command; Ctrl-C while its libraries are still being loaded ends it in a word as well."""
    try:
        from sosgames.cli.app import app as command
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    command()
