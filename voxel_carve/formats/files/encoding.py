"""How the text of a file is encoded: UTF-8 as a rule, UTF-16 and UTF-32 by their mark, else Windows-1252."""

import codecs
import re

# By their byte order marks; that of UTF-32 begins as that of UTF-16 does.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# What no text has. Windows-1252, of which Latin-1 is a part, has no other way to tell text from anything else.
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
WINDOWS = "cp1252"


def is_marked(raw: bytes) -> bool:
    """Whether a byte order mark says that a text is in UTF-16 or UTF-32."""
    return raw.startswith(tuple(_MARKS))


def as_utf8(raw: bytes) -> bytes:
    """A text in UTF-8, if a byte order mark says that it is in UTF-16 or UTF-32. Any other stays as it is.

    Raises:
        UnicodeDecodeError: it is not what its mark says.
    """
    encoding = next((encoding for mark, encoding in _MARKS.items() if raw.startswith(mark)), "")
    return raw.decode(encoding).encode() if encoding else raw


def windows_as_utf8(raw: bytes) -> bytes:
    """A text in Windows-1252, in UTF-8.

    Raises:
        UnicodeDecodeError: it is no text in that encoding.
    """
    control = _CONTROLS.search(raw)
    if control:
        raise UnicodeDecodeError(WINDOWS, raw, control.start(), control.end(), "a control character")
    return raw.decode(WINDOWS).encode()
