"""What travels from users to the server: columns, JSON lines or Arrow, with a header that names the round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privacy_stats.lazy import lazily

if TYPE_CHECKING:
    from privacy_stats.reports.arrow import from_arrow, to_arrow
    from privacy_stats.reports.header import Header
    from privacy_stats.reports.json_lines import MOST_LINE, parse_line, read_lines, write_lines
    from privacy_stats.reports.reports import Reports

__all__ = [
    "MOST_LINE",
    "Header",
    "Reports",
    "from_arrow",
    "parse_line",
    "read_lines",
    "to_arrow",
    "write_lines",
]

# A device needs the header alone, not the arrays of many users.
__getattr__, __dir__ = lazily(
    __name__,
    {
        "arrow": ("from_arrow", "to_arrow"),
        "header": ("Header",),
        "json_lines": ("MOST_LINE", "parse_line", "read_lines", "write_lines"),
        "reports": ("Reports",),
    },
)
