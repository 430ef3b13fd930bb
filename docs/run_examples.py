"""Runs the scripts of docs/examples when the documentation is built, and writes one page for each.

A script's docstring is its page: the first line is the title, the rest the introduction. What it prints is
shown below its source. Figures that it saves into the folder named by CERTIKIT_FIGURES, under names that
start with its own, are shown above. A script that fails fails the build.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

DOCS = Path(__file__).resolve().parent
GENERATED = DOCS / "_generated"
PACKAGES = ("sosgames", "privacy_stats", "cascades")


def run_examples() -> None:
    """Run every example that is older than its script or its packages; two at a time."""
    GENERATED.mkdir(exist_ok=True)
    scripts = sorted((DOCS / "examples").glob("*.py"))
    for stale in {p.stem for p in GENERATED.glob("*.md")} - {s.stem for s in scripts} - {"index"}:
        (GENERATED / f"{stale}.md").unlink()
    (GENERATED / "index.md").write_text(_index(scripts), encoding="utf-8")
    with ThreadPoolExecutor(2) as executor:
        list(executor.map(_write_page, filter(_is_stale, scripts)))


def _write_page(script: Path) -> None:
    _page_of(script).write_text(_page(script, _output(script)), encoding="utf-8")


def _page_of(script: Path) -> Path:
    return GENERATED / f"{script.stem}.md"


def _is_stale(script: Path) -> bool:
    """Whether the page is older than what it comes from: the script, this file, the packages it names."""
    text = script.read_text(encoding="utf-8")
    named = [package for package in PACKAGES if package in text]
    sources = [script, Path(__file__)]
    sources += [p for package in named for p in (DOCS.parent / package).rglob("*.py")]
    page = _page_of(script)
    return not page.exists() or page.stat().st_mtime < max(p.stat().st_mtime for p in sources)


def _index(scripts: list[Path]) -> str:
    introduction = (
        "Each page is a script of `docs/examples`, run when these pages were built: its figures, its source, "
        "and what it printed."
    )
    names = "\n".join(script.stem for script in scripts)
    toctree = f"```{{toctree}}\n{names}\n```\n" if names else ""
    return f"# Examples\n\n{introduction}\n\n{toctree}"


def _output(script: Path) -> str:
    environment = {**os.environ, "CERTIKIT_FIGURES": str(GENERATED), "MPLBACKEND": "agg"}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, cwd=GENERATED, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"{script.name} failed with exit code {done.returncode}:\n{done.stderr}")
    return done.stdout


def _page(script: Path, output: str) -> str:
    docstring = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or script.stem
    title, _, introduction = docstring.partition("\n")
    figures = sorted(GENERATED.glob(f"{script.stem}*.svg")) + sorted(GENERATED.glob(f"{script.stem}*.png"))
    parts = [f"# {title}", introduction.strip()]
    parts += [f"![{title}]({figure.name})" for figure in figures]
    parts += [f"```{{literalinclude}} ../examples/{script.name}\n:language: python\n```"]
    if output:
        parts += ["It prints:", f"```text\n{output.rstrip()}\n```"]
    return "\n\n".join(parts) + "\n"
