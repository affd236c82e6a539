"""What happens by the clock."""

SWEEP_EVERY = 10.0  # seconds

SCHEDULE = {
    # A sweep that nobody took before the next one came is worth nothing any more.
    "sweep": {"task": "workers.tasks.sweep", "schedule": SWEEP_EVERY, "options": {"expires": SWEEP_EVERY}},
}
