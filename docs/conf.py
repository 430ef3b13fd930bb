"""Sphinx configuration."""

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
exclude_patterns = ["_build", "_generated"]
html_theme = "furo"
html_title = "certikit"
autodoc_typehints = "none"
nitpicky = False
