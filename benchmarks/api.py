"""The API over a real socket: many rows at once, a million judgments as lines beside the export, and single replies.

python -m benchmarks.api [--items 10000 100000] [--judgments 1000000]

On PostgreSQL (BENCH_POSTGRES_URL names a server) under the web server as docker-compose.yml has it, and with ``--on
sqlite`` as the demo has it. Its peak memory is the operating system's account of that of its processes which had most.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from socket import socket
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

from benchmarks.export import ROOT, database, run
from benchmarks.footprint import descendants
from benchmarks.protocol import seconds
from benchmarks.saving import web_command

if TYPE_CHECKING:
    from collections.abc import Iterator

GETS, ROUNDS = 200, 3
LINES = "application/x-ndjson"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--on", choices=("postgresql", "sqlite"), default="postgresql")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, database(options.on, Path(folder), 1) as environment:
        if environment is not None:
            for size in options.items:
                measure_items(environment, size, options.on)
    with tempfile.TemporaryDirectory() as folder, database(options.on, Path(folder), options.judgments) as environment:
        if environment is not None:
            measure_judgments(environment, Path(folder), options.judgments, options.on)


def measure_items(environment: dict[str, str], size: int, vendor: str) -> None:
    """A server of its own for each size, so that its peak is of that alone."""
    body = rows(size)
    with served(environment, vendor) as server:
        ask(server, "POST", f"/corpora?name=First{size}", rows(10), content_type=LINES)
        taken = []
        for number in range(ROUNDS):
            spent, status, _ = ask(server, "POST", f"/corpora?name=Rows{size}-{number}", body, content_type=LINES)
            assert status == 201
            taken.append(spent)
        peak = peak_of(server)
    print(
        f"{size:>9,} items stored on {vendor}: {seconds(median(taken)):>8} (range {min(taken):.2f}–{max(taken):.2f} s),"
        f" {len(body) / 1e6:.0f} MB sent, peak of the server {peak:.0f} MB"
    )


def measure_judgments(environment: dict[str, str], folder: Path, judgments: int, vendor: str) -> None:
    exported, read = [], []
    with served(environment, vendor, "--measured") as server:
        path = f"/studies/{server['slug']}"
        for _ in range(ROUNDS):
            exported.append(run("csv", environment, folder / "csv")[0])
            spent, status, length = ask(server, "GET", f"{path}/judgments", accept=LINES)
            assert status == 200
            read.append(spent)
        peak = peak_of(server)
        print(f"\n{judgments:,} judgments on {vendor}; medians of {ROUNDS} interleaved rounds")
        print(
            f"  CSV export, to a file      {seconds(median(exported)):>8} {judgments / median(exported):>10,.0f} rows/s"
        )
        print(f"  lines of JSON, by the API  {seconds(median(read)):>8} {judgments / median(read):>10,.0f} rows/s")
        print(f"  share of the export's rate {median(exported) / median(read):.2f} (wanted: at least 0.60)")
        print(f"  {length / 1e6:,.0f} MB of lines, peak of the server {peak:.0f} MB")
        print(f"\nSingle replies, {GETS} each, one at a time (wanted: p95 below 40 ms)")
        for name in single_replies(server):
            asked = [ask(server, "GET", f"{path}{name}") for _ in range(GETS)]
            assert {status for _, status, _ in asked} == {200}, name
            times = [spent * 1000 for spent, _, _ in asked]
            middle, late = median(times), quantiles(times, n=20)[-1]
            print(f"  GET …{name or ' (the study)':<34} p50 {middle:6.1f} ms   p95 {late:6.1f} ms")


def single_replies(server: dict[str, Any]) -> list[str]:
    """What is asked for one at a time, below the study's address."""
    lists = ["", "/batches/1", "/batches", "/items?limit=50", "/judgments?limit=50", "/runs", "/events"]
    ones = ["/members?limit=50", f"/items/{server['item']}", "/items/search", "/releases", "/releases/1"]
    figures = ["/figures", "/figures/krippendorff_alpha"]
    results = [f"/runs/{server['run']}/scores?limit=50"] if server["run"] else []
    return [*lists, *ones, *figures, *results]


@contextmanager
def served(environment: dict[str, str], vendor: str, *how: str) -> Iterator[dict[str, Any]]:
    """The platform's own server: its port and its process; a token, and the slug of the first study."""
    environment = environment | {"API_REQUESTS_A_MINUTE": "1000000"}
    command = [sys.executable, "-m", "benchmarks.api_token", *how]
    known = json.loads(subprocess.run(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([*web_command(vendor, port), "--log-level", "warning"], env=environment, cwd=ROOT)
    server = known | {"port": port, "pid": process.pid}
    try:
        for _ in range(600):
            with suppress(OSError):
                ask(server, "GET", "/schemes")
                break
            time.sleep(0.1)
        yield server
    finally:
        process.terminate()
        process.wait()


def ask(
    server: dict[str, Any], method: str, path: str, body: bytes = b"", content_type: str = "", accept: str = ""
) -> tuple[float, int, int]:
    """Seconds, status, and bytes of the reply."""
    headers = {"Authorization": f"Bearer {server['token']}"}
    headers |= {"Content-Type": content_type} if content_type else {}
    headers |= {"Accept": accept} if accept else {}
    connection = HTTPConnection("127.0.0.1", server["port"], timeout=600)
    begun = time.perf_counter()
    connection.request(method, f"/api/v1{path}", body, headers)
    reply = connection.getresponse()
    length = 0
    while piece := reply.read(1 << 20):
        length += len(piece)
    spent = time.perf_counter() - begun
    connection.close()
    return spent, reply.status, length


def peak_of(server: dict[str, Any]) -> float:
    """Megabytes that one of the server's processes had at most, as Linux counts them; NaN elsewhere."""
    peaks = [float("nan")]
    for pid in (server["pid"], *descendants(server["pid"])) if Path("/proc").is_dir() else ():
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        peaks += [int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")]
    return max(peaks[1:] or peaks)


def rows(count: int) -> bytes:
    return "\n".join(
        json.dumps(
            {
                "question": f"What does owl {n} do at night, and why?",
                "answer": f"Owl {n} hunts at night since it hears well. It eats mice.",
                "system": ("alder", "birch", "cedar")[n % 3],
                "article": f"Owl {n // 10} lives in a forest. It hears well. It hunts mice at night.",
            }
        )
        for n in range(count)
    ).encode()


if __name__ == "__main__":
    main()
