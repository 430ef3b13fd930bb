"""Runs the code blocks of README, docs and docstrings as tests, beside tests/."""

from __future__ import annotations

from hypothesis import settings
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser

# How long one random example takes says something about the machine, not about the code.
settings.register_profile("certikit", deadline=None)
settings.load_profile("certikit")

markdown = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser()],
    patterns=["README.md", "docs/**/*.md", "docs/*.md"],
    excludes=["docs/_build/**", "docs/_generated/**"],
)
docstrings = Sybil(
    parsers=[DocTestParser()],
    patterns=[f"{p}{d}/*.py" for p in ("sosgames", "privacy_stats", "cascades") for d in ("", "/**")],
)

pytest_collect_file = (markdown + docstrings).pytest()
