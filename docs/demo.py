"""What `make demo` runs: the main job of each package, as a person would do it from a shell."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
GAMES = DOCS / "examples" / "games"
EXAMPLES = {
    "privacy_stats": "privacy_sum.py",
    "cascades: one network, with tests and intervals": "cascade_network.py",
    "cascades: an observed and a latent network at once": "cascade_two_networks.py",
}


def main() -> None:
    """Run the demonstration in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        for game in ("driver.efg", "couple.toml", "chase.toml"):
            shutil.copy(GAMES / game, folder)
        games(folder)
        for package, script in EXAMPLES.items():
            path = DOCS / "examples" / script
            if path.exists():
                title(package)
                run([sys.executable, str(path)], folder, expected=0)
    title("Where to go next")
    print("README.md                     what there is, and how claims can be checked")
    print("docs/tutorials                one tutorial a package; `make docs` builds the pages")
    print("sosgames certify --help       the same commands on your own games")


def games(folder: str) -> None:
    """Certify, verify, refute."""
    title("sosgames: a Gambit file, with imperfect recall")
    shell("sosgames show driver.efg", folder)
    shell("sosgames certify driver.efg --property concave --save driver.json", folder)
    title("sosgames: a written game; the proof is checked by code that needs nothing but Python")
    shell("sosgames certify couple.toml --property monotone --save couple.json", folder)
    verifier = DOCS.parent / "sosgames" / "certificates"
    print("$ python -I -S sosgames/certificates couple.json couple.toml")
    run([sys.executable, "-I", "-S", str(verifier), "couple.json", "couple.toml"], folder, expected=0)
    title("sosgames: a game that is not monotone, refuted at a point")
    shell("sosgames certify chase.toml --property monotone --save chase.json", folder, expected=10)
    shell("sosgames verify chase.json chase.toml", folder)


def title(text: str) -> None:
    print(f"\n== {text}", flush=True)


def shell(command: str, folder: str, *, expected: int = 0) -> None:
    """Show a command, run it, and stop when it does not end as expected."""
    print(f"$ {command}", flush=True)
    program, *arguments = shlex.split(command)
    run([str(Path(sys.executable).with_name(program)), *arguments], folder, expected=expected)


def run(command: list[str], folder: str, *, expected: int) -> None:
    sys.stdout.flush()
    code = subprocess.run(command, cwd=folder, env={**os.environ, "CERTIKIT_FIGURES": folder}).returncode
    if code != expected:
        sys.exit(f"the demonstration stopped: exit code {code} where {expected} was expected")


if __name__ == "__main__":
    main()
