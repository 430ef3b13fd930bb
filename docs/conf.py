"""Sphinx configuration."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from run_examples import run_examples

project = "certikit"
author = "The certikit authors"
copyright = "2026, The certikit authors"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinxcontrib.bibtex",
]
bibtex_bibfiles = ["references.bib"]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "papers/huang2025-tables.md"]  # included by papers/huang2025.md
html_theme = "furo"
html_title = "certikit"
autodoc_typehints = "none"
suppress_warnings = ["ref.python"]  # names such as InputError exist once per package


def setup(app):
    """Run the examples before the pages are read."""
    app.connect("builder-inited", lambda _: run_examples())
