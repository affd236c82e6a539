"""Exporting a million judgments from PostgreSQL, beside the ORM and a bare COPY. ``python -m benchmarks.export``.

Every path runs in a process of its own, in turn, and writes to a file; seconds are without start-up, peak memory is
the operating system's account of the process. First the files must hold the same. BENCH_POSTGRES_URL names a server;
the databases that are made there are dropped afterwards.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks import databases
from benchmarks.protocol import seconds

ROOT = Path(__file__).resolve().parent.parent
PAGE_JUDGMENTS = 50_000
NAMES = {
    "csv": "CSV, ours",
    "orm_csv": "CSV, values_list().iterator()",
    "copy": "bare COPY of the same rows",
    "copy_unordered": "bare COPY without an order",
    "jsonl": "JSON Lines, ours",
    "parquet": "Parquet, ours",
    "orm_parquet": "Parquet, values_list() and pyarrow",
}
RATIOS = (
    ("CSV: times as fast as the ORM (wanted: at least 5)", "orm_csv", "csv"),
    ("CSV: times the seconds of a bare COPY (wanted: at most 1.5)", "csv", "copy"),
    ("CSV: times the seconds of a bare COPY without an order", "csv", "copy_unordered"),
    ("Parquet: times as fast as the ORM with pyarrow (wanted: at least 4)", "orm_parquet", "parquet"),
)


class DifferentFilesError(AssertionError):
    """Two paths do not write the same, so that their times say nothing."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--page-only", action="store_true", help="only the exports of the export page")
    parser.add_argument("--check", type=Path, help="only compare the files in this folder")
    options = parser.parse_args()
    if options.check:
        check_same_content(options.check)
        return
    with tempfile.TemporaryDirectory() as folder:
        if not options.page_only:
            with database("postgresql", Path(folder), options.rows) as environment:
                if environment is not None:
                    measure_files(environment, Path(folder), options.rows, options.rounds)
        for vendor in ("postgresql", "sqlite"):
            with database(vendor, Path(folder), PAGE_JUDGMENTS) as environment:
                if environment is not None:
                    measure_page(environment, Path(folder), f"{vendor}, right after a run that nothing has counted")
                    if vendor == "postgresql":
                        run("count_while_empty", environment, Path(folder) / "nothing")
                        measure_page(environment, Path(folder), f"{vendor}, scores counted while there were none")


def measure_files(environment: dict[str, str], folder: Path, rows: int, rounds: int) -> None:
    taken: dict[str, list[float]] = {name: [] for name in NAMES}
    peaks = dict.fromkeys(NAMES, 0)
    for number in range(rounds):
        for name in NAMES:
            spent, peak = run(name, environment, folder / name)
            taken[name].append(spent)
            peaks[name] = max(peaks[name], peak)
        if number == 0:  # in a process of its own: a child's peak is never below its parent's size when it starts
            subprocess.run([sys.executable, "-m", "benchmarks.export", "--check", folder], cwd=ROOT, check=True)
    size = (folder / "csv").stat().st_size
    print(f"\n{rows:,} judgments, {size / 1e6:,.0f} MB as CSV, PostgreSQL; medians of {rounds} interleaved rounds")
    for name, label in NAMES.items():
        middle = median(taken[name])
        print(f"  {label:<40} {seconds(middle):>8} {rows / middle:>10,.0f} rows/s   peak {peaks[name] / 1e6:,.0f} MB")
    for label, above, below in RATIOS:
        ratios = [a / b for a, b in zip(taken[above], taken[below], strict=True)]
        print(f"  {label}: {median(ratios):.2f} (range {min(ratios):.2f}–{max(ratios):.2f})")


def check_same_content(folder: Path) -> None:
    """Cell by cell, where 95 is 95.0 and a missing value is an empty one; Parquet by its typed values."""
    import pyarrow.parquet as pq

    with (folder / "csv").open(newline="", encoding="utf-8") as ours, (folder / "orm_csv").open(newline="") as theirs:
        for mine, other in zip(csv.reader(ours), csv.reader(theirs), strict=True):
            if mine != other and [plain(cell) for cell in mine] != [plain(cell) for cell in other]:
                raise DifferentFilesError(f"{mine}\n{other}")
    with (folder / "csv").open("rb") as ours, (folder / "copy").open("rb") as copy:
        ours.readline()
        while part := ours.read(1 << 20):
            if part != copy.read(1 << 20):
                raise DifferentFilesError("CSV and bare COPY differ")
    files = [pq.ParquetFile(folder / name).iter_batches(10_000) for name in ("parquet", "orm_parquet")]
    if not all(mine.equals(other) for mine, other in zip(*files, strict=True)):
        raise DifferentFilesError("the Parquet files differ")
    with (folder / "csv").open(encoding="utf-8") as file:
        print(f"The files hold the same. Columns: {next(islice(file, 1)).strip()}")


def plain(cell: str) -> str:
    return cell.removesuffix(".0")


def measure_page(environment: dict[str, str], folder: Path, state: str) -> None:
    print(f"\n{PAGE_JUDGMENTS:,} judgments by the export page's own service, {state} (wanted: at most 1 s)")
    for format in ("csv", "jsonl", "parquet"):
        _, peak = run(f"page_{format}", environment, folder / "page")
        print(f"  {format:<8} {seconds(float((folder / 'page').read_text())):>8}   peak {peak / 1e6:,.0f} MB")


def run(name: str, environment: dict[str, str], output: Path) -> tuple[float, int]:
    """Seconds of the work and peak resident bytes of its process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.export_paths", name, str(output)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return float(printed), usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@contextmanager
def database(vendor: str, folder: Path, judgments: int, *, fill: str = "fill") -> Iterator[dict[str, str] | None]:
    """The environment of a migrated database with so many judgments; None where there is no server."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "DATA_DIR": str(folder / "data"),
        "BENCH_JUDGMENTS": str(judgments),
        "DATABASE_URL": f"sqlite:///{folder / 'benchmark.sqlite3'}",
    }
    if vendor == "sqlite":
        prepare(environment, folder, fill)
        yield environment
        return
    with databases.database(f"bench_export_{os.getpid()}") as made:
        if made is None:
            yield None
            return
        environment["DATABASE_URL"] = made.url
        prepare(environment, folder, fill)
        yield environment


def prepare(environment: dict[str, str], folder: Path, fill: str) -> None:
    command = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
    subprocess.run(command, env=environment, cwd=ROOT, check=True)
    run(fill, environment, folder / "nothing")


if __name__ == "__main__":
    main()
