"""Saving judgments while 200 slow clients hold on to the server: forms that come at a byte every eight seconds.

``python -m benchmarks.slow_clients`` starts the web server as Compose does (PostgreSQL) or as the demo does (SQLite),
lets ten annotators save judgments alone, then beside the slow clients, in turn, and prints p50 and p95 of both.
"""

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from threading import Event, Thread

from benchmarks.load import Load, run_load
from benchmarks.saving import Person, prepare, prepared_environment, server

SLOW_CLIENTS = 200
PEOPLE = 10
SAVES = 30  # by each in a round
ROUNDS = 5
PAUSE = 8.0  # seconds between two bytes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--on", choices=["postgresql", "sqlite"], help="only this database, in this very process")
    options = parser.parse_args()
    if options.on:
        return measure(options.on)
    for database in ("postgresql", "sqlite"):
        with prepared_environment(database) as environment:
            if environment is not None:
                command = [sys.executable, "-m", "benchmarks.slow_clients", "--on", database]
                subprocess.run(command, env=environment, check=True)
    return 0


def measure(database: str) -> int:
    import django

    django.setup()
    people = prepare(hits_each=2 * ROUNDS * SAVES // 5 + 1)[:PEOPLE]
    alone: list[Load] = []
    beside: list[Load] = []
    with server(database) as port:
        for turn in range(ROUNDS):
            alone.append(_saves(port, people, first=2 * turn))
            with slow_clients(port, people[0]) as still_there:
                beside.append(_saves(port, people, first=2 * turn + 1))
                held = still_there()
    print(f"{database}: {PEOPLE} annotators saving; {held} of {SLOW_CLIENTS} slow clients held to the end of the round")
    for name, loads in (("alone", alone), ("beside slow clients", beside)):
        failures = [failure for load in loads for failure in load.failures]
        p50, p95 = (median(1000 * load.quantile(q) for load in loads) for q in (0.5, 0.95))
        worst = max(1000 * load.quantile(0.95) for load in loads)
        print(f"  {name:20} p50 {p50:.0f} ms, p95 {p95:.0f} ms (worst round {worst:.0f} ms), {len(failures)} failures")
    return 0


def _saves(port: int, people: list[Person], first: int) -> Load:
    part = slice(first * SAVES, (first + 1) * SAVES)
    return run_load(port=port, people=[person.saves[part] for person in people], expected="302 303")


@contextmanager
def slow_clients(port: int, person: Person) -> Iterator[Callable[[], int]]:
    """Clients that have begun to send a form, from threads of their own; gives how many are still connected."""
    begun, over = Event(), Event()
    connected: list[int] = []

    async def one(count: list[int]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = person.saves[0].encode(f"127.0.0.1:{port}").partition(b"\r\n\r\n")[0]
        writer.write(head + b"\r\n\r\n")
        count[0] += 1
        while not over.is_set():
            writer.write(b"x")
            for _ in range(int(PAUSE / 0.1)):
                if over.is_set() or reader.at_eof():
                    break
                await asyncio.sleep(0.1)
            if reader.at_eof():
                break
        count[0] -= reader.at_eof()
        writer.close()

    async def all_of_them() -> None:
        count = [0]
        tasks = [asyncio.create_task(one(count)) for _ in range(SLOW_CLIENTS)]
        while count[0] < SLOW_CLIENTS:
            await asyncio.sleep(0.05)
        begun.set()
        while not over.is_set():
            connected[:] = count
            await asyncio.sleep(0.05)
        await asyncio.gather(*tasks)

    thread = Thread(target=lambda: asyncio.run(all_of_them()), daemon=True)
    thread.start()
    begun.wait(60)
    try:
        yield lambda: connected[0]
    finally:
        over.set()
        thread.join()


if __name__ == "__main__":
    raise SystemExit(main())
