"""What decides each game of a folder, as a Markdown table: bracket, form, rung, level and seconds.

Usage: python benchmarks/decisions.py FOLDER    (game files *.toml; the first game is run twice, to warm up)
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import sosgames as sg
from sosgames.results import Certification
from sosgames.results.words import number

HEADER = "| game | property | verdict | lower | upper | form | rung | level | seconds |"


def decided(path: Path) -> Iterator[tuple[str, Certification, float]]:
    """Both properties of a game and what each took."""
    game = sg.load(path)
    for prop in ("concave", "monotone"):
        start = time.perf_counter()
        result = sg.certify(game, prop)
        yield prop, result, time.perf_counter() - start


def row(path: Path, prop: str, result: Certification, seconds: float) -> str:
    """One line of the table."""
    rungs = ", ".join(dict.fromkeys(b.rung or "none" for b in result.brackets))
    strict = " strict" if result.strict and result.verdict is sg.Verdict.CERTIFIED else ""
    ends = [number(end, "?") for end in (result.lower, result.upper)]
    verdict = f"{result.verdict.value}{strict}"
    forms = ", ".join(dict.fromkeys(b.form or "none" for b in result.brackets))
    cells = [path.stem, prop, verdict, *ends, forms, rungs, str(result.level), f"{seconds:.2f}"]
    return "| " + " | ".join(cells) + " |"


def main(folder: Path) -> None:
    """Print the table and the figures under it."""
    paths = sorted(folder.glob("*.toml"))
    list(decided(paths[0]))
    print(HEADER, "|" + "---|" * HEADER.count(" | ") + "---|", sep="\n")
    all_seconds, undecided, closed = [], 0, 0
    for path in paths:
        for prop, result, seconds in decided(path):
            result.verify()
            print(row(path, prop, result, seconds), flush=True)
            all_seconds.append(seconds)
            undecided += result.verdict is sg.Verdict.UNDECIDED
            closed += result.lower == result.upper
    median = statistics.median(all_seconds)
    print(f"\n{len(all_seconds)} decisions, {undecided} undecided, {closed} brackets closed to one rational;")
    print(f"median {median:.3f} s, largest {max(all_seconds):.2f} s")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
