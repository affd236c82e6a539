"""When the rule of a study holds against somebody: pure, so that a researcher's form and the platform agree."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """At most so many failed before it holds; or less than so many percent passed of at least so many."""

    most_failed: int | None
    least_percent: int | None
    least_judged: int


def holds(limits: Limits, *, judged: int, failed: int) -> bool:
    """Whether somebody with these counts has failed too many checks.

    Examples
    --------
    >>> holds(Limits(2, None, 3), judged=5, failed=2)
    True
    >>> holds(Limits(None, 60, 5), judged=5, failed=2)
    False
    """
    if limits.most_failed is not None and failed >= limits.most_failed:
        return True
    if limits.least_percent is None or judged < max(limits.least_judged, 1):
        return False
    return 100 * (judged - failed) < limits.least_percent * judged
