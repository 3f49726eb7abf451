"""A moment as a person writes it: a date, a time of day, and a time zone, by its offset or by its name."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def moment(text: str) -> datetime:
    """Read a moment.

    Args:
        text: a date and a time of day in ISO 8601 with an offset, or followed by the name of a time zone.

    Raises:
        ValueError: it is no time, or has no time zone, or one that is not known; the message begins in the middle of a
            sentence, behind what names the place.

    Example:
        >>> moment("2026-11-20 23:59 Europe/Berlin").isoformat(), moment("2026-12-01T08:00Z").isoformat()
        ('2026-11-20T23:59:00+01:00', '2026-12-01T08:00:00+00:00')
        >>> moment("2026-11-20 23:59")
        Traceback (most recent call last):
        ValueError: name its time zone: 2026-11-20 23:59+01:00, or '2026-11-20 23:59 Europe/Berlin'.
    """
    said, _, zone = text.strip().rpartition(" ")
    said, zone = (said.strip(), zone) if re.match(r"[A-Za-z]", zone) else (text.strip(), "")
    try:
        found = datetime.fromisoformat(said)
        if ":" not in said:
            raise ValueError
        named = ZoneInfo(zone) if zone else found.tzinfo
    except ZoneInfoNotFoundError:
        raise ValueError(f"this machine knows no time zone {zone!r}, such as Europe/Berlin.") from None
    except ValueError:
        raise ValueError("that is no time, such as 2026-11-20T23:59+01:00.") from None
    if named is None:
        raise ValueError(f"name its time zone: {said}+01:00, or '{said} Europe/Berlin'.")
    return found.replace(tzinfo=named)
