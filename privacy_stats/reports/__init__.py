"""What travels from users to the server: columns, JSON lines or Arrow, with a header that names the round."""

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
