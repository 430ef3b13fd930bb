"""The option `--figure`: a picture of the result beside the text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from privacy_stats.errors import ArgumentError
from privacy_stats.files import whole
from privacy_stats.lazy import optional

Figure = Annotated[Path | None, typer.Option(help="Draw the result into this file: .svg, .png or .pdf.")]


def save_figure(plot: Callable[[Any], Any], path: Path | None) -> None:
    """Draw on new axes and write them to `path`, if one is given."""
    if path is None:
        return
    if path.suffix not in (".svg", ".png", ".pdf"):
        raise ArgumentError(f"--figure: got {path}, wanted a file that ends in .svg, .png or .pdf")
    # not pyplot, which may look for a window system
    figures = optional("matplotlib.figure", "figures need matplotlib: pip install 'certikit[plot]'")
    canvas = figures.Figure(figsize=(5.0, 3.5), layout="constrained")
    plot(canvas.subplots())
    with whole(path) as part:
        canvas.savefig(part)
