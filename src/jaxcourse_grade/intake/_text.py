"""What the bytes of a file are: text, and in which encoding; or something that is no text, by its name."""

from __future__ import annotations

import re

_BEGINNINGS = (
    (re.compile(rb"%PDF"), "a PDF"),
    (re.compile(rb"PK\x03\x04"), "a zip archive or an office document"),
    (re.compile(rb"\x1f\x8b|7z\xbc\xaf|Rar!|BZh|\xfd7zXZ"), "a packed archive"),
    (re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8|BM.{4}\0\0\0\0|RIFF....WEBP|II\*\0|MM\0\*", re.DOTALL), "an image"),
    (re.compile(rb"\{\\rtf"), "a text document (RTF)"),
    (re.compile(rb"\xd0\xcf\x11\xe0"), "an office document"),
    (re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|\?xml|head|body|table|svg)\b", re.IGNORECASE), "a web page"),
)
GUESSED = "not in UTF-8: it was read as Windows-1252, as spreadsheets write it"
"""What is said of a text whose encoding was guessed."""


def kind_of(data: bytes) -> str:
    """What a file is that is no text, in words; empty if it may be one.

    Example:
        >>> kind_of(b"%PDF-1.7"), kind_of(b"Name;Email")
        ('a PDF', '')
    """
    return next((kind for pattern, kind in _BEGINNINGS if pattern.match(data)), "")


def decoded(data: bytes) -> tuple[str, bool]:
    r"""The text of a file, however a spreadsheet or an editor wrote it, and whether its encoding was guessed.

    Text that is neither UTF-8 nor marked as UTF-16 is taken as Windows-1252: it has what latin-1 has, and curly quotes,
    `Ž`, `Š`, `Œ` and `€` besides, where latin-1 has characters that nobody sees.

    Example:
        >>> decoded("O’Brien".encode("cp1252")), decoded(b"Ann\x81")
        (('O’Brien', True), ('Ann\x81', True))
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # what Excel calls Unicode text
        return data.decode("utf-16", "replace"), False
    try:
        return data.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        return "".join(map(_WINDOWS.__getitem__, data)), True


def _windows(byte: int) -> str:
    """A character of Windows-1252; five bytes have none there, and stand for themselves."""
    try:
        return bytes([byte]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


_WINDOWS = [_windows(byte) for byte in range(256)]
