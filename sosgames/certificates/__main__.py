"""Checks a proof with nothing installed: ``python -I -S sosgames/certificates proof.json game.toml``.

Prints what has been proved. Exit codes: 0 the proof holds (whatever it claims), 2 bad usage or no such game,
4 the proof is rejected, 70 internal error or nowhere to print, 130 interrupted.
"""

import contextlib
import os
import sys

USAGE = "usage: python -I -S sosgames/certificates PROOF.json GAME.(toml|json|efg)"


def main(arguments: list[str]) -> int:
    """Check one proof against one game; the exit code."""
    from sosgames.certificates.errors import CertificateError, InputError
    from sosgames.certificates.verifier import verify

    if len(arguments) != 2 or arguments[0].startswith("-"):
        print(USAGE, file=sys.stdout if arguments in (["-h"], ["--help"]) else sys.stderr)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        print(verify(arguments[0], arguments[1]).text)
    except CertificateError as error:
        print(f"rejected: {error}", file=sys.stderr)
        return 4
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        print(f"internal error, please report it: {type(error).__name__}: {error}", file=sys.stderr)
        return 70
    return 0


if __name__ == "__main__":
    # A folder that runs as a program is itself first on the path; wanted there is the one above the package.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    code = main(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError as error:
        # A full disk, a closed pipe: nobody can have read the claim, so the code must not say that it holds.
        code = 70
        print(f"error: the claim cannot be printed ({error.strerror}).", file=sys.stderr)
        with contextlib.suppress(OSError):
            sys.stdout.close()
    sys.exit(code)
