"""The time zone in which a reader reads and writes times: the browser's, which ``zone.js`` leaves in a cookie."""

from datetime import UTC, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

COOKIE = "zone"

known_zones = cache(available_timezones)


def zone_named(name: str) -> tzinfo:
    """The zone of a name such as ``Asia/Tokyo``; UTC for any other text."""
    return ZoneInfo(name) if name in known_zones() else UTC
