"""How the benchmarks compare: interleaved rounds beside control loops, the median of per-round ratios.

The machines that benchmarks run on are shared and change their mood. So the two sides are timed in turn
(A B A B …); a control loop of one thread and one of two threads is timed in each round, and a round whose
control took more than 1.25 × the best is dropped and run again. When the machine never rests, after three
times as many rounds the calmest of them count, and the result says "restless machine". A comparison first
checks that both sides give the same answer.

    comparison = compare(
        Side("ours", lambda: mine(data)), Side("pandas", lambda: theirs(data)), same=lambda a, b: a == b
    )
    print(comparison)

`timed` does the same for one side alone, and `run_apart` gives seconds and peak memory of a command in a
process of its own, by the operating system's account.
"""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Any

SLOWEST_CONTROL = 1.25
_SHORTEST_SAMPLE = 0.03
_CONTROL_BYTES = bytes(50_000_000)
_FEWEST = 5


@dataclass(frozen=True)
class Side:
    """One way to do the work; ``run``, called with nothing, returns the answer."""

    name: str
    run: Callable[..., Any]


@dataclass(frozen=True)
class Comparison:
    """Seconds a call of both sides in the rounds kept, in the order measured."""

    ours: Side
    reference: Side
    our_seconds: tuple[float, ...]
    reference_seconds: tuple[float, ...]
    rounds: str

    @property
    def ratios(self) -> tuple[float, ...]:
        """How many times faster ours is, round by round."""
        pairs = zip(self.our_seconds, self.reference_seconds, strict=True)
        return tuple(reference / ours for ours, reference in pairs)

    def __str__(self) -> str:
        ratios = self.ratios
        return (
            f"{self.ours.name} {seconds(median(self.our_seconds))}, "
            f"{self.reference.name} {seconds(median(self.reference_seconds))}: "
            f"{median(ratios):.1f} times as fast (range {min(ratios):.1f}–{max(ratios):.1f}, "
            f"{self.rounds})"
        )


@dataclass(frozen=True)
class Timing:
    """Seconds a call in the rounds kept."""

    side: Side
    seconds: tuple[float, ...]
    rounds: str

    @property
    def median(self) -> float:
        return median(self.seconds)

    def __str__(self) -> str:
        return (
            f"{self.side.name} {seconds(self.median)} (range {seconds(min(self.seconds))}–"
            f"{seconds(max(self.seconds))}, {self.rounds})"
        )


class DifferentAnswersError(AssertionError):
    """The two sides do not give the same answer, so that their times say nothing."""


def compare(
    ours: Side,
    reference: Side,
    *,
    same: Callable[[Any, Any], bool],
    rounds: int = 9,
    longest: float = math.inf,
) -> Comparison:
    """Time both sides in interleaved rounds, after checking that ``same(our answer, their answer)``.

    No round begins when ``longest`` seconds are over.
    """
    if not same(ours.run(), reference.run()):
        raise DifferentAnswersError(f"{ours.name} and {reference.name} give different answers.")
    kept, run = _rounds([ours, reference], rounds, longest)
    return Comparison(
        ours=ours,
        reference=reference,
        our_seconds=tuple(times[0] for times in kept),
        reference_seconds=tuple(times[1] for times in kept),
        rounds=run,
    )


def timed(side: Side, *, rounds: int = 9) -> Timing:
    """Time one side by the same protocol."""
    side.run()
    kept, run = _rounds([side], rounds)
    return Timing(side=side, seconds=tuple(times[0] for times in kept), rounds=run)


def seconds(value: float) -> str:
    """Seconds for people: 1.23 s, 4.56 ms, 78.9 µs."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def run_apart(command: Sequence[str]) -> tuple[float, int]:
    """Seconds and peak resident bytes of a command, which must succeed, in a process of its own."""
    start = time.perf_counter()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    unit = 1 if sys.platform == "darwin" else 1024
    return time.perf_counter() - start, usage.ru_maxrss * unit


def _rounds(sides: Sequence[Side], wanted: int, longest: float = math.inf) -> tuple[list[list[float]], str]:
    """Times of each side in the rounds that count, and which these are."""
    end = time.monotonic() + longest
    repeats = [_repeats(side) for side in sides]
    controls: list[tuple[float, float]] = []
    measured: list[list[float]] = []
    calm: list[int] = []
    while len(calm) < wanted and len(measured) < 3 * wanted and (not measured or time.monotonic() < end):
        controls.append(_control())
        measured.append([_time(side.run, repeat) for side, repeat in zip(sides, repeats, strict=True)])
        best = [min(control[threads] for control in controls) for threads in (0, 1)]
        slowness = [max(control[threads] / best[threads] for threads in (0, 1)) for control in controls]
        calm = [index for index, slow in enumerate(slowness) if slow <= SLOWEST_CONTROL]
    if len(calm) >= min(wanted, _FEWEST):
        return [measured[index] for index in calm], f"{len(calm)} of {len(measured)} rounds"
    calmest = sorted(range(len(measured)), key=lambda index: slowness[index])[: min(wanted, _FEWEST)]
    worst = slowness[calmest[-1]]
    return (
        [measured[index] for index in calmest],
        f"restless machine: the {len(calmest)} calmest of {len(measured)} rounds, control up to {worst:.1f} × best",
    )


def _control() -> tuple[float, float]:
    """Seconds of a fixed loop in one thread, and of two of them in two threads (hashing frees the GIL)."""

    def loop(_: int = 0) -> None:
        hashlib.sha256(_CONTROL_BYTES).digest()

    one = _time(loop, 1)
    with ThreadPoolExecutor(2) as pool:
        two = _time(lambda: list(pool.map(loop, range(2))), 1)
    return one, two


def _repeats(side: Side) -> int:
    """Calls in one sample, so that it is long beside the clock's and the scheduler's grain."""
    return max(1, round(_SHORTEST_SAMPLE / max(_time(side.run, 1), 1e-9)))


def _time(run: Callable[[], Any], repeat: int) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        run()
    return (time.perf_counter() - start) / repeat
