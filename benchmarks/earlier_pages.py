"""Pages of this checkout beside those of an earlier commit, in turn. ``python -m benchmarks.earlier_pages COMMIT``.

The commit is checked out into a folder of its own. Each side fills a database of its own on PostgreSQL with the study
of 12,650 judgments, and answers in one process through its WSGI application, as the server does. Counted is processor
time of that process, so that a busy machine matters less; what the database takes is not in it. The commit must have
``benchmarks.pages`` with ``--fill``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.earlier import ROOT, checkout
from benchmarks.pages import SMALL, filled, pages

WARM_UP = 3
DATABASE = "bench_pages_{}"
WORKER = r"""
import json, sys, time
from urllib.parse import unquote
from wsgiref.util import setup_testing_defaults
from annotation_platform.wsgi import application

for line in sys.stdin:
    path, _, query = line.strip().partition("?")
    asked = {"PATH_INFO": unquote(path), "QUERY_STRING": query, "HTTP_COOKIE": sys.argv[1]}
    setup_testing_defaults(asked)
    status = []
    began = time.process_time()
    answer = application(asked, lambda line, headers: status.append(line))
    b"".join(answer)
    answer.close()
    print(json.dumps([status[0], time.process_time() - began]), flush=True)
"""


@dataclass
class Pages:
    """A process that answers for one side."""

    process: subprocess.Popen[str]
    study: dict[str, str]

    def seconds(self, path: str) -> float:
        """Processor time of a page."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(path.format(**self.study), file=self.process.stdin, flush=True)
        status, seconds = json.loads(self.process.stdout.readline())
        if not status.startswith("200"):
            raise SystemExit(f"{path} answered {status}.")
        return float(seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commit")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--keep", action="store_true", help="keep the databases, and use those that are there")
    options = parser.parse_args()
    with ExitStack() as stack:
        then_at = stack.enter_context(checkout(options.commit))
        now = stack.enter_context(answering(ROOT, "now", keep=options.keep))
        then = stack.enter_context(answering(then_at, options.commit, keep=options.keep))
        if now is None or then is None:
            return 0
        report(options.commit, measure(now, then, rounds=options.rounds), options.rounds)
    return 0


@contextmanager
def answering(folder: Path, name: str, *, keep: bool) -> Iterator[Pages | None]:
    """The pages of the platform in this folder, on a database of its own; None where there is no server for it."""
    with filled(DATABASE.format(name), SMALL, keep=keep, checkout=folder) as made:
        if made is None:
            yield None
            return
        command = [sys.executable, "-c", WORKER, f"sessionid={made.session}"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, cwd=folder, env=made.environment, stdin=pipe, stdout=pipe, text=True) as process:
            yield Pages(process, made.study)
            assert process.stdin is not None
            process.stdin.close()


def measure(now: Pages, then: Pages, *, rounds: int) -> dict[str, tuple[list[float], list[float]]]:
    """Seconds of every page on both sides, after some that do not count; all pages in turn, so that each is asked at
    many times."""
    found: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in pages()}
    for turn in range(WARM_UP + rounds):
        for name, path in pages().items():
            for side, times in zip((now, then), found[name], strict=True):
                seconds = side.seconds(path)
                if turn >= WARM_UP:
                    times.append(seconds)
    return found


def report(commit: str, found: dict[str, tuple[list[float], list[float]]], rounds: int) -> None:
    print(f"Processor time in ms, of {rounds} requests each, now and at {commit}")
    print(f"  {'page':28}{'least':>8}{'then':>8}{'times':>7}{'median':>9}{'then':>8}{'times':>7}")
    ratios: list[tuple[float, float]] = []
    for name, (now, then) in found.items():
        ratios.append((min(now) / min(then), median(now) / median(then)))
        cells = [f"{1000 * take(now):8.1f}{1000 * take(then):8.1f}" for take in (min, median)]
        print(f"  {name:28}{cells[0]}{ratios[-1][0]:7.2f} {cells[1]}{ratios[-1][1]:7.2f}", flush=True)
    least, middle = (median(column) for column in zip(*ratios, strict=True))
    print(f"  the median page: {least:.2f} times by the least, {middle:.2f} by the median")


if __name__ == "__main__":
    raise SystemExit(main())
