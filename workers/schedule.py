"""What happens by the clock, and when it last did."""

import time

SWEEP_EVERY = 10.0  # seconds

SCHEDULE = {
    # A sweep that nobody took before the next one came is worth nothing any more.
    "sweep": {"task": "workers.tasks.sweep", "schedule": SWEEP_EVERY, "options": {"expires": SWEEP_EVERY}},
}

_swept_at = time.monotonic()  # in this process; no change of the clock moves it


def note_sweep() -> None:
    """Note that this process begins a sweep."""
    global _swept_at
    _swept_at = time.monotonic()


def seconds_without_sweep() -> float:
    """How long this process has begun none."""
    return time.monotonic() - _swept_at
