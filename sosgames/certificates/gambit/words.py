"""The words of an ``.efg`` text: quoted labels, numbers and names, braces; commas are blanks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, NoReturn

from sosgames.certificates.errors import InputError, shown
from sosgames.certificates.gambit.naming import printable
from sosgames.certificates.rationals import read_number

_WORD = re.compile(
    r'"(?P<label>(?:[^"\\]++|\\.)*+)"|(?P<brace>[{}])|(?P<open>")|(?P<bare>[^\s{}",]++)', re.DOTALL
)
_ESCAPE = re.compile(r"\\([\"\\])")


class Word(NamedTuple):
    """One word; ``kind`` is ``label`` (quoted), ``brace``, ``bare``, or ``end`` after the last one."""

    kind: str
    text: str
    start: int


class Words:
    """A cursor over the words of a text, with one word of foresight."""

    def __init__(self, text: str, where: str) -> None:
        self._text = text
        self._where = where
        self._words = self._split()
        self.next = next(self._words)

    def _split(self) -> Iterator[Word]:
        for match in _WORD.finditer(self._text):
            kind = match.lastgroup or "label"
            if kind == "open":
                self.refuse("this quotation mark is never closed", match.start())
            text = match[kind]
            if kind == "label":
                text = printable(" ".join(_ESCAPE.sub(r"\1", text).split()))
            yield Word(kind, text, match.start())
        end = Word("end", "the end of the file", len(self._text))
        while True:
            yield end

    def take(self) -> Word:
        """The next word, and step over it."""
        word = self.next
        self.next = next(self._words)
        return word

    def refuse(self, message: str, start: int | None = None) -> NoReturn:
        """Raise `InputError` with the line of a place, the next word's when none is given."""
        place = self.next.start if start is None else start
        line = self._text.count("\n", 0, place) + 1
        raise InputError(f"{self._where}, line {line}: {message}.")

    def label(self, what: str) -> str:
        """Take a quoted text: one line, single spaces, question marks for what cannot be printed."""
        if self.next.kind != "label":
            self.refuse(f"got {shown(self.next.text)} in place of {what} in quotation marks")
        return self.take().text

    def optional_label(self) -> str | None:
        """Take a quoted text if there is one."""
        return self.take().text if self.next.kind == "label" else None

    def count(self, what: str) -> int:
        """Take a whole number of at most nine digits."""
        word = self.next
        if word.kind != "bare" or not (word.text.isascii() and word.text.isdigit()) or len(word.text) > 9:
            self.refuse(f"got {shown(word.text)} in place of {what}, a whole number")
        return int(self.take().text)

    def number(self, what: str) -> Fraction:
        """Take an exact number."""
        word = self.next
        if word.kind != "bare":
            self.refuse(f"got {shown(word.text)} in place of {what}, a number")
        try:
            value = read_number(word.text, what)
        except InputError as error:
            self.refuse(str(error).rstrip("."))
        self.take()
        return value

    def opens(self) -> bool:
        """Step over an opening brace if there is one."""
        found = self.next.kind == "brace" and self.next.text == "{"
        if found:
            self.take()
        return found

    def open(self, what: str) -> None:
        """Step over the opening brace of a list."""
        if not self.opens():
            self.refuse(f"got {shown(self.next.text)} in place of '{{' before {what}")

    def closes(self) -> bool:
        """Step over a closing brace if there is one."""
        found = self.next.kind == "brace" and self.next.text == "}"
        if found:
            self.take()
        return found
